// The learned parameters of a spec, checked and read into doubles, and the targets of their gradients.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "posenc/parameters.h"

namespace posenc::spec {

// The number of heads of a spec; 0 if its kind has none.
std::int64_t heads_of(const Spec& spec) noexcept;

class POSENC_INTERNAL BoundParameters {
 public:
  BoundParameters() = default;
  // Throws if a parameter is unknown, given twice or missing, has the wrong shape or type, or holds a value that is not
  // finite (-inf is allowed if its ParameterInfo says so). Messages start with `where`.
  BoundParameters(const Spec& spec, const Parameters& parameters, std::string_view where);

  bool has(std::string_view name) const noexcept { return find(name) != nullptr; }
  // In C order; empty if the parameter was not given or is read by reference.
  std::span<const double> numbers(std::string_view name) const noexcept;
  // The shape as given; empty if the parameter was not given.
  std::vector<std::int64_t> shape(std::string_view name) const;
  // Only for parameters read by reference. The others were copied, and the caller may have freed their memory.
  ConstView view(std::string_view name) const noexcept;
  // Whether the parameter was given with a leading axis of heads.
  bool per_head(std::string_view name) const noexcept;

  // Throws unless every gradient belongs to a parameter that was given, has its shape, is f32 or f64, and does not
  // overlap another gradient or memory that is still read.
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

// Returns the gradient with this name, or null.
const Gradient* find_gradient(const Gradients& gradients, std::string_view name) noexcept;

// Adds numbers in C order to a gradient with as many elements. Sums are formed in double and rounded once.
void add_to_gradient(std::span<const double> numbers, const View& gradient);

}  // namespace posenc::spec
