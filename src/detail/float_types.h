// The four float types of views, and how a double becomes one of them.
#pragma once

#include <type_traits>

#include "posenc/half.h"
#include "posenc/view.h"

namespace posenc::detail {

constexpr bool is_float(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::f16 || dtype == DType::bf16;
}

// Rounded once, from the double.
template <class T>
T narrow(double value) {
  if constexpr (std::is_same_v<T, f16>) return to_f16(value);
  if constexpr (std::is_same_v<T, bf16>) return to_bf16(value);
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(value);
}

}  // namespace posenc::detail
