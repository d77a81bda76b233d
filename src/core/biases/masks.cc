// Masks as biases of 0 and -inf: windows and chunks.
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/biases/bias_term.h"
#include "core/spec/shared_fields.h"

namespace posenc {
namespace biases {
namespace {

using spec::enum_field;
using spec::Field;

constexpr double kHidden = -INFINITY;

constexpr std::string_view kWindowNames[] = {"sliding_window", "local"};
constexpr std::string_view kChunkedNames[] = {"local"};
constexpr spec::UnclearField kWindowUnclear[] = {
    {"size window_size sliding_window window",
     "write how far a query sees: a causal window of {} keys is <left={-1},right=0>", "16"}};

std::vector<Field> window_fields(Window& s) {
  const auto reach = [](const char* name, std::optional<std::int64_t>& value, const char* help) {
    return Field(name, &value, help).between(0, spec::kPositionLimit, "positions");
  };
  return {reach("left", s.left, "query i sees keys from i - left on; a causal window of w keys has left = w - 1")
              .example("2", "3"),
          reach("right", s.right, "query i sees keys up to i + right; 0 is causal").example("0")};
}

std::vector<Field> chunked_fields(Chunked& s) {
  return {Field("size", &s.size, "positions per chunk; keys of other chunks are hidden")
              .between(1, spec::kPositionLimit, "positions")
              .must_be_given()
              .alias({"chunk_size", "attention_chunk_size"})
              .example("2", "4"),
          Field("direction", enum_field(s.direction, spec::kDirectionWords),
                "causal: keys after the query are hidden too")};
}

BiasSchedule window_schedule(const Window&) { return {0, Added::after_scale, FunctionBias{}}; }
BiasSchedule chunked_schedule(const Chunked&) { return {0, Added::after_scale, FunctionBias{}}; }

class WindowTerm : public BiasTerm {
 public:
  using Kind = Window;
  WindowTerm(const Window& spec, spec::BoundParameters parameters)
      : BiasTerm(window_schedule(spec), std::move(parameters)),
        lowest_(spec.left ? -static_cast<double>(*spec.left) : -INFINITY),
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
  using Kind = Chunked;
  ChunkedTerm(const Chunked& spec, spec::BoundParameters parameters)
      : BiasTerm(chunked_schedule(spec), std::move(parameters)),
        size_(static_cast<double>(spec.size)),
        direction_(spec.direction) {}

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

}  // namespace
}  // namespace biases

constinit const spec::KindRow Window::row = {.fields = spec::of_kind<biases::window_fields>,
                                             .words = biases::kWindowNames,
                                             .unclear = biases::kWindowUnclear,
                                             .bias = &biases::kBiasRow<biases::window_schedule, biases::WindowTerm>};

constinit const spec::KindRow Chunked::row = {.fields = spec::of_kind<biases::chunked_fields>,
                                              .words = biases::kChunkedNames,
                                              .bias = &biases::kBiasRow<biases::chunked_schedule, biases::ChunkedTerm>};

}  // namespace posenc
