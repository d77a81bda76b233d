// Questions about vectors that meet queries and keys: Shaw, Transformer-XL.
#include <algorithm>
#include <cmath>

#include "insight/explanation/explain_pairs.h"
#include "insight/teaching/exercise_kinds.h"
#include "posenc/reference.h"

namespace posenc::teaching {
namespace {

using Vector = std::vector<double>;

Vector draw_vector(Draw& draw) { return {draw.real(-3, 3), draw.real(1, 4)}; }

double product(const Vector& a, const Vector& b) {
  double sum = 0.0;
  reference::linear(a, b, {}, &sum);
  return sum;
}

Vector plus(const Vector& a, const Vector& b) {
  Vector sum(a.size());
  reference::add_row(a, b, 1.0, {}, sum.data());
  return sum;
}

std::string row_of(const Vector& a) { return "[" + plain_list(a) + "]"; }

std::string product_text(const std::string& name, const Vector& a, const Vector& b) {
  return name + " = " + in_formula(a[0]) + " x " + in_formula(b[0]) + " + " + in_formula(a[1]) + " x " +
         in_formula(b[1]) + " = " + text::number_text(product(a, b));
}

void add_shaw_row(Sheet& sheet, const Shaw& spec) {
  Draw draw = sheet.draw("shaw row");
  const std::int64_t beyond = spec.past == PastTable::clip ? 9 : 0;
  const std::int64_t offset =
      draw.between(-std::min<std::int64_t>(spec.left, 50) - beyond, std::min<std::int64_t>(spec.right, 50) + beyond);
  const std::int64_t key_minus_query = spec.offset == Offset::key_minus_query ? offset : -offset;
  const std::int64_t i = std::max<std::int64_t>(-key_minus_query, 0) + draw.between(0, 9), j = i + key_minus_query;
  const std::int64_t clipped = std::clamp(offset, -spec.left, spec.right);
  sheet.add({.level = Level::easy,
             .text = "Vectors for the offsets -" + text_of(spec.left) + " .. " + text_of(spec.right) +
                     " stand in a table, the first in row 0" + (beyond > 0 ? ", offsets beyond are clipped" : "") +
                     ", and an offset is " + (spec.offset == Offset::key_minus_query ? "key - query" : "query - key") +
                     ". Which row do a query at " + text_of(i) + " and a key at " + text_of(j) + " read?",
             .hint = "row = clip(offset, -" + text_of(spec.left) + ", " + text_of(spec.right) + ") + " +
                     text_of(spec.left) + ".",
             .values = {static_cast<double>(clipped + spec.left)},
             .solution = {"offset " + text_of(offset) + (clipped == offset ? "" : ", clipped to " + text_of(clipped)),
                          text_of(clipped) + " + " + text_of(spec.left) + " = " + text_of(clipped + spec.left)}});
}

void add_shaw_score(Sheet& sheet, ShawTerm term) {
  Draw draw = sheet.draw("shaw score");
  const Vector q = draw_vector(draw), k = draw_vector(draw), r = draw_vector(draw);
  const bool both = term == ShawTerm::query_and_key;
  const double score = product(q, plus(k, r)) + (both ? product(k, r) : 0.0);
  std::vector<std::string> solution = {product_text("q.k", q, k), product_text("q.r", q, r)};
  if (both) solution.push_back(product_text("k.r", k, r));
  solution.push_back("together " + text::number_text(score));
  sheet.add({.level = Level::medium,
             .text = "After Shaw: q = " + row_of(q) + ", k = " + row_of(k) +
                     ", and the vector of their offset is r = " + row_of(r) + ". What is " +
                     (both ? "q.k + q.r + k.r (term=query_and_key)" : "q . (k + r)") + ", before it is scaled?",
             .hint = both ? "Three dot products." : "q.(k + r) = q.k + q.r.",
             .values = {score},
             .solution = solution});
}

void add_shaw_weights(Sheet& sheet) {
  Draw draw = sheet.draw("shaw weights");
  const Vector q = {draw.real(1, 2), draw.real(1, 2)}, near = {draw.tenths(0, 9), 0.5}, far = {0.0, draw.tenths(-9, 0)};
  const double scale = 1.0 / std::sqrt(2.0);
  const std::vector<double> scores = {scale * product(q, near), scale * product(q, far)};
  const std::vector<double> weights = explanation::softmax(scores);
  sheet.add(
      {.level = Level::hard,
       .text = "Two keys have the content [0, 0], so only their offsets speak: r = " + row_of(near) +
               " for the first, r = " + row_of(far) + " for the second. q = " + row_of(q) +
               ", scores are divided by sqrt(2). Which weights does the softmax give? Two numbers to three decimals.",
       .hint = "First q.r for both, then the scale, then the softmax.",
       .values = weights,
       .decimals = 3,
       .solution = {product_text("q.r", q, near), product_text("q.r", q, far),
                    "divided by sqrt(2): " + list_text(scores, 5), "weights " + list_text(weights, 3),
                    "Unlike a bias, the same offset gets another score from another query."}});
}

void add_count(Sheet& sheet, Level level, const Spec& spec, const std::string& how) {
  const double count = parameter_count(spec);
  sheet.add({.level = level,
             .text = "How many learned numbers has " + to_text(spec) + "? Count what meets the scores, not values.",
             .hint = "Rows times channels, for every table.",
             .values = {count},
             .solution = {how + " = " + whole(count)}});
}

}  // namespace

void add_questions(Sheet& sheet, const Shaw& spec) {
  const auto rows = static_cast<double>(spec.left) + static_cast<double>(spec.right) + 1.0;
  sheet.add({.level = Level::easy,
             .text = "How many vectors for keys has " + to_text(Spec(spec)) + "?",
             .hint = "One per offset from -left to right, 0 among them.",
             .values = {rows},
             .solution = {text_of(spec.left) + " + " + text_of(spec.right) + " + 1 = " + whole(rows)}});
  add_shaw_row(sheet, spec);
  add_count(sheet, Level::medium, spec, whole(rows) + " rows x " + text_of(spec.head_dim) + " channels");
  add_shaw_score(sheet, spec.term);
  add_shaw_weights(sheet);
  add_long_context_question(sheet);
}

namespace {

void add_distance(Sheet& sheet, const TransformerXl& spec) {
  Draw draw = sheet.draw("xl distance");
  const std::int64_t memory = draw.between(8, 64), i = draw.between(0, 7), j = draw.between(0, 7);
  const std::int64_t plain = memory + i - j;
  const std::int64_t read = spec.clamp_distance > 0 ? std::min(plain, spec.clamp_distance) : plain;
  std::vector<std::string> solution = {text_of(memory) + " + " + text_of(i) + " - " + text_of(j) + " = " +
                                       text_of(plain)};
  if (read != plain) solution.push_back("clamped to " + text_of(read));
  sheet.add(
      {.level = Level::easy,
       .text =
           "Transformer-XL keeps " + text_of(memory) +
           " tokens of the last segment as memory. Which distance "
           "i - j is read for query " +
           text_of(i) + " of the new segment and key " + text_of(j) + " of the memory, both counted from 0" +
           (spec.clamp_distance > 0 ? " (distances beyond " + text_of(spec.clamp_distance) + " are read there)?" : "?"),
       .hint = "The new segment begins after the memory.",
       .values = {static_cast<double>(read)},
       .solution = solution});
}

void add_expanded(Sheet& sheet) {
  Draw draw = sheet.draw("xl score");
  const Vector q = draw_vector(draw), k = draw_vector(draw), r = draw_vector(draw);
  const Vector u = draw_vector(draw), v = draw_vector(draw);
  const double score = product(plus(q, u), k) + product(plus(q, v), r);
  sheet.add({.level = Level::medium,
             .text = "q = " + row_of(q) + ", k = " + row_of(k) + ", u = " + row_of(u) + ", v = " + row_of(v) +
                     ", and the projected row of the distance is r = " + row_of(r) +
                     ". What is (q + u).k + (q + v).r, before it is scaled?",
             .hint = "Two dot products.",
             .values = {score},
             .solution = {product_text("(q + u).k", plus(q, u), k), product_text("(q + v).r", plus(q, v), r),
                          "together " + text::number_text(score),
                          "Four parts: q.k content, q.r content and distance, u.k any query, v.r distance alone."}});
}

void add_distance_row(Sheet& sheet, const TransformerXl& given) {
  Sinusoidal spec = plain_sinusoidal(4, given.base);
  spec.order = given.order;
  constexpr const char* kOrders[] = {"sine and cosine in turn", "cosine and sine in turn",
                                     "all sines first and then all cosines", "all cosines first and then all sines"};
  const std::int64_t farthest = given.clamp_distance > 0 ? std::min<std::int64_t>(given.clamp_distance, 9) : 9;
  const double d = sheet.draw("xl row").real(1, farthest);
  Vector row(4);
  reference::sinusoidal_row(spec, d, row.data());
  const double slow = d * reference::sinusoidal_inv_freq(spec, 1);
  sheet.add({.level = Level::medium,
             .text = "The sinusoidal row of the distance " + text::number_text(d) + " for width 4 and base " +
                     text::number_text(spec.base) + ", " + kOrders[static_cast<std::size_t>(given.order)] +
                     ": four numbers to five decimals.",
             .hint = "Two angles: d and d / base^(2/4).",
             .values = row,
             .decimals = 5,
             .solution = {"sines " + list_text({std::sin(d), std::sin(slow)}, 5),
                          "cosines " + list_text({std::cos(d), std::cos(slow)}, 5), "row " + list_text(row, 5),
                          "The row is of the distance, not of a position: the same wherever the pair stands."}});
}

}  // namespace

void add_questions(Sheet& sheet, const TransformerXl& spec) {
  const std::string hd = text_of(spec.heads) + " x " + text_of(spec.head_dim);
  add_distance(sheet, spec);
  add_count(sheet, Level::easy, spec,
            "u and v: 2 x " + hd + "; position_weight: " + hd + " x " + text_of(spec.width) + "; together");
  add_expanded(sheet);
  add_distance_row(sheet, spec);
  add_long_context_question(sheet);
}

}  // namespace posenc::teaching
