// The error of cosines: with float32 angles, as usual, and in posenc's own float32 tables.
#pragma once

#include <vector>

#include "posenc/insight/check.h"
#include "posenc/schedule.h"

namespace posenc::properties {

// precision_f32 and precision. The second compares the float32 output of fill_rows and fill_cos_sin with angles that
// are reduced independently: by parts of 2 pi, in double.
std::vector<Property> precision_properties(const SinusoidalSchedule& schedule);
std::vector<Property> precision_properties(const RotarySchedule& schedule);

// Whether a difference from an exact cosine or sine is no larger than that of a float32 angle: one and a half units in
// the last place of the angle. False for angles so large that every difference would fit.
bool like_float32_angle(double difference, double angle, double tolerance);

}  // namespace posenc::properties
