// Produces the rows of InputRows one position at a time. Only this class knows where rows come from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/rows/row_maker.h"
#include "posenc/input_rows.h"
#include "posenc/learned.h"
#include "posenc/position.h"
#include "posenc/view.h"

namespace posenc::rows {

// Makes the rows that need all coordinates of a token: parts side by side, and Fourier features.
class AxesSource;

// Positions must have passed check_rows. Must not be used by several threads at once: it stores rows between calls.
// Tables must outlive it.
class RowSource {
 public:
  explicit RowSource(const InputRows& rows);
  ~RowSource();

  std::int64_t width() const noexcept { return width_; }

  // Writes the row of token n of batch row b, [M], of any float dtype.
  void write(const PositionView& positions, std::int64_t b, std::int64_t n, const View& row);
  // The same for a position; only if the rows have one axis.
  void write(std::int64_t position, const View& row);
  void write(double position, const View& row);

  // Writes the rows of all positions to `out`: [N, M] or [B, N, M]. Rows after N are unchanged.
  void write_all(const PositionView& positions, const View& out);

  // Whether write_all computes these rows in blocks.
  bool makes_range(const PositionView& positions) const noexcept {
    return maker_ && !learned_ && positions.source == PositionView::Source::range && positions.step == 1;
  }

  // Returns the row of a token as T, float or double: a pointer into the table if it has that type, else `scratch`,
  // [M], after filling it.
  template <class T>
  const T* get(const PositionView& positions, std::int64_t b, std::int64_t n, T* scratch) {
    if (const void* found = find(positions.real(b, n), dtype_of<T>())) return static_cast<const T*>(found);
    write(positions, b, n, make_view(scratch, {width_}));
    return scratch;
  }

 private:
  // FixedRows without the shared_ptr, whose reference count would change at every call.
  struct FixedTable {
    ConstView table;
    std::int64_t start;
  };

  const void* find(double position, DType dtype) const;
  ConstView fixed_row(double position) const;
  bool reads_plainly(const RowRead& read) const;
  void add_learned(double position);
  template <class Position>
  void write_any(Position position, const View& row);

  std::int64_t width_;
  std::optional<RowMaker> maker_;
  std::optional<FixedTable> fixed_;
  std::optional<LearnedRows> learned_;
  std::vector<double> sum_;
  std::vector<double> learned_row_;
  std::vector<double> next_row_;
  std::unique_ptr<AxesSource> axes_;
};

// Reads a learned row before normalisation and multiplier, in double; `scratch` is [M].
void read_learned(const LearnedRows& rows, const RowRead& read, double* row, double* scratch);

// 1 / the Euclidean length of a row; the length counts as at least 1e-12.
double inverse_length(const std::vector<double>& row);

}  // namespace posenc::rows
