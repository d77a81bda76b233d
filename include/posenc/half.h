// The 16-bit floats: f16 (IEEE binary16) and bf16 (the upper half of a float32).
//
//     posenc::f16 h = posenc::to_f16(0.1);       // nearest, ties to even, rounded once from the double
//     double back = posenc::to_double(h);        // exact
//
// Converting double to f16 through float32 rounds twice and is wrong for about one value in 16,000; these functions
// round once. Overflow gives infinity, subnormals are kept, NaN stays NaN. Pure functions.
#pragma once

#include "posenc/export.h"
#include "posenc/view.h"

namespace posenc {

POSENC_API f16 to_f16(double value) noexcept;
POSENC_API bf16 to_bf16(double value) noexcept;
POSENC_API double to_double(f16 value) noexcept;
POSENC_API double to_double(bf16 value) noexcept;

}  // namespace posenc
