// Heads [B, N, H, D] of any float type in any memory order, with guard values between and around them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "posenc/view.h"
#include "support/element.h"

struct HeadLayout {
  std::int64_t head_gap = 0;   // elements after each head
  std::int64_t token_gap = 0;  // elements after each token (or each head's tokens, if heads come first)
  bool heads_first = false;    // [B, H, N, D] in memory
  bool backwards = false;      // the last token and the last head come first
};

class HeadBlock {
 public:
  HeadBlock(posenc::DType dtype, std::int64_t batch, std::int64_t count, std::int64_t heads, std::int64_t width,
            HeadLayout layout = {}) {
    const std::int64_t pitch = width + layout.head_gap;
    const std::int64_t inner = layout.heads_first ? count : heads, outer = layout.heads_first ? heads : count;
    const std::int64_t row = inner * pitch + layout.token_gap;
    const std::int64_t size = posenc::size_of(dtype);
    bytes_.assign(static_cast<std::size_t>((batch * outer * row + 2 * kGuard) * size), kCanary);
    view_ = {bytes_.data() + kGuard * size, dtype, 4, {batch, count, heads, width}, {}};
    view_.strides = {outer * row, layout.heads_first ? pitch : row, layout.heads_first ? row : pitch, 1};
    if (!layout.backwards || view_.size() == 0) return;
    view_.data = view_.as<std::byte>() + ((count - 1) * view_.strides[1] + (heads - 1) * view_.strides[2]) * size;
    view_.strides[1] *= -1;
    view_.strides[2] *= -1;
  }
  HeadBlock(const HeadBlock&) = delete;  // the view points into the block
  HeadBlock& operator=(const HeadBlock&) = delete;

  posenc::View view() const { return view_; }
  posenc::View tokens() const { return view_[0]; }  // [N, H, D] of the first batch row
  const std::vector<std::byte>& bytes() const { return bytes_; }

  double at(std::int64_t b, std::int64_t n, std::int64_t h, std::int64_t c) const {
    return element(view_, place(b, n, h, c));
  }
  void set(std::int64_t b, std::int64_t n, std::int64_t h, std::int64_t c, double value) {
    set_element(view_, place(b, n, h, c), value);
  }

  // All numbers in the order b, n, h, c; and one head.
  std::vector<double> values() const {
    std::vector<double> result;
    each([&](std::int64_t b, std::int64_t n, std::int64_t h, std::int64_t c) { result.push_back(at(b, n, h, c)); });
    return result;
  }
  void set_values(const std::vector<double>& values) {
    std::size_t i = 0;
    each([&](std::int64_t b, std::int64_t n, std::int64_t h, std::int64_t c) { set(b, n, h, c, values.at(i++)); });
  }
  std::vector<double> head(std::int64_t b, std::int64_t n, std::int64_t h) const {
    std::vector<double> result;
    for (std::int64_t c = 0; c < view_.shape[3]; ++c) result.push_back(at(b, n, h, c));
    return result;
  }

  // Whether only the heads themselves have been written since the block was made.
  bool gaps_are_whole() const {
    std::vector<std::byte> copy = bytes_;
    for (std::int64_t b = 0; b < view_.shape[0]; ++b) {
      for (std::int64_t n = 0; n < view_.shape[1]; ++n) {
        for (std::int64_t h = 0; h < view_.shape[2]; ++h) {
          std::memset(copy.data() + (view_[b][n][h].as<std::byte>() - bytes_.data()), static_cast<int>(kCanary),
                      static_cast<std::size_t>(view_.shape[3] * posenc::size_of(view_.dtype)));
        }
      }
    }
    return std::all_of(copy.begin(), copy.end(), [](std::byte b) { return b == kCanary; });
  }

 private:
  static constexpr std::byte kCanary{0x5a};
  static constexpr std::int64_t kGuard = 32;  // elements before and after: more than a vector

  std::int64_t place(std::int64_t b, std::int64_t n, std::int64_t h, std::int64_t c) const {
    const std::int64_t* strides = view_.strides.data();
    return b * strides[0] + n * strides[1] + h * strides[2] + c;
  }

  template <class Visit>
  void each(const Visit& visit) const {
    for (std::int64_t b = 0; b < view_.shape[0]; ++b)
      for (std::int64_t n = 0; n < view_.shape[1]; ++n)
        for (std::int64_t h = 0; h < view_.shape[2]; ++h)
          for (std::int64_t c = 0; c < view_.shape[3]; ++c) visit(b, n, h, c);
  }

  std::vector<std::byte> bytes_;
  posenc::View view_;
};
