// Positions of tokens: integers within +-(2^31 - 1), or real numbers in the same range.
//
//     posenc::PositionView p = posenc::PositionView::range(0, 100);    // 0, 1, ..., 99; no memory
//     posenc::PositionView q = posenc::PositionView::of(ids, 10);      // the caller's int32, int64 or double
//     posenc::Positions r = posenc::parse_positions("0:100:10");       // owns its numbers
//     posenc::fill_table(schedule, r, out);                            // Positions convert to PositionView
//
// With A axes the axis comes last, [B, N, A]; strides are free, so any other order in memory works too.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "posenc/error.h"
#include "posenc/export.h"

namespace posenc {

inline constexpr std::int64_t kMaxPosition = 2147483647;  // 2^31 - 1; positions are from -kMaxPosition to kMaxPosition

// The positions of B x N tokens on A axes: a range, or numbers in the caller's memory.
struct POSENC_API PositionView {
  enum class Source { range, i32, i64, f64 };

  Source source = Source::range;
  const void* data = nullptr;  // null for a range
  std::int64_t start = 0;      // range: position n is start + n * step, the same for every batch row
  std::int64_t step = 1;
  std::int64_t batch = 1;         // B
  std::int64_t count = 0;         // N
  std::int64_t axes = 1;          // A; 1 for a range
  std::int64_t batch_stride = 0;  // elements from one batch row to the next; 0: all rows share the positions
  std::int64_t token_stride = 1;  // elements from one token to the next
  std::int64_t axis_stride = 1;   // elements from one axis to the next

  static PositionView range(std::int64_t start, std::int64_t count, std::int64_t step = 1) noexcept {
    return {.start = start, .step = step, .count = count};
  }
  static PositionView of(const std::int32_t* ids POSENC_LIFETIMEBOUND, std::int64_t count);
  static PositionView of(const std::int64_t* ids POSENC_LIFETIMEBOUND, std::int64_t count);
  static PositionView of(const double* ids POSENC_LIFETIMEBOUND, std::int64_t count);

  // True if the type is an integer: a range, i32 or i64.
  bool integral() const noexcept { return source != Source::f64; }

  // One position; indices are not checked. `integer` requires integral positions.
  std::int64_t integer(std::int64_t b, std::int64_t n, std::int64_t a = 0) const noexcept;
  double real(std::int64_t b, std::int64_t n, std::int64_t a = 0) const noexcept;

  // Tokens first to first + length - 1 of every batch row.
  PositionView slice(std::int64_t first, std::int64_t length) const noexcept;
  // The coordinates of one axis, as positions on one axis; `a` is not checked. A range only has axis 0.
  PositionView axis(std::int64_t a) const noexcept;
};

// Throws if a position is NaN or outside +-kMaxPosition. Messages begin with [where].
POSENC_API void check_positions(const PositionView& positions, std::string_view where);

// Positions that own their numbers: [N] or [N, A]. A range uses no memory.
class POSENC_API Positions {
 public:
  Positions() = default;
  static Positions range(std::int64_t start, std::int64_t count, std::int64_t step = 1);
  // `values` holds count * axes numbers; the axis varies fastest.
  static Positions integers(std::vector<std::int64_t> values, std::int64_t axes = 1);
  static Positions reals(std::vector<double> values, std::int64_t axes = 1);

  PositionView view() const noexcept POSENC_LIFETIMEBOUND;
  operator PositionView() const noexcept POSENC_LIFETIMEBOUND {
    return view();
  }  // NOLINT: implicit, to be passed as a view
  std::int64_t count() const noexcept { return view_.count; }
  std::int64_t axes() const noexcept { return view_.axes; }

 private:
  PositionView view_;
  std::vector<std::int64_t> integers_;
  std::vector<double> reals_;
};

// A PositionView that outlives the call, for options and streams. It takes over temporary Positions; it refers to other
// Positions like any view, so those must outlive it.
class POSENC_API KeptPositions : public PositionView {
 public:
  KeptPositions() = default;
  KeptPositions(const PositionView& view) noexcept : PositionView(view) {}  // NOLINT: implicit, from any of them
  KeptPositions(const Positions& positions POSENC_LIFETIMEBOUND) noexcept   // NOLINT
      : PositionView(positions.view()) {}
  KeptPositions(Positions&& positions);  // NOLINT

 private:
  std::shared_ptr<const Positions> kept_;
};

// Reads positions from text:
//
//     0:100      0 to 99 (the end is excluded)       0:100:10   every tenth; a negative step counts down
//     0,5,17     a list                              2.5        a real number; one makes the list real
//     -3:4       negative numbers are fine           1/2/3,4/5/6  tuples: one number per axis
//     3x5        a grid of 3 rows and 5 columns, row-major, as tuples (also 2x3x5)
//
// Integer ranges use no memory; other forms are limited to 2^27 numbers. An empty text, an empty range, a number
// outside +-(2^31 - 1) and tuples of different lengths are errors that quote the text. load_positions in
// posenc/files/load.h also reads `@file.npy` and `@file.safetensors:tensor`.
POSENC_API Positions parse_positions(std::string_view text);

// Returns the text that parse_positions reads back: "0:100", "0,5,17", "1/2,3/4". For a batch, only the first row.
// Throws what check_positions throws.
POSENC_API std::string to_text(const PositionView& positions);

}  // namespace posenc
