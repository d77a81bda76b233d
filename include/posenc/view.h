// Views: a pointer, an element type, a shape and strides. Operations read and write the caller's memory through them.
//
//     std::vector<float> rows(100 * 64);
//     posenc::View out = posenc::make_view(rows.data(), {100, 64});   // [N, M]
//     posenc::View heads_first = q.swap(0, 1);                        // the same memory with two axes exchanged
//
// Shape letters used throughout posenc: B batch, N tokens, H heads, D head_dim, R rotary_dim, S keys, M model width.
// Views are plain values: copying one does not copy elements. Const functions may be called from several threads.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "posenc/error.h"
#include "posenc/export.h"

namespace posenc {

// 16-bit floats, stored as their bits; posenc/half.h converts them.
struct f16 {
  std::uint16_t bits;
};
struct bf16 {
  std::uint16_t bits;
};

enum class DType : int { f32, f64, f16, bf16, i32, i64, u8 };

// Returns the spelling used in JSON, on the command line and in messages: "f32", "i64", ...
POSENC_API std::string_view to_text(DType dtype) noexcept;
// Returns the dtype spelled `text`; an unknown word is an error that lists the known ones.
POSENC_API DType parse_dtype(std::string_view text);
// Bytes of one element.
POSENC_API std::int64_t size_of(DType dtype) noexcept;

inline constexpr int kMaxRank = 4;

// An N-dimensional array in memory that it does not own. `Void` is `void` or `const void`.
template <class Void>
struct BasicView {
  Void* data = nullptr;
  DType dtype = DType::f32;
  int rank = 0;
  std::array<std::int64_t, kMaxRank> shape{};    // elements along each axis
  std::array<std::int64_t, kMaxRank> strides{};  // elements between neighbours on each axis; may be negative

  // The same memory with axes a and b exchanged; both must be below rank.
  BasicView swap(int a, int b) const {
    BasicView result = *this;
    std::swap(result.shape[static_cast<std::size_t>(a)], result.shape[static_cast<std::size_t>(b)]);
    std::swap(result.strides[static_cast<std::size_t>(a)], result.strides[static_cast<std::size_t>(b)]);
    return result;
  }

  // The view at `index` of the first axis; its rank is one less. `index` must be below shape[0]; it is not checked.
  BasicView operator[](std::int64_t index) const;

  // The number of elements: the product of the shape; 1 for rank 0.
  std::int64_t size() const noexcept {
    std::int64_t count = 1;
    for (int axis = 0; axis < rank; ++axis) count *= shape[static_cast<std::size_t>(axis)];
    return count;
  }

  // The data as T*; T must match `dtype`, which is not checked.
  template <class T>
  auto* as() const noexcept {
    return static_cast<std::conditional_t<std::is_const_v<Void>, const T, T>*>(data);
  }

  // NOLINTNEXTLINE: implicit, a writable view is also a readable one
  operator BasicView<const void>() const noexcept requires(!std::is_const_v<Void>) {
    return {data, dtype, rank, shape, strides};
  }
};

using View = BasicView<void>;
using ConstView = BasicView<const void>;

template <class T>
constexpr DType dtype_of() {
  using Plain = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Plain, float>) return DType::f32;
  if constexpr (std::is_same_v<Plain, double>) return DType::f64;
  if constexpr (std::is_same_v<Plain, f16>) return DType::f16;
  if constexpr (std::is_same_v<Plain, bf16>) return DType::bf16;
  if constexpr (std::is_same_v<Plain, std::int32_t>) return DType::i32;
  if constexpr (std::is_same_v<Plain, std::int64_t>) return DType::i64;
  if constexpr (std::is_same_v<Plain, std::uint8_t>) return DType::u8;
  static_assert(std::is_same_v<Plain, float> || std::is_same_v<Plain, double> || std::is_same_v<Plain, f16> ||
                    std::is_same_v<Plain, bf16> || std::is_same_v<Plain, std::int32_t> ||
                    std::is_same_v<Plain, std::int64_t> || std::is_same_v<Plain, std::uint8_t>,
                "views are of float, double, f16, bf16, int32_t, int64_t or uint8_t");
}

// Returns a view of contiguous memory in C order. More than kMaxRank axes or a negative length is an error.
POSENC_API View make_view(void* data POSENC_LIFETIMEBOUND, DType dtype, std::initializer_list<std::int64_t> shape);
POSENC_API ConstView make_view(const void* data POSENC_LIFETIMEBOUND, DType dtype,
                               std::initializer_list<std::int64_t> shape);

template <class T>
requires(!std::is_void_v<T>) auto make_view(T* data POSENC_LIFETIMEBOUND, std::initializer_list<std::int64_t> shape) {
  return make_view(data, dtype_of<T>(), shape);
}

// Returns the shape for messages: "[2, 10, 64]".
POSENC_API std::string shape_text(const ConstView& view);

// Throws unless `view` can be written to as [.., M]: not null unless empty, no negative length, contiguous last axis,
// no two indices at the same address. Messages begin with [where] and `name`: "[fill_table] out ...".
POSENC_API void check_output(const View& view, std::string_view where, std::string_view name = "out");

template <class Void>
BasicView<Void> BasicView<Void>::operator[](std::int64_t index) const {
  using Byte = std::conditional_t<std::is_const_v<Void>, const char, char>;
  // An empty view may have no memory, so its pointer must not move.
  Void* at = data == nullptr ? nullptr : static_cast<Byte*>(data) + index * strides[0] * size_of(dtype);
  BasicView result{at, dtype, rank - 1, {}, {}};
  for (std::size_t axis = 1; axis < kMaxRank; ++axis) {
    result.shape[axis - 1] = shape[axis];
    result.strides[axis - 1] = strides[axis];
  }
  return result;
}

}  // namespace posenc
