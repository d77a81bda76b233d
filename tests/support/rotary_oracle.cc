#include "support/rotary_oracle.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "posenc/reference.h"
#include "posenc/schedule.h"

namespace oracle {

Big rotary_angle(std::span<const double> inv_freq, std::int64_t pairs, std::span<const double> position,
                 std::int64_t i) {
  Big angle;
  for (std::size_t axis = 0; axis < position.size(); ++axis) {
    const double frequency = inv_freq[axis * static_cast<std::size_t>(pairs) + static_cast<std::size_t>(i)];
    mpfr_add(angle.get(), angle.get(), product(position[axis], frequency).get(), MPFR_RNDN);
  }
  return angle;
}

TurnedHead turn_head(const posenc::Rotary& spec, std::span<const double> position, std::span<const double> x,
                     double scale) {
  const posenc::RotarySchedule schedule = posenc::make_schedule(spec);
  TurnedHead head;
  for (const double value : x) {
    head.values.push_back(scale * value);
    head.sizes.push_back(std::fabs(scale * value));
  }
  const double factor = scale * schedule.table_factor();
  for (std::int64_t i = 0; i < schedule.pairs(); ++i) {
    const Big angle = rotary_angle(schedule.inv_freq, schedule.pairs(), position, i);
    const double c = cos(angle).rounded();
    const double s = (spec.layout == posenc::Layout::half_negative ? -1.0 : 1.0) * sin(angle).rounded();
    const posenc::reference::RotaryPair pair = posenc::reference::rotary_pair(spec, i);
    const double a = x[static_cast<std::size_t>(pair.read_first)];
    const double b = x[static_cast<std::size_t>(pair.read_second)];
    head.values[static_cast<std::size_t>(pair.write_first)] = factor * (a * c - b * s);
    head.values[static_cast<std::size_t>(pair.write_second)] = factor * (b * c + a * s);
    const double size = std::fabs(factor) * (std::fabs(a) + std::fabs(b));
    head.sizes[static_cast<std::size_t>(pair.write_first)] = size;
    head.sizes[static_cast<std::size_t>(pair.write_second)] = size;
  }
  return head;
}

double turn_tolerance(posenc::DType dtype, double value, double size, double angle_error) {
  const double single = size * 0x1p-24 * 4.0;
  if (dtype == posenc::DType::f64) return size * (0x1p-53 * 16.0 + angle_error);
  if (dtype == posenc::DType::f32) return single;
  // Half a unit in the last place of the narrow format.
  int exponent = 0;
  std::frexp(std::fabs(value) + single, &exponent);
  if (dtype == posenc::DType::f16) return single + std::ldexp(1.0, std::max(exponent - 12, -25));
  return single + std::ldexp(1.0, exponent - 9);
}

double angle_error(const posenc::RotarySchedule& schedule, std::span<const double> position) {
  double result = 0.0;
  for (std::size_t axis = 0; axis < position.size(); ++axis) {
    result += 2.0 * std::numbers::pi * 0x1p-64 * std::fabs(position[axis]);
    if (position[axis] == std::trunc(position[axis])) continue;
    double largest = 0.0;
    const auto pairs = static_cast<std::size_t>(schedule.pairs());
    for (std::size_t i = 0; i < pairs; ++i) {
      largest = std::max(largest, std::fabs(schedule.inv_freq[axis * pairs + i]));
    }
    result += largest * std::fabs(position[axis]) * 0x1p-53;
  }
  return result;
}

}  // namespace oracle
