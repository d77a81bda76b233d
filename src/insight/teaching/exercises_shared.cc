// The questions that several kinds share.
#include <cmath>

#include "insight/explanation/explain_pairs.h"
#include "insight/explanation/sinusoidal_symbols.h"
#include "insight/teaching/exercise_kinds.h"

namespace posenc::teaching {

void add_permutation_question(Sheet& sheet) {
  Draw draw = sheet.draw("permutation");
  const std::int64_t tokens = draw.between(3, 9);
  sheet.ask_choice("shared/permutation", draw, {{"tokens", tokens}});
}

void add_long_context_question(Sheet& sheet) {
  if (sheet.options().long_context) sheet.ask("shared/long context");
}

void add_distance_zero_question(Sheet& sheet) { sheet.ask("shared/distance zero"); }

void add_softmax_question(Sheet& sheet, const std::string& origin, const std::vector<double>& scores,
                          const std::vector<double>& biases) {
  std::vector<double> sums, exponentials;
  double total = 0.0;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    sums.push_back(scores[k] + biases[k]);
    exponentials.push_back(std::exp(sums.back()));
    total += exponentials.back();
  }
  sheet.ask("shared/softmax",
            {{"keys", static_cast<std::int64_t>(scores.size())},
             {"scores", plain_list(scores)},
             {"origin", origin},
             {"biases", list_text(biases, 5)},
             {"sums", list_text(sums, 5)},
             {"exponentials", list_text(exponentials, 5)},
             {"total", decimals_text(total, 5)},
             {"plain", list_text(explanation::softmax(scores), 3)}},
            explanation::softmax(sums));
}

void add_softmax_of(Sheet& sheet, const Spec& spec, const std::vector<reference::Numbers>& numbers,
                    const std::string& origin) {
  std::vector<double> biases;
  for (int j = 0; j < 4; ++j) biases.push_back(reference::bias(spec, numbers, 0, 3.0, j));
  const std::vector<double> scores(4, sheet.draw("softmax scores").tenths(1, 9));
  add_softmax_question(sheet, origin + " The query stands at 3, the keys at 0, 1, 2, 3.", scores, biases);
}

Sinusoidal plain_sinusoidal(std::int64_t width, double base) {
  return {.width = width, .base = base >= 2.0 && base <= 1e9 ? base : 10000.0};
}

std::vector<double> row_of(const Sinusoidal& spec, double position) {
  std::vector<double> row(static_cast<std::size_t>(spec.width));
  reference::sinusoidal_row(spec, position, row.data());
  return row;
}

void add_row_question(Sheet& sheet, Level level, const Sinusoidal& spec) {
  const double p = sheet.draw("row " + text_of(spec.width)).real(1, 9);
  const std::vector<double> row = row_of(spec, p);
  const explanation::SinusoidalSymbols symbols(spec);
  Question question = stored_question(
      "shared/row", {{"p", p}, {"width", spec.width}, {"base", spec.base}, {"last", spec.width / 2 - 1}}, row);
  question.level = level;
  for (std::int64_t i = 0; i < spec.width / 2; ++i) {
    const auto at = static_cast<std::size_t>(2 * i);
    const std::string equals = i == 0 ? "" : symbols.angle(text::number_text(p), i) + " = ";
    question.solution.push_back("i = " + text_of(i) + ": angle " + equals +
                                text::general_text(p * reference::sinusoidal_inv_freq(spec, i), 7) + ", sine " +
                                decimals_text(row[at], 5) + ", cosine " + decimals_text(row[at + 1], 5));
  }
  sheet.add(question);
}

void add_parameter_count(Sheet& sheet, const Spec& spec, const std::string& how) {
  sheet.ask("biases/parameters", {{"spec", to_text(spec)}, {"how", how}}, {parameter_count(spec)});
}

void add_classic_softmax(Sheet& sheet) {
  add_softmax_question(sheet, "The keys stand one before the query, on it and one after it.", {0.2, 0.2, 0.2},
                       {0.5, 0.0, -0.5});
}

void add_zero_distance(Sheet& sheet, const std::string& why) {
  Draw draw = sheet.draw("zero distance");
  const std::int64_t p = draw.between(3, 900);
  sheet.ask_choice("functions/zero distance", draw, {{"p", p}, {"why", why}});
}

}  // namespace posenc::teaching
