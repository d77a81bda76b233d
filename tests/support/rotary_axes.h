// Rotary specs of several axes in tests, and their frequencies.
#pragma once

#include <cstdint>
#include <string>

#include "posenc/schedule.h"

namespace posenc {

// The spec of "rotary:" and these fields.
inline Rotary parse(const std::string& fields) { return std::get<Rotary>(parse_spec("rotary:" + fields)); }

inline double frequency(const RotarySchedule& schedule, std::int64_t axis, std::size_t pair) {
  return schedule.inv_freq[static_cast<std::size_t>(axis * schedule.pairs()) + pair];
}

}  // namespace posenc
