// Scores of attention, and biases on them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/refuse.h"
#include "insight/diagnosis/engine_bias.h"
#include "insight/diagnosis/evidence.h"
#include "posenc/bias.h"
#include "posenc/error.h"
#include "posenc/query_temperature.h"

namespace posenc::diagnosis {
namespace {

constexpr double kMasked = -1e8;

// Scores or biases [H][N][S], of which some rows, heads and keys are compared.
struct Matrix {
  std::int64_t heads = 1, queries = 0, keys = 0;
  std::vector<double> values;

  double at(std::int64_t h, std::int64_t n, std::int64_t s) const {
    return values[static_cast<std::size_t>((h * queries + n) * keys + s)];
  }
};

struct Choice {
  std::vector<std::int64_t> queries, heads, keys;
};

std::vector<std::int64_t> spread(std::int64_t count, std::int64_t wanted) {
  if (count <= wanted) return counted(count);
  std::vector<std::int64_t> chosen;
  for (std::int64_t k = 0; k < wanted; ++k) chosen.push_back(k * (count - 1) / (wanted - 1));
  return chosen;
}

// The limit below which a score is masked: -inf, or a negative number far below all others, such as the lowest float16
// or -1e4.
double masked_below(const std::vector<double>& values) {
  double least = 0.0;
  for (const double v : values) {
    if (v > kMasked) least = std::min(least, v);
  }
  if (least > -9000.0) return kMasked;
  const auto near =
      std::count_if(values.begin(), values.end(), [&](double v) { return v > kMasked && v < 0.8 * least; });
  const auto between =
      std::count_if(values.begin(), values.end(), [&](double v) { return v >= 0.8 * least && v < 0.2 * least; });
  return near > 1 && between == 0 ? 0.5 * least : kMasked;
}

// Every k-th query if there are too many to compare them all.
std::vector<std::int64_t> looked_at(const Matrix& matrix, double most, std::vector<std::string>* notes) {
  const double row = static_cast<double>(matrix.heads) * static_cast<double>(matrix.keys);
  const auto wanted = std::max<std::int64_t>(static_cast<std::int64_t>(most / row), 8);
  if (wanted >= matrix.queries) return counted(matrix.queries);
  notes->push_back(std::to_string(wanted) + " of " + std::to_string(matrix.queries) + " queries were compared");
  return spread(matrix.queries, wanted);
}

Matrix read_matrix(const ConstView& view, std::string_view name, bool zeros) {
  ObservedNumbers numbers =
      read_numbers(view, name, {.min_rank = 2, .max_rank = 3, .minus_infinity = true, .zeros = zeros});
  Matrix matrix;
  if (numbers.shape.size() == 3) matrix.heads = numbers.at(0);
  matrix.queries = numbers.shape[numbers.shape.size() - 2];
  matrix.keys = numbers.shape.back();
  matrix.values = std::move(numbers.values);
  bool any = false;
  const double least = masked_below(matrix.values);
  for (double& v : matrix.values) {
    if (v < least) v = std::numeric_limits<double>::quiet_NaN();
    any = any || !std::isnan(v);
  }
  if (!any) base::refuse_file(name, "every number is masked");
  return matrix;
}

Rounding type_of(const ConstView& view, std::string_view name) {
  return read_numbers(view, name, {.min_rank = 2, .max_rank = 3, .minus_infinity = true, .zeros = true}).actual;
}

// The common part of scores and biases: a matrix, the positions of queries and keys, learned numbers.
class MatrixEvidence : public Evidence {
 public:
  std::string channel_name() const override { return "key"; }
  std::int64_t channel_of(std::int64_t column) const override {
    return choice_.keys[static_cast<std::size_t>(column) % choice_.keys.size()];
  }
  std::int64_t rows_at_once() const override { return std::max<std::int64_t>((1 << 20) / width_, 1); }
  std::int64_t rows_in_haste() const override { return rows_at_once(); }
  std::optional<double> last_key() const override {
    return *std::max_element(keys_.values.begin(), keys_.values.end());
  }

 protected:
  MatrixEvidence(std::shared_ptr<const Matrix> matrix, Ids queries, Ids keys, Choice choice)
      : matrix_(std::move(matrix)), keys_(std::move(keys)), choice_(std::move(choice)) {
    ids_ = std::move(queries);
    tokens_ = choice_.queries;
    width_ = static_cast<std::int64_t>(choice_.heads.size() * choice_.keys.size());
    for (const std::int64_t n : tokens_) {
      for (const std::int64_t h : choice_.heads) {
        for (const std::int64_t s : choice_.keys) observed_.push_back(matrix_->at(h, n, s));
      }
    }
  }

  double query_id(const Engine& engine, std::int64_t n, std::int64_t a = 0) const {
    const double id = engine.id(n, ids_.at(n, a));
    return engine.query.ids ? engine.query.ids(n, id) : id;
  }
  double key_id(const Engine& engine, std::int64_t s, std::int64_t a = 0) const {
    const double id = engine.id(s, keys_.at(s, a));
    return engine.key.ids ? engine.key.ids(s, id) : id;
  }

  // The learned table of an engine: the given one, or the one that fits the numbers best with the engine's buckets.
  const std::vector<double>* table_of(const Engine& engine, const EngineBias& values,
                                      const LearnedNumbers& learned) const {
    if (!values.by_table()) return nullptr;
    if (const std::vector<double>* given = learned.find("table")) return given;
    if (!engine.table) {
      const auto heads = static_cast<std::size_t>(matrix_->heads);
      std::vector<double> sum(static_cast<std::size_t>(values.table_rows()) * heads, 0.0), count(sum.size(), 0.0);
      for (const std::int64_t n : spread(matrix_->queries, 64)) {
        for (const std::int64_t s : spread(matrix_->keys, 160)) {
          const double i = query_id(engine, n), j = key_id(engine, s);
          const auto row =
              static_cast<std::size_t>(engine.bias.swapped ? values.table_row(j, i) : values.table_row(i, j));
          for (std::size_t h = 0; h < heads; ++h) {
            const double seen = matrix_->at(static_cast<std::int64_t>(h), n, s);
            if (std::isnan(seen)) continue;
            sum[row * heads + h] += seen;
            count[row * heads + h] += 1.0;
          }
        }
      }
      for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] = count[i] > 0.0 ? sum[i] / count[i] / engine.bias.factor : 0.0;
      engine.table = std::make_shared<const std::vector<double>>(std::move(sum));
    }
    return engine.table.get();
  }

  std::shared_ptr<const Matrix> matrix_;
  Ids keys_;
  Choice choice_;
};

// ------------------------------------------------------------------------------------------------------- biases

class BiasEvidence : public MatrixEvidence {
 public:
  BiasEvidence(std::shared_ptr<const Matrix> matrix, Ids queries, Ids keys, Choice choice, LearnedNumbers learned,
               Rounding type)
      : MatrixEvidence(std::move(matrix), std::move(queries), std::move(keys), std::move(choice)),
        learned_(std::move(learned)) {
    settle(type);
    // Heads differ by orders of magnitude, and a row may be all zeros, so errors are relative to the size of the head.
    const std::size_t columns = choice_.keys.size(), heads = choice_.heads.size();
    head_size_.assign(heads, 0.0);
    const double unit = unit_of(observed_.data(), observed_.size());
    for (std::size_t h = 0; h < heads; ++h) {
      double sum = 0.0, count = 0.0;
      for (std::size_t r = 0; r < tokens_.size(); ++r) {
        for (std::size_t s = 0; s < columns; ++s) {
          const double seen = observed_[(r * heads + h) * columns + s] / unit;
          if (std::isnan(seen)) continue;
          sum += seen * seen;
          count += 1.0;
        }
      }
      head_size_[h] = count > 0.0 ? unit * std::sqrt(sum / count) : 0.0;
    }
    const double largest = *std::max_element(head_size_.begin(), head_size_.end());
    for (double& size : head_size_) size = std::max(size, 0.2 * largest);
    row_size_.assign(tokens_.size(), 0.0);
  }

  bool predict(const Engine& engine, std::int64_t first, std::int64_t count, Prediction& out) const override {
    const EngineBias values(engine, learned_, matrix_->heads);
    const std::vector<double>* table = table_of(engine, values, learned_);
    out.value.clear();
    out.size.clear();
    out.angle.clear();
    std::vector<double> keys;
    for (const std::int64_t s : choice_.keys) keys.push_back(key_id(engine, s));
    for (std::int64_t k = 0; k < count; ++k) {
      const double i = query_id(engine, token(first + k));
      for (std::size_t h = 0; h < choice_.heads.size(); ++h) {
        for (const double j : keys) {
          out.value.push_back(values.at(choice_.heads[h], i, j, table));
          out.size.push_back(std::max(std::abs(out.value.back()), head_size_[h]));
        }
      }
    }
    return true;
  }

  std::unique_ptr<Evidence> sample(std::int64_t tokens) const override {
    return std::make_unique<BiasEvidence>(matrix_, ids_, keys_,
                                          Choice{telling_tokens(ids_, std::max<std::int64_t>(tokens, 24)),
                                                 spread(matrix_->heads, 16), spread(matrix_->keys, 64)},
                                          learned_, type_);
  }

 private:
  LearnedNumbers learned_;
  std::vector<double> head_size_;  // the root mean square of every head
};

// ------------------------------------------------------------------------------------------------------- scores

struct Sides {
  std::int64_t heads = 1, key_heads = 1, width = 0;
  std::vector<double> q, k;  // [N][H][D], [S][G][D]
  double scale = 1.0;
  std::vector<double> query_scale;  // [N]; empty: 1
  LearnedNumbers learned;
};

// Keeps four sums, which a compiler can hold in one register.
double dot(const double* a, const double* b, std::int64_t count) {
  double sum[4] = {};
  std::int64_t c = 0;
  for (; c + 4 <= count; c += 4) {
    for (int lane = 0; lane < 4; ++lane) sum[lane] += a[c + lane] * b[c + lane];
  }
  for (; c < count; ++c) sum[0] += a[c] * b[c];
  return sum[0] + sum[1] + sum[2] + sum[3];
}

class ScoreEvidence : public MatrixEvidence {
 public:
  ScoreEvidence(std::shared_ptr<const Matrix> matrix, Ids queries, Ids keys, Choice choice,
                std::shared_ptr<const Sides> sides, Rounding type)
      : MatrixEvidence(std::move(matrix), std::move(queries), std::move(keys), std::move(choice)),
        sides_(std::move(sides)) {
    head_dim_ = sides_->width;
    settle(type);
    // Products cancel and masked rows may be short, so the error of a score is relative to its terms and to the other
    // scores.
    const double usual = mean_norm(row_size_, static_cast<std::int64_t>(row_size_.size()));
    const double root = std::sqrt(static_cast<double>(head_dim_));
    key_norm_ = mean_norm(sides_->k, keys_.count * sides_->key_heads);
    for (std::size_t r = 0; r < tokens_.size(); ++r) {
      const double norm = norm_of(sides_->q.data() + tokens_[r] * sides_->heads * head_dim_, sides_->heads * head_dim_);
      const double typical = sides_->scale * norm / std::sqrt(static_cast<double>(sides_->heads)) * key_norm_ / root;
      row_size_[r] = std::max({row_size_[r], typical, 0.7 * usual});
    }
  }

  bool predict(const Engine& engine, std::int64_t first, std::int64_t count, Prediction& out) const override {
    out.value.assign(static_cast<std::size_t>(count * width_), 0.0);
    out.angle.clear();
    const bool turns = std::holds_alternative<Rotary>(engine.spec);
    const std::vector<double> keys = turned_keys(engine);
    const EngineBias values(engine, sides_->learned, matrix_->heads);
    const bool biased = !turns && !std::holds_alternative<NoPosition>(engine.spec);
    const std::vector<double>* table = biased ? table_of(engine, values, sides_->learned) : nullptr;
    const std::int64_t group = sides_->heads / sides_->key_heads;
    std::vector<double> q(static_cast<std::size_t>(head_dim_));
    std::size_t at = 0;
    for (std::int64_t r = first; r < first + count; ++r) {
      const std::int64_t n = token(r);
      double scale = sides_->scale * engine.score_factor;
      if (engine.query_scale && !sides_->query_scale.empty()) scale *= sides_->query_scale[static_cast<std::size_t>(n)];
      for (const std::int64_t h : choice_.heads) {
        turn_side(engine, engine.query, ids_, n, sides_->q.data() + (n * sides_->heads + h) * head_dim_, q.data());
        for (std::size_t s = 0; s < choice_.keys.size(); ++s, ++at) {
          const double* k = keys.data() + (static_cast<std::int64_t>(s) * sides_->key_heads + h / group) * head_dim_;
          out.value[at] = scale * dot(q.data(), k, head_dim_);
          if (!biased) continue;
          out.value[at] += values.at(h, query_id(engine, n), key_id(engine, choice_.keys[s]), table);
        }
      }
    }
    return true;
  }

  std::unique_ptr<Evidence> sample(std::int64_t tokens) const override {
    return std::make_unique<ScoreEvidence>(
        matrix_, ids_, keys_,
        Choice{telling_tokens(ids_, tokens), spread(matrix_->heads, 2), telling_tokens(keys_, 16)}, sides_, type_);
  }

 private:
  static double norm_of(const double* x, std::int64_t count) { return mean_norm({x, x + count}, 1); }
  // The root of the sum of squares, divided by `count`.
  static double mean_norm(const std::vector<double>& x, std::int64_t count) {
    const double unit = unit_of(x.data(), x.size());
    double sum = 0.0;
    for (const double v : x) sum += (v / unit) * (v / unit);
    return unit * std::sqrt(sum / static_cast<double>(count));
  }

  void turn_side(const Engine& engine, const SideQuirks& side, const Ids& ids, std::int64_t n, const double* x,
                 double* out) const {
    if (!std::holds_alternative<Rotary>(engine.spec) || !side.turned) {
      std::copy_n(x, head_dim_, out);
      return;
    }
    const HeadPlan& plan = plan_of(engine, head_dim_);
    std::vector<double> cos(static_cast<std::size_t>(plan.columns)), sin(cos.size());
    double id[8] = {};
    for (std::int64_t a = 0; a < ids.axes; ++a) id[a] = side.ids ? side.ids(n, ids.at(n, a)) : ids.at(n, a);
    fill_turns(engine, plan, n, id, cos.data(), sin.data());
    for (double& c : cos) c *= side.factor;
    for (double& s : sin) s *= side.factor;
    turn_head(engine, plan, cos.data(), sin.data(), x, out);
  }

  std::vector<double> turned_keys(const Engine& engine) const {
    std::vector<double> keys(choice_.keys.size() * static_cast<std::size_t>(sides_->key_heads * head_dim_));
    for (std::size_t s = 0; s < choice_.keys.size(); ++s) {
      for (std::int64_t g = 0; g < sides_->key_heads; ++g) {
        turn_side(engine, engine.key, keys_, choice_.keys[s],
                  sides_->k.data() + (choice_.keys[s] * sides_->key_heads + g) * head_dim_,
                  keys.data() + (static_cast<std::int64_t>(s) * sides_->key_heads + g) * head_dim_);
      }
    }
    return keys;
  }

  std::shared_ptr<const Sides> sides_;
  double key_norm_ = 1.0;
};

// Refuses vectors whose products are too large for a double.
void check_products(const Sides& sides, const ObservedNumbers& q, const ObservedNumbers& k) {
  const double terms = 4.0 * static_cast<double>(sides.width);
  if (std::isfinite(unit_of(q.values.data(), q.size()) * unit_of(k.values.data(), k.size()) * 4.0 * terms)) return;
  base::refuse_file("q", "its products with k are too large to compute");
}

void check_heads(const Spec& spec, const Parameters& parameters, std::int64_t heads, std::string_view name) {
  const bool inferred =
      parameters.empty() && (std::holds_alternative<T5>(spec) || std::holds_alternative<Clipped>(spec));
  std::int64_t expected = 0;
  if (inferred) {
    expected = std::holds_alternative<T5>(spec) ? std::get<T5>(spec).heads : std::get<Clipped>(spec).heads;
  } else {
    expected = Bias(spec, parameters).heads();  // throws if they do not fit
  }
  if (expected == heads || expected == 0) return;
  base::refuse_file(name, "expected ", expected, " heads but got ", heads);
}

}  // namespace

std::unique_ptr<Evidence> bias_evidence(const Engine& right, const ObservedBias& seen, const EvidenceOptions& options) {
  auto matrix = std::make_shared<Matrix>(read_matrix(seen.bias, "bias", false));
  check_heads(right.spec, options.options->parameters, matrix->heads, "bias");
  Ids queries = read_ids(seen.queries, matrix->queries, 1, "queries");
  Ids keys = read_ids(seen.keys, matrix->keys, 1, "keys");
  Choice all{looked_at(*matrix, 4e6, options.notes), counted(matrix->heads), counted(matrix->keys)};
  return std::make_unique<BiasEvidence>(std::move(matrix), std::move(queries), std::move(keys), std::move(all),
                                        read_learned(options.options->parameters), stored_type(seen.bias));
}

std::unique_ptr<Evidence> score_evidence(Engine& right, const ObservedScores& seen, const EvidenceOptions& options) {
  auto matrix = std::make_shared<Matrix>(read_matrix(seen.scores, "scores", false));
  ObservedNumbers q = read_vectors(seen.q, "q", seen.queries.count);
  ObservedNumbers k = read_vectors(seen.k, "k", seen.keys.count);
  auto sides = std::make_shared<Sides>();
  sides->width = q.shape.back();
  sides->heads = q.shape.size() == 3 ? q.at(1) : 1;
  sides->key_heads = k.shape.size() == 3 ? k.at(1) : 1;
  if (k.shape.back() != sides->width) {
    base::refuse_file("k", "expected the channels of q, ", bracketed(q.shape), ", but got ", bracketed(k.shape));
  }
  if (sides->heads % sides->key_heads != 0) {
    base::refuse_file("k", "the ", sides->heads, " query heads must be a multiple of the key heads but there are ",
                      sides->key_heads);
  }
  if (matrix->heads != sides->heads || matrix->queries != q.at(0) || matrix->keys != k.at(0)) {
    base::refuse_file("scores", "expected [", sides->heads, ", ", q.at(0), ", ", k.at(0),
                      "], the heads and tokens of q and the tokens of k, but got [", matrix->heads, ", ",
                      matrix->queries, ", ", matrix->keys, "]");
  }
  double factor = 1.0;
  const bool turns = std::holds_alternative<Rotary>(right.spec);
  if (const auto* rotary = std::get_if<Rotary>(&right.spec)) {
    const std::optional<Placed> placed = place_in_head(*rotary, options.options->latent_head, sides->width);
    if (!placed)
      base::refuse_file("q", "expected heads of ", rotary->head_dim, " channels but got ", bracketed(q.shape));
    right.head_start = placed->start;
    const RotarySchedule schedule = make_schedule(*rotary);
    factor = schedule.softmax_factor() * schedule.query_factor();
  } else if (!std::holds_alternative<NoPosition>(right.spec)) {
    check_heads(right.spec, options.options->parameters, matrix->heads, "scores");
    sides->learned = read_learned(options.options->parameters);
    if (sides->learned.names.empty() &&
        (std::holds_alternative<T5>(right.spec) || std::holds_alternative<Clipped>(right.spec))) {
      fail(ErrorKind::bad_input, "the scores include a learned bias: give its table");
    }
  }
  sides->scale = options.options->softmax_scale.value_or(factor / std::sqrt(static_cast<double>(sides->width)));
  Ids queries = read_ids(seen.queries, matrix->queries, turns ? axes_of(right.spec) : 1, "queries");
  Ids keys = read_ids(seen.keys, matrix->keys, turns ? axes_of(right.spec) : 1, "keys");
  if (const std::optional<QueryTemperature>& temperature = options.options->query_scale) {
    for (std::int64_t n = 0; n < queries.count; ++n) {
      sides->query_scale.push_back(query_factor(*temperature, std::max(queries.at(n, 0), 0.0)));
    }
  }
  check_products(*sides, q, k);
  const Rounding type = type_of(seen.scores, "scores");
  const Rounding inner = half_unit(q.stored) > half_unit(type) ? q.stored : type;
  sides->q = std::move(q.values);
  sides->k = std::move(k.values);
  Choice all{looked_at(*matrix, 1e6, options.notes), counted(matrix->heads), counted(matrix->keys)};
  return std::make_unique<ScoreEvidence>(std::move(matrix), std::move(queries), std::move(keys), std::move(all),
                                         std::move(sides), inner);
}

}  // namespace posenc::diagnosis
