// Questions that several kinds share.
#include <algorithm>
#include <cmath>

#include "insight/explanation/explain_pairs.h"
#include "insight/explanation/sinusoidal_symbols.h"
#include "insight/properties/formulas.h"
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
  sheet.ask(
      "shared/identity weight",
      {{"keys", keys},
       {"others", keys - 1},
       {"own", own},
       {"other", other},
       {"own_part", decimals_text(std::exp(own), 5)},
       {"other_part", decimals_text(far, 5)}},
      {std::exp(own) / (std::exp(own) + far)},
      {{"only one other key was counted", {std::exp(own) / (std::exp(own) + std::exp(-other))}},
       {"its own key was counted among the others too", {std::exp(own) / (std::exp(own) + far + std::exp(-other))}},
       {"the bias of the others is negative",
        {std::exp(own) / (std::exp(own) + static_cast<double>(keys - 1) * std::exp(other))}},
       {"the sum of a softmax has its own key too", {std::exp(own) / far}},
       {"this is the weight of all other keys together", {far / (std::exp(own) + far)}},
       {"a softmax takes the exponentials of the scores", {own / (own - other * static_cast<double>(keys - 1))}}});
  add_identity_question(
      sheet, "A head has learned a relative bias that is large at distance 0 and negative at all other distances.");
}

void add_identity_question(Sheet& sheet, const std::string& bias) { sheet.ask("shared/identity", {{"bias", bias}}); }

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

std::string Channels::text(const Sinusoidal& spec) const {
  const std::string width = text_of(spec.width), numbers = " of its " + width + " numbers";
  if (count == spec.width) return "all " + width + " numbers";
  if (first == 0) return "the first " + text_of(count) + numbers;
  if (first + count == spec.width) return "the last " + text_of(count) + numbers;
  const std::int64_t last = first + count - 1;
  const std::string pairs = properties::in_halves(spec.order) ? ""
                            : count == 2                      ? " (pair i = " + text_of(first / 2) + ")"
                                                              : " (pairs from i = " + text_of(first / 2) + ")";
  return "the numbers of channels " + text_of(first) + (count == 2 ? " and " : " to ") + text_of(last) +
         ", counted from 0" + pairs;
}

Channels first_channels(const Sinusoidal& spec, std::int64_t most) { return {0, std::min(spec.width, most)}; }

std::vector<double> part_of_row(const Sinusoidal& spec, double position, const Channels& channels) {
  const std::vector<double> row = row_of(spec, position);
  return {row.begin() + channels.first, row.begin() + channels.first + channels.count};
}

std::int64_t channel_in_turn(const Sinusoidal& spec, std::int64_t channel) {
  const std::int64_t half = spec.width / 2;
  if (properties::in_halves(spec.order)) channel = channel < half ? 2 * channel : 2 * (channel - half) + 1;
  return properties::cosine_first(spec.order) ? channel ^ 1 : channel;
}

std::string layout_text(const Sinusoidal& spec, bool counting) {
  constexpr const char* kOrders[] = {"Sine and cosine alternate", "Cosine and sine alternate (order=cos_interleaved)",
                                     "All sines come first, then all cosines (order=halves)",
                                     "All cosines come first, then all sines (order=cos_halves)"};
  std::string text = kOrders[static_cast<std::size_t>(spec.order)];
  if (spec.first != 0) {
    text += ", and position 0 counts as " + text_of(spec.first) + " (first=" + text_of(spec.first) + ")";
  } else if (counting) {
    text += ", and positions count from 0";
  }
  if (spec.multiplier == 1.0) return text + ".";
  const std::string factor = text::number_text(spec.multiplier);
  return text + ". Every number is multiplied by " + factor + " (multiplier=" + factor + ").";
}

namespace {

// The numbers of those channels in a row worked out by hand.
std::vector<double> by_hand(const Sinusoidal& spec, double position, const std::vector<std::int64_t>& channels,
                            const RowValue& row) {
  std::vector<double> values;
  for (const std::int64_t c : channels) {
    values.push_back(spec.multiplier * row(position + static_cast<double>(spec.first), channel_in_turn(spec, c)));
  }
  return values;
}

std::vector<double> at_channels(const Sinusoidal& spec, double position, const std::vector<std::int64_t>& channels) {
  const std::vector<double> row = row_of(spec, position);
  std::vector<double> values;
  for (const std::int64_t c : channels) values.push_back(row[static_cast<std::size_t>(c)]);
  return values;
}

std::vector<std::int64_t> list_of(const Channels& channels) {
  std::vector<std::int64_t> list;
  for (std::int64_t c = channels.first; c < channels.first + channels.count; ++c) list.push_back(c);
  return list;
}

}  // namespace

std::vector<Mistake> channel_mistakes(const Sinusoidal& spec, double position,
                                      const std::vector<std::int64_t>& channels) {
  std::vector<Mistake> mistakes =
      row_mistakes(spec, [&](const RowValue& row) { return by_hand(spec, position, channels, row); });
  const auto add = [&](const std::string& text, const Sinusoidal& other) {
    mistakes.push_back({text, at_channels(other, position, channels)});
  };
  Sinusoidal other = spec;
  other.order = Order::interleaved;
  if (spec.order != Order::interleaved)
    add("sine and cosine alternate, beginning with a sine; here they do not", other);
  other = spec;
  other.first = 0;
  if (spec.first == 1)
    std::erase_if(mistakes, [](const Mistake& each) { return each.text.starts_with("one position early"); });
  if (spec.first != 0) add("first=" + text_of(spec.first) + " was not added to the position", other);
  other = spec;
  other.multiplier = 1.0;
  if (spec.multiplier != 1.0) add("the multiplier was left out", other);
  if (spec.order == Order::interleaved) {
    for (Mistake& mistake : order_mistakes(at_channels(spec, position, channels)))
      mistakes.push_back(std::move(mistake));
  }
  return mistakes;
}

void add_row_question(Sheet& sheet, Level level, const Sinusoidal& spec, const Channels& channels, double p) {
  const explanation::SinusoidalSymbols symbols(spec);
  Question question = stored_question("shared/row",
                                      {{"p", p},
                                       {"width", spec.width},
                                       {"base", spec.base},
                                       {"which", channels.text(spec)},
                                       {"layout", layout_text(spec, true)},
                                       {"last", spec.width / 2 - 1}},
                                      part_of_row(spec, p, channels));
  question.level = level;
  const double counted = p + static_cast<double>(spec.first);
  if (spec.first != 0) {
    question.solution.push_back("position " + text::number_text(p) + " counts as " + text::number_text(counted));
  }
  std::vector<std::int64_t> pairs;
  for (const std::int64_t c : list_of(channels)) {
    const std::int64_t i = channel_in_turn(spec, c) / 2;
    if (std::find(pairs.begin(), pairs.end(), i) == pairs.end()) pairs.push_back(i);
  }
  for (const std::int64_t i : pairs) {
    const double angle = counted * reference::sinusoidal_inv_freq(spec, i);
    const std::string equals = i == 0 ? "" : symbols.angle(text::number_text(counted), i) + " = ";
    question.solution.push_back("i = " + text_of(i) + ": angle " + equals + text::general_text(angle, 7) + ", sine " +
                                decimals_text(std::sin(angle), 5) + ", cosine " + decimals_text(std::cos(angle), 5));
  }
  if (spec.multiplier != 1.0) question.solution.push_back("each times " + text::number_text(spec.multiplier));
  question.mistakes = channel_mistakes(spec, p, list_of(channels));
  sheet.add(question);
}

void add_row_question(Sheet& sheet, Level level, const Sinusoidal& spec, double other) {
  const double p = sheet.draw("row " + text_of(spec.width)).other(1, 9, other);
  add_row_question(sheet, level, spec, first_channels(spec, 4), p);
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
