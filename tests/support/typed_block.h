// A block of numbers [B, N, M] of any float type, optionally with gaps between rows, or with tokens before batch rows.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <vector>

#include "posenc/half.h"
#include "posenc/view.h"
#include "support/element.h"
#include "support/numbers.h"

inline const std::vector<posenc::DType>& float_types() {
  static const std::vector<posenc::DType> types = {posenc::DType::f32, posenc::DType::f64, posenc::DType::f16,
                                                   posenc::DType::bf16};
  return types;
}

// A number rounded to the dtype.
inline double rounded_to(posenc::DType dtype, double value) {
  if (dtype == posenc::DType::f32) return static_cast<double>(static_cast<float>(value));
  if (dtype == posenc::DType::f16) return posenc::to_double(posenc::to_f16(value));
  if (dtype == posenc::DType::bf16) return posenc::to_double(posenc::to_bf16(value));
  return value;
}

struct BlockLayout {
  std::int64_t gap = 0;       // elements between rows
  bool tokens_first = false;  // [N, B, M] in memory
  bool backwards = false;     // the last row comes first
};

class TypedBlock {
 public:
  TypedBlock(posenc::DType dtype, std::int64_t batch, std::int64_t count, std::int64_t width, BlockLayout layout = {})
      : bytes_(static_cast<std::size_t>((batch * count * (width + layout.gap) + layout.gap) * posenc::size_of(dtype)),
               kCanary) {
    const std::int64_t pitch = width + layout.gap;
    view_ = {bytes_.data() + layout.gap * posenc::size_of(dtype), dtype, 3, {batch, count, width, 0}, {}};
    view_.strides = {layout.tokens_first ? pitch : count * pitch, layout.tokens_first ? batch * pitch : pitch, 1, 0};
    if (!layout.backwards || batch * count == 0) return;
    view_.data = view_.as<std::byte>() +
                 ((batch - 1) * view_.strides[0] + (count - 1) * view_.strides[1]) * posenc::size_of(dtype);
    view_.strides[0] *= -1;
    view_.strides[1] *= -1;
  }
  TypedBlock(const TypedBlock&) = delete;  // the view points into the block
  TypedBlock& operator=(const TypedBlock&) = delete;

  posenc::View view() const { return view_; }
  posenc::View flat() const { return view_[0]; }  // [N, M] of the first batch row

  double at(std::int64_t b, std::int64_t n, std::int64_t m) const { return element(view_, place(b, n, m)); }
  void set(std::int64_t b, std::int64_t n, std::int64_t m, double value) { set_element(view_, place(b, n, m), value); }

  // All numbers in the order b, n, m.
  std::vector<double> values() const {
    std::vector<double> result;
    each([&](std::int64_t b, std::int64_t n, std::int64_t m) { result.push_back(at(b, n, m)); });
    return result;
  }
  void set_values(const std::vector<double>& values) {
    std::size_t i = 0;
    each([&](std::int64_t b, std::int64_t n, std::int64_t m) { set(b, n, m, values.at(i++)); });
  }

  // All bytes, including gaps.
  const std::vector<std::byte>& bytes() const { return bytes_; }

  // Whether only the rows themselves have been written since the block was made.
  bool gaps_are_whole() const {
    std::vector<std::byte> copy = bytes_;
    if (copy.empty()) return true;
    for (std::int64_t b = 0; b < view_.shape[0]; ++b) {
      for (std::int64_t n = 0; n < view_.shape[1]; ++n) {
        const std::ptrdiff_t start = view_[b][n].as<std::byte>() - bytes_.data();
        std::memset(copy.data() + start, static_cast<int>(kCanary),
                    static_cast<std::size_t>(view_.shape[2] * posenc::size_of(view_.dtype)));
      }
    }
    return copy == std::vector<std::byte>(copy.size(), kCanary);
  }

 private:
  static constexpr std::byte kCanary{0x5a};

  std::int64_t place(std::int64_t b, std::int64_t n, std::int64_t m) const {
    const std::int64_t* strides = view_.strides.data();
    return b * strides[0] + n * strides[1] + m;
  }

  template <class Visit>
  void each(const Visit& visit) const {
    for (std::int64_t b = 0; b < view_.shape[0]; ++b)
      for (std::int64_t n = 0; n < view_.shape[1]; ++n)
        for (std::int64_t m = 0; m < view_.shape[2]; ++m) visit(b, n, m);
  }

  std::vector<std::byte> bytes_;
  posenc::View view_;
};
