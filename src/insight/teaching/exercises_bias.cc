// Questions about biases on attention scores.
#include <algorithm>
#include <cmath>

#include "insight/properties/formulas.h"
#include "insight/teaching/exercise_kinds.h"
#include "posenc/bias.h"

namespace posenc::teaching {
namespace {

void add_parameter_count(Sheet& sheet, const Spec& spec, const std::string& how) {
  sheet.ask("biases/parameters", {{"spec", to_text(spec)}, {"how", how}}, {parameter_count(spec)});
}

void add_classic_softmax(Sheet& sheet) {
  add_softmax_question(sheet, "The keys stand one before the query, on it and one after it.", {0.2, 0.2, 0.2},
                       {0.5, 0.0, -0.5});
}

}  // namespace

namespace {

void add_clip_row(Sheet& sheet, const Clipped& spec, bool far) {
  Draw draw = sheet.draw(far ? "clip far" : "clip near");
  const std::int64_t most = spec.max_distance;
  const std::int64_t d = far ? most + draw.between(1, 20) : draw.between(1, std::min<std::int64_t>(most, 50));
  const std::int64_t low = draw.between(0, 20), high = low + d;
  const bool ahead = draw.between(0, 1) == 1;
  const std::int64_t i = ahead ? low : high, j = ahead ? high : low;
  const std::int64_t offset = spec.offset == Offset::key_minus_query ? j - i : i - j;
  const std::int64_t clipped = std::clamp(offset, -most, most);
  const std::string rule = spec.offset == Offset::key_minus_query ? "key - query" : "query - key";
  Question question = stored_question("biases/clip",
                                      {{"rule", rule},
                                       {"most", most},
                                       {"i", i},
                                       {"j", j},
                                       {"offset", clipped_text(offset, clipped)},
                                       {"clipped", clipped},
                                       {"mirrored", most - clipped}},
                                      {static_cast<double>(clipped + most)});
  if (far) question.level = Level::medium;
  sheet.add(question);
}

}  // namespace

void add_questions(Sheet& sheet, const Clipped& spec) {
  add_parameter_count(sheet, spec,
                      "(2 x " + text_of(spec.max_distance) + " + 1) rows x " + text_of(spec.heads) + " heads");
  add_clip_row(sheet, spec, false);
  add_clip_row(sheet, spec, true);
  sheet.set_note(plain_note(spec, {"heads", "max_distance", "offset"}));
  add_classic_softmax(sheet);
  add_distance_zero_question(sheet);
  add_long_context_question(sheet);
}

namespace {

// What the bucket is before its floor is taken, less the first that is shared.
properties::Formula bucket_steps(const T5& spec, const properties::Formula& distance) {
  return properties::t5_far_bucket(spec, distance).parts[1].parts[0];
}
double steps_at(const T5& spec, std::int64_t distance) {
  return properties::value_of({.lines = {bucket_steps(spec, distance)}}, {});
}

void add_near_bucket(Sheet& sheet, const T5& spec) {
  Draw draw = sheet.draw("near bucket");
  const auto [count, near] = properties::t5_side(spec);
  const std::int64_t d = draw.between(1, near - 1), i = d + draw.between(0, 50);
  const bool causal = spec.direction == T5Direction::causal;
  sheet.ask("biases/near bucket",
            {{"buckets", spec.buckets},
             {"sides", causal ? "causal" : "half of them for keys after the query"},
             {"i", i},
             {"j", i - d},
             {"near", near},
             {"d", d}},
            {static_cast<double>(t5_bucket(spec, -d))});
}

void add_far_bucket(Sheet& sheet, const T5& spec) {
  Draw draw = sheet.draw("far bucket");
  const auto [count, near] = properties::t5_side(spec);
  std::int64_t d = draw.between(near + 1, std::min<std::int64_t>(spec.max_distance + 20, 4096));
  // Where the logarithm is a whole number, rounding would decide.
  while (std::fabs(steps_at(spec, d) - std::round(steps_at(spec, d))) < 1e-4) ++d;
  const double steps = steps_at(spec, d);
  sheet.ask("biases/far bucket",
            {{"buckets", count},
             {"most", spec.max_distance},
             {"d", d},
             {"near", near},
             {"formula", plain_text(properties::t5_far_bucket(spec, "d"))},
             {"last", count - 1},
             {"worked", plain_text(bucket_steps(spec, d))},
             {"steps", decimals_text(steps, 4)},
             {"sum", near + static_cast<std::int64_t>(steps)}},
            {static_cast<double>(t5_bucket(spec, -d))});
}

}  // namespace

void add_questions(Sheet& sheet, const T5& given) {
  // With few buckets there is nothing to calculate: as published then.
  const bool enough = properties::t5_side(given).near >= 2 && given.buckets <= 4096 && given.max_distance <= 1 << 20;
  const T5 spec = enough ? given : T5{.heads = given.heads};
  add_parameter_count(sheet, given, text_of(given.buckets) + " buckets x " + text_of(given.heads) + " heads");
  add_near_bucket(sheet, spec);
  add_far_bucket(sheet, spec);
  Draw draw = sheet.draw("t5 table");
  const T5 small = {.heads = 1};
  // The first four distances have a bucket each unless buckets are few.
  sheet.set_note(properties::t5_side(given).near >= 4
                     ? plain_note(given, {"heads", "buckets", "max_distance", "direction"})
                     : plain_note(given, {"heads"}));
  std::vector<double> table(32);
  for (std::size_t row = 0; row < 4; ++row) table[row] = draw.tenths(-9, 9);
  add_softmax_of(sheet, small, {{"table", {32, 1}, table}},
                 "T5 adds a learned number per bucket: distances 0, 1, 2, 3 have " +
                     plain_list({table[0], table[1], table[2], table[3]}) + ".");
  add_distance_zero_question(sheet);
  add_long_context_question(sheet);
}

namespace {

// What slopes are made of: bias_max is the spec's where one can calculate with it.
Alibi lesson_alibi(const Alibi& given, std::int64_t heads) {
  const bool usual = given.bias_max >= 1.0 && given.bias_max <= 64.0;
  return {.heads = heads, .bias_max = usual ? given.bias_max : 8.0, .form = given.form};
}

std::string alibi_text(const Alibi& given, const Alibi& spec) {
  const std::string most = given.bias_max == 8.0 ? "" : " and bias_max " + text::number_text(spec.bias_max);
  return "ALiBi with " + text_of(spec.heads) + " heads" + most;
}

void add_slopes(Sheet& sheet, const Alibi& given) {
  Draw draw = sheet.draw("slopes");
  const auto drawn = draw.pick<std::int64_t>({2, 4, 8, 16});
  const bool usual = given.heads >= 2 && given.heads <= 64 && (given.heads & (given.heads - 1)) == 0;
  const Alibi spec = lesson_alibi(given, usual ? given.heads : drawn);
  const std::int64_t h = draw.between(1, spec.heads);
  const double slope = alibi_slopes(spec)[static_cast<std::size_t>(h - 1)];
  sheet.ask("biases/slope",
            {{"alibi", alibi_text(given, spec)},
             {"h", h},
             {"formula", plain_text(properties::alibi_slope(spec.bias_max, "h", "H"))},
             {"worked", plain_text(properties::alibi_slope(spec.bias_max, h, spec.heads))}},
            {slope});
}

void add_alibi_bias(Sheet& sheet, const Alibi& given) {
  Draw draw = sheet.draw("alibi bias");
  const Alibi spec = {.heads = 8, .form = given.form};
  const std::int64_t h = draw.between(0, 7), d = draw.between(1, 60), i = d + draw.between(0, 40);
  const double bias = reference::bias(spec, {}, h, static_cast<double>(i), static_cast<double>(i - d));
  const double m = alibi_slopes(spec)[static_cast<std::size_t>(h)];
  const properties::Formula formula = properties::formula_of(spec).lines[0].parts[1];
  const bool of_key = given.form == AlibiForm::key_position;
  sheet.ask("biases/alibi",
            {{"slope", m},
             {"form", of_key ? ", which multiplies the position of the key (form=key_position)" : ""},
             {"i", i},
             {"j", i - d},
             {"formula", plain_text(formula)},
             {"worked", plain_text(with(
                            formula, {{"m_h", m}, {"i", static_cast<double>(i)}, {"j", static_cast<double>(i - d)}}))}},
            {bias});
}

// In every form: the position of a key is that of the query minus the distance, and what all keys share cancels.
void add_far_and_near(Sheet& sheet, double slope) {
  const double d = sheet.draw("distance of a factor").real(2, 12);
  sheet.ask("biases/far and near", {{"d", d}, {"slope", slope}}, {std::exp(-slope * d)});
}

void add_odd_heads(Sheet& sheet, const Alibi& given) {
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
             {"worked", plain_text(properties::alibi_slope(spec.bias_max, odd, 2 * power))},
             {"slopes", list_text(slopes, 5)}},
            {slope});
}

}  // namespace

void add_questions(Sheet& sheet, const Alibi& spec) {
  // Slopes of powers of two are the same by either rule, and the question of other numbers tells its rule.
  sheet.set_note(plain_note(spec, {"heads", "rule", "bias_max", "form", "added"}));
  add_slopes(sheet, spec);
  add_alibi_bias(sheet, spec);
  add_odd_heads(sheet, spec);
  sheet.set_note(plain_note(spec, {"heads", "rule", "bias_max", "form", "biased_heads"}));
  const double slope = sheet.draw("softmax slope").pick({0.5, 0.25, 0.125});
  const std::vector<double> slopes = {slope};
  add_softmax_of(sheet, Alibi{.heads = 1, .form = spec.form}, {{"slopes", {1}, slopes}},
                 "A head of ALiBi has the slope " + text::number_text(slope) + ".");
  add_far_and_near(sheet, slope);
  add_distance_zero_question(sheet);
  add_long_context_question(sheet);
}

void add_questions(Sheet& sheet, const MatrixBias& spec) {
  Draw draw = sheet.draw("matrix");
  const std::int64_t n = draw.between(4, 64);
  sheet.ask("biases/matrix", {{"n", n}, {"heads", spec.heads}},
            {static_cast<double>(spec.heads) * static_cast<double>(n * n)});
  sheet.ask_choice("biases/minus infinity", draw);
  sheet.set_note(plain_note(spec, {"heads"}));
  add_classic_softmax(sheet);
  sheet.set_note({});
  sheet.ask("biases/offsets", {{"n", n}, {"last", n - 1}}, {static_cast<double>(2 * n - 1)});
  add_distance_zero_question(sheet);
}

}  // namespace posenc::teaching
