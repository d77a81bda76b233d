// Relations between the rows of a sinusoidal encoding: equal steps, linear shifts, dot products by distance.
#pragma once

#include <vector>

#include "insight/properties/input_properties.h"

namespace posenc::properties {

// The properties smooth, shift_linear, shift_composes, distance_only and monotone. They need evenly spaced positions:
// at others, the encoding's own rows are measured from 0, and observed rows are not measured.
std::vector<Property> shift_properties(const InputLook& look, const Encoding& numbers);

}  // namespace posenc::properties
