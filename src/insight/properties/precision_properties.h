// What is lost on the way to a cosine: by float32 angles, as they are usual, and by posenc's own float32 numbers.
#pragma once

#include <vector>

#include "posenc/insight/check.h"
#include "posenc/schedule.h"

namespace posenc::properties {

// precision_f32 and precision. The second is measured on what fill_rows and fill_cos_sin write in float32, beside
// angles that are reduced in another way: by parts of 2 pi, in double.
std::vector<Property> precision_properties(const SinusoidalSchedule& schedule);
std::vector<Property> precision_properties(const RotarySchedule& schedule);

// Whether differences from exact cosines and sines are no larger than float32 angles make them: a unit and a half of
// what the angle is rounded to. Says nothing of angles so large that anything would do.
bool like_float32_angle(double difference, double angle, double tolerance);

}  // namespace posenc::properties
