// Heads turned by a schedule whose channels have angles of their own.
#pragma once

#include <cstdint>

#include "detail/rotary_rows.h"
#include "detail/rotate_checks.h"
#include "posenc/workers.h"

namespace posenc::detail {

struct ChannelJob {
  const HeadViews& views;
  const PositionView& positions;
  const RotaryRows& rows;
  bool backward;  // the transpose
  double scale;   // of every channel
  const Workers* workers;
};

// Everything has been checked. Nothing is allocated, and the result does not depend on workers.
void turn_channels(const ChannelJob& job);

}  // namespace posenc::detail
