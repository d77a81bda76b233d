// Rotates keys that are already rotated to other positions, or to another encoding of the same channels.
//
//     posenc::rerotate(keys, {angles, old_positions}, {angles, new_positions});   // a cache after an eviction
//     posenc::rerotate(keys, {before, positions}, {after, positions});            // after a change of scaling
//
// The two rotations are combined exactly, as phases, so the result equals rotation from scratch up to rounding: float32
// keys are within about 1e-7 of their size. Every move rounds again, and many small moves add up (1e-5 after 256), so
// move keys rarely and far. Factors in the table change in proportion. Moving many tokens by the same distance
// evaluates a single row.
#pragma once

#include "posenc/export.h"
#include "posenc/position.h"
#include "posenc/rotary_table.h"
#include "posenc/rotate.h"
#include "posenc/view.h"

namespace posenc {

// An encoding and the positions of its tokens.
struct Placement {
  RotaryAngles angles;
  KeptPositions positions;  // [N] or [B, N], with the axes of the encoding
};

// x is [N, H, D] or [B, N, H, D], as in rotate.h. The two encodings must have the same head_dim and window, and must
// write channel pairs in the same places (interleaved_to_half writes half): otherwise an error.
POSENC_API void rerotate(const View& x, const Placement& from, const Placement& to, const RotateOptions& options = {});
POSENC_API void rerotate(const ConstView& x, const Placement& from, const Placement& to, const View& out,
                         const RotateOptions& options = {});

}  // namespace posenc
