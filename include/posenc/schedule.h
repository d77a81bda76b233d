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

// 2 pi / |inv_freq| of each: how many positions one turn takes; infinite for a frequency of zero.
POSENC_API std::vector<double> wavelengths(const std::vector<double>& inv_freq);

}  // namespace posenc
