// Tables: a schedule evaluated at positions, into the caller's memory, into one's own, or row by row.
//
//     posenc::Sinusoidal spec{.width = 512};
//     posenc::Table table(spec, posenc::PositionView::range(0, 5000));    // [5000, 512] float32, built once
//     posenc::fill_table(posenc::make_schedule(spec), positions, out);    // any dtype, any positions
//
// Accuracy against exact sin and cos of position * inv_freq: f32 within 2^-25 + pi 2^-33 (3.02e-8) for every integer
// position to +-(2^31 - 1); f64 within 2 pi 2^-64 |position| + 4e-16; f16 and bf16 rounded once from that. A real
// position x adds |x| |inv_freq| 2^-53. A multiplier scales all of it, but for the 2^-25 of f32, which is half a unit
// in the last place and so grows with the next power of two. Const objects may be shared between threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "posenc/export.h"
#include "posenc/input_rows.h"
#include "posenc/position.h"
#include "posenc/schedule.h"
#include "posenc/spec.h"
#include "posenc/view.h"

namespace posenc {

namespace rows {
class RowMaker;
class RowSource;
}  // namespace rows

// Writes one row per position: out is [N, M] (or [B, N, M]) f32, f64, f16 or bf16, its rows may be strided.
// Positions have one axis. No positions: nothing is written. Positions out of range, and a schedule whose columns lie
// outside its width, are errors before any write.
POSENC_API void fill_table(const SinusoidalSchedule& schedule, const PositionView& positions, const View& out);

// The same for the derivative by the position: multiplier * inv_freq * cos where the table has sin, and
// -multiplier * inv_freq * sin where it has cos; zero where the table is zero.
POSENC_API void fill_derivative(const SinusoidalSchedule& schedule, const PositionView& positions, const View& out);

// Writes the matrix M_k with row(p + k) = M_k row(p) for every p: out is [M, M] f32 or f64. It is made of one 2 x 2
// rotation per pair (columns of zeros get 1 on the diagonal). k may be negative or real. An odd width with a sine
// that has no cosine has no such matrix: an error. A zero_position is not described by it.
POSENC_API void fill_shift_matrix(const SinusoidalSchedule& schedule, double k, const View& out);

// Rows in memory of their own, aligned to 64 bytes; immutable.
class POSENC_API Table {
 public:
  // Positions are [N] on one axis. A size that cannot be counted is an Error, memory that is not there bad_alloc.
  Table(const Sinusoidal& spec, const PositionView& positions, DType dtype = DType::f32);
  // The same of any rows: a stretched learned table, say, so that it is not stretched again at every lookup.
  Table(const InputRows& rows, const PositionView& positions, DType dtype = DType::f32);

  // Copies share the rows; there is no move, which would leave a view without its rows behind.
  Table(const Table&) = default;
  Table& operator=(const Table&) = default;

  ConstView view() const noexcept POSENC_LIFETIMEBOUND { return view_; }  // [N, M], contiguous
  std::int64_t rows() const noexcept { return view_.shape[0]; }
  std::int64_t width() const noexcept { return view_.shape[1]; }

  // To look rows up by position; only of a table that was built for a range in steps of 1, else an error. They share
  // the table's memory and may outlive it.
  FixedRows rows_by_position() const;

 private:
  void build(const InputRows& rows, const PositionView& positions, DType dtype);

  std::shared_ptr<const std::byte> memory_;
  ConstView view_;
  std::optional<std::int64_t> start_;
};

// What a stream gives: the rows themselves or their derivative by the position.
enum class Rows { values, derivative };

// Rows in order, a block at a time, in constant memory however many positions there are: about 300 bytes per channel.
// The memory of tables, and of positions that are not a temporary, must outlive the stream. One thread at a time.
//
//     posenc::RowStream stream(schedule, positions);
//     while (std::int64_t rows = stream.next(block)) use(block, rows);   // block: [any, M]
class POSENC_API RowStream {
 public:
  RowStream(const SinusoidalSchedule& schedule, KeptPositions positions, Rows rows = Rows::values);
  RowStream(const InputRows& rows, KeptPositions positions);
  RowStream(RowStream&&) noexcept;
  RowStream& operator=(RowStream&&) noexcept;
  ~RowStream();

  // Writes the next rows into block [R, M] and returns how many: R, fewer at the end, then 0.
  std::int64_t next(const View& block);

 private:
  std::unique_ptr<rows::RowMaker> maker_;    // derivative rows
  std::unique_ptr<rows::RowSource> source_;  // all others
  KeptPositions positions_;
  std::optional<InputRows> rows_;  // for the memory that they keep
  std::int64_t width_ = 0;
  std::int64_t done_ = 0;
};

}  // namespace posenc
