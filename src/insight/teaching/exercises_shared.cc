// Questions that several kinds share.
#include <algorithm>
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

namespace {

std::vector<Mistake> softmax_mistakes(const std::vector<double>& scores, const std::vector<double>& biases,
                                      const std::vector<double>& exponentials) {
  std::vector<double> differences, sums;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    differences.push_back(scores[k] - biases[k]);
    sums.push_back(scores[k] + biases[k]);
  }
  const std::vector<double> weights = explanation::softmax(sums);
  std::vector<Mistake> mistakes = {{"the biases were not added", explanation::softmax(scores)},
                                   {"the biases were subtracted", explanation::softmax(differences)},
                                   {"the exponentials were not divided by their sum", exponentials},
                                   {"the keys are in the opposite order", {weights.rbegin(), weights.rend()}}};
  for (const double unit : {10.0, 100.0}) {
    std::vector<double> rough = exponentials;
    double total = 0.0;
    for (double& weight : rough) {
      weight = std::round(weight * unit) / unit;
      total += weight;
    }
    for (double& weight : rough) weight /= total;
    mistakes.push_back({"a number was rounded too early; keep all digits until the end", rough});
  }
  return mistakes;
}

}  // namespace

void add_identity_questions(Sheet& sheet) {
  Draw draw = sheet.draw("identity");
  const std::int64_t keys = draw.between(4, 12);
  const double own = draw.real(2, 4), other = draw.real(1, 3);
  const double far = static_cast<double>(keys - 1) * std::exp(-other);
  sheet.ask("shared/identity weight",
            {{"keys", keys},
             {"others", keys - 1},
             {"own", own},
             {"other", other},
             {"own_part", decimals_text(std::exp(own), 5)},
             {"other_part", decimals_text(far, 5)}},
            {std::exp(own) / (std::exp(own) + far)});
  sheet.ask("shared/identity");
}

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
            explanation::softmax(sums), softmax_mistakes(scores, biases, exponentials));
}

void add_softmax_of(Sheet& sheet, const Spec& spec, const std::vector<reference::Numbers>& numbers,
                    const std::string& origin) {
  std::vector<double> biases;
  for (int j = 0; j < 4; ++j) biases.push_back(reference::bias(spec, numbers, 0, 3.0, j));
  const std::vector<double> scores(4, sheet.draw("softmax scores").tenths(1, 9));
  add_softmax_question(sheet, origin + " The query is at position 3, the keys are at 0, 1, 2 and 3.", scores, biases);
}

Sinusoidal plain_sinusoidal(std::int64_t width, double base) {
  return {.width = width, .base = base >= 2.0 && base <= 1e9 ? base : 10000.0};
}

std::vector<double> row_of(const Sinusoidal& spec, double position) {
  std::vector<double> row(static_cast<std::size_t>(spec.width));
  reference::sinusoidal_row(spec, position, row.data());
  return row;
}

std::string Channels::text(std::int64_t width) const {
  const std::string numbers = " of its " + text_of(width) + " numbers";
  if (count == width) return "all " + text_of(width) + " numbers";
  if (first == 0) return "the first " + text_of(count) + numbers;
  if (first + count == width) return "the last " + text_of(count) + numbers;
  const std::int64_t last = first + count - 1;
  return "the numbers of channels " + text_of(first) + (count == 2 ? " and " : " to ") + text_of(last) +
         ", counted from 0 (pair" + (count == 2 ? " i = " : "s from i = ") + text_of(first / 2) + ")";
}

Channels first_channels(const Sinusoidal& spec, std::int64_t most) { return {0, std::min(spec.width, most)}; }

std::vector<double> part_of_row(const Sinusoidal& spec, double position, const Channels& channels) {
  const std::vector<double> row = row_of(spec, position);
  return {row.begin() + channels.first, row.begin() + channels.first + channels.count};
}

void add_row_question(Sheet& sheet, Level level, const Sinusoidal& spec, const Channels& channels,
                      std::string_view name) {
  const double p = sheet.draw(name).real(1, 9);
  const std::vector<double> part = part_of_row(spec, p, channels);
  const explanation::SinusoidalSymbols symbols(spec);
  Question question = stored_question("shared/row",
                                      {{"p", p},
                                       {"width", spec.width},
                                       {"base", spec.base},
                                       {"which", channels.text(spec.width)},
                                       {"last", spec.width / 2 - 1}},
                                      part);
  question.level = level;
  for (std::int64_t c = 0; c < channels.count; c += 2) {
    const std::int64_t i = (channels.first + c) / 2;
    const auto at = static_cast<std::size_t>(c);
    const std::string equals = i == 0 ? "" : symbols.angle(text::number_text(p), i) + " = ";
    question.solution.push_back("i = " + text_of(i) + ": angle " + equals +
                                text::general_text(p * reference::sinusoidal_inv_freq(spec, i), 7) + ", sine " +
                                decimals_text(part[at], 5) + ", cosine " + decimals_text(part[at + 1], 5));
  }
  question.mistakes = row_mistakes(spec, [&](const RowValue& row) {
    std::vector<double> values;
    for (std::int64_t c = 0; c < channels.count; ++c) values.push_back(row(p, channels.first + c));
    return values;
  });
  sheet.add(question);
}

void add_row_question(Sheet& sheet, Level level, const Sinusoidal& spec) {
  add_row_question(sheet, level, spec, first_channels(spec, 4), "row " + text_of(spec.width));
}

void add_parameter_count(Sheet& sheet, const Spec& spec, const std::string& how, std::vector<Mistake> mistakes) {
  sheet.ask("biases/parameters", {{"spec", to_text(spec)}, {"how", how}}, {parameter_count(spec)}, std::move(mistakes));
}

void add_classic_softmax(Sheet& sheet) {
  add_softmax_question(sheet, "The keys are one position before the query, at its position and one after it.",
                       {0.2, 0.2, 0.2}, {0.5, 0.0, -0.5});
}

void add_zero_distance(Sheet& sheet, const std::string& why) {
  Draw draw = sheet.draw("zero distance");
  const std::int64_t p = draw.between(3, 900);
  sheet.ask_choice("functions/zero distance", draw, {{"p", p}, {"why", why}});
}

}  // namespace posenc::teaching
