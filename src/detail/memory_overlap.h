// Whether views share memory, with others or with themselves: an output must be apart from what is read while it is
// written.
#pragma once

#include "posenc/position.h"
#include "posenc/view.h"

namespace posenc::detail {

// Whether an element of `a` and one of `b` can lie in the same byte. Rows of one buffer side by side (columns 0 to 4
// and 4 to 8) are apart; exotic strides that interleave otherwise count as sharing.
bool share_memory(const ConstView& a, const ConstView& b);
bool share_memory(const PositionView& positions, const ConstView& b);

// Whether both views are the same elements of the same memory: what "in place" means.
bool same_memory(const ConstView& a, const ConstView& b);

// Whether two different indices of a view that is not empty can meet at one address. A few exotic views that do not are
// counted too; none of them is a tensor.
bool overlaps_itself(const ConstView& view);

}  // namespace posenc::detail
