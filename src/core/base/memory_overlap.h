// Whether views share memory, with others or with themselves: an output must be apart from what is read while it is
// written.
#pragma once

#include "posenc/position.h"
#include "posenc/view.h"

namespace posenc::base {

// Whether an element of `a` and one of `b` can lie in the same byte. Parts of one buffer side by side (columns 0 to 4
// and 4 to 8 of every row, the query and the key heads of every token) are apart; exotic strides that interleave
// otherwise count as sharing, and so do views that reach too far.
bool share_memory(const ConstView& a, const ConstView& b);
bool share_memory(const PositionView& positions, const ConstView& b);

// Whether the shape and the strides lead further than any memory, more than 2^63 bytes.
bool reaches_too_far(const ConstView& view);

// In C order without gaps: the common case, and quick to see.
bool is_contiguous(const ConstView& view);

// Whether both views are the same elements of the same memory: what "in place" means.
bool same_memory(const ConstView& a, const ConstView& b);

// Whether two different indices of a view that is not empty can meet at one address. A few exotic views that do not are
// counted too; none of them is a tensor.
bool overlaps_itself(const ConstView& view);

}  // namespace posenc::base
