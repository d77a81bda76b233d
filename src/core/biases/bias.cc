#include "posenc/bias.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "core/base/check_view.h"
#include "core/base/float_types.h"
#include "core/biases/bias_term.h"

namespace posenc {
namespace {

using base::refuse;

class FunctionTerm : public biases::BiasTerm {
 public:
  FunctionTerm(BiasSchedule schedule, BiasFunction function)
      : BiasTerm(std::move(schedule), {}), function_(std::move(function)) {}

  void fill(std::int64_t head, double query, std::span<const double> keys, double* values) const override {
    for (std::size_t k = 0; k < keys.size(); ++k) values[k] = function_(head, query, keys[k]);
  }

 private:
  BiasFunction function_;
};

// Says what a kind that is not a bias does, and names the header to use instead.
std::string other_use(const Spec& spec) {
  switch (place_of(spec)) {
    case Place::rotation:
      return "it rotates queries and keys (posenc/" +
             (std::holds_alternative<Rotary>(spec) ? "rotate" : std::string(kind_of(spec))) + ".h)";
    case Place::query:
      return "it multiplies queries (posenc/query_temperature.h)";
    case Place::term:
      return "its vectors act on queries and keys (posenc/score_term.h)";
    case Place::nowhere:
      return "it adds nothing to the scores";
    default:
      return "it is added to the embeddings (posenc/embed.h)";
  }
}

const biases::BiasRow& bias_row(const Spec& spec, std::string_view where) {
  validate(spec);
  const biases::BiasRow* row = spec::row_of(spec).bias;
  if (row != nullptr) return *row;
  refuse(where, "'", kind_of(spec), "' is not a bias on scores: ", other_use(spec));
}

void check_part(std::int64_t first, std::int64_t count, std::int64_t all, const char* name, std::string_view where) {
  if (first >= 0 && count >= 0 && first <= all && count <= all - first) return;
  refuse(where, "the tile must be inside the ", all, " ", name, " but has ", count, " starting at ", first);
}

void check_tile(const Bias& bias, const Tile& tile, const PositionView& queries, const PositionView& keys,
                std::string_view where) {
  check_part(tile.first_query, tile.queries, queries.count, "queries", where);
  check_part(tile.first_key, tile.keys, keys.count, "keys", where);
  if (tile.head < 0 || (bias.heads() != 0 && tile.head >= bias.heads())) {
    refuse(where, "head must be below ", bias.heads(), " but got ", tile.head);
  }
  const auto has = [&](const PositionView& positions) { return positions.batch == 1 || tile.batch < positions.batch; };
  base::require(tile.batch >= 0 && has(queries) && has(keys), where, "the positions must have batch row ", tile.batch,
                " but have ", queries.batch, " and ", keys.batch, " rows");
  bias.term().check(bias.heads(), queries.slice(tile.first_query, tile.queries), keys.slice(tile.first_key, tile.keys),
                    where);
}

// The rule for a view [queries, keys] of a tile that is read. A view that is written must also have contiguous rows.
base::ViewRule tile_rule(const Tile& tile, base::DTypes dtypes = base::kReals) {
  return {
      .dtypes = dtypes, .shape = {tile.queries, tile.keys}, .channels = base::Channels::any, .reason = "like the tile"};
}
void check_written(const View& view, const Tile& tile, const char* name, std::string_view where) {
  base::ViewRule rule = tile_rule(tile);
  rule.channels = base::Channels::contiguous;
  rule.use = base::Use::write;
  base::check_view(view, rule, where, name);
}

void check_read_apart(const base::NamedView& written, const Bias& bias, const PositionView& queries,
                      const PositionView& keys, std::string_view where) {
  base::check_apart(written, queries, where);
  base::check_apart(written, keys, where);
  base::check_apart(written, {"the values of the bias", bias.term().memory()}, where);
}

// Copies a tile of any strides to C order.
template <class Real>
std::vector<Real> copy_tile(const ConstView& view) {
  std::vector<Real> copy;
  copy.reserve(static_cast<std::size_t>(view.size()));
  for (std::int64_t r = 0; r < view.shape[0]; ++r) {
    for (std::int64_t c = 0; c < view.shape[1]; ++c) {
      copy.push_back(view.as<Real>()[r * view.strides[0] + c * view.strides[1]]);
    }
  }
  return copy;
}

template <class Real>
void backward(const Bias& bias, const BiasGradientTile& tile, const PositionView& queries, const PositionView& keys,
              const Gradients& gradients) {
  const biases::BiasTerm& term = bias.term();
  const std::vector<Real> before = bias.has_factor() ? copy_tile<Real>(tile.scores_before) : std::vector<Real>();
  std::vector<Real> grads = copy_tile<Real>(tile.grad_scores);
  // Only this tile's head is used; the sums of the other heads stay zero.
  const std::int64_t heads = std::max<std::int64_t>(bias.heads(), 1);
  std::vector<double> sums(static_cast<std::size_t>(heads * term.gradient_size()));
  double* of_head = sums.data() + (sums.empty() ? 0 : tile.tile.head * term.gradient_size());
  term.add_gradient<Real>(tile.tile, queries, keys, 1.0, before.data(), grads.data(), tile.tile.keys, of_head);
  term.store_gradients(sums, heads, gradients);
  if (tile.grad_before.data == nullptr) return;
  for (std::int64_t r = 0; r < tile.tile.queries; ++r) {
    std::copy_n(grads.data() + r * tile.tile.keys, tile.tile.keys, tile.grad_before[r].template as<Real>());
  }
}

// Fills one head of one batch row. 16-bit numbers are rounded once, from double, a few rows at a time.
void fill_head(const Bias& bias, const Tile& head, const PositionView& queries, const PositionView& keys,
               const View& out) {
  const auto add = [&](auto type) {
    using Real = decltype(type);
    for (std::int64_t r = 0; r < head.queries; ++r) std::fill_n(out[r].as<Real>(), head.keys, Real(0));
    bias.term().add(head, queries, keys, 1.0, out.as<Real>(), out.strides[0]);
  };
  if (out.dtype == DType::f32) return add(float());
  if (out.dtype == DType::f64) return add(double());
  constexpr std::int64_t kRows = 64;
  std::vector<double> rows(static_cast<std::size_t>(std::min(kRows, head.queries) * head.keys));
  for (std::int64_t first = 0; first < head.queries; first += kRows) {
    Tile part = head;
    part.first_query = first;
    part.queries = std::min(kRows, head.queries - first);
    std::fill(rows.begin(), rows.end(), 0.0);
    bias.term().add(part, queries, keys, 1.0, rows.data(), head.keys);
    for (std::int64_t r = 0; r < part.queries; ++r) base::store_row(rows.data() + r * head.keys, out[first + r]);
  }
}

void check_filled(const Bias& bias, const PositionView& queries, const PositionView& keys, const View& out) {
  constexpr std::string_view kWhere = "fill_bias";
  const std::int64_t batch = std::max(queries.batch, keys.batch);
  base::require(queries.batch <= 1 || keys.batch <= 1 || queries.batch == keys.batch, kWhere,
                "the positions of queries and keys must have the same number of batch rows but have ", queries.batch,
                " and ", keys.batch);
  const base::Length heads = bias.heads() == 0 ? base::Length("heads") : base::Length(bias.heads());
  base::Shape shape{heads, queries.count, keys.count};
  if (out.rank == 4 || batch > 1) {
    shape = {batch > 1 ? base::Length(batch) : base::Length("B"), heads, queries.count, keys.count};
  }
  base::check_view(out, {.shape = shape, .use = base::Use::write}, kWhere, "out");
  check_read_apart({"out", out}, bias, queries, keys, kWhere);
}

}  // namespace

BiasSchedule make_bias_schedule(const Spec& spec) { return bias_row(spec, "make_bias_schedule").schedule(spec); }

Bias::Bias(const Spec& spec, const Parameters& parameters) {
  const biases::BiasRow& row = bias_row(spec, "Bias");
  term_ = row.term(spec, spec::BoundParameters(spec, parameters, kind_of(spec)));
}

Bias::Bias(std::int64_t heads, BiasFunction function, Added added) {
  base::require(heads >= 0, "Bias", "heads must be at least 0 but got ", heads);
  if (!function) base::refuse("Bias", "function must not be empty");
  base::require(added == Added::after_scale || added == Added::before_scale, "Bias",
                "added must be after_scale or before_scale but got ", static_cast<int>(added));
  term_ = std::make_shared<const FunctionTerm>(BiasSchedule{heads, added, FunctionBias{}}, std::move(function));
}

bool Bias::has_factor() const noexcept { return term_->has_factor(); }
const BiasSchedule& Bias::schedule() const noexcept { return term_->schedule(); }

void add_bias(const Bias& bias, const Tile& tile, const PositionView& queries, const PositionView& keys,
              const View& scores) {
  check_tile(bias, tile, queries, keys, "add_bias");
  check_written(scores, tile, "scores", "add_bias");
  check_read_apart({"scores", scores}, bias, queries, keys, "add_bias");
  base::with_real_type(scores.dtype, [&](auto real) {
    bias.term().add(tile, queries, keys, 1.0, scores.as<decltype(real)>(), scores.strides[0]);
  });
}

void add_bias_backward(const Bias& bias, const BiasGradientTile& tile, const PositionView& queries,
                       const PositionView& keys, const Gradients& gradients) {
  constexpr std::string_view kWhere = "add_bias_backward";
  check_tile(bias, tile.tile, queries, keys, kWhere);
  base::check_view(tile.grad_scores, tile_rule(tile.tile), kWhere, "grad_scores");
  const base::DTypes same = tile.grad_scores.dtype;
  if (bias.has_factor()) base::check_view(tile.scores_before, tile_rule(tile.tile, same), kWhere, "scores_before");
  bias.term().check_gradients(gradients, kWhere);
  for (const Gradient& gradient : gradients) {
    check_read_apart({"a gradient", gradient.value}, bias, queries, keys, kWhere);
  }
  if (tile.grad_before.data != nullptr) {
    check_written(tile.grad_before, tile.tile, "grad_before", kWhere);
    base::check_view(tile.grad_before, tile_rule(tile.tile, same), kWhere, "grad_before");
    check_read_apart({"grad_before", tile.grad_before}, bias, queries, keys, kWhere);
    for (const Gradient& gradient : gradients) {
      base::check_apart({"grad_before", tile.grad_before}, {"a gradient", gradient.value}, kWhere);
    }
  }
  base::with_real_type(tile.grad_scores.dtype,
                       [&](auto real) { backward<decltype(real)>(bias, tile, queries, keys, gradients); });
}

void fill_bias(const Bias& bias, const PositionView& queries, const PositionView& keys, const View& out) {
  check_filled(bias, queries, keys, out);
  bias.term().check(bias.heads(), queries, keys, "fill_bias");
  const std::int64_t batch = out.rank == 4 ? out.shape[0] : 1;
  const std::int64_t heads = out.shape[static_cast<std::size_t>(out.rank) - 3];
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t h = 0; h < heads; ++h) {
      const Tile tile{.batch = b, .head = h, .queries = queries.count, .keys = keys.count};
      fill_head(bias, tile, queries, keys, out.rank == 4 ? out[b][h] : out[h]);
    }
  }
}

}  // namespace posenc
