// Tables: a schedule evaluated at positions, into the caller's memory, into its own memory, or row by row.
//
//     posenc::Sinusoidal spec{.width = 512};
//     posenc::Table table(spec, posenc::PositionView::range(0, 5000));    // [5000, 512] float32, built once
//     posenc::fill_table(posenc::make_schedule(spec), positions, out);    // any dtype, any positions
//
// Accuracy against exact sin and cos of position * inv_freq: f32 within 2^-25 + pi 2^-33 (3.02e-8) for every integer
// position to +-(2^31 - 1); f64 within 2 pi 2^-64 |position| + 4e-16; f16 and bf16 rounded once from that. A real
// position x adds |x| |inv_freq| 2^-53. A multiplier scales these bounds, except for the 2^-25 of f32, which is half a
// unit in the last place and so grows with the next power of two. Const objects may be shared between threads.
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

// Writes one row per position: out is [N, M] (or [B, N, M]) of f32, f64, f16 or bf16; rows may be strided. Positions
// have one axis; without positions, nothing is written. Positions out of range, and a schedule whose columns are
// outside its width, are errors before any write.
POSENC_API void fill_table(const SinusoidalSchedule& schedule, const PositionView& positions, const View& out);

// Writes the derivative with respect to the position: multiplier * inv_freq * cos in the columns of sin,
// -multiplier * inv_freq * sin in the columns of cos, and zero in the columns that are zero.
POSENC_API void fill_derivative(const SinusoidalSchedule& schedule, const PositionView& positions, const View& out);

// Writes the matrix M_k with row(p + k) = M_k row(p) for every p: out is [M, M], f32 or f64. It consists of one 2 x 2
// rotation per pair; columns of zeros get 1 on the diagonal. k may be negative or real. Throws for an odd width with a
// sine that has no cosine, because no such matrix exists. The matrix ignores zero_position.
POSENC_API void fill_shift_matrix(const SinusoidalSchedule& schedule, double k, const View& out);

// A table in its own memory, aligned to 64 bytes; immutable.
class POSENC_API Table {
 public:
  // Positions are [N] on one axis. Throws Error if the size overflows, std::bad_alloc if allocation fails.
  Table(const Sinusoidal& spec, const PositionView& positions, DType dtype = DType::f32);
  // The same for any rows: for example a stretched learned table, so that lookups do not stretch it again.
  Table(const InputRows& rows, const PositionView& positions, DType dtype = DType::f32);

  // Copies share the rows. There is no move, because it would leave a view without memory behind.
  Table(const Table&) = default;
  Table& operator=(const Table&) = default;

  ConstView view() const noexcept POSENC_LIFETIMEBOUND { return view_; }  // [N, M], contiguous
  std::int64_t rows() const noexcept { return view_.shape[0]; }
  std::int64_t width() const noexcept { return view_.shape[1]; }

  // Returns the rows for lookup by position. Throws unless the table was built for a range in steps of 1. They share
  // the table's memory and may outlive it.
  FixedRows rows_by_position() const;

 private:
  void build(const InputRows& rows, const PositionView& positions, DType dtype);

  std::shared_ptr<const std::byte> memory_;
  ConstView view_;
  std::optional<std::int64_t> start_;
};

// What a stream produces: the rows, or their derivative with respect to the position.
enum class Rows { values, derivative };

// Produces rows in order, a block at a time, in constant memory for any number of positions: about 300 bytes per
// channel. Tables, and positions unless passed as a temporary, must outlive the stream. One thread at a time.
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
  std::unique_ptr<rows::RowMaker> maker_;    // for derivative rows
  std::unique_ptr<rows::RowSource> source_;  // for all others
  KeptPositions positions_;
  std::optional<InputRows> rows_;  // keeps their memory alive
  std::int64_t width_ = 0;
  std::int64_t done_ = 0;
};

}  // namespace posenc
