// Moves keys that are rotated already: to other positions, or to another encoding of the same channels.
//
//     posenc::rerotate(keys, {angles, old_positions}, {angles, new_positions});   // a cache after an eviction
//     posenc::rerotate(keys, {before, positions}, {after, positions});            // the scaling has changed
//
// The two angles are composed as phases, exactly, so the result is that of rotating from scratch to rounding: float32
// keys are within about 1e-7 of their size. Every move rounds again, and many small ones add up (1e-5 after 256): keep
// the distance that keys have moved and move them rarely, or far. Factors in the table change in proportion. Moving
// many tokens by the same distance evaluates one row.
#pragma once

#include "posenc/export.h"
#include "posenc/position.h"
#include "posenc/rotary_table.h"
#include "posenc/rotate.h"
#include "posenc/view.h"

namespace posenc {

// An encoding and where its tokens stand.
struct Placement {
  RotaryAngles angles;
  KeptPositions positions;  // [N] or [B, N], with the axes of the encoding
};

// x is [N, H, D] or [B, N, H, D], as in rotate.h. The two encodings must have the same head_dim, window and pairing of
// the channels as they are written (interleaved_to_half writes half): otherwise an error.
POSENC_API void rerotate(const View& x, const Placement& from, const Placement& to, const RotateOptions& options = {});
POSENC_API void rerotate(const ConstView& x, const Placement& from, const Placement& to, const View& out,
                         const RotateOptions& options = {});

}  // namespace posenc
