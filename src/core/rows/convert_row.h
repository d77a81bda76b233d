// Converts a row of floats to another float type; each number is rounded once, to nearest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/base/float_types.h"
#include "core/kernels/half_row.h"
#include "posenc/view.h"

namespace posenc::rows {

template <class From, class To>
void convert_row(const From* from, std::int64_t count, To* to) {
  constexpr bool narrow_from = !std::is_floating_point_v<From>;
  constexpr bool narrow_to = !std::is_floating_point_v<To>;
  if constexpr (std::is_same_v<From, To>) {
    std::copy_n(from, count, to);
  } else if constexpr (narrow_from && std::is_same_v<To, float>) {
    kernels::widen_row(from, count, to);
  } else if constexpr (std::is_same_v<From, float> && narrow_to) {
    kernels::narrow_row(from, count, to);
  } else {
    for (std::int64_t i = 0; i < count; ++i) to[i] = base::narrow<To>(base::widen(from[i]));
  }
}

// Converts [H, D] to [H, D] of another dtype; channels are contiguous.
inline void convert_heads(const ConstView& from, const View& to) {
  base::with_float_type(from.dtype, [&](auto from_type) {
    base::with_float_type(to.dtype, [&](auto to_type) {
      for (std::int64_t h = 0; h < from.shape[0]; ++h) {
        convert_row(from[h].as<decltype(from_type)>(), from.shape[1], to[h].as<decltype(to_type)>());
      }
    });
  });
}

}  // namespace posenc::rows
