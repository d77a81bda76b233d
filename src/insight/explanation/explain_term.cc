#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "core/base/float_types.h"
#include "insight/explanation/explain_pairs.h"
#include "insight/properties/formulas.h"
#include "insight/properties/lists.h"
#include "insight/properties/sample.h"
#include "posenc/attend.h"
#include "posenc/error.h"
#include "posenc/input_rows.h"
#include "posenc/schedule.h"
#include "posenc/score_term.h"

namespace posenc::explanation {

std::vector<double> small_numbers(std::int64_t count, std::uint64_t seed) {
  std::vector<double> numbers = properties::normal_numbers(1, count, 0.5, seed);
  for (double& number : numbers) number = std::round(number * 100.0) / 100.0;
  return numbers;
}

namespace {

using properties::dot;

std::string vector_text(const double* numbers, std::int64_t width) {
  return row_text(width, [&](std::int64_t c) { return text::number_text(numbers[c]); });
}

class ShawExplainer {
 public:
  ShawExplainer(const Shaw& spec, const ExplainPairs& pairs)
      : spec_(spec),
        pairs_(pairs),
        width_(spec.head_dim),
        query_(small_numbers(width_, 1)),
        keys_(small_numbers(width_ * pairs.keys.count, 2)) {
    if (pairs.parameters.empty()) {
      check_head(pairs, 1);
      vectors_ = small_numbers((spec.left + spec.right + 1) * width_, 3);
      return;
    }
    ScoreTerm(spec, pairs.parameters);  // throws if they do not fit
    for (const Parameter& parameter : pairs.parameters) {
      if (parameter.name == "keys") read(parameter.value);
    }
  }

  std::vector<Step> steps() const { return {formula(), expansion(), weights()}; }

 private:
  void read(const ConstView& given) {
    check_head(pairs_, given.rank == 3 ? given.shape[0] : 1);
    const ConstView rows = given.rank == 3 ? given[pairs_.head] : given;
    vectors_.resize(static_cast<std::size_t>(rows.shape[0] * width_));
    for (std::int64_t r = 0; r < rows.shape[0]; ++r) base::load_row(rows[r], vectors_.data() + r * width_);
  }
  std::int64_t query_position() const { return pairs_.queries.integer(0, followed_query(pairs_)); }
  std::int64_t row(std::int64_t k) const { return shaw_row(spec_, query_position(), pairs_.keys.integer(0, k)); }
  const double* key(std::int64_t k) const { return keys_.data() + k * width_; }

  // "offset 2 - 3 = -1, clipped to ..., ", with the sign that the spec uses.
  std::string offset_text(std::int64_t k) const {
    const bool forward = spec_.offset == Offset::key_minus_query;
    const auto q = static_cast<double>(query_position()), at = static_cast<double>(pairs_.keys.integer(0, k));
    const double offset = forward ? at - q : q - at;
    const double clipped = std::clamp(offset, -static_cast<double>(spec_.left), static_cast<double>(spec_.right));
    return "offset " + (forward ? difference(at, q) : difference(q, at)) + " = " + text::number_text(offset) +
           (clipped == offset ? ", " : ", clipped to " + text::number_text(clipped) + ", ");
  }

  Step formula() const {
    Step step{"formula", "The rule", {}, {}};
    step.lines = {plain_text(properties::formula_of(spec_)),
                  "i is the position of the query, j that of the key; q . (k + r) = q . k + q . r",
                  "there are " + std::to_string(spec_.left + spec_.right + 1) + " vectors r; row 0 is the offset -" +
                      std::to_string(spec_.left),
                  "values may have vectors s too: output = sum of weight * (v + s[offset])"};
    return step;
  }

  Step expansion() const {
    Step step{"expansion", followed_title(pairs_), {}, {}};
    step.lines = {std::string("the numbers are ") + kInvented, "q = " + vector_text(query_.data(), width_)};
    for (std::int64_t k = 0; k < pairs_.keys.count; ++k) {
      const std::int64_t r = row(k);
      const double content = dot(query_.data(), key(k), width_);
      const double* vector = r < 0 ? nullptr : vectors_.data() + r * width_;
      const double term = vector == nullptr ? 0.0 : dot(query_.data(), vector, width_);
      std::vector<double> sum(key(k), key(k) + width_);
      for (std::int64_t c = 0; c < width_ && vector != nullptr; ++c) sum[static_cast<std::size_t>(c)] += vector[c];
      step.lines.push_back(key_label(pairs_, k) + "k = " + vector_text(key(k), width_) +
                           (vector == nullptr ? ", offset outside the table: no vector"
                                              : ", " + offset_text(k) + "row " + std::to_string(r) +
                                                    ": r = " + vector_text(vector, width_)));
      std::string line = "  q.k + q.r = " + five_decimals(content) + " + " + five_decimals(term) + " = " +
                         five_decimals(content + term) +
                         "; q.(k + r) = " + five_decimals(dot(query_.data(), sum.data(), width_));
      if (spec_.term == ShawTerm::query_and_key && vector != nullptr) {
        const double key_term = dot(key(k), vector, width_);
        line += "; plus k.r = " + five_decimals(key_term) + " is " + five_decimals(content + term + key_term);
      }
      step.lines.push_back(line);
      step.values.insert(step.values.end(), {content, term});
    }
    return step;
  }

  Step weights() const {
    std::vector<double> plain, with;
    for (std::int64_t k = 0; k < pairs_.keys.count; ++k) {
      const bool hidden = pairs_.causal && pairs_.keys.integer(0, k) > query_position();
      const double scale = 1.0 / std::sqrt(static_cast<double>(width_));
      const double content = dot(query_.data(), key(k), width_);
      double term = row(k) < 0 ? 0.0 : dot(query_.data(), vectors_.data() + row(k) * width_, width_);
      if (spec_.term == ShawTerm::query_and_key && row(k) >= 0) {
        term += dot(key(k), vectors_.data() + row(k) * width_, width_);
      }
      plain.push_back(hidden ? -HUGE_VAL : scale * content);
      with.push_back(hidden ? -HUGE_VAL : scale * (content + term));
    }
    const std::vector<double> after = softmax(with);
    return {"weights",
            "The softmax without and with q.r, scores times 1/sqrt(" + std::to_string(width_) + ")",
            {"scores without    " + numbers_text(plain), "scores with q.r   " + numbers_text(with),
             "weights without   " + numbers_text(softmax(plain)), "weights with q.r  " + numbers_text(after)},
            after};
  }

  const Shaw& spec_;
  const ExplainPairs& pairs_;
  std::int64_t width_;
  std::vector<double> query_, keys_, vectors_;
};

// The four terms of Transformer-XL for every key.
std::vector<Step> explain_xl(const TransformerXl& spec, const ExplainPairs& pairs) {
  const std::int64_t width = spec.heads * spec.head_dim;
  const std::vector<double> u = small_numbers(width, 4), v = small_numbers(width, 5),
                            weight = small_numbers(width * spec.width, 6), query = small_numbers(spec.head_dim, 1),
                            keys = small_numbers(spec.head_dim * pairs.keys.count, 2);
  if (!pairs.parameters.empty()) {
    fail(ErrorKind::unsupported,
         "[explain_pairs] transformer_xl is explained with made-up parameters only: leave out the given ones");
  }
  const SinusoidalSchedule schedule =
      make_schedule(Sinusoidal{.width = spec.width, .base = spec.base, .order = spec.order});
  Step formula{
      "formula",
      "The rule",
      {plain_text(properties::formula_of(spec)),
       "with d = i - j and r = W s(d) it has four parts: q.k content, q.r content and distance, u.k key, v.r distance"},
      {}};
  check_head(pairs, spec.heads);
  const std::int64_t first = pairs.head * spec.head_dim;  // first channel of the head in u and v, first row in W
  Step numbers{"numbers", "The numbers of head " + std::to_string(pairs.head), {}, {}};
  numbers.lines = {"not trained: they are " + std::string(kInvented), "q = " + vector_text(query.data(), spec.head_dim),
                   "u = " + vector_text(u.data() + first, spec.head_dim),
                   "v = " + vector_text(v.data() + first, spec.head_dim), "W, one row per channel of the head:"};
  constexpr std::int64_t kRows = 16;
  for (std::int64_t c = 0; c < std::min(spec.head_dim, kRows); ++c) {
    numbers.lines.push_back("  " + vector_text(weight.data() + (first + c) * spec.width, spec.width));
  }
  if (spec.head_dim > kRows) numbers.lines.push_back("  ... " + std::to_string(spec.head_dim - kRows) + " more rows");
  Step terms{"terms", followed_title(pairs), {}, {}};
  std::vector<std::string> vectors;  // k and r of every key
  terms.lines.push_back(key_header(pairs) + "d      q.k       q.r       u.k       v.r       sum");
  for (std::int64_t k = 0; k < pairs.keys.count; ++k) {
    std::int64_t d = pairs.queries.integer(0, followed_query(pairs)) - pairs.keys.integer(0, k);
    if (spec.clamp_distance > 0) d = std::clamp(d, -spec.clamp_distance, spec.clamp_distance);
    std::vector<double> row(static_cast<std::size_t>(spec.width)), r(static_cast<std::size_t>(spec.head_dim));
    fill_rows(StreamedRows{&schedule}, PositionView::range(d, 1), make_view(row.data(), {1, spec.width}));
    for (std::int64_t c = 0; c < spec.head_dim; ++c) {
      r[static_cast<std::size_t>(c)] = dot(weight.data() + (first + c) * spec.width, row.data(), spec.width);
    }
    const double* key = keys.data() + k * spec.head_dim;
    const std::vector<double> parts = {
        dot(query.data(), key, spec.head_dim), dot(query.data(), r.data(), spec.head_dim),
        dot(u.data() + first, key, spec.head_dim), dot(v.data() + first, r.data(), spec.head_dim)};
    std::vector<double> shown = parts;
    shown.push_back(parts[0] + parts[1] + parts[2] + parts[3]);
    terms.lines.push_back(key_label(pairs, k) + padded(std::to_string(d), 4) + numbers_text(shown));
    terms.values.insert(terms.values.end(), parts.begin(), parts.end());
    numbers.lines.push_back(key_label(pairs, k) + "k = " + vector_text(key, spec.head_dim));
    vectors.push_back(key_label(pairs, k) + "r = W s(" + std::to_string(d) +
                      ") = " + row_text(spec.head_dim, [&](std::int64_t c) {
                        return five_decimals(r[static_cast<std::size_t>(c)]);
                      }));
  }
  numbers.lines.insert(numbers.lines.end(), vectors.begin(), vectors.end());
  return {formula, numbers, terms};
}

}  // namespace

std::vector<Step> explain_term(const Spec& spec, const ExplainPairs& pairs) {
  if (!pairs.queries.integral() || !pairs.keys.integral()) {
    fail(ErrorKind::usage, "[explain_pairs] a table of vectors per offset needs integer positions but got real ones");
  }
  if (const auto* shaw = std::get_if<Shaw>(&spec)) return ShawExplainer(*shaw, pairs).steps();
  return explain_xl(std::get<TransformerXl>(spec), pairs);
}

// The score of x_i + p_i and x_j + p_j without projections.
std::vector<Step> explain_parts(const Spec& spec, const ExplainPairs& pairs) {
  std::optional<SinusoidalSchedule> schedule;
  InputRows rows;
  if (const auto* fixed = std::get_if<Sinusoidal>(&spec)) {
    schedule = make_schedule(*fixed);
    rows = StreamedRows{&*schedule};
  } else {
    if (pairs.table.data == nullptr) {
      fail(ErrorKind::usage, "[explain_pairs] a learned encoding needs its table to compute the parts of a score");
    }
    const auto* hybrid = std::get_if<Hybrid>(&spec);
    if (hybrid != nullptr) schedule = make_schedule(hybrid->fixed);
    const LearnedRows learned{hybrid != nullptr ? hybrid->learned : std::get<Learned>(spec), pairs.table};
    rows = hybrid != nullptr ? InputRows(HybridRows{StreamedRows{&*schedule}, learned}) : InputRows(learned);
  }
  const std::int64_t width = width_of(rows);
  const auto encode = [&](const PositionView& positions) {
    std::vector<double> numbers(static_cast<std::size_t>(positions.count * width));
    fill_rows(rows, positions, make_view(numbers.data(), {positions.count, width}));
    return numbers;
  };
  const std::vector<double> p = encode(pairs.queries.slice(followed_query(pairs), 1)), r = encode(pairs.keys),
                            x = small_numbers(width, 1), y = small_numbers(width * pairs.keys.count, 2);
  Step formula{"formula",
               "The rule",
               {"(x_i + p_i).(x_j + p_j) = x_i.x_j + x_i.p_j + p_i.x_j + p_i.p_j",
                "four parts: content-content, content-position, position-content, position-position",
                "projections W_q and W_k keep the four parts, because W(x + p) = Wx + Wp"},
               {}};
  const auto five = [&](const double* numbers) {
    return row_text(width, [&](std::int64_t c) { return five_decimals(numbers[c]); });
  };
  const std::string query =
      padded("query at " + position_text(pairs.queries, followed_query(pairs)) + "  ", key_header(pairs).size());
  Step vectors{"vectors",
               "The vectors",
               {std::string("the embeddings x are ") + kInvented, query + "x = " + vector_text(x.data(), width),
                query + "p = " + five(p.data())},
               {}};
  for (std::int64_t k = 0; k < pairs.keys.count; ++k) {
    vectors.lines.push_back(key_label(pairs, k) + "x = " + vector_text(y.data() + k * width, width));
    vectors.lines.push_back(key_label(pairs, k) + "p = " + five(r.data() + k * width));
  }
  Step parts{"parts", followed_title(pairs), {}, {}};
  parts.lines.push_back(key_header(pairs) + "    x.x       x.p       p.x       p.p       sum");
  for (std::int64_t k = 0; k < pairs.keys.count; ++k) {
    const double *content = y.data() + k * width, *position = r.data() + k * width;
    std::vector<double> four = {dot(x.data(), content, width), dot(x.data(), position, width),
                                dot(p.data(), content, width), dot(p.data(), position, width)};
    parts.values.insert(parts.values.end(), four.begin(), four.end());
    four.push_back(four[0] + four[1] + four[2] + four[3]);
    parts.lines.push_back(key_label(pairs, k) + numbers_text(four));
  }
  Step meaning{
      "meaning",
      "What that means",
      {"p.p is the same for every text: without learned projections it is all that attention knows about distance.",
       "x.x does not depend on positions. x.p and p.x mix the content of one token with the position of the other."},
      {}};
  return {formula, vectors, parts, meaning};
}

}  // namespace posenc::explanation
