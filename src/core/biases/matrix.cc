// A matrix given by the caller, with a number for every query and key.
#include <cstddef>
#include <string>
#include <utility>

#include "core/base/float_types.h"
#include "core/base/refuse.h"
#include "core/biases/bias_term.h"
#include "core/spec/shared_fields.h"

namespace posenc {
namespace biases {
namespace {

using spec::Field;

std::vector<Field> matrix_fields(MatrixBias& s) { return {spec::heads_field(s.heads), spec::added_field(s.added)}; }

std::vector<ParameterInfo> matrix_parameters(const MatrixBias&) {
  return {{.name = "values",
           .shape = {-1, -1},
           .help = "a number per query and key",
           .per_head = true,
           .minus_infinity = true,
           .by_reference = true,
           .start = NormalStart{1.0}}};
}

BiasSchedule matrix_schedule(const MatrixBias& spec) { return {spec.heads, spec.added, FunctionBias{}}; }

// Numbers in the caller's memory, [H, N, S] or [N, S].
class MatrixTerm : public BiasTerm {
 public:
  using Kind = MatrixBias;
  MatrixTerm(const MatrixBias& spec, spec::BoundParameters given)
      : BiasTerm(matrix_schedule(spec), std::move(given)),
        values_(parameters().view("values")),
        per_head_(parameters().per_head("values")),
        queries_(values_.shape[per_head_ ? 1 : 0]),
        keys_(values_.shape[per_head_ ? 2 : 1]) {}

  void fill(std::int64_t head, double query, std::span<const double> keys, double* values) const override {
    const auto i = static_cast<std::int64_t>(query);
    const ConstView row = per_head_ ? values_[head][i] : values_[i];
    base::with_float_type(row.dtype, [&](auto type) {
      using T = decltype(type);
      for (std::size_t k = 0; k < keys.size(); ++k) {
        values[k] = base::widen(row.as<T>()[static_cast<std::int64_t>(keys[k]) * row.strides[0]]);
      }
    });
  }
  bool needs_integers() const noexcept override { return true; }
  ConstView memory() const noexcept override { return values_; }

  void check_pairs(const PositionView& queries, const PositionView& keys, std::string_view where) const override {
    check_inside(queries, queries_, "queries", where);
    check_inside(keys, keys_, "keys", where);
  }

  std::int64_t gradient_size() const noexcept override { return queries_ * keys_; }
  void sum_gradient(std::int64_t, double query, std::span<const double> keys, const double* grads,
                    double* sums) const override {
    double* row = sums + static_cast<std::int64_t>(query) * keys_;
    for (std::size_t k = 0; k < keys.size(); ++k) row[static_cast<std::int64_t>(keys[k])] += grads[k];
  }
  std::vector<double> gradient_of(std::string_view, std::span<const double> sums, std::int64_t heads) const override {
    if (per_head_) return {sums.begin(), sums.end()};
    const auto size = static_cast<std::size_t>(gradient_size());
    std::vector<double> result(size);
    for (std::size_t i = 0; i < size * static_cast<std::size_t>(heads); ++i) result[i % size] += sums[i];
    return result;
  }

 private:
  static void check_inside(const PositionView& positions, std::int64_t count, const char* name,
                           std::string_view where) {
    // For a range, it is enough to check the two ends.
    const bool is_range = positions.source == PositionView::Source::range;
    const std::int64_t step = is_range && positions.count > 1 ? positions.count - 1 : 1;
    for (std::int64_t b = 0; b < (is_range ? 1 : positions.batch); ++b) {
      for (std::int64_t n = 0; n < positions.count; n += step) {
        const std::int64_t position = positions.integer(b, n);
        if (position >= 0 && position < count) continue;
        base::refuse_input(where, "the positions of ", name, " must be 0 to ", count - 1,
                           ", the size of the matrix, but got ", position);
      }
    }
  }

  ConstView values_;
  bool per_head_;
  std::int64_t queries_;
  std::int64_t keys_;
};

}  // namespace
}  // namespace biases

constinit const spec::KindRow MatrixBias::row = {
    .fields = spec::of_kind<biases::matrix_fields>,
    .parameters = spec::of_kind<biases::matrix_parameters>,
    .bias = &biases::kBiasRow<biases::matrix_schedule, biases::MatrixTerm>};

}  // namespace posenc
