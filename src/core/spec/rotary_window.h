// Which channels of a head a rotary spec rotates.
#pragma once

#include <cstdint>

#include "posenc/spec.h"

namespace posenc::spec {

// Limited because rows of cosines and sines are on the stack while a token is rotated.
inline constexpr std::int64_t kMaxHeadDim = 8192;
inline constexpr auto kHeadDimLimit = static_cast<double>(kMaxHeadDim);  // as the limit of a field

struct RotaryWindow {
  std::int64_t rotary_dim;     // even
  std::int64_t first_channel;  // from the start of the head
  std::int64_t exponent_dim;   // at least 1

  std::int64_t pairs() const noexcept { return rotary_dim / 2; }
};

inline bool has_parts(Layout layout) noexcept {
  return layout == Layout::half_per_axis || layout == Layout::interleaved_pairs_with_halves_tiling_per_axis;
}

// If `axes` is 1 but there are several sections, each section has its own axis.
inline std::int64_t axes_of(const Rotary& spec) noexcept {
  return spec.axes == 1 && spec.sections.size() > 1 ? static_cast<std::int64_t>(spec.sections.size()) : spec.axes;
}

// The window of a spec; validate checks that it is inside the head. A partial width is truncated, as by Python's int().
// If that is odd, the window has one more channel, but the frequencies are spaced by the odd number. As in V-JEPA 2,
// channels that the parts of a layout cannot share evenly are left out.
inline RotaryWindow window_of(const Rotary& spec) noexcept {
  const auto share = static_cast<std::int64_t>(static_cast<double>(spec.head_dim) * spec.partial_rotary_factor);
  const std::int64_t parts = has_parts(spec.layout) ? axes_of(spec) : 1;
  const std::int64_t left_out = is_rotation(spec.layout) || parts == 1 ? 0 : share % (2 * parts);
  const std::int64_t width = spec.rotary_dim != 0 ? spec.rotary_dim : share - left_out;
  return {.rotary_dim = width + width % 2,
          .first_channel = spec.first_channel < 0 ? spec.head_dim + spec.first_channel : spec.first_channel,
          .exponent_dim = spec.exponent_dim != 0 ? spec.exponent_dim : width / parts};
}

}  // namespace posenc::spec
