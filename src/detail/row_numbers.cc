#include "detail/row_numbers.h"

#include <type_traits>

#include "posenc/half.h"

namespace posenc::detail {
namespace {

template <class T>
double widen(T value) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<double>(value);
  } else {
    return to_double(value);
  }
}

template <class T>
T narrow(double value) noexcept {
  if constexpr (std::is_same_v<T, f16>) return to_f16(value);
  if constexpr (std::is_same_v<T, bf16>) return to_bf16(value);
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(value);
}

template <class T>
void read_as(const T* row, std::int64_t count, double* numbers) noexcept {
  for (std::int64_t i = 0; i < count; ++i) numbers[i] = widen(row[i]);
}

template <class T>
void write_as(const double* numbers, std::int64_t count, T* row) noexcept {
  for (std::int64_t i = 0; i < count; ++i) row[i] = narrow<T>(numbers[i]);
}

}  // namespace

bool is_float(DType dtype) noexcept {
  return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::f16 || dtype == DType::bf16;
}

void read_numbers(const ConstView& row, std::int64_t first, std::int64_t count, double* numbers) noexcept {
  switch (row.dtype) {
    case DType::f64:
      return read_as(row.as<double>() + first, count, numbers);
    case DType::f16:
      return read_as(row.as<f16>() + first, count, numbers);
    case DType::bf16:
      return read_as(row.as<bf16>() + first, count, numbers);
    default:
      return read_as(row.as<float>() + first, count, numbers);
  }
}

void write_numbers(const double* numbers, std::int64_t first, std::int64_t count, const View& row) noexcept {
  switch (row.dtype) {
    case DType::f64:
      return write_as(numbers, count, row.as<double>() + first);
    case DType::f16:
      return write_as(numbers, count, row.as<f16>() + first);
    case DType::bf16:
      return write_as(numbers, count, row.as<bf16>() + first);
    default:
      return write_as(numbers, count, row.as<float>() + first);
  }
}

}  // namespace posenc::detail
