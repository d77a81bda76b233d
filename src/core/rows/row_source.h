// Gives the rows of InputRows one position at a time: the one place that knows where rows come from.
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

// The rows of parts side by side, or of Fourier features: they need all coordinates of a token.
class AxesSource;

// Positions must have passed check_rows. Not for several threads at once: it keeps rows between calls. Tables must
// live.
class RowSource {
 public:
  explicit RowSource(const InputRows& rows);
  ~RowSource();

  std::int64_t width() const noexcept { return width_; }

  // Writes the row of token n of batch row b, [M], of any float type.
  void write(const PositionView& positions, std::int64_t b, std::int64_t n, const View& row);
  // The same of a position where rows have one axis.
  void write(std::int64_t position, const View& row);
  void write(double position, const View& row);

  // Writes the rows of all positions to `out`: [N, M], or [B, N, M]; rows past N stay as they are.
  void write_all(const PositionView& positions, const View& out);

  // Whether write_all makes these rows many at a time.
  bool makes_range(const PositionView& positions) const noexcept {
    return maker_ && !learned_ && positions.source == PositionView::Source::range && positions.step == 1;
  }

  // The row of a token as T, float or double: in the table itself where it lies there as such, else in `scratch`,
  // [M].
  template <class T>
  const T* get(const PositionView& positions, std::int64_t b, std::int64_t n, T* scratch) {
    if (const void* found = find(positions.real(b, n), dtype_of<T>())) return static_cast<const T*>(found);
    write(positions, b, n, make_view(scratch, {width_}));
    return scratch;
  }

 private:
  // FixedRows without what keeps their memory, which would be counted at every call.
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

// The row that a learned table holds for a read, before normalisation and multiplier, in double; `scratch` is [M].
void read_learned(const LearnedRows& rows, const RowRead& read, double* row, double* scratch);

// 1 / the length of a row, which is at least 1e-12.
double inverse_length(const std::vector<double>& row);

}  // namespace posenc::rows
