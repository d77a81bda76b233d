// Relations between the rows of a sinusoidal encoding: equal steps, linear shifts, dot products by distance.
#pragma once

#include <vector>

#include "insight/properties/input_properties.h"

namespace posenc::properties {

// smooth, shift_linear, shift_composes, distance_only and monotone. Rows at unevenly spaced positions have no
// neighbours: the encoding's own rows are then measured from 0, observed ones not at all.
std::vector<Property> shift_properties(const InputLook& look, const Encoding& numbers);

}  // namespace posenc::properties
