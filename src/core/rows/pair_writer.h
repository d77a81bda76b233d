// Puts sines and cosines where a schedule has its columns, in any float type, rounded once.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernels/turn_rows.h"
#include "posenc/schedule.h"
#include "posenc/view.h"

namespace posenc::rows {

// Constant once made, so threads may share it.
class PairWriter {
 public:
  // What `turn` writes at a time, at most: the anchors, the offset and the output share a core's first cache.
  static constexpr std::int64_t kAnchors = 2;
  static constexpr std::int64_t kPairs = 256;

  struct Rows {
    void* data;  // the first anchor's row
    DType dtype;
    std::int64_t stride;   // elements from one anchor's row to the next one's
    std::int64_t to_back;  // elements from there to the row that is turned back by the same offset; 0 = there is none
    bool large;            // too large for the caches: to be written past them
  };

  explicit PairWriter(const SinusoidalSchedule& schedule);

  // Whether `turn` can write it: sines and cosines apart or alternating, as all schedules but hand-made ones have them.
  bool is_regular() const noexcept { return regular_; }

  // Writes turn.rows rows, or two for each, pairs first .. first + turn.pairs of them. Only if is_regular().
  void turn(const kernels::AnchorTurn& turn, std::int64_t first, const Rows& rows) const noexcept;

  // Writes a row, [M], contiguous: sine and cosine have one number per pair.
  void place(const double* sine, const double* cosine, const View& row) const noexcept;

  // Zeros in the columns that are neither; `turn` leaves them, `place` does not.
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
  std::int64_t paired_;  // how many sines have their cosine
  bool regular_;
  std::vector<std::int64_t> zeros_;  // columns
};

}  // namespace posenc::rows
