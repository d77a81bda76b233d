// Schedules: the numbers that a spec stands for, in double, from pure functions.
//
//     posenc::SinusoidalSchedule schedule = posenc::make_schedule(posenc::Sinusoidal{.width = 4});
//     schedule.inv_freq;                        // {1.0, 0.01}: radians per position, one per pair
//     posenc::wavelengths(schedule.inv_freq);   // {6.283..., 628.3...}: positions per turn
//
// inv_freq is within 1 ulp of its formula, and it is the definition of everything after it:
// angle = position * inv_freq, exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "posenc/export.h"
#include "posenc/spec.h"

namespace posenc {

// Columns start, start + stride, ... of a row, `count` of them.
struct Columns {
  std::int64_t start = 0;
  std::int64_t stride = 1;
  std::int64_t count = 0;
};

// A sinusoidal encoding in numbers. Column `sine.start + j * sine.stride` holds multiplier * sin(angle of pair j),
// `cosine` likewise; a column that neither names is zero.
struct SinusoidalSchedule {
  std::int64_t width = 0;
  std::vector<double> inv_freq;  // radians per position, one per pair
  Columns sine;
  Columns cosine;
  double multiplier = 1.0;
  std::int64_t first = 0;                     // added to every position
  std::optional<std::int64_t> zero_position;  // the position (after adding `first`) whose row is zero
};

// Throws what validate(spec) throws.
POSENC_API SinusoidalSchedule make_schedule(const Sinusoidal& spec);

// Learnable numbers of a sinusoidal encoding: what the gradient of its inverse frequencies means for them.
struct SinusoidalGradients {
  double base = 0.0;  // 0, as exponent_factor, where the spec's frequencies are given one by one
  double exponent_factor = 0.0;
  double scale = 0.0;
};
// `inv_freq_gradient` has one number per pair: what posenc/embed.h's backward functions add up.
POSENC_API SinusoidalGradients chain_rule(const Sinusoidal& spec, std::span<const double> inv_freq_gradient);

// 2 pi / |inv_freq| of each: how many positions one turn takes; infinite for a frequency of zero.
POSENC_API std::vector<double> wavelengths(const std::vector<double>& inv_freq);

}  // namespace posenc
