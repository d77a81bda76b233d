// Reads one number of a view of any float type by its index in memory. Tests read millions of numbers without
// optimisation, so this avoids views of views.
#pragma once

#include <cstdint>

#include "posenc/half.h"
#include "posenc/view.h"

template <class Void>
double element(const posenc::BasicView<Void>& view, std::int64_t at) {
  switch (view.dtype) {
    case posenc::DType::f64:
      return static_cast<const double*>(view.data)[at];
    case posenc::DType::f32:
      return static_cast<double>(static_cast<const float*>(view.data)[at]);
    case posenc::DType::f16:
      return posenc::to_double(static_cast<const posenc::f16*>(view.data)[at]);
    default:
      return posenc::to_double(static_cast<const posenc::bf16*>(view.data)[at]);
  }
}

inline void set_element(const posenc::View& view, std::int64_t at, double value) {
  switch (view.dtype) {
    case posenc::DType::f64:
      static_cast<double*>(view.data)[at] = value;
      break;
    case posenc::DType::f32:
      static_cast<float*>(view.data)[at] = static_cast<float>(value);
      break;
    case posenc::DType::f16:
      static_cast<posenc::f16*>(view.data)[at] = posenc::to_f16(value);
      break;
    default:
      static_cast<posenc::bf16*>(view.data)[at] = posenc::to_bf16(value);
  }
}
