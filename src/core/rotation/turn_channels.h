// Heads turned by a schedule whose channels have angles of their own.
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
  bool backward;  // the transpose
  double scale;   // of every channel
  const Workers* workers;
};

// Everything has been checked. Nothing is allocated, and the result does not depend on workers.
void turn_channels(const ChannelJob& job);

}  // namespace posenc::rotation
