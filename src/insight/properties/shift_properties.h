// What the rows of a sinusoidal encoding promise about each other: equal steps, linear shifts, products by distance.
#pragma once

#include <vector>

#include "insight/properties/input_properties.h"

namespace posenc::properties {

// smooth, shift_linear, shift_composes, distance_only and monotone. Rows that stand at uneven positions have no
// neighbours: the encoding's own are then looked at from 0, and observed ones not at all.
std::vector<Property> shift_properties(const InputLook& look, const Encoding& numbers);

}  // namespace posenc::properties
