// Where every angle of a rotary spec comes from: its axis, and its place in a ladder of frequencies.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/refuse.h"
#include "core/spec/rotary_window.h"
#include "posenc/export.h"
#include "posenc/spec.h"

namespace posenc::spec {

// An angle grows with coordinate `axis`, by frequency number `index` of a ladder spaced by `exponent_dim`, or by the
// given frequency number `pair`.
struct PairPlace {
  std::int64_t axis;
  std::int64_t index;
  std::int64_t exponent_dim;
  std::int64_t pair;
};

// One per pair, or per channel of the window with a layout that is not a rotation. `spec` is valid.
POSENC_INTERNAL std::vector<PairPlace> axis_map(const Rotary& spec, const RotaryWindow& window);

// The ladders that those places name, one for each exponent_dim, each as long as its largest index says.
POSENC_INTERNAL std::vector<Ladder> ladders_of(const Rotary& spec, const std::vector<PairPlace>& places);
POSENC_INTERNAL std::vector<Ladder> ladders_of(const Rotary& spec);

// Calls `refuse`, which does not return, with the mistake in the axes of a spec whose window is inside its head.
void check_axes(const Rotary& spec, const RotaryWindow& window, const base::Refusal& refuse);

}  // namespace posenc::spec
