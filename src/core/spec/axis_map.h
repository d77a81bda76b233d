// The axis and the frequency of every angle of a rotary spec.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/refuse.h"
#include "core/spec/rotary_window.h"
#include "posenc/export.h"
#include "posenc/spec.h"

namespace posenc::spec {

// An angle is coordinate `axis` times a frequency: number `index` of the ladder with this exponent_dim, or number
// `pair` of the spec's inv_freq if that lists one per pair.
struct PairPlace {
  std::int64_t axis;
  std::int64_t index;
  std::int64_t exponent_dim;
  std::int64_t pair;
};

// One place per pair, or per channel of the window if the layout is not a rotation. `spec` must be valid.
POSENC_INTERNAL std::vector<PairPlace> axis_map(const Rotary& spec, const RotaryWindow& window);

// The ladders that `places` use: one per exponent_dim, each just long enough for its largest index.
POSENC_INTERNAL std::vector<Ladder> ladders_of(const Rotary& spec, const std::vector<PairPlace>& places);
POSENC_INTERNAL std::vector<Ladder> ladders_of(const Rotary& spec);

// Calls `refuse`, which does not return, if the axes of the spec are wrong. The window must be inside the head.
void check_axes(const Rotary& spec, const RotaryWindow& window, const base::Refusal& refuse);

}  // namespace posenc::spec
