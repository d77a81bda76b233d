// The cosines and sines of a rotary encoding: evaluated on demand, stored in a table, or written to memory.
//
//     posenc::Rotary spec{.head_dim = 128, .base = 500000.0};
//     posenc::RotaryTable table(spec, 32768);                 // positions 0 to 32767, float32, one column per pair
//     posenc::RotaryAngles angles(spec);                      // no table: any position, also huge or real ones
//     posenc::fill_cos_sin(angles, positions, cos, sin, posenc::Tiling::halves);   // to upload to a GPU engine
//
// Both are immutable, cheap to copy (copies share their numbers), and may be shared between threads. For integer
// positions, a table and its angles give the same bits. Accuracy is as in posenc/table.h: f32 is within 3.02e-8 of the
// exact cos and sin of position * inv_freq at every integer position within +-(2^31 - 1). If several axes rotate one
// pair, each further axis adds pi 2^-33. With Precision::reference the angle is the float32 product, as PyTorch models
// compute it, and cos and sin of that angle are correctly rounded.
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

// The angles of an encoding at any position on the axes of the spec: integers within +-(2^31 - 1) and real numbers.
class POSENC_API RotaryAngles {
 public:
  // Throws what make_schedule throws, and for a schedule made by hand if its fields contradict each other.
  explicit RotaryAngles(const Rotary& spec);
  RotaryAngles(const Rotary& spec, std::int64_t sequence_length);
  explicit RotaryAngles(const RotarySchedule& schedule);

  const RotarySchedule& schedule() const noexcept POSENC_LIFETIMEBOUND { return *schedule_; }
  const rows::RotaryRows& rows() const noexcept POSENC_LIFETIMEBOUND { return *rows_; }

 private:
  std::shared_ptr<const rows::RotaryRows> rows_;
  const RotarySchedule* schedule_;  // points into rows_
};

// A table with one row per position of an integer range, [positions, 2 pairs]: the cosines of all pairs, then their
// sines, times the attention factor if it is applied in the table. Looking up a position outside the range throws.
class POSENC_API RotaryTable {
 public:
  // Positions 0 to `positions` - 1, in its own memory, aligned to 64 bytes. dtype is f32 or f64.
  RotaryTable(const Rotary& spec, std::int64_t positions, DType dtype = DType::f32);
  // Positions start to start + count - 1; `range` must be a range in steps of 1, and count at least 1.
  RotaryTable(const RotaryAngles& angles, const PositionView& range, DType dtype = DType::f32);
  // The same in the caller's memory, [count, 2 pairs], f32 or f64; rows may be strided. It must outlive the table.
  RotaryTable(const RotaryAngles& angles, const PositionView& range, const View& memory);
  // With several axes, a row holds every pair at the same position, and a token reads each pair from the row of that
  // pair's axis. This does not work for a pair rotated by two axes at once, nor for layouts that are not rotations:
  // both throw; use RotaryAngles.

  const ConstView& view() const& noexcept POSENC_LIFETIMEBOUND { return view_; }  // [count, 2 pairs]
  ConstView view() && noexcept POSENC_LIFETIMEBOUND { return view_; }             // lets clang warn about temporaries
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

// How the values of pairs 0 to n - 1 are arranged in a row of cosines or sines. With a layout that is not a rotation, a
// row has one value per channel, whatever the tiling.
enum class Tiling {
  per_pair,  // [n]: c0 c1 .. c(n-1)
  halves,    // [2n]: c0 .. c(n-1) c0 .. c(n-1), as the channels of Layout::half (half_per_axis: within each part)
  pairs,     // [2n]: c0 c0 c1 c1 .., as the channels of Layout::interleaved
};

// Writes cos and sin of every pair at every position, times the attention factor if it is applied in the table. Each
// output is [N, n] or [N, 2n] (one value per channel if the layout is not a rotation), or with a batch [B, N, ..]; f32,
// f64, f16 or bf16, rounded once; rows may be strided.
POSENC_API void fill_cos_sin(const RotaryAngles& angles, const PositionView& positions, const View& cos,
                             const View& sin, Tiling tiling = Tiling::per_pair);
// Writes both in one row, [cos | sin]: out is [N, 2n] or [B, N, 2n]; twice that if the layout is not a rotation.
POSENC_API void fill_cos_sin(const RotaryAngles& angles, const PositionView& positions, const View& cos_sin);

}  // namespace posenc
