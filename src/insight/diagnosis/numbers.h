// Reads the numbers of another engine as doubles, and finds the coarsest type that holds them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "posenc/position.h"
#include "posenc/view.h"

namespace posenc::diagnosis {

// The type to which a number, or a step of its computation, is rounded.
enum class Rounding { none, f32, tf32, f16, bf16 };
double rounded(double value, Rounding to) noexcept;
// Half a unit in the last place of numbers near 1.
double half_unit(Rounding type) noexcept;
Rounding stored_type(const ConstView& view) noexcept;
std::string_view words_of(Rounding type) noexcept;  // "bfloat16"

struct ObservedNumbers {
  std::string name;                  // the caller's name for it: "rotated"
  std::vector<std::int64_t> shape;   // without leading axes of length 1, but at least `rank` of them
  std::vector<double> values;        // C order
  Rounding stored = Rounding::none;  // the type of the memory
  Rounding actual = Rounding::none;  // the coarsest type that holds every number

  std::int64_t at(std::size_t axis) const { return shape[axis]; }
  std::size_t size() const { return values.size(); }
};

// A power of two near the largest of the numbers. Numbers that are divided by it can be squared: nothing overflows, and
// the rounding is that of the numbers themselves. 1 if no number is finite and not zero.
double unit_of(const double* values, std::size_t count) noexcept;

// "[16, 3]"
std::string bracketed(const std::vector<std::int64_t>& shape);
// 0, 1, ..., count - 1.
std::vector<std::int64_t> counted(std::int64_t count);

// What an array may contain.
struct Allowed {
  int min_rank = 1;
  int max_rank = 4;
  bool minus_infinity = false;
  bool zeros = false;  // whether all numbers may be 0
};
// Throws if the array is empty or has NaN or infinite numbers; drops leading axes of length 1 down to min_rank.
ObservedNumbers read_numbers(const ConstView& view, std::string_view name, const Allowed& allowed);

// Reads vectors [N, D] or [N, H, D], where N must be `tokens`; drops leading axes of length 1.
ObservedNumbers read_vectors(const ConstView& view, std::string_view name, std::int64_t tokens);

// Positions as doubles, [N][A]. A single coordinate is used for all axes.
struct Ids {
  std::int64_t count = 0;
  std::int64_t axes = 1;
  bool repeated = false;  // whether one coordinate is used for all axes
  std::vector<double> values;

  double at(std::int64_t n, std::int64_t a) const { return values[static_cast<std::size_t>(n * axes + a)]; }
  std::string text(std::int64_t n) const;
};
// Throws unless there are `count` positions, on `axes` axes or on one.
Ids read_ids(const PositionView& positions, std::int64_t count, std::int64_t axes, std::string_view name);

}  // namespace posenc::diagnosis
