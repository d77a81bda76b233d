// Questions about biases on attention scores.
#include <algorithm>
#include <cmath>

#include "insight/properties/formulas.h"
#include "insight/teaching/exercise_kinds.h"
#include "posenc/bias.h"
#include "posenc/reference.h"

namespace posenc::teaching {
namespace {

std::string pair_text(std::int64_t i, std::int64_t j) {
  return "a query at position " + text_of(i) + " and a key at position " + text_of(j);
}

void add_parameter_count(Sheet& sheet, const Spec& spec, const std::string& how) {
  const double count = parameter_count(spec);
  sheet.add({.level = Level::easy,
             .text = "How many learned numbers does " + to_text(spec) + " have, all heads together?",
             .hint = "See what is stored per head.",
             .values = {count},
             .solution = {how, "= " + whole(count)}});
}

// The biases of the last of four queries with the four keys up to it.
void add_softmax_of(Sheet& sheet, const Spec& spec, const std::vector<reference::Numbers>& numbers,
                    const std::string& origin) {
  std::vector<double> biases;
  for (int j = 0; j < 4; ++j) biases.push_back(reference::bias(spec, numbers, 0, 3.0, j));
  const double score = sheet.draw("softmax scores").tenths(1, 9);
  add_softmax_question(sheet, origin + " The query stands at 3, the keys at 0, 1, 2, 3.", {score, score, score, score},
                       biases);
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
  sheet.add({.level = far ? Level::medium : Level::easy,
             .text = "Offsets are " + rule + ", clipped to -" + text_of(most) + " .. " + text_of(most) +
                     ", and row 0 of the table is the offset -" + text_of(most) + ". Which row do " + pair_text(i, j) +
                     " read?",
             .hint = "row = clip(offset) + " + text_of(most) + ".",
             .values = {static_cast<double>(clipped + most)},
             .solution = {"offset " + text_of(offset) + (clipped == offset ? "" : ", clipped to " + text_of(clipped)),
                          text_of(clipped) + " + " + text_of(most) + " = row " + text_of(clipped + most),
                          "Texts differ in who is subtracted from whom: with the other sign the row is " +
                              text_of(most - clipped) + "."}});
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
  const auto [count, exact] = properties::t5_side(spec);
  const std::int64_t d = draw.between(1, exact - 1), i = d + draw.between(0, 50);
  const auto bucket = static_cast<double>(t5_bucket(spec, -d));
  sheet.add({.level = Level::easy,
             .text = "T5 with " + text_of(spec.buckets) + " buckets, " +
                     (spec.direction == T5Direction::causal ? "causal" : "half of them for keys after the query") +
                     ". Which bucket do " + pair_text(i, i - d) + " read?",
             .hint = "Distances below " + text_of(exact) + " have a bucket each.",
             .values = {bucket},
             .solution = {"the key lies " + text_of(d) + " before the query, below " + text_of(exact) + ": bucket " +
                          whole(bucket)}});
}

void add_far_bucket(Sheet& sheet, const T5& spec) {
  Draw draw = sheet.draw("far bucket");
  const auto [count, exact] = properties::t5_side(spec);
  std::int64_t d = draw.between(exact + 1, std::min<std::int64_t>(spec.max_distance + 20, 4096));
  // Where the logarithm is a whole number, rounding would decide.
  while (std::fabs(steps_at(spec, d) - std::round(steps_at(spec, d))) < 1e-4) ++d;
  const double bucket = static_cast<double>(t5_bucket(spec, -d)), steps = steps_at(spec, d);
  const std::string e = text_of(exact), last = text_of(count - 1);
  sheet.add({.level = Level::medium,
             .text = "T5 with " + text_of(count) + " buckets for keys before the query and max_distance " +
                     text_of(spec.max_distance) + ". Which bucket has a key that lies " + text_of(d) +
                     " before its query?",
             .hint = "From distance " + e + " on: " + plain_text(properties::t5_far_bucket(spec, "d")) + ", at most " +
                     last + ".",
             .values = {bucket},
             .solution = {plain_text(bucket_steps(spec, d)) + " = " + decimals_text(steps, 4),
                          e + " + floor(" + decimals_text(steps, 4) +
                              ") = " + text_of(exact + static_cast<std::int64_t>(steps)) + ", at most " + last +
                              ": bucket " + whole(bucket)}});
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

std::string slope_text(const Alibi& spec, std::int64_t h, std::int64_t heads, double slope) {
  return plain_text(properties::alibi_slope(spec.bias_max, h, heads)) + " = " + decimals_text(slope, 5);
}

void add_slopes(Sheet& sheet, const Alibi& given) {
  Draw draw = sheet.draw("slopes");
  const auto drawn = draw.pick<std::int64_t>({2, 4, 8, 16});
  const bool usual = given.heads >= 2 && given.heads <= 64 && (given.heads & (given.heads - 1)) == 0;
  const Alibi spec = lesson_alibi(given, usual ? given.heads : drawn);
  const std::int64_t h = draw.between(1, spec.heads);
  const double slope = alibi_slopes(spec)[static_cast<std::size_t>(h - 1)];
  sheet.add(
      {.level = Level::easy,
       .text = alibi_text(given, spec) + ": the slope of head " + text_of(h) + ", counted from 1? To five decimals.",
       .hint = plain_text(properties::alibi_slope(spec.bias_max, "h", "H")) + ".",
       .values = {slope},
       .decimals = 5,
       .solution = {slope_text(spec, h, spec.heads, slope)}});
}

void add_alibi_bias(Sheet& sheet, const Alibi& given) {
  Draw draw = sheet.draw("alibi bias");
  const Alibi spec = {.heads = 8, .form = given.form};
  const std::int64_t h = draw.between(0, 7), d = draw.between(1, 60), i = d + draw.between(0, 40);
  const double bias = reference::bias(spec, {}, h, static_cast<double>(i), static_cast<double>(i - d));
  const double m = alibi_slopes(spec)[static_cast<std::size_t>(h)];
  const std::string slope = text::number_text(m);
  const properties::Formula formula = properties::formula_of(spec).lines[0].parts[1];
  const bool of_key = given.form == AlibiForm::key_position;
  sheet.add(
      {.level = Level::easy,
       .text = "A head of ALiBi has the slope " + slope +
               (of_key ? ", which multiplies the position of the key (form=key_position)" : "") + ". Which bias do " +
               pair_text(i, i - d) + " get? To five decimals, with its sign.",
       .hint = plain_text(formula) + ", m_h the slope.",
       .values = {bias},
       .decimals = 5,
       .solution = {
           plain_text(with(formula, {{"m_h", m}, {"i", static_cast<double>(i)}, {"j", static_cast<double>(i - d)}})) +
           " = " + decimals_text(bias, 5)}});
}

// In every form: the position of a key is that of the query minus the distance, and what all keys share cancels.
void add_far_and_near(Sheet& sheet, double slope) {
  const double d = sheet.draw("distance of a factor").real(2, 12), factor = std::exp(-slope * d);
  sheet.add({.level = Level::medium,
             .text = "Two keys have the same content score. One stands on the query, the other " +
                     text::number_text(d) + " before it, and the slope is " + text::number_text(slope) +
                     ". What is the weight of the far key divided by that of the near one? To five decimals.",
             .hint = "A softmax divides exponentials; a difference of scores becomes a factor.",
             .values = {factor},
             .decimals = 5,
             .solution = {"exp(-" + text::number_text(slope) + " x " + text::number_text(d) +
                          ") = " + decimals_text(factor, 5)}});
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
  sheet.add({.level = Level::hard,
             .text = alibi_text(given, spec) + ", no power of two: the authors' code takes the slopes of " +
                     text_of(power) + " heads and then every other slope of " + text_of(2 * power) +
                     " heads, beginning with the first. Which slope has head " + text_of(h) +
                     ", counted from 1? To five decimals.",
             .hint = "It is slope number " + text_of(odd) + " of " + text_of(2 * power) + " heads.",
             .values = {slope},
             .decimals = 5,
             .solution = {slope_text(spec, odd, 2 * power, slope), "all slopes: " + list_text(slopes, 5)}});
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
  const auto numbers = static_cast<double>(spec.heads) * static_cast<double>(n * n);
  sheet.add({.level = Level::easy,
             .text = "A bias is given as a matrix per head, for " + text_of(n) + " queries and " + text_of(n) +
                     " keys and " + text_of(spec.heads) + " heads. How many numbers is that?",
             .hint = "One per head, query and key.",
             .values = {numbers},
             .solution = {text_of(spec.heads) + " x " + text_of(n) + " x " + text_of(n) + " = " + whole(numbers)}});
  sheet.add_choice({.level = Level::easy,
                    .text = "A number of the matrix is -inf. What does it do to that query and key?",
                    .hint = "What is the exponential of -inf?",
                    .choices = {"The key is hidden from the query: its weight is 0.", "The key gets all the weight.",
                                "The score changes its sign.", "Nothing: a softmax does not see it."},
                    .solution = {"exp(-inf) = 0, so the weight is 0: a mask is a bias of 0 and -inf."}},
                   draw);
  sheet.set_note(plain_note(spec, {"heads"}));
  add_classic_softmax(sheet);
  sheet.set_note({});
  sheet.add({.level = Level::medium,
             .text = "A matrix for " + text_of(n) + " queries and " + text_of(n) +
                     " keys depends on the offset key - query alone. How many different numbers can it have at most?",
             .hint = "Which offsets are there, from the smallest to the largest?",
             .values = {static_cast<double>(2 * n - 1)},
             .solution = {"offsets run from -" + text_of(n - 1) + " to " + text_of(n - 1) + ": " + text_of(2 * n - 1),
                          "That is why relative biases keep a number per offset, not per pair."}});
  add_distance_zero_question(sheet);
}

}  // namespace posenc::teaching
