// Converts the four float types of views to double and back, rounding each number once.
#pragma once

#include <cstdint>
#include <type_traits>

#include "posenc/half.h"
#include "posenc/view.h"

namespace posenc::base {

constexpr bool is_float(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::f16 || dtype == DType::bf16;
}

template <class T>
double widen(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<double>(value);
  } else {
    return to_double(value);
  }
}

template <class T>
T narrow(double value) {
  if constexpr (std::is_same_v<T, f16>) return to_f16(value);
  if constexpr (std::is_same_v<T, bf16>) return to_bf16(value);
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(value);
}

// Calls visit(T()) with the C++ type of a float dtype.
template <class Visit>
decltype(auto) with_float_type(DType dtype, const Visit& visit) {
  switch (dtype) {
    case DType::f64:
      return visit(double());
    case DType::f16:
      return visit(f16());
    case DType::bf16:
      return visit(bf16());
    default:
      return visit(float());
  }
}

// The same for a dtype that is f32 or f64: the two types of arithmetic.
template <class Visit>
decltype(auto) with_real_type(DType dtype, const Visit& visit) {
  return dtype == DType::f64 ? visit(double()) : visit(float());
}

// row is [M], contiguous.
inline void load_row(const ConstView& row, double* out) {
  with_float_type(row.dtype, [&](auto type) {
    using T = decltype(type);
    for (std::int64_t i = 0; i < row.shape[0]; ++i) out[i] = widen(row.as<T>()[i]);
  });
}

inline void store_row(const double* values, const View& row) {
  with_float_type(row.dtype, [&](auto type) {
    using T = decltype(type);
    for (std::int64_t i = 0; i < row.shape[0]; ++i) row.as<T>()[i] = narrow<T>(values[i]);
  });
}

}  // namespace posenc::base
