// Whether views share memory, with each other or within themselves: an output must not overlap inputs that are still
// read while it is written.
#pragma once

#include "posenc/position.h"
#include "posenc/view.h"

namespace posenc::base {

// Whether an element of `a` and one of `b` may occupy the same byte. Parts of one buffer side by side (columns 0 to 3
// and 4 to 7 of every row, the query and key heads of every token) count as separate. Unusual strides that interleave
// in other ways count as sharing, and so do views that reach too far.
bool share_memory(const ConstView& a, const ConstView& b);
bool share_memory(const PositionView& positions, const ConstView& b);

// Whether shape and strides reach further than any memory: 2^63 bytes or more.
bool reaches_too_far(const ConstView& view);

// Whether the view is in C order without gaps. This is the common case, and quick to check.
bool is_contiguous(const ConstView& view);

// Whether both views are the same elements of the same memory, as an operation in place requires.
bool same_memory(const ConstView& a, const ConstView& b);

// Whether two different indices of a non-empty view may have the same address. Also true for a few unusual views that
// do not overlap; no real tensor has such strides.
bool overlaps_itself(const ConstView& view);

}  // namespace posenc::base
