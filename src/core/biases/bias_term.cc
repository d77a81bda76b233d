#include "core/biases/bias_term.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/kernels/sin_cos_row.h"
#include "posenc/half.h"
#include "posenc/phase.h"

namespace posenc::biases {
namespace {

constexpr double kHidden = -INFINITY;

double to_bfloat16(double value) { return to_double(to_bf16(value)); }

class LinearTerm : public BiasTerm {
 public:
  LinearTerm(const LinearBias& bias, std::span<const double> given)
      : slopes_(given.empty() ? std::span<const double>(bias.slopes) : given),
        form_(bias.form),
        rounded_(bias.precision == AlibiPrecision::bfloat16),
        learned_(!given.empty()) {}

  void fill(std::int64_t head, double query, std::span<const double> keys, double* values) const override {
    const double slope = slopes_[static_cast<std::size_t>(head)];
    if (rounded_) {
      const double rounded = to_bfloat16(slope);
      for (std::size_t k = 0; k < keys.size(); ++k) {
        values[k] = to_bfloat16(rounded * to_bfloat16(multiplied(query, keys[k])));
      }
      return;
    }
    for (std::size_t k = 0; k < keys.size(); ++k) values[k] = slope * multiplied(query, keys[k]);
  }
  bool by_offset(double) const noexcept override { return form_ != AlibiForm::key_position; }
  bool by_key() const noexcept override { return form_ == AlibiForm::key_position; }

  std::int64_t gradient_size() const noexcept override { return learned_ ? 1 : 0; }
  void add_gradient(std::int64_t, double query, std::span<const double> keys, const double* grads,
                    double* sums) const override {
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const double x = multiplied(query, keys[k]);
      sums[0] += grads[k] * (rounded_ ? to_bfloat16(x) : x);
    }
  }
  std::vector<double> gradient_of(std::string_view, std::span<const double> sums, std::int64_t) const override {
    return {sums.begin(), sums.end()};
  }

 private:
  double multiplied(double query, double key) const noexcept {
    if (form_ == AlibiForm::key_position) return key;
    return -distance_of(form_ == AlibiForm::causal ? DistanceRule::causal : DistanceRule::symmetric, query, key);
  }

  std::span<const double> slopes_;
  AlibiForm form_;
  bool rounded_;
  bool learned_;
};

class TableTerm : public BiasTerm {
 public:
  TableTerm(const TableBias& bias, std::int64_t heads, std::span<const double> table)
      : bias_(bias), heads_(heads), table_(table) {}

  void fill(std::int64_t head, double query, std::span<const double> keys, double* values) const override {
    for (std::size_t k = 0; k < keys.size(); ++k) {
      values[k] = table_[static_cast<std::size_t>(row_of(keys[k] - query) * heads_ + head)];
    }
  }
  bool by_offset(double) const noexcept override { return true; }
  bool needs_integers() const noexcept override { return true; }

  std::int64_t gradient_size() const noexcept override { return bias_.table_rows; }
  void add_gradient(std::int64_t, double query, std::span<const double> keys, const double* grads,
                    double* sums) const override {
    for (std::size_t k = 0; k < keys.size(); ++k) sums[row_of(keys[k] - query)] += grads[k];
  }
  std::vector<double> gradient_of(std::string_view, std::span<const double> sums, std::int64_t heads) const override {
    std::vector<double> result(sums.size());
    for (std::int64_t h = 0; h < heads; ++h) {
      for (std::int64_t row = 0; row < bias_.table_rows; ++row) {
        result[static_cast<std::size_t>(row * heads + h)] = sums[static_cast<std::size_t>(h * bias_.table_rows + row)];
      }
    }
    return result;
  }

 private:
  std::int64_t row_of(double offset) const noexcept {
    const auto last = static_cast<std::int64_t>(bias_.rows.size()) - 1;
    const std::int64_t index = std::clamp<std::int64_t>(static_cast<std::int64_t>(offset) - bias_.first, 0, last);
    return bias_.rows[static_cast<std::size_t>(index)];
  }

  const TableBias& bias_;
  std::int64_t heads_;
  std::span<const double> table_;
};

class SandwichTerm : public BiasTerm {
 public:
  SandwichTerm(const Sandwich& spec, const std::vector<double>& inv_freq) : spec_(spec) {
    for (const double frequency : inv_freq) steps_.push_back(make_phase_step(frequency));
  }

  void fill(std::int64_t head, double query, std::span<const double> keys, double* values) const override {
    const double divisor = 8.0 * static_cast<double>(head + 1) / static_cast<double>(spec_.heads);
    for (std::size_t k = 0; k < keys.size(); ++k) {
      values[k] = sum(distance_of(spec_.direction, query, keys[k])) / divisor;
    }
  }
  bool by_offset(double) const noexcept override { return true; }

 private:
  // Each cosine loses its 1 by itself: the sum of half the width would push out the bits of small distances.
  double sum(double distance) const noexcept {
    constexpr std::size_t kAtOnce = 64;
    std::uint64_t phases[kAtOnce];
    double sine[kAtOnce], cosine[kAtOnce];
    const bool whole = distance == std::floor(distance);
    double result = 0.0;
    for (std::size_t first = 0; first < steps_.size(); first += kAtOnce) {
      const std::size_t count = std::min(kAtOnce, steps_.size() - first);
      for (std::size_t k = 0; k < count; ++k) {
        const PhaseStep& step = steps_[first + k];
        phases[k] = whole ? phase_at(step, static_cast<std::int64_t>(distance)) : phase_at(step, distance);
      }
      kernels::sin_cos_row(phases, static_cast<std::int64_t>(count), 1.0, sine, cosine);
      for (std::size_t k = 0; k < count; ++k) result += cosine[k] - 1.0;
    }
    return result;
  }

  Sandwich spec_;
  std::vector<PhaseStep> steps_;
};

class WindowTerm : public BiasTerm {
 public:
  explicit WindowTerm(const Window& spec)
      : lowest_(spec.left ? -static_cast<double>(*spec.left) : -INFINITY),
        highest_(spec.right ? static_cast<double>(*spec.right) : INFINITY) {}

  void fill(std::int64_t, double query, std::span<const double> keys, double* values) const override {
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const double offset = keys[k] - query;
      values[k] = offset >= lowest_ && offset <= highest_ ? 0.0 : kHidden;
    }
  }
  bool by_offset(double) const noexcept override { return true; }

 private:
  double lowest_;
  double highest_;
};

class ChunkedTerm : public BiasTerm {
 public:
  explicit ChunkedTerm(const Chunked& spec) : size_(static_cast<double>(spec.size)), direction_(spec.direction) {}

  void fill(std::int64_t, double query, std::span<const double> keys, double* values) const override {
    const double chunk = std::floor(query / size_);
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const bool ahead = direction_ == DistanceRule::causal && keys[k] > query;
      values[k] = std::floor(keys[k] / size_) == chunk && !ahead ? 0.0 : kHidden;
    }
  }

 private:
  double size_;
  DistanceRule direction_;
};

class FunctionTerm : public BiasTerm {
 public:
  explicit FunctionTerm(const BiasFunction& function) : function_(function) {}

  void fill(std::int64_t head, double query, std::span<const double> keys, double* values) const override {
    for (std::size_t k = 0; k < keys.size(); ++k) values[k] = function_(head, query, keys[k]);
  }

 private:
  const BiasFunction& function_;
};

struct MakeTerm {
  const BiasSchedule& schedule;
  const spec::BoundParameters& parameters;
  using Made = std::unique_ptr<BiasTerm>;

  Made operator()(const LinearBias& bias) const {
    return std::make_unique<LinearTerm>(bias, parameters.numbers("slopes"));
  }
  Made operator()(const TableBias& bias) const {
    return std::make_unique<TableTerm>(bias, schedule.heads, parameters.numbers("table"));
  }
  Made operator()(const DistanceBias& bias) const {
    if (const auto* kerple = std::get_if<Kerple>(&bias.function)) return make_kerple_term(*kerple, parameters);
    return std::make_unique<SandwichTerm>(std::get<Sandwich>(bias.function), bias.inv_freq);
  }
  Made operator()(const PairBias& bias) const { return std::visit(*this, bias.function); }
  Made operator()(const Fire& spec) const { return make_fire_term(spec, parameters); }
  Made operator()(const MatrixBias&) const { return make_matrix_term(parameters); }
  Made operator()(const Window& spec) const { return std::make_unique<WindowTerm>(spec); }
  Made operator()(const Chunked& spec) const { return std::make_unique<ChunkedTerm>(spec); }
  Made operator()(const BiasFunction& function) const { return std::make_unique<FunctionTerm>(function); }
};

}  // namespace

std::unique_ptr<BiasTerm> make_bias_term(const BiasSchedule& schedule, const spec::BoundParameters& parameters) {
  return std::visit(MakeTerm{schedule, parameters}, schedule.shape);
}

}  // namespace posenc::biases
