// Rotates heads by a schedule whose channels have separate angles.
#pragma once

#include <cstdint>

#include "core/rotation/rotate_checks.h"
#include "core/rows/rotary_rows.h"
#include "posenc/workers.h"

namespace posenc::rotation {

struct ChannelJob {
  const HeadViews& views;
  const PositionView& positions;
  const rows::RotaryRows& rows;
  bool backward;  // apply the transpose
  double scale;   // factor on every channel
  const Workers* workers;
};

// All arguments have been checked. Nothing is allocated, and workers do not change the result.
void turn_channels(const ChannelJob& job);

}  // namespace posenc::rotation
