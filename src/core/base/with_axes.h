// Views with a fixed number of axes, so that loops do not need to handle a missing batch axis.
#pragma once

#include <cstddef>

#include "posenc/view.h"

namespace posenc::base {

// The same elements with `rank` axes: missing axes are added in front with length 1. A view of that rank is unchanged.
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
