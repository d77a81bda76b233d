// Questions about vectors that meet queries and keys: Shaw, Transformer-XL.
#include <algorithm>
#include <cmath>

#include "insight/explanation/explain_pairs.h"
#include "insight/teaching/exercise_kinds.h"

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
  const std::int64_t i = std::max<std::int64_t>(-key_minus_query, 0) + draw.between(0, 9);
  const std::int64_t clipped = std::clamp(offset, -spec.left, spec.right);
  sheet.ask("terms/shaw row",
            {{"left", spec.left},
             {"right", spec.right},
             {"beyond", beyond > 0 ? ", offsets beyond are clipped" : ""},
             {"rule", spec.offset == Offset::key_minus_query ? "key - query" : "query - key"},
             {"i", i},
             {"j", i + key_minus_query},
             {"offset", clipped_text(offset, clipped)},
             {"clipped", clipped}},
            {static_cast<double>(clipped + spec.left)});
}

void add_shaw_score(Sheet& sheet, ShawTerm term) {
  Draw draw = sheet.draw("shaw score");
  const Vector q = draw_vector(draw), k = draw_vector(draw), r = draw_vector(draw);
  const bool both = term == ShawTerm::query_and_key;
  Question question = stored_question("terms/shaw score",
                                      {{"q", row_of(q)},
                                       {"k", row_of(k)},
                                       {"r", row_of(r)},
                                       {"what", both ? "q.k + q.r + k.r (term=query_and_key)" : "q . (k + r)"},
                                       {"hint", both ? "Three dot products." : "q.(k + r) = q.k + q.r."},
                                       {"qk", product_text("q.k", q, k)},
                                       {"qr", product_text("q.r", q, r)}},
                                      {product(q, plus(k, r)) + (both ? product(k, r) : 0.0)});
  if (both) question.solution.insert(question.solution.begin() + 2, product_text("k.r", k, r));
  sheet.add(question);
}

void add_shaw_weights(Sheet& sheet) {
  Draw draw = sheet.draw("shaw weights");
  const Vector q = {draw.real(1, 2), draw.real(1, 2)}, near = {draw.tenths(0, 9), 0.5}, far = {0.0, draw.tenths(-9, 0)};
  const double scale = 1.0 / std::sqrt(2.0);
  const std::vector<double> scores = {scale * product(q, near), scale * product(q, far)};
  sheet.ask("terms/shaw weights",
            {{"near", row_of(near)},
             {"far", row_of(far)},
             {"q", row_of(q)},
             {"q_near", product_text("q.r", q, near)},
             {"q_far", product_text("q.r", q, far)},
             {"scores", list_text(scores, 5)}},
            explanation::softmax(scores));
}

void add_count(Sheet& sheet, Level level, const Spec& spec, const std::string& how) {
  Question question = stored_question("terms/count", {{"spec", to_text(spec)}, {"how", how}}, {parameter_count(spec)});
  question.level = level;
  sheet.add(question);
}

}  // namespace

void add_questions(Sheet& sheet, const Shaw& spec) {
  const auto rows = static_cast<double>(spec.left) + static_cast<double>(spec.right) + 1.0;
  sheet.ask("terms/shaw vectors", {{"spec", to_text(Spec(spec))}, {"left", spec.left}, {"right", spec.right}}, {rows});
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
  const std::string clamp =
      spec.clamp_distance > 0 ? " (distances beyond " + text_of(spec.clamp_distance) + " are read there)" : "";
  Question question =
      stored_question("terms/xl distance", {{"memory", memory}, {"i", i}, {"j", j}, {"clamp", clamp}, {"plain", plain}},
                      {static_cast<double>(read)});
  if (read != plain) question.solution.push_back("clamped to " + text_of(read));
  sheet.add(question);
}

void add_expanded(Sheet& sheet) {
  Draw draw = sheet.draw("xl score");
  const Vector q = draw_vector(draw), k = draw_vector(draw), r = draw_vector(draw);
  const Vector u = draw_vector(draw), v = draw_vector(draw);
  sheet.ask("terms/xl score",
            {{"q", row_of(q)},
             {"k", row_of(k)},
             {"u", row_of(u)},
             {"v", row_of(v)},
             {"r", row_of(r)},
             {"first", product_text("(q + u).k", plus(q, u), k)},
             {"second", product_text("(q + v).r", plus(q, v), r)}},
            {product(plus(q, u), k) + product(plus(q, v), r)});
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
  sheet.ask("terms/xl row",
            {{"d", d},
             {"base", spec.base},
             {"order", kOrders[static_cast<std::size_t>(given.order)]},
             {"sines", list_text({std::sin(d), std::sin(slow)}, 5)},
             {"cosines", list_text({std::cos(d), std::cos(slow)}, 5)}},
            row);
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
