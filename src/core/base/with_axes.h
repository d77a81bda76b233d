// Views with a fixed number of axes, so that loops need not ask whether there is a batch.
#pragma once

#include <cstddef>

#include "posenc/view.h"

namespace posenc::base {

// The same elements with `rank` axes: those that are missing are in front, of length 1. Views of that rank stay as they
// are.
template <class Void>
BasicView<Void> with_axes(const BasicView<Void>& view, int rank) {
  BasicView<Void> result{view.data, view.dtype, rank, {1, 1, 1, 1}, {}};
  const auto missing = static_cast<std::size_t>(rank - view.rank);
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(view.rank); ++axis) {
    result.shape[axis + missing] = view.shape[axis];
    result.strides[axis + missing] = view.strides[axis];
  }
  return result;
}

}  // namespace posenc::base
