// The parameters of a spec, checked against what it learns and read into doubles; and where their gradients go.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "posenc/parameters.h"

namespace posenc::spec {

// H of a spec that has a number of heads; 0 of the others.
std::int64_t heads_of(const Spec& spec) noexcept;

class POSENC_INTERNAL BoundParameters {
 public:
  BoundParameters() = default;
  // Throws unless the parameters are those of the spec: none unknown, twice or missing, each of its shape, float, in
  // memory, and finite (or -inf, where its info allows that). `where` opens the messages.
  BoundParameters(const Spec& spec, const Parameters& parameters, std::string_view where);

  bool has(std::string_view name) const noexcept { return find(name) != nullptr; }
  // In C order; empty where it was not given, or is read by reference.
  std::span<const double> numbers(std::string_view name) const noexcept;
  // As it was given; of one that was not, no axes.
  std::vector<std::int64_t> shape(std::string_view name) const;
  // Of a parameter that is read by reference; the others were copied, and their memory may be gone.
  ConstView view(std::string_view name) const noexcept;
  // Whether it came with an axis of heads in front.
  bool per_head(std::string_view name) const noexcept;

  // Throws unless every gradient is of a parameter that was given, of its shape, f32 or f64, and apart from the others
  // and from what is still read.
  void check_gradients(const Gradients& gradients, std::string_view where) const;

 private:
  struct Bound {
    std::string name;
    ConstView view;
    std::vector<std::int64_t> shape;
    std::vector<double> numbers;
    bool per_head = false;
  };
  const Bound* find(std::string_view name) const noexcept;
  bool is_needed(const ParameterInfo& info) const;

  std::string kind_;
  std::vector<ParameterInfo> infos_;
  std::vector<Bound> bound_;
};

// The gradient of that name, or null.
const Gradient* find_gradient(const Gradients& gradients, std::string_view name) noexcept;

// Adds numbers in C order to a gradient of as many elements: each sum in double, rounded once.
void add_to_gradient(std::span<const double> numbers, const View& gradient);

}  // namespace posenc::spec
