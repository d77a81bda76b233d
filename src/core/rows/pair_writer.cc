#include "core/rows/pair_writer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/float_types.h"
#include "core/kernels/half_row.h"

namespace posenc::rows {
namespace {

using kernels::AnchorTurn;
using kernels::PairColumns;
using kernels::Stores;

bool lie_regularly(const Columns& sine, const Columns& cosine) {
  if (std::max(sine.count, cosine.count) - std::min(sine.count, cosine.count) > 1) return false;
  const std::int64_t distance = std::max(sine.start, cosine.start) - std::min(sine.start, cosine.start);
  return sine.stride == cosine.stride && (sine.stride == 1 || (sine.stride == 2 && distance == 1));
}

std::vector<std::int64_t> zero_columns(const SinusoidalSchedule& schedule) {
  std::vector<bool> used(static_cast<std::size_t>(schedule.width));
  for (const Columns& columns : {schedule.sine, schedule.cosine}) {
    for (std::int64_t j = 0; j < columns.count; ++j) {
      used[static_cast<std::size_t>(columns.start + j * columns.stride)] = true;
    }
  }
  std::vector<std::int64_t> zeros;
  for (std::int64_t i = 0; i < schedule.width; ++i) {
    if (!used[static_cast<std::size_t>(i)]) zeros.push_back(i);
  }
  return zeros;
}

// A block of rows as floats, in the column order of the output, from which 16-bit rows are converted.
class Stage {
 public:
  template <class T>
  PairColumns<float> columns_like(const PairColumns<T>& out) noexcept {
    if (out.stride == 1) return {data_, data_ + PairWriter::kPairs, 1, kRowStride};
    const std::int64_t sine = out.sine < out.cosine ? 0 : 1;
    return {data_ + sine, data_ + (1 - sine), 2, kRowStride};
  }

  // Calls move(from, count, to) for every contiguous piece.
  template <class T, class Move>
  void move_to(const PairColumns<T>& out, std::int64_t rows, std::int64_t to_back, std::int64_t pairs,
               const Move& move) const noexcept {
    for (std::int64_t row = 0; row < rows; ++row) {
      move_row(row * kRowStride, out, row * out.row_stride, pairs, move);
      if (to_back != 0) move_row(row * kRowStride + kToBack, out, row * out.row_stride + to_back, pairs, move);
    }
  }

  static constexpr std::int64_t kToBack = 2 * PairWriter::kPairs;

 private:
  static constexpr std::int64_t kRowStride = 2 * kToBack;

  template <class T, class Move>
  void move_row(std::int64_t from, const PairColumns<T>& out, std::int64_t to, std::int64_t pairs,
                const Move& move) const noexcept {
    if (out.stride == 2) {
      move(data_ + from, 2 * pairs, std::min(out.sine, out.cosine) + to);
    } else {
      move(data_ + from, pairs, out.sine + to);
      move(data_ + from + PairWriter::kPairs, pairs, out.cosine + to);
    }
  }

  float data_[PairWriter::kAnchors * kRowStride];
};

template <class T>
bool fits_stream(const PairColumns<T>& out, std::int64_t pairs) {
  constexpr auto kElements = kernels::kStreamAlignment / static_cast<std::int64_t>(sizeof(T));
  const auto aligned = [](const T* p) {
    return reinterpret_cast<std::uintptr_t>(p) % static_cast<std::uintptr_t>(kernels::kStreamAlignment) == 0;
  };
  if (out.row_stride % kElements != 0 || pairs % kElements != 0) return false;
  return out.stride == 2 ? aligned(std::min(out.sine, out.cosine)) : aligned(out.sine) && aligned(out.cosine);
}

template <class T>
void turn_columns(const AnchorTurn& turn, const PairColumns<T>& out, const PairWriter::Rows& rows) noexcept {
  const bool past = rows.large && fits_stream(out, turn.pairs);
  kernels::turn_both(turn, out, rows.to_back, past ? Stores::past_caches : Stores::cached);
}

template <class Half>
void turn_half(const AnchorTurn& turn, const PairColumns<Half>& out, const PairWriter::Rows& rows) noexcept {
  Stage stage;
  kernels::turn_both_odd(turn, stage.columns_like(out), rows.to_back == 0 ? 0 : Stage::kToBack);
  stage.move_to(out, turn.rows, rows.to_back, turn.pairs,
                [](const float* from, std::int64_t count, Half* to) { kernels::narrow_row(from, count, to); });
}
void turn_columns(const AnchorTurn& turn, const PairColumns<f16>& out, const PairWriter::Rows& rows) noexcept {
  turn_half(turn, out, rows);
}
void turn_columns(const AnchorTurn& turn, const PairColumns<bf16>& out, const PairWriter::Rows& rows) noexcept {
  turn_half(turn, out, rows);
}

void place_columns(const double* sine, const double* cosine, std::int64_t pairs,
                   const PairColumns<double>& out) noexcept {
  kernels::place_row(sine, cosine, pairs, out);
}
void place_columns(const double* sine, const double* cosine, std::int64_t pairs,
                   const PairColumns<float>& out) noexcept {
  kernels::place_row(sine, cosine, pairs, out);
}
template <class Half>
void place_columns(const double* sine, const double* cosine, std::int64_t pairs,
                   const PairColumns<Half>& out) noexcept {
  Stage stage;
  kernels::place_row_odd(sine, cosine, pairs, stage.columns_like(out));
  stage.move_to(out, 1, 0, pairs,
                [](const float* from, std::int64_t count, Half* to) { kernels::narrow_row(from, count, to); });
}

}  // namespace

PairWriter::PairWriter(const SinusoidalSchedule& schedule)
    : sine_(schedule.sine),
      cosine_(schedule.cosine),
      paired_(std::min(schedule.sine.count, schedule.cosine.count)),
      regular_(lie_regularly(schedule.sine, schedule.cosine)),
      zeros_(zero_columns(schedule)) {}

template <class T>
PairColumns<T> PairWriter::columns(T* row, std::int64_t first, std::int64_t row_stride) const noexcept {
  return {row + sine_.start + first * sine_.stride, row + cosine_.start + first * cosine_.stride, sine_.stride,
          row_stride};
}

void PairWriter::turn(const AnchorTurn& turn, std::int64_t first, const Rows& rows) const noexcept {
  base::with_float_type(rows.dtype, [&](auto type) { turn_as<decltype(type)>(turn, first, rows); });
}

template <class T>
void PairWriter::turn_as(const AnchorTurn& turn, std::int64_t first, const Rows& rows) const noexcept {
  T* row = static_cast<T*>(rows.data);
  AnchorTurn paired = turn;
  paired.pairs = std::min(turn.pairs, paired_ - first);
  if (paired.pairs > 0) turn_columns(paired, columns(row, first, rows.stride), rows);
  if (paired.pairs == turn.pairs) return;
  // With an odd width, the last sine or cosine has no partner.
  const std::int64_t last = turn.pairs - 1;
  const bool is_sine = sine_.count > cosine_.count;
  const Columns& longer = is_sine ? sine_ : cosine_;
  row += longer.start + (longer.count - 1) * longer.stride;
  AnchorTurn alone{.anchor_sin = turn.anchor_sin + last,
                   .anchor_cos = turn.anchor_cos + last,
                   .anchor_stride = 0,
                   .offset_sin = turn.offset_sin + last,
                   .offset_cos = turn.offset_cos + last,
                   .pairs = 1,
                   .rows = 1};
  for (std::int64_t k = 0; k < turn.rows; ++k) {
    double sine[2], cosine[2];
    kernels::turn_both(alone, PairColumns<double>{sine, cosine, 1, 0}, 1, Stores::cached);
    row[k * rows.stride] = base::narrow<T>(is_sine ? sine[0] : cosine[0]);
    if (rows.to_back != 0) row[k * rows.stride + rows.to_back] = base::narrow<T>(is_sine ? sine[1] : cosine[1]);
    alone.anchor_sin += turn.anchor_stride;
    alone.anchor_cos += turn.anchor_stride;
  }
}

void PairWriter::place(const double* sine, const double* cosine, const View& row) const noexcept {
  write_zeros(row);
  base::with_float_type(row.dtype, [&](auto type) {
    using T = decltype(type);
    place_as(sine, cosine, row.as<T>());
  });
}

template <class T>
void PairWriter::place_as(const double* sine, const double* cosine, T* row) const noexcept {
  std::int64_t done = 0;
  for (; regular_ && done < paired_; done += std::min(kPairs, paired_ - done)) {
    place_columns(sine + done, cosine + done, std::min(kPairs, paired_ - done), columns(row, done, 0));
  }
  for (std::int64_t j = done; j < sine_.count; ++j) row[sine_.start + j * sine_.stride] = base::narrow<T>(sine[j]);
  for (std::int64_t j = done; j < cosine_.count; ++j)
    row[cosine_.start + j * cosine_.stride] = base::narrow<T>(cosine[j]);
}

void PairWriter::write_zeros(const View& row) const noexcept {
  if (zeros_.empty()) return;
  base::with_float_type(row.dtype, [&](auto type) {
    using T = decltype(type);
    for (const std::int64_t column : zeros_) row.as<T>()[column] = T{};
  });
}

}  // namespace posenc::rows
