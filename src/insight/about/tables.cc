// Tables of learned biases: by clipped offset, and by the buckets of T5.
#include <algorithm>
#include <cmath>

#include "insight/about/about.h"

namespace posenc {
namespace about {
namespace {

KindFacts clipped_facts(const Clipped& spec) {
  const bool key_first = spec.offset == Offset::key_minus_query;
  const std::string most = std::to_string(spec.max_distance);
  return {
      .users = "tutorials, Swin (one number per offset of a window) and speech models; often mistaken for T5's buckets",
      .represents = "distances",
      .prefers = "nothing: everything is learned",
      .past_length = "Every distance beyond " + most + " gets the number of distance " + most +
                     ": far distances cannot be distinguished.",
      .order_of_terms = key_first ? "The offset is j - i (key minus query): it is positive for keys after the query."
                                  : "The offset is i - j (query minus key): it is positive for keys before the query."};
}

// The first distance of the last bucket, at or before max_distance; buckets grow with the distance.
std::int64_t t5_last_begins(const T5& spec) {
  const std::int64_t last = t5_bucket(spec, -spec.max_distance);
  std::int64_t before = 0, inside = spec.max_distance;
  while (inside - before > 1) {
    const std::int64_t middle = before + (inside - before) / 2;
    (t5_bucket(spec, -middle) == last ? inside : before) = middle;
  }
  return inside;
}

KindFacts t5_facts(const T5& spec) {
  return {.users = "T5, mT5, FLAN-T5 and UL2 (Raffel et al., 2020)",
          .represents = "distances",
          .prefers = "nothing: everything is learned",
          .past_length = "All distances from " + std::to_string(t5_last_begins(spec)) +
                         " on share the last bucket: trained on 512 tokens, perplexity "
                         "was 19.65 at 512, 18.79 at 1012 and 22.91 at 3512 (Press et al., 2022).",
          .order_of_terms = "T5 does not divide scores by sqrt(D), and all layers of a stack share one table."};
}

BiasTraits table_traits(std::int64_t most) {
  return {.falls = false,
          .past_title = "every distance has its own number",
          .past = Verdict::holds_to,
          .past_until = static_cast<double>(most),
          .past_finding = "all distances beyond share one number and cannot be distinguished"};
}

std::vector<Property> clipped_properties(const Encoding& numbers, const CheckOptions& options) {
  return bias_properties(numbers, options, table_traits(std::get<Clipped>(numbers.spec()).max_distance));
}

std::vector<Property> t5_properties(const Encoding& numbers, const CheckOptions& options) {
  const auto& spec = std::get<T5>(numbers.spec());
  const std::int64_t last = t5_last_begins(spec);
  std::int64_t shared = 0;  // the first distance that shares its number with the next
  while (shared < last && t5_bucket(spec, -shared) != t5_bucket(spec, -(shared + 1))) ++shared;
  BiasTraits traits = table_traits(last - 1);
  traits.past_title = "distances can be distinguished";
  traits.past_finding = "distances below " + count_text(shared) +
                        " have their own number, then more and more share one; all from " + count_text(last) +
                        " on share the last";
  return bias_properties(numbers, options, traits);
}

KindFormula clipped_formula(const Clipped& spec) {
  const Formula i = "i", j = "j", most = spec.max_distance;
  const Formula offset = spec.offset == Offset::key_minus_query ? j - i : i - j;
  const Formula row = call("clip", {offset, -most, most}) + most;
  return {.lines = {equation(call("bias_h", {i, j}), element("table", {row, "h"}))}};
}

// The buckets of T5 for one direction, and how many distances have their own.
struct T5Side {
  std::int64_t buckets;
  std::int64_t near;
};
T5Side t5_side(const T5& spec) {
  const std::int64_t buckets = spec.direction == T5Direction::bidirectional ? spec.buckets / 2 : spec.buckets;
  return {buckets, buckets / 2};
}

// The bucket of a distance that shares its bucket with others: 8 + floor(8 ln(d / 8) / ln(128 / 8)).
Formula t5_far_bucket(const T5& spec, const Formula& d) {
  const T5Side side = t5_side(spec);
  const Formula near = side.near;
  return near + call("floor", {Formula(side.buckets - side.near) * call("ln", {d / near}) /
                               call("ln", {spec.max_distance / near})});
}

KindFormula t5_formula(const T5& spec) {
  const Formula i = "i", j = "j", x = "x", d = "d", near = "near", bucket = call("bucket", {x});
  const T5Side side = t5_side(spec);
  const Formula far = call("min", {t5_far_bucket(spec, d), side.buckets - 1});
  const Formula behind(Formula::Form::cases, "", {d, relation("<", {d, side.near}), far});
  const Formula ahead(Formula::Form::cases, "", {side.buckets, relation("<", {0, x}), 0});
  const bool both = spec.direction == T5Direction::bidirectional;
  KindFormula formula{.lines = {equation(call("bias_h", {i, j}), element("table", {call("bucket", {j - i}), "h"}))}};
  formula.note = ", " + std::to_string(spec.buckets) +
                 " buckets: first one per distance, then logarithmic up to distance " +
                 std::to_string(spec.max_distance) +
                 (both ? "; half of them for each side" : "; keys after the query use bucket 0");
  if (both) {
    formula.details = {equation(bucket, near + ahead), equation(near, behind), equation(d, call("abs", {x}))};
  } else {
    formula.details = {equation(bucket, behind), equation(d, call("max", {-x, 0}))};
  }
  return formula;
}

Cost clipped_cost(const Clipped& spec, const CostQuestion& of) {
  return matrix_cost(of, spec.heads, 2 * spec.max_distance + 1, 1.0);
}

Cost t5_cost(const T5& spec, const CostQuestion& of) { return matrix_cost(of, spec.heads, spec.buckets, 1.0); }

std::string derive_clipped(const Clipped& s, const BiasPair& pair) {
  const bool forward = s.offset == Offset::key_minus_query;
  const double offset = forward ? pair.key - pair.query : pair.query - pair.key;
  const auto most = static_cast<double>(s.max_distance);
  const double clipped = std::clamp(offset, -most, most);
  return "offset " + (forward ? difference(pair.key, pair.query) : difference(pair.query, pair.key)) + " = " +
         text::number_text(offset) + (clipped == offset ? "" : ", clipped to " + text::number_text(clipped)) +
         ", row " + text::number_text(clipped + most);
}

std::vector<std::string> t5_rule(const T5& s, const BiasPair&) {
  const std::string n = std::to_string(t5_side(s).buckets);
  return {s.direction == T5Direction::bidirectional
              ? n + " buckets for keys before the query, and as many for keys after it"
              : "keys after the query use bucket 0; " + n + " buckets for keys before it"};
}

std::string derive_t5(const T5& s, const BiasPair& pair) {
  const double offset = pair.key - pair.query;
  const bool both = s.direction == T5Direction::bidirectional;
  const auto [n, exact] = t5_side(s);
  std::string text = "offset " + difference(pair.key, pair.query) + " = " + text::number_text(offset);
  if (offset > 0.0 && !both) text += ", after the query: as distance 0";
  if (offset > 0.0 && both) text += ", after the query: plus " + std::to_string(n);
  const double d = both ? std::fabs(offset) : std::fmax(-offset, 0.0);
  if (d >= static_cast<double>(exact)) {
    const double steps = std::log(d / static_cast<double>(exact)) /
                         std::log(static_cast<double>(s.max_distance) / static_cast<double>(exact)) *
                         static_cast<double>(n - exact);
    text += ", " + std::to_string(exact) + " + floor(" + five_decimals(steps) + ")";
    if (static_cast<double>(exact) + std::floor(steps) > static_cast<double>(n - 1)) {
      text += ", at most " + std::to_string(n - 1);
    }
  }
  return text + ", bucket " + std::to_string(t5_bucket(s, static_cast<std::int64_t>(offset)));
}

std::vector<std::string> clipped_mistakes(const Clipped& spec) {
  return {
      "A clipped table is often called \"the T5 approach\": T5 has logarithmic buckets instead (posenc explain t5).",
      clipped_facts(spec).order_of_terms + " Texts use either sign, and the other one mirrors the table."};
}

std::vector<std::string> t5_mistakes(const T5& spec) {
  return {"T5's bias is not a table of clipped offsets: from distance " + std::to_string(t5_side(spec).near) +
              " on, several distances share a bucket.",
          t5_facts(spec).order_of_terms};
}

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
  question.mistakes = counting_mistakes(question.values[0]);
  question.mistakes.push_back(
      {"the offset has the other sign here: it is " + rule, {static_cast<double>(most - clipped)}});
  question.mistakes.push_back(
      {"max_distance was not added; row 0 is the smallest offset", {static_cast<double>(clipped)}});
  question.mistakes.push_back({"the offset was not clipped", {static_cast<double>(offset + most)}});
  sheet.add(question);
}

constexpr const char* kOneHead = "this is the number for one head; each head has its own";

void clipped_questions(const Clipped& spec, Sheet& sheet) {
  const auto most = static_cast<double>(spec.max_distance), heads = static_cast<double>(spec.heads);
  add_parameter_count(sheet, spec,
                      "(2 x " + text_of(spec.max_distance) + " + 1) rows x " + text_of(spec.heads) + " heads",
                      {{kOneHead, {2.0 * most + 1.0}},
                       {"offset 0 has a row too", {2.0 * most * heads}},
                       {"offsets of both signs have rows", {(most + 1.0) * heads}}});
  add_clip_row(sheet, spec, false);
  add_clip_row(sheet, spec, true);
  sheet.leave_out(spec, {"heads", "max_distance", "offset"});
  add_classic_softmax(sheet);
  add_identity_questions(sheet);
  add_distance_zero_question(sheet);
  add_long_context_question(sheet);
}

// The number of a shared bucket before rounding down, counted from the first shared bucket.
Formula bucket_steps(const T5& spec, const Formula& distance) {
  return t5_far_bucket(spec, distance).parts[1].parts[0];
}
double steps_at(const T5& spec, std::int64_t distance) {
  return value_of({.lines = {bucket_steps(spec, distance)}}, {});
}

// The bucket of a key that is d before its query.
std::vector<Mistake> bucket_mistakes(const T5& spec, std::int64_t d) {
  const auto bucket = [&](double distance) {
    return static_cast<double>(t5_bucket(spec, -static_cast<std::int64_t>(distance)));
  };
  std::vector<Mistake> mistakes = distance_mistakes(bucket, static_cast<double>(d));
  if (spec.direction != T5Direction::causal) {
    mistakes.push_back({"this is the bucket of a key after the query", {static_cast<double>(t5_bucket(spec, d))}});
  }
  return mistakes;
}

void add_near_bucket(Sheet& sheet, const T5& spec) {
  Draw draw = sheet.draw("near bucket");
  const auto [count, near] = t5_side(spec);
  const std::int64_t d = draw.between(1, near - 1), i = d + draw.between(0, 50);
  const bool causal = spec.direction == T5Direction::causal;
  sheet.ask("biases/near bucket",
            {{"buckets", spec.buckets},
             {"sides", causal ? "causal" : "half of them for keys after the query"},
             {"i", i},
             {"j", i - d},
             {"near", near},
             {"d", d}},
            {static_cast<double>(t5_bucket(spec, -d))}, bucket_mistakes(spec, d));
}

void add_far_bucket(Sheet& sheet, const T5& spec) {
  Draw draw = sheet.draw("far bucket");
  const auto [count, near] = t5_side(spec);
  std::int64_t d = draw.between(near + 1, std::min<std::int64_t>(spec.max_distance + 20, 4096));
  // Avoid distances whose logarithm is a whole number, because rounding would decide their bucket.
  while (std::fabs(steps_at(spec, d) - std::round(steps_at(spec, d))) < 1e-4) ++d;
  const double steps = steps_at(spec, d), shorter = static_cast<double>(near);
  std::vector<Mistake> mistakes = {
      {"the logarithm is rounded down, not to the nearest number", {shorter + std::round(steps)}},
      {"the logarithm is rounded down, not up", {shorter + std::ceil(steps)}},
      {"the " + text_of(near) + " buckets of shorter distances were not added", {std::floor(steps)}},
      {"far distances share buckets; this one is past the last", {static_cast<double>(d)}}};
  for (Mistake& mistake : bucket_mistakes(spec, d)) mistakes.push_back(std::move(mistake));
  sheet.ask("biases/far bucket",
            {{"buckets", count},
             {"most", spec.max_distance},
             {"d", d},
             {"near", near},
             {"formula", plain_text(t5_far_bucket(spec, "d"))},
             {"last", count - 1},
             {"worked", plain_text(bucket_steps(spec, d))},
             {"steps", decimals_text(steps, 4)},
             {"sum", near + static_cast<std::int64_t>(steps)}},
            {static_cast<double>(t5_bucket(spec, -d))}, mistakes);
}

void t5_questions(const T5& given, Sheet& sheet) {
  // With few buckets there is nothing to calculate: use the published numbers.
  const bool enough = t5_side(given).near >= 2 && given.buckets <= 4096 && given.max_distance <= 1 << 20;
  const T5 spec = enough ? given : T5{.heads = given.heads};
  add_parameter_count(sheet, given, text_of(given.buckets) + " buckets x " + text_of(given.heads) + " heads",
                      {{kOneHead, {static_cast<double>(given.buckets)}}});
  add_near_bucket(sheet, spec);
  add_far_bucket(sheet, spec);
  Draw draw = sheet.draw("t5 table");
  const T5 small = {.heads = 1};
  // Unless there are few buckets, each of the first four distances has its own.
  sheet.leave_out(given, {"heads", "buckets", "max_distance", "direction"});
  if (!enough) sheet.remark("Some questions use buckets=32 and max_distance=128.");
  std::vector<double> table(32);
  for (std::size_t row = 0; row < 4; ++row) table[row] = draw.tenths(-9, 9);
  add_softmax_of(sheet, small, {{"table", {32, 1}, table}},
                 "T5 adds a learned number per bucket: distances 0, 1, 2, 3 have " +
                     plain_list({table[0], table[1], table[2], table[3]}) + ".");
  add_identity_questions(sheet);
  add_distance_zero_question(sheet);
  add_long_context_question(sheet);
}

}  // namespace
}  // namespace about

constinit const properties::KindPage Clipped::page = {.facts = spec::of_kind<about::clipped_facts>,
                                                      .formula = spec::of_kind<about::clipped_formula>,
                                                      .properties = about::clipped_properties,
                                                      .figures = "bias bias_distance buckets attention entropy",
                                                      .cost = spec::of_kind<about::clipped_cost>,
                                                      .derive = spec::of_kind<about::derive_clipped>,
                                                      .mistakes = spec::of_kind<about::clipped_mistakes>,
                                                      .questions = spec::of_kind<about::clipped_questions>};

constinit const properties::KindPage T5::page = {.facts = spec::of_kind<about::t5_facts>,
                                                 .formula = spec::of_kind<about::t5_formula>,
                                                 .properties = about::t5_properties,
                                                 .figures = "bias bias_distance buckets attention entropy",
                                                 .cost = spec::of_kind<about::t5_cost>,
                                                 .rule = spec::of_kind<about::t5_rule>,
                                                 .derive = spec::of_kind<about::derive_t5>,
                                                 .mistakes = spec::of_kind<about::t5_mistakes>,
                                                 .questions = spec::of_kind<about::t5_questions>};

}  // namespace posenc
