// Rotates one head in the general form: every channel has its own cosine and sine. Plain code, without kernels.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/base/float_types.h"
#include "core/spec/rotary_window.h"
#include "posenc/rotate_channels.h"
#include "posenc/view.h"

namespace posenc::rotation {

// The channels that a pair reads and writes, counted from the start of the window.
struct ChannelPair {
  std::int64_t read_first, read_second;
  std::int64_t write_first, write_second;
};

inline ChannelPair channel_pair(Layout layout, std::int64_t pairs, std::int64_t parts, std::int64_t i) noexcept {
  const std::int64_t in_part = pairs / parts;
  const std::int64_t first = i / in_part * 2 * in_part + i % in_part;
  if (layout == Layout::interleaved || layout == Layout::interleaved_pairs_with_halves_tiling_per_axis) {
    return {2 * i, 2 * i + 1, 2 * i, 2 * i + 1};
  }
  if (layout == Layout::interleaved_to_half) return {2 * i, 2 * i + 1, i, i + pairs};
  return {first, first + in_part, first, first + in_part};
}

// The position of a window in the head, which of its channels are partners, and the factor on all channels of the head.
struct ChannelRule {
  std::int64_t head_dim;
  std::int64_t first_channel;
  std::int64_t pairs;
  Layout layout;
  std::int64_t parts;
  bool backward;
  double scale;
};

// cos and sin are indexed by the channel that the forward pass writes. Input and output may be the same memory.
template <class T>
class ChannelHead {
 public:
  using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;

  explicit ChannelHead(const ChannelRule& rule) : rule_(rule), scale_(static_cast<Real>(rule.scale)) {}

  template <class Table>
  void turn(const Table* cos, const Table* sin, const T* in, T* out) const {
    Real result[spec::kMaxHeadDim];
    for (std::int64_t c = 0; c < rule_.head_dim; ++c) result[c] = static_cast<Real>(base::widen(in[c]));
    for (std::int64_t i = 0; i < rule_.pairs; ++i) turn_pair(cos, sin, i, in, result);
    for (std::int64_t c = 0; c < rule_.head_dim; ++c) out[c] = base::narrow<T>(static_cast<double>(result[c] * scale_));
  }

 private:
  template <class Table>
  void turn_pair(const Table* cos, const Table* sin, std::int64_t i, const T* in, Real* result) const {
    const ChannelPair pair = channel_pair(rule_.layout, rule_.pairs, rule_.parts, i);
    const auto c1 = static_cast<Real>(cos[pair.write_first]);
    const auto c2 = static_cast<Real>(cos[pair.write_second]);
    const Real sign = rule_.layout == Layout::half_negative ? Real(-1) : Real(1);
    const Real s1 = sign * static_cast<Real>(sin[pair.write_first]);
    const Real s2 = sign * static_cast<Real>(sin[pair.write_second]);
    const T* window = in + rule_.first_channel;
    result += rule_.first_channel;
    const auto value = [&](std::int64_t channel) { return static_cast<Real>(base::widen(window[channel])); };
    if (rule_.backward) {
      const Real a = value(pair.write_first);
      const Real b = value(pair.write_second);
      result[pair.read_first] = a * c1 + b * s2;
      result[pair.read_second] = b * c2 - a * s1;
    } else {
      const Real a = value(pair.read_first);
      const Real b = value(pair.read_second);
      result[pair.write_first] = a * c1 - b * s1;
      result[pair.write_second] = b * c2 + a * s2;
    }
  }

  ChannelRule rule_;
  Real scale_;
};

}  // namespace posenc::rotation
