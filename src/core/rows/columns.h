// A range of the channels of a view.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "posenc/view.h"

namespace posenc::rows {

// Channels first to first + width - 1 of every row.
template <class AnyView>
AnyView columns(AnyView view, std::int64_t first, std::int64_t width) {
  using Byte = std::conditional_t<std::is_same_v<AnyView, ConstView>, const char, char>;
  view.data = static_cast<Byte*>(view.data) + first * size_of(view.dtype);
  view.shape[static_cast<std::size_t>(view.rank) - 1] = width;
  return view;
}

}  // namespace posenc::rows
