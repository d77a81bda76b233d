// The dropout masks of rows, one row at a time.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/kernels/join_row.h"
#include "posenc/embed.h"

namespace posenc::rows {

// Throws unless 0 <= p < 1 and all counters fit in 32 bits, for a batch of `rows` x `tokens`.
void check_dropout(const Dropout& dropout, std::int64_t rows, std::int64_t tokens, std::string_view where);

// Use one per thread: it stores the random numbers of a row.
class DropoutRows {
 public:
  DropoutRows(const Dropout& dropout, std::int64_t width);

  bool drops() const noexcept { return drops_; }

  // Drops elements of row (b, n) of the batch; Real is float or double.
  template <class Real>
  void apply(std::int64_t b, std::int64_t n, Real* row) {
    apply(b, n, 0, width_, row);
  }
  // The same, but only for columns first to first + count - 1 of the row. `first` must be a multiple of 4, and `count`
  // at most the width.
  template <class Real>
  void apply(std::int64_t b, std::int64_t n, std::int64_t first, std::int64_t count, Real* part) {
    if (!drops_) return;
    make_random(b, n, first, count);
    kernels::drop_row(random_.data(), threshold_, static_cast<Real>(factor_), count, part);
  }

 private:
  void make_random(std::int64_t b, std::int64_t n, std::int64_t first, std::int64_t count);

  Dropout dropout_;
  std::int64_t width_;
  bool drops_;
  std::uint32_t threshold_;
  double factor_;
  std::vector<std::uint32_t> random_;
};

}  // namespace posenc::rows
