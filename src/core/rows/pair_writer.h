// Writes sines and cosines to the columns of a schedule, in any float dtype, rounded once.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernels/turn_rows.h"
#include "posenc/schedule.h"
#include "posenc/view.h"

namespace posenc::rows {

// Constant after construction, so threads may share it.
class PairWriter {
 public:
  // The limits of one call of `turn`: anchors, offset and output must fit in a core's first-level cache.
  static constexpr std::int64_t kAnchors = 2;
  static constexpr std::int64_t kPairs = 256;

  struct Rows {
    void* data;  // the first anchor's row
    DType dtype;
    std::int64_t stride;   // elements from one anchor's row to the next anchor's row
    std::int64_t to_back;  // elements to the row rotated back by the same offset; 0: no such row
    bool large;            // larger than the caches: write with non-temporal stores
  };

  explicit PairWriter(const SinusoidalSchedule& schedule);

  // Whether `turn` can write these columns: sines and cosines in two separate runs, or alternating. Only schedules that
  // callers fill in themselves have other columns.
  bool is_regular() const noexcept { return regular_; }

  // Writes turn.rows rows (twice as many with to_back), pairs first to first + turn.pairs - 1. Needs is_regular().
  void turn(const kernels::AnchorTurn& turn, std::int64_t first, const Rows& rows) const noexcept;

  // Writes a row, [M], contiguous; sine and cosine have one number per pair.
  void place(const double* sine, const double* cosine, const View& row) const noexcept;

  // Whether some columns are neither sine nor cosine. `place` sets them to zero, `turn` does not.
  bool has_zeros() const noexcept { return !zeros_.empty(); }
  void write_zeros(const View& row) const noexcept;

 private:
  template <class T>
  kernels::PairColumns<T> columns(T* row, std::int64_t first, std::int64_t row_stride) const noexcept;
  template <class T>
  void turn_as(const kernels::AnchorTurn& turn, std::int64_t first, const Rows& rows) const noexcept;
  template <class T>
  void place_as(const double* sine, const double* cosine, T* row) const noexcept;

  Columns sine_;
  Columns cosine_;
  std::int64_t paired_;  // number of sines that have a cosine
  bool regular_;
  std::vector<std::int64_t> zeros_;  // columns
};

}  // namespace posenc::rows
