// ALiBi.
#include <cmath>

#include "core/base/float_types.h"
#include "insight/about/about.h"

namespace posenc {
namespace about {
namespace {

KindFacts alibi_facts(const Spec&) {
  return {
      .users = "BLOOM, MPT, Falcon's RefinedWeb models and Jina's BERT (Press et al., 2022)",
      .represents = "distances",
      .prefers = "near keys, from the start",
      .past_length =
          "The penalty keeps growing linearly. Trained on 512 tokens, perplexity fell from 19.73 to 18.40 at 3512 and "
          "18.31 at 15512, but distant tokens get almost no weight.",
      .order_of_terms =
          "The bias is added after the scores are scaled; Falcon adds it before, so that 1/sqrt(D) shrinks it. "
          "BLOOM adds m_h j, which gives the same weights under a causal mask."};
}

std::vector<Property> alibi_properties(const Encoding& numbers, const CheckOptions& options) {
  const auto& spec = std::get<Alibi>(numbers.spec());
  BiasTraits traits{.bounded = false};
  // Rounding to bfloat16 moves positions by different amounts, so distances change too.
  if (spec.precision != AlibiPrecision::exact) traits.relative = std::nullopt;
  traits.falls = numbers.parameters().empty();
  const std::vector<double> slopes = alibi_slopes(spec);
  traits.past_finding = "the penalty grows linearly: " + short_text(slopes.front()) + " per position in head 0, " +
                        short_text(slopes.back()) + " in the last";
  return bias_properties(numbers, options, traits);
}

Formula alibi_slope(double bias_max, const Formula& h, const Formula& heads) { return power(2, -bias_max * h / heads); }

KindFormula alibi_formula(const Alibi& spec) {
  const Formula i = "i", j = "j", m = "m_h";
  const Formula bias = spec.form == AlibiForm::key_position ? m * j
                       : spec.form == AlibiForm::causal     ? -m * call("max", {i - j, 0})
                                                            : -m * call("abs", {i - j});
  KindFormula formula{.lines = {equation(call("bias_h", {i, j}), bias)}};
  const std::int64_t heads = spec.biased_heads == 0 ? spec.heads : spec.biased_heads;
  const bool power_of_two = (heads & (heads - 1)) == 0;
  if (power_of_two || spec.rule == SlopeRule::geometric) {
    formula.lines.push_back(equation(m, alibi_slope(spec.bias_max, "h", heads)));
    formula.lines.push_back(range("h", 1, heads));
  } else {
    formula.note = ", with the slopes m_h of the largest power of two below " + std::to_string(heads) +
                   ", then every other one of twice that power";
  }
  if (heads < spec.heads) formula.note += "; the other heads have no bias";
  return formula;
}

Cost alibi_cost(const Alibi& spec, const CostQuestion& of) { return matrix_cost(of, spec.heads, spec.heads, 2.0); }

std::vector<std::string> alibi_rule(const Alibi& s, const BiasPair& pair) {
  const auto& slopes = std::get<LinearBias>(pair.bias.schedule().shape).slopes;
  std::vector<std::string> lines;
  if (s.precision == AlibiPrecision::bfloat16) {
    lines.push_back("slope, position and product are each rounded to bfloat16, 8 significant bits");
  }
  if (!pair.parameters.empty()) return lines;  // the slopes are given
  lines.push_back("slopes of the " + std::to_string(s.heads) + " heads: " + row_text(s.heads, [&](std::int64_t h) {
                    return text::number_text(slopes[static_cast<std::size_t>(h)]);
                  }));
  return lines;
}

std::string derive_alibi(const Alibi& s, const BiasPair& pair) {
  const Formula bias = formula_of(s).lines[0].parts[1];
  std::vector<double> slopes = std::get<LinearBias>(pair.bias.schedule().shape).slopes;
  if (pair.has("slopes")) base::load_row(pair.parameters.front().value, slopes.data());
  const double slope = slopes[static_cast<std::size_t>(pair.head)];
  return plain_text(with(bias, {{"i", pair.query}, {"j", pair.key}, {"m_h", slope}}));
}

// The spec for questions about slopes, with the given bias_max if it is easy to calculate with.
Alibi lesson_alibi(const Alibi& given, std::int64_t heads) {
  const bool usual = given.bias_max >= 1.0 && given.bias_max <= 64.0;
  return {.heads = heads, .bias_max = usual ? given.bias_max : 8.0, .form = given.form};
}

std::string alibi_text(const Alibi& given, const Alibi& spec) {
  const std::string most = given.bias_max == 8.0 ? "" : " and bias_max " + text::number_text(spec.bias_max);
  return "ALiBi with " + text_of(spec.heads) + " heads" + most;
}

constexpr const char* kFromZero = "heads were counted from 0; here they count from 1";

double alibi_slope_at(double bias_max, std::int64_t h, std::int64_t heads) {
  return value_of({.lines = {alibi_slope(bias_max, h, heads)}}, {});
}

// Returns the number of heads that it asks about.
std::int64_t add_slopes(Sheet& sheet, const Alibi& given) {
  Draw draw = sheet.draw("slopes");
  const auto drawn = draw.pick<std::int64_t>({2, 4, 8, 16});
  const bool usual = given.heads >= 2 && given.heads <= 64 && (given.heads & (given.heads - 1)) == 0;
  const Alibi spec = lesson_alibi(given, usual ? given.heads : drawn);
  const std::int64_t h = draw.between(1, spec.heads);
  const double slope = alibi_slopes(spec)[static_cast<std::size_t>(h - 1)];
  const double exponent = spec.bias_max * static_cast<double>(h) / static_cast<double>(spec.heads);
  sheet.ask(
      "biases/slope",
      {{"alibi", alibi_text(given, spec)},
       {"h", h},
       {"formula", plain_text(alibi_slope(spec.bias_max, "h", "H"))},
       {"worked", plain_text(alibi_slope(spec.bias_max, h, spec.heads))}},
      {slope},
      {{kFromZero, {alibi_slope_at(spec.bias_max, h - 1, spec.heads)}},
       {"this is the slope of the next head; here heads count from 1",
        {alibi_slope_at(spec.bias_max, h + 1, spec.heads)}},
       {"this is the slope of the first head", {alibi_slope_at(spec.bias_max, 1, spec.heads)}},
       {"this is the slope of the last head", {alibi_slope_at(spec.bias_max, spec.heads, spec.heads)}},
       {"heads were counted from the last; here they count from the first",
        {alibi_slope_at(spec.bias_max, spec.heads + 1 - h, spec.heads)}},
       {"the exponent is not divided by the number of heads", {std::exp2(-spec.bias_max * static_cast<double>(h))}},
       {"the exponent is h; it is " + text::number_text(spec.bias_max) + "h divided by the number of heads",
        {std::exp2(-static_cast<double>(h))}},
       {"the exponent is negative", {std::exp2(exponent)}},
       {"this is the exponent; the slope is 2 to that power", {-exponent}},
       {"this is the power of e; the slope is a power of 2", {std::exp(-exponent)}}});
  return spec.heads;
}

void add_alibi_bias(Sheet& sheet, const Alibi& given) {
  Draw draw = sheet.draw("alibi bias");
  const Alibi spec = lesson_alibi(given, given.heads <= 64 ? given.heads : 8);
  const std::int64_t h = draw.between(0, spec.heads - 1), d = draw.between(1, 60), i = d + draw.between(0, 40);
  const double bias = reference::bias(spec, {}, h, static_cast<double>(i), static_cast<double>(i - d));
  const double m = alibi_slopes(spec)[static_cast<std::size_t>(h)];
  const Formula formula = formula_of(spec).lines[0].parts[1];
  const bool of_key = given.form == AlibiForm::key_position;
  const auto at = [&](double distance) {
    return reference::bias(spec, {}, h, static_cast<double>(i), static_cast<double>(i) - distance);
  };
  std::vector<Mistake> mistakes;
  if (!of_key) mistakes = distance_mistakes(at, static_cast<double>(d));
  mistakes.push_back({"this is the distance; the slope multiplies it", {bias / m}});
  mistakes.push_back({"the distance was divided by the slope; the slope multiplies it", {bias / m / m}});
  sheet.ask("biases/alibi",
            {{"slope", m},
             {"form", of_key ? ", which multiplies the position of the key (form=key_position)" : ""},
             {"i", i},
             {"j", i - d},
             {"formula", plain_text(formula)},
             {"worked", plain_text(with(
                            formula, {{"m_h", m}, {"i", static_cast<double>(i)}, {"j", static_cast<double>(i - d)}}))}},
            {bias}, mistakes);
}

// The answer is the same in every form, because a number that all keys of a query share cancels in the softmax.
void add_far_and_near(Sheet& sheet, double slope) {
  const double d = sheet.draw("distance of a factor").real(2, 12);
  std::vector<Mistake> mistakes = distance_mistakes([&](double distance) { return std::exp(-slope * distance); }, d);
  for (const double difference : {-slope * d, slope * d}) {
    mistakes.push_back({"this is the difference of the scores; a softmax takes its exponential", {difference}});
  }
  mistakes.push_back({"this is the weight of the near key divided by that of the far one", {std::exp(slope * d)}});
  mistakes.push_back({"this is a power of 2; a softmax has powers of e", {std::exp2(-slope * d)}});
  sheet.ask("biases/far and near", {{"d", d}, {"slope", slope}}, {std::exp(-slope * d)}, mistakes);
}

// Returns the number of heads that it asks about.
std::int64_t add_odd_heads(Sheet& sheet, const Alibi& given) {
  Draw draw = sheet.draw("odd heads");
  const auto drawn = draw.pick<std::int64_t>({3, 5, 6, 10, 12});
  const bool usual = given.heads >= 3 && given.heads <= 64 && (given.heads & (given.heads - 1)) != 0;
  const Alibi spec = lesson_alibi(given, usual ? given.heads : drawn);
  const std::vector<double> slopes = alibi_slopes(spec);
  std::int64_t power = 1;
  while (2 * power <= spec.heads) power *= 2;
  const std::int64_t h = draw.between(power + 1, spec.heads), odd = 2 * (h - power) - 1;
  const double slope = slopes[static_cast<std::size_t>(h - 1)];
  sheet.ask("biases/odd heads",
            {{"alibi", alibi_text(given, spec)},
             {"power", power},
             {"twice", 2 * power},
             {"h", h},
             {"odd", odd},
             {"worked", plain_text(alibi_slope(spec.bias_max, odd, 2 * power))},
             {"slopes", list_text(slopes, 5)}},
            {slope},
            {{"this is the formula for powers of two, with " + text_of(spec.heads) + " heads",
              {alibi_slope_at(spec.bias_max, h, spec.heads)}},
             {"this is slope number " + text_of(h) + " of " + text_of(2 * power) + " heads",
              {alibi_slope_at(spec.bias_max, h, 2 * power)}},
             {"every other slope begins with the first, not with the second",
              {alibi_slope_at(spec.bias_max, odd + 1, 2 * power)}},
             {"this is slope number " + text_of(h - power) + " of " + text_of(2 * power) +
                  " heads; every other one is left out",
              {alibi_slope_at(spec.bias_max, h - power, 2 * power)}},
             {kFromZero, {slopes[static_cast<std::size_t>(h - 2)]}}});
  return spec.heads;
}

void alibi_questions(const Alibi& spec, Sheet& sheet) {
  // For a power of two of heads, either rule gives the same slopes, and the question on other numbers of heads states
  // its rule.
  sheet.leave_out(spec, {"heads", "rule", "bias_max", "form", "added"});
  const std::int64_t power = add_slopes(sheet, spec);
  add_alibi_bias(sheet, spec);
  const std::int64_t odd = add_odd_heads(sheet, spec);
  if (power != spec.heads && odd != spec.heads) {
    sheet.remark("Some questions use heads=" + text_of(power) + " or heads=" + text_of(odd) + ".");
  }
  sheet.leave_out(spec, {"heads", "rule", "bias_max", "form", "biased_heads"});
  const double slope = sheet.draw("softmax slope").pick({0.5, 0.25, 0.125});
  const std::vector<double> slopes = {slope};
  add_softmax_of(sheet, Alibi{.heads = 1, .form = spec.form}, {{"slopes", {1}, slopes}},
                 "A head of ALiBi has the slope " + text::number_text(slope) + ".");
  add_far_and_near(sheet, slope);
  add_distance_zero_question(sheet);
  if (spec.form != AlibiForm::key_position) {
    add_identity_question(sheet,
                          "The slope of a head is so steep that its bias, 0 at distance 0, is strongly negative at all "
                          "other distances.");
  }
  add_long_context_question(sheet);
}

}  // namespace
}  // namespace about

constinit const properties::KindPage Alibi::page = {.facts = about::alibi_facts,
                                                    .formula = spec::of_kind<about::alibi_formula>,
                                                    .properties = about::alibi_properties,
                                                    .figures = properties::kBiasFigures,
                                                    .cost = spec::of_kind<about::alibi_cost>,
                                                    .rule = spec::of_kind<about::alibi_rule>,
                                                    .derive = spec::of_kind<about::derive_alibi>,
                                                    .questions = spec::of_kind<about::alibi_questions>};

}  // namespace posenc
