// Vectors per offset in the score: Shaw and Transformer-XL.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/float_types.h"
#include "insight/about/about.h"
#include "insight/properties/attend_measure.h"

namespace posenc {
namespace about {
namespace {

KindFacts shaw_facts(const Shaw& spec) {
  const bool key_first = spec.offset == Offset::key_minus_query;
  const std::string left = std::to_string(spec.left), right = std::to_string(spec.right);
  return {
      .users =
          "the relative Transformer of Shaw et al. (2018), Music Transformer, VITS and BERT's relative_key variants",
      .represents = "distances",
      .prefers = "nothing: everything is learned",
      .past_length =
          spec.past == PastTable::clip
              ? "Offsets past " + left + " back and " + right + " ahead use the vectors at the ends of the table."
              : "Offsets past " + left + " back and " + right + " ahead have no vector.",
      .order_of_terms =
          key_first ? "The offset is j - i (key minus query); BERT's variants use i - j, which mirrors the table."
                    : "The offset is i - j (query minus key), as in BERT's variants; Shaw uses j - i, which mirrors "
                      "the table."};
}

KindFacts xl_facts(const TransformerXl& spec) {
  return {.users = "Transformer-XL (Dai et al., 2019), XLNet and the conformers of speech recognition",
          .represents = "distances",
          .prefers = "nothing: everything is learned",
          .past_length = spec.clamp_distance > 0 ? "Distances past " + std::to_string(spec.clamp_distance) +
                                                       " count as " + std::to_string(spec.clamp_distance) + "."
                                                 : "Its sinusoidal rows are defined at every distance, but W was "
                                                   "trained only on the distances that occurred.",
          .order_of_terms =
              spec.order == Order::halves
                  ? "Sines fill the first half of s, cosines the second half; conformers alternate them."
                  : "Sines and cosines alternate in s, as in conformers; Transformer-XL puts all sines first."};
}

Property relative(const Encoding& numbers, const CheckOptions& options, double room) {
  const auto first = static_cast<std::int64_t>(std::floor(options.positions.real(0, 0)));
  const std::int64_t by = first > 0 ? -1000 : 1000;  // positions exist in either direction
  const double difference = moved_difference(*numbers.term(), first, by, options.seed);
  return {
      .name = "relative",
      .title = "scores depend on distance only",
      .verdict = judge(true, difference <= room),
      .finding = "the weights of 8 tokens change by " + residual_text(difference) + " if all move by 1,000 positions",
      .numbers = {{"difference", difference}}};
}

// The norms of the rows of a parameter, [..., rows, D].
Property norms(const Parameter& parameter) {
  ConstView rows = parameter.value;
  double smallest = std::numeric_limits<double>::infinity(), largest = 0.0;
  while (rows.rank > 2) rows = rows[0];
  std::vector<double> row(static_cast<std::size_t>(rows.shape[1]));
  for (std::int64_t n = 0; n < rows.shape[0]; ++n) {
    double squares = 0.0;
    base::load_row(rows[n], row.data());
    for (const double value : row) squares += value * value;
    smallest = std::min(smallest, std::sqrt(squares));
    largest = std::max(largest, std::sqrt(squares));
  }
  return {.name = "norms",
          .title = "all vectors have the same norm",
          .verdict = largest - smallest <= 1e-6 * largest ? Verdict::holds : Verdict::does_not_hold,
          .finding = "the norms of " + std::string(parameter.name) + " range from " + short_text(smallest) + " to " +
                     short_text(largest),
          .numbers = {{"smallest", smallest}, {"largest", largest}}};
}

Property past_length(std::int64_t last, const std::string& finding) {
  return {.name = "past_length",
          .title = "every distance has its own vector",
          .verdict = last > 0 ? Verdict::holds_to : Verdict::holds,
          .until = last > 0 ? std::optional<double>(static_cast<double>(last)) : std::nullopt,
          .finding = finding};
}

std::vector<Property> shaw_properties(const Encoding& numbers, const CheckOptions& options) {
  const auto& spec = std::get<Shaw>(numbers.spec());
  const std::int64_t last = std::min(spec.left, spec.right);
  Property past = past_length(last, shaw_facts(spec).past_length);
  past.verdict = Verdict::holds_to;
  past.until = static_cast<double>(last);
  past.numbers = {{"left", static_cast<double>(spec.left)}, {"right", static_cast<double>(spec.right)}};
  std::vector<Property> list;
  // A table that refuses offsets may be too short for eight tokens.
  if (spec.past != PastTable::error || last >= 7) list.push_back(relative(numbers, options, 1e-12));
  list.push_back(std::move(past));
  list.push_back(norms(numbers.parameters().front()));
  list.push_back(parameters(learned_count(numbers)));
  list.push_back(memory(numbers.spec(), options.positions.count, learned_count(numbers)));
  return list;
}

std::vector<Property> xl_properties(const Encoding& numbers, const CheckOptions& options) {
  const auto& spec = std::get<TransformerXl>(numbers.spec());
  return {relative(numbers, options, 1e-9), past_length(spec.clamp_distance, xl_facts(spec).past_length),
          parameters(learned_count(numbers)), memory(numbers.spec(), options.positions.count, learned_count(numbers))};
}

KindFormula shaw_formula(const Shaw& spec) {
  const Formula i = "i", j = "j", q = "q_i", k = "k_j";
  const Formula offset = spec.offset == Offset::key_minus_query ? j - i : i - j;
  const bool clips = spec.past == PastTable::clip;
  const Formula row = element("r", {clips ? call("clip", {offset, -spec.left, spec.right}) : offset});
  const Formula content = dot(q, k) + dot(q, row);
  const Formula score = spec.term == ShawTerm::query_and_key ? content + dot(k, row) : content;
  const std::string reach = std::to_string(-spec.left) + " to " + std::to_string(spec.right);
  return {.lines = {equation(call("score", {i, j}), Formula("scale") * score)},
          .note = clips                          ? ""
                  : spec.past == PastTable::zero ? ", where r is 0 beyond " + reach
                                                 : ", and offsets beyond " + reach + " are errors"};
}

KindFormula xl_formula(const TransformerXl& spec) {
  const Formula i = "i", j = "j", q = "q_i";
  const Formula distance = spec.clamp_distance == 0 ? i - j : call("min", {i - j, spec.clamp_distance});
  const Formula score = dot(q + "u", "k_j") + dot(q + "v", Formula("W") * call("s", {distance}));
  return {.lines = {equation(call("score", {i, j}), Formula("scale") * score)},
          .note = ", where s is a sinusoidal row of width " + std::to_string(spec.width) + ", base " +
                  text::number_text(spec.base)};
}

Cost shaw_cost(const Shaw& spec, const CostQuestion& of) {
  const std::int64_t rows = spec.left + spec.right + 1;
  return {product({of.positions, of.positions, of.size}), product({rows, spec.head_dim, of.size}), 0,
          2.0 * static_cast<double>(spec.head_dim) * static_cast<double>(of.positions)};
}

Cost xl_cost(const TransformerXl& spec, const CostQuestion& of) {
  Cost cost = matrix_cost(of, spec.heads, 0, 2.0 * static_cast<double>(spec.head_dim));
  cost.stream_bytes = product({of.positions, spec.heads, spec.head_dim, of.size});
  return cost;
}

using Vector = std::vector<double>;

Vector draw_vector(Draw& draw) { return {draw.real(-3, 3), draw.real(1, 4)}; }

Vector plus(const Vector& a, const Vector& b) {
  Vector sum(a.size());
  reference::add_row(a, b, 1.0, {}, sum.data());
  return sum;
}

std::string row_of(const Vector& a) { return "[" + plain_list(a) + "]"; }

std::string product_text(const std::string& name, const Vector& a, const Vector& b) {
  return name + " = " + in_formula(a[0]) + " x " + in_formula(b[0]) + " + " + in_formula(a[1]) + " x " +
         in_formula(b[1]) + " = " + text::number_text(dot(a, b));
}

void add_shaw_row(Sheet& sheet, const Shaw& spec) {
  Draw draw = sheet.draw("shaw row");
  const std::int64_t beyond = spec.past == PastTable::clip ? 9 : 0;
  const std::int64_t offset =
      draw.between(-std::min<std::int64_t>(spec.left, 50) - beyond, std::min<std::int64_t>(spec.right, 50) + beyond);
  const std::int64_t key_minus_query = spec.offset == Offset::key_minus_query ? offset : -offset;
  const std::int64_t i = std::max<std::int64_t>(-key_minus_query, 0) + draw.between(0, 9);
  const std::int64_t clipped = std::clamp(offset, -spec.left, spec.right);
  std::vector<Mistake> mistakes = counting_mistakes(static_cast<double>(clipped + spec.left));
  mistakes.push_back({"the offset has the other sign here",
                      {static_cast<double>(std::clamp(-offset, -spec.left, spec.right) + spec.left)}});
  mistakes.push_back({"left was not added; row 0 is the smallest offset", {static_cast<double>(clipped)}});
  mistakes.push_back({"the offset was not clipped", {static_cast<double>(offset + spec.left)}});
  sheet.ask("terms/shaw row",
            {{"left", spec.left},
             {"right", spec.right},
             {"beyond", beyond > 0 ? ", offsets beyond are clipped" : ""},
             {"rule", spec.offset == Offset::key_minus_query ? "key - query" : "query - key"},
             {"i", i},
             {"j", i + key_minus_query},
             {"offset", clipped_text(offset, clipped)},
             {"clipped", clipped}},
            {static_cast<double>(clipped + spec.left)}, mistakes);
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
                                      {dot(q, plus(k, r)) + (both ? dot(k, r) : 0.0)});
  question.mistakes = {{"q.r was left out", {question.values[0] - dot(q, r)}},
                       {"q.k was left out", {question.values[0] - dot(q, k)}},
                       {"this is q.k + k.r", {dot(q, k) + dot(k, r)}},
                       {"r was subtracted", {dot(q, k) - dot(q, r) + (both ? dot(k, r) : 0.0)}}};
  if (both) question.mistakes.push_back({"k.r was left out", {dot(q, plus(k, r))}});
  if (both) question.solution.insert(question.solution.begin() + 2, product_text("k.r", k, r));
  sheet.add(question);
}

void add_shaw_weights(Sheet& sheet) {
  Draw draw = sheet.draw("shaw weights");
  const Vector q = {draw.real(1, 2), draw.real(1, 2)}, near = {draw.tenths(0, 9), 0.5}, far = {0.0, draw.tenths(-9, 0)};
  const double scale = 1.0 / std::sqrt(2.0);
  const std::vector<double> scores = {scale * dot(q, near), scale * dot(q, far)}, weights = softmax(scores);
  sheet.ask("terms/shaw weights",
            {{"near", row_of(near)},
             {"far", row_of(far)},
             {"q", row_of(q)},
             {"q_near", product_text("q.r", q, near)},
             {"q_far", product_text("q.r", q, far)},
             {"scores", list_text(scores, 5)}},
            weights,
            {{"the scores were not divided by sqrt(2)", softmax({dot(q, near), dot(q, far)})},
             {"the scores were divided by 2, not by sqrt(2)", softmax({dot(q, near) / 2.0, dot(q, far) / 2.0})},
             {"the exponentials were not divided by their sum", {std::exp(scores[0]), std::exp(scores[1])}},
             {"the keys are in the opposite order", {weights[1], weights[0]}},
             {"these are the scores; the softmax is missing", scores}});
}

void add_count(Sheet& sheet, Level level, const Spec& spec, const std::string& how, std::vector<Mistake> mistakes) {
  Question question = stored_question("terms/count", {{"spec", to_text(spec)}, {"how", how}}, {parameter_count(spec)});
  question.level = level;
  question.mistakes = std::move(mistakes);
  sheet.add(question);
}

void shaw_questions(const Shaw& spec, Sheet& sheet) {
  const auto rows = static_cast<double>(spec.left) + static_cast<double>(spec.right) + 1.0;
  sheet.ask("terms/shaw vectors", {{"spec", to_text(Spec(spec))}, {"left", spec.left}, {"right", spec.right}}, {rows},
            {{"offset 0 has a vector too", {rows - 1.0}},
             {"offsets of both signs have vectors", {static_cast<double>(spec.left) + 1.0}},
             {"this is the number of numbers; a vector has " + text_of(spec.head_dim),
              {rows * static_cast<double>(spec.head_dim)}}});
  add_shaw_row(sheet, spec);
  add_count(sheet, Level::medium, spec, whole(rows) + " rows x " + text_of(spec.head_dim) + " channels",
            {{"this is the number of rows; each has " + text_of(spec.head_dim) + " numbers", {rows}},
             {"offset 0 has a row too", {(rows - 1.0) * static_cast<double>(spec.head_dim)}}});
  add_shaw_score(sheet, spec.term);
  add_shaw_weights(sheet);
  add_long_context_question(sheet);
}

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
  question.mistakes = counting_mistakes(static_cast<double>(read));
  question.mistakes.push_back({"the memory comes before the segment: add it", {static_cast<double>(i - j)}});
  question.mistakes.push_back({"this is j - i; the distance is i - j", {static_cast<double>(memory + j - i)}});
  question.mistakes.push_back({"this is the offset j - i; the distance is i - j", {static_cast<double>(-plain)}});
  question.mistakes.push_back({"the key is subtracted", {static_cast<double>(memory + i + j)}});
  question.mistakes.push_back({"the distance was not clamped", {static_cast<double>(plain)}});
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
            {dot(plus(q, u), k) + dot(plus(q, v), r)},
            {{"u and v were left out", {dot(q, k) + dot(q, r)}},
             {"u was left out", {dot(q, k) + dot(plus(q, v), r)}},
             {"v was left out", {dot(plus(q, u), k) + dot(q, r)}},
             {"u and v are swapped", {dot(plus(q, v), k) + dot(plus(q, u), r)}},
             {"only the first product was counted", {dot(plus(q, u), k)}},
             {"only the second product was counted", {dot(plus(q, v), r)}}});
}

std::vector<Mistake> distance_row_mistakes(const Sinusoidal& spec, double d) {
  const std::int64_t half = spec.width / 2;
  std::vector<Mistake> mistakes = row_mistakes(spec, [&](const RowValue& row) {
    std::vector<double> values;
    for (std::int64_t c = 0; c < spec.width; ++c) {
      const std::int64_t in_turn = !in_halves(spec.order) ? c : c < half ? 2 * c : 2 * (c - half) + 1;
      values.push_back(row(d, cosine_first(spec.order) ? in_turn ^ 1 : in_turn));
    }
    return values;
  });
  Sinusoidal other = spec;
  other.order = !in_halves(spec.order) ? Order::halves : Order::interleaved;
  mistakes.push_back({in_halves(spec.order) ? "sines and cosines alternate; here each has its own half"
                                            : "the sines come first and then the cosines; they alternate",
                      teaching::row_of(other, d)});
  return mistakes;
}

void add_distance_row(Sheet& sheet, const TransformerXl& given) {
  const bool small = given.width >= 4 && given.width <= 8 && given.width % 2 == 0;
  Sinusoidal spec = plain_sinusoidal(small ? given.width : 4, given.base);
  spec.order = given.order;
  if (spec.width != given.width) sheet.remark("Some questions use width=" + text_of(spec.width) + ".");
  constexpr const char* kOrders[] = {"sine and cosine in turn", "cosine and sine in turn",
                                     "all sines first and then all cosines", "all cosines first and then all sines"};
  const std::int64_t farthest = given.clamp_distance > 0 ? std::min<std::int64_t>(given.clamp_distance, 9) : 9;
  const double d = sheet.draw("xl row").real(1, farthest);
  std::vector<double> sines, cosines;
  for (std::int64_t i = 0; i < spec.width / 2; ++i) {
    const double angle = d * reference::sinusoidal_inv_freq(spec, i);
    sines.push_back(std::sin(angle));
    cosines.push_back(std::cos(angle));
  }
  sheet.ask("terms/xl row",
            {{"d", d},
             {"base", spec.base},
             {"order", kOrders[static_cast<std::size_t>(given.order)]},
             {"width", spec.width},
             {"last", spec.width / 2 - 1},
             {"sines", list_text(sines, 5)},
             {"cosines", list_text(cosines, 5)}},
            teaching::row_of(spec, d), distance_row_mistakes(spec, d));
}

void xl_questions(const TransformerXl& spec, Sheet& sheet) {
  sheet.leave_out(spec, {"heads", "head_dim", "width", "base", "order", "clamp_distance"});
  const std::string hd = text_of(spec.heads) + " x " + text_of(spec.head_dim);
  const double channels = static_cast<double>(spec.heads) * static_cast<double>(spec.head_dim);
  add_distance(sheet, spec);
  add_count(sheet, Level::easy, spec,
            "u and v: 2 x " + hd + "; position_weight: " + hd + " x " + text_of(spec.width) + "; together",
            {{"u and v were not counted", {channels * static_cast<double>(spec.width)}},
             {"u and v are two vectors", {channels * static_cast<double>(spec.width + 1)}},
             {"position_weight was not counted", {2.0 * channels}},
             {"this is the number for one head", {static_cast<double>(spec.head_dim * (spec.width + 2))}}});
  add_expanded(sheet);
  add_distance_row(sheet, spec);
  add_long_context_question(sheet);
}

}  // namespace
}  // namespace about

constinit const properties::KindPage Shaw::page = {.facts = spec::of_kind<about::shaw_facts>,
                                                   .formula = spec::of_kind<about::shaw_formula>,
                                                   .properties = about::shaw_properties,
                                                   .figures = "attention",
                                                   .cost = spec::of_kind<about::shaw_cost>,
                                                   .questions = spec::of_kind<about::shaw_questions>};

constinit const properties::KindPage TransformerXl::page = {.facts = spec::of_kind<about::xl_facts>,
                                                            .formula = spec::of_kind<about::xl_formula>,
                                                            .properties = about::xl_properties,
                                                            .figures = "attention",
                                                            .cost = spec::of_kind<about::xl_cost>,
                                                            .questions = spec::of_kind<about::xl_questions>};

}  // namespace posenc
