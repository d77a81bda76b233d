// The cosines and sines of a rotary encoding: evaluated where they are needed, kept in a table, or written out.
//
//     posenc::Rotary spec{.head_dim = 128, .base = 500000.0};
//     posenc::RotaryTable table(spec, 32768);                 // positions 0 to 32767, float32, one column per pair
//     posenc::RotaryAngles angles(spec);                      // no table: any position, huge and real ones too
//     posenc::fill_cos_sin(angles, positions, cos, sin, posenc::Tiling::halves);   // what a GPU engine uploads
//
// Both are immutable, cheap to copy (copies share their numbers), and may be shared between threads. A table and its
// angles give the same bits for integer positions. Accuracy is that of posenc/table.h: f32 within 3.02e-8 of the exact
// cos and sin of position * inv_freq at every integer position to +-(2^31 - 1); where one pair turns with several axes,
// pi 2^-33 more for every axis beyond the first. With Precision::reference the angle is
// the float32 product, as PyTorch models form it, and cos and sin are that angle's, correctly rounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "posenc/export.h"
#include "posenc/position.h"
#include "posenc/schedule.h"
#include "posenc/spec.h"
#include "posenc/view.h"

namespace posenc {

namespace rows {
class RotaryRows;
}

// The angles of an encoding at any position: integers to +-(2^31 - 1) and real numbers, on the axes of the spec.
class POSENC_API RotaryAngles {
 public:
  // Throws what make_schedule throws; of a schedule made by hand, also where its fields do not fit.
  explicit RotaryAngles(const Rotary& spec);
  RotaryAngles(const Rotary& spec, std::int64_t sequence_length);
  explicit RotaryAngles(const RotarySchedule& schedule);

  const RotarySchedule& schedule() const noexcept POSENC_LIFETIMEBOUND { return *schedule_; }
  const rows::RotaryRows& rows() const noexcept POSENC_LIFETIMEBOUND { return *rows_; }

 private:
  std::shared_ptr<const rows::RotaryRows> rows_;
  const RotarySchedule* schedule_;  // that of rows_
};

// Rows for a range of integer positions, [positions, 2 pairs]: the cosines of all pairs, then their sines, times the
// attention factor where it acts in the table. Looking up a position outside is an error, never a read.
class POSENC_API RotaryTable {
 public:
  // Positions 0 to `positions` - 1 in memory of its own, aligned to 64 bytes. dtype is f32 or f64.
  RotaryTable(const Rotary& spec, std::int64_t positions, DType dtype = DType::f32);
  // Positions start to start + count - 1; `range` must be a range in steps of 1, and count at least 1.
  RotaryTable(const RotaryAngles& angles, const PositionView& range, DType dtype = DType::f32);
  // The same in the caller's memory, [count, 2 pairs] f32 or f64, rows may be strided: it must outlive the table.
  RotaryTable(const RotaryAngles& angles, const PositionView& range, const View& memory);
  // With several axes a row holds every pair at the same position, whatever its axis; a token takes each pair from the
  // row of its own axis. A pair that turns with two axes at once has no such row, nor do layouts that are no rotation:
  // an error, use RotaryAngles.

  const ConstView& view() const& noexcept POSENC_LIFETIMEBOUND { return view_; }  // [count, 2 pairs]
  ConstView view() && noexcept POSENC_LIFETIMEBOUND { return view_; }             // so that clang warns of a copy
  std::int64_t start() const noexcept { return start_; }                          // the position of row 0
  std::int64_t count() const noexcept { return view_.shape[0]; }
  const RotaryAngles& angles() const noexcept POSENC_LIFETIMEBOUND { return angles_; }
  bool owns_memory() const noexcept { return memory_ != nullptr; }
  const RotarySchedule& schedule() const noexcept POSENC_LIFETIMEBOUND { return angles_.schedule(); }

 private:
  void check_range(const PositionView& range) const;

  RotaryAngles angles_;
  std::shared_ptr<const std::byte> memory_;
  ConstView view_;
  std::int64_t start_ = 0;
};

// How often and where the value of pair i of n stands in a row of cosines, or of sines. With a layout that is no
// rotation, a row has one value per channel, whatever the tiling.
enum class Tiling {
  per_pair,  // [n]: c0 .. cn
  halves,    // [2n]: c0 .. cn c0 .. cn, as the channels of Layout::half (of half_per_axis: part by part)
  pairs,     // [2n]: c0 c0 c1 c1 .., as the channels of Layout::interleaved
};

// Writes cos and sin of every pair at every position, times the attention factor where it acts in the table: each out
// is [N, n] or [N, 2n], one per channel where the layout is no rotation, or with a batch [B, N, ..], f32, f64, f16 or
// bf16 (rounded once); rows may be strided.
POSENC_API void fill_cos_sin(const RotaryAngles& angles, const PositionView& positions, const View& cos,
                             const View& sin, Tiling tiling = Tiling::per_pair);
// Both in one row, [cos | sin]: out is [N, 2n] or [B, N, 2n], twice that where the layout is no rotation.
POSENC_API void fill_cos_sin(const RotaryAngles& angles, const PositionView& positions, const View& cos_sin);

}  // namespace posenc
