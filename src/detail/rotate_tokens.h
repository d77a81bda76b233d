// Walks the tokens of one or two views of heads and turns each by the row that a provider has for it. Tokens outside,
// heads inside: a row of cosines and sines is used for all heads while it is near.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "detail/rotary_window.h"
#include "detail/rotate_checks.h"
#include "kernels/half_row.h"
#include "kernels/join_row.h"
#include "kernels/rotate_heads.h"
#include "posenc/position.h"
#include "posenc/schedule.h"
#include "posenc/view.h"
#include "posenc/workers.h"

namespace posenc::detail {

template <class T>
using Arithmetic = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Views and what their numbers are multiplied by: the window and the channels outside it.
struct TurnedHeads {
  HeadViews views;
  double window_scale = 1.0;
  double scale = 1.0;
};

// How pairs stand before and after, and which way they turn.
struct TurnRule {
  kernels::Pairing pairing;
  std::int64_t parts;
  bool negative;
};

template <class Real>
struct CosSin {
  const Real* cos;
  const Real* sin;
};

// Room for a row that is not in memory yet.
template <class Real>
struct RowScratch {
  Real cos[kMaxHeadDim / 2];
  Real sin[kMaxHeadDim / 2];
};

inline kernels::Pairing written_pairing(Layout layout) noexcept {
  return layout == Layout::interleaved ? kernels::Pairing::interleaved : kernels::Pairing::half;
}
inline std::int64_t parts_of(const RotarySchedule& schedule) noexcept {
  return schedule.layout == Layout::half_per_axis ? schedule.axes : 1;
}

// Channels outside the window: copied or scaled.
template <class T>
void pass_channels(const T* in, T* out, std::int64_t count, double scale) {
  if (count == 0 || (in == out && scale == 1.0)) return;
  if (scale == 1.0) {
    std::memcpy(out, in, static_cast<std::size_t>(count) * sizeof(T));
    return;
  }
  using Real = Arithmetic<T>;
  if constexpr (std::is_same_v<T, Real>) {
    kernels::scale_row(in, static_cast<Real>(scale), count, out);
  } else {
    constexpr std::int64_t kBlock = 256;
    float wide[kBlock];
    for (std::int64_t first = 0; first < count; first += kBlock) {
      const std::int64_t size = std::min(kBlock, count - first);
      kernels::widen_row(in + first, size, wide);
      kernels::scale_row(wide, static_cast<float>(scale), size, wide);
      kernels::narrow_row(wide, size, out + first);
    }
  }
}

// One view of heads of element type T, ready to be turned token by token.
template <class T>
class HeadTurner {
 public:
  using Real = Arithmetic<T>;

  HeadTurner(const TurnedHeads& heads, const TurnRule& rule, const RotarySchedule& schedule)
      : in_(heads.views.in),
        out_(heads.views.out),
        axis_(in_.rank == 4 ? 1u : 0u),
        head_dim_(schedule.head_dim),
        offset_(schedule.rope_offset),
        rotary_dim_(schedule.rotary_dim),
        scale_(heads.scale) {
    work_.in_stride = in_.strides[axis_ + 1];
    work_.out_stride = out_.strides[axis_ + 1];
    work_.heads = in_.shape[axis_ + 1];
    work_.parts = rule.parts;
    work_.pairs = schedule.pairs() / rule.parts;
    work_.pairing = rule.pairing;
    work_.negative = rule.negative;
    work_.scale = static_cast<Real>(heads.window_scale);
    passes_ = rotary_dim_ < head_dim_ && (in_.data != out_.data || scale_ != 1.0);
  }

  void turn(std::int64_t b, std::int64_t n, const CosSin<Real>& row) {
    const T* in = in_.as<const T>() + n * in_.strides[axis_] + (axis_ == 1 ? b * in_.strides[0] : 0);
    T* out = out_.as<T>() + n * out_.strides[axis_] + (axis_ == 1 ? b * out_.strides[0] : 0);
    if (passes_) pass(in, out);
    work_.in = in + offset_;
    work_.out = out + offset_;
    work_.cos = row.cos;
    work_.sin = row.sin;
    kernels::rotate_heads(work_);
  }

 private:
  void pass(const T* in, T* out) const {
    const std::int64_t end = offset_ + rotary_dim_;
    for (std::int64_t head = 0; head < work_.heads; ++head) {
      const T* from = in + head * work_.in_stride;
      T* to = out + head * work_.out_stride;
      pass_channels(from, to, offset_, scale_);
      pass_channels(from + end, to + end, head_dim_ - end, scale_);
    }
  }

  ConstView in_;
  View out_;
  std::size_t axis_;  // of the tokens
  std::int64_t head_dim_;
  std::int64_t offset_;
  std::int64_t rotary_dim_;
  double scale_;
  bool passes_;
  kernels::Heads<T, Real> work_;
};

// All that turn_tokens needs. `views` are one or two with the same tokens and dtype.
struct TurnJob {
  std::span<const TurnedHeads> views;
  TurnRule rule;
  const RotarySchedule& schedule;
  bool rows_by_batch;  // whether batch rows have positions of their own
  const Workers* workers;
};

// Tokens begin .. end, counted through the batch rows where they differ; else of every batch row.
template <class T, class Provider>
void turn_part(const TurnJob& job, Provider provider, std::int64_t begin, std::int64_t end) {
  using Real = Arithmetic<T>;
  RowScratch<Real> scratch;
  HeadTurner<T> first(job.views[0], job.rule, job.schedule);
  HeadTurner<T> second(job.views[job.views.size() - 1], job.rule, job.schedule);
  const bool both = job.views.size() > 1;
  const HeadGrid grid = grid_of_heads(job.views[0].views.in);
  for (std::int64_t unit = begin; unit < end; ++unit) {
    const std::int64_t n = job.rows_by_batch ? unit % grid.tokens : unit;
    const std::int64_t row_of_batch = job.rows_by_batch ? unit / grid.tokens : 0;
    const CosSin<Real> row = provider.row(row_of_batch, n, scratch);
    const std::int64_t last = job.rows_by_batch ? row_of_batch + 1 : grid.batch;
    for (std::int64_t b = row_of_batch; b < last; ++b) {
      first.turn(b, n, row);
      if (both) second.turn(b, n, row);
    }
  }
}

// Less than this is not worth waking a thread for.
inline constexpr std::int64_t kPartBytes = 128 * 1024;

// Provider is copied for every part: row(b, n, scratch) gives the cosines and sines of a token.
template <class T, class Provider>
void turn_tokens_of(const TurnJob& job, const Provider& provider) {
  const HeadGrid grid = grid_of_heads(job.views[0].views.in);
  const std::int64_t units = job.rows_by_batch ? grid.batch * grid.tokens : grid.tokens;
  if (!job.workers || job.workers->count() == 1) return turn_part<T>(job, provider, 0, units);
  std::int64_t bytes = 0;
  for (const TurnedHeads& heads : job.views) bytes += heads.views.in.size() * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t worth = std::max<std::int64_t>(1, bytes / kPartBytes);
  const std::int64_t parts = std::min({static_cast<std::int64_t>(job.workers->count()), units, worth});
  // One reference, so that std::function needs no memory for it.
  struct Split {
    const TurnJob& job;
    const Provider& provider;
    std::int64_t units;
    std::int64_t parts;
  } const split{job, provider, units, parts};
  job.workers->run(parts, [&split](std::int64_t part) {
    turn_part<T>(split.job, split.provider, split.units * part / split.parts, split.units * (part + 1) / split.parts);
  });
}

template <class Provider>
void turn_tokens(const TurnJob& job, const Provider& provider) {
  if (job.views[0].views.in.size() == 0 && job.views[job.views.size() - 1].views.in.size() == 0) return;
  with_float_type(job.views[0].views.in.dtype, [&](auto type) { turn_tokens_of<decltype(type)>(job, provider); });
}

}  // namespace posenc::detail
