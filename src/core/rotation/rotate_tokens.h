// Loops over the tokens of one or two views of heads and rotates each token by the row that a provider has for it.
// Tokens are the outer loop and heads the inner one, so that a row of cosines and sines is used for all heads while in
// cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "core/kernels/half_row.h"
#include "core/kernels/join_row.h"
#include "core/kernels/rotate_heads.h"
#include "core/rotation/rotate_checks.h"
#include "core/spec/rotary_window.h"
#include "posenc/position.h"
#include "posenc/schedule.h"
#include "posenc/view.h"
#include "posenc/workers.h"

namespace posenc::rotation {

template <class T>
using Arithmetic = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Views, and the factors on the window and on the channels outside it.
struct TurnedHeads {
  const HeadViews& views;
  double window_scale = 1.0;
  double scale = 1.0;
};

// How pairs are arranged before and after, and the direction of rotation.
struct TurnRule {
  kernels::Pairing pairing;
  std::int64_t parts;
  bool negative;
  bool stepwise;  // round every product and sum
};

// Memory for a row that must be computed: the cosines of all pairs, then their sines.
template <class Real>
struct RowScratch {
  Real values[spec::kMaxHeadDim];
};

inline kernels::Pairing written_pairing(Layout layout) noexcept {
  return layout == Layout::interleaved ? kernels::Pairing::interleaved : kernels::Pairing::half;
}
inline std::int64_t parts_of(const RotarySchedule& schedule) noexcept {
  return schedule.layout == Layout::half_per_axis ? schedule.axes : 1;
}

// Copies or scales the channels outside the window.
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

// The size of the cache in which data are assumed to stay between two operations.
inline constexpr std::int64_t kCacheBytes = 12 << 20;

// One view of heads of element type T, ready to be rotated token by token.
template <class T>
class HeadTurner {
 public:
  using Real = Arithmetic<T>;

  HeadTurner(const TurnedHeads& heads, const TurnRule& rule, const RotarySchedule& schedule)
      : in_(heads.views.in), out_(heads.views.out), scale_(heads.scale), schedule_(schedule) {
    const std::size_t axis = heads.views.in.rank == 4 ? 1 : 0;  // the axis of tokens
    work_.in_token = in_.strides[axis];
    work_.out_token = out_.strides[axis];
    work_.heads = in_.shape[axis + 1];
    work_.in_head = in_.strides[axis + 1];
    work_.out_head = out_.strides[axis + 1];
    work_.parts = rule.parts;
    work_.pairs = rule.parts == 1 ? schedule.pairs() : schedule.pairs() / rule.parts;  // a division takes 5 ns
    work_.pairing = rule.pairing;
    work_.negative = rule.negative;
    work_.stepwise = rule.stepwise;
    work_.near = in_.size() * static_cast<std::int64_t>(sizeof(T)) <= kCacheBytes;
    work_.scale = static_cast<Real>(heads.window_scale);
    passes_ = schedule.rotary_dim < schedule.head_dim && (in_.data != out_.data || scale_ != 1.0);
  }

  // Rotates tokens n to n + rows.size() - 1 of batch row b.
  void turn(std::int64_t b, std::int64_t n, std::span<const Real*> rows) {
    const T* in = token<const T>(in_, b, n);
    T* out = token<T>(out_, b, n);
    work_.tokens = static_cast<std::int64_t>(rows.size());
    for (std::int64_t t = 0; passes_ && t < work_.tokens; ++t) pass(in + t * work_.in_token, out + t * work_.out_token);
    work_.in = in + schedule_.first_channel;
    work_.out = out + schedule_.first_channel;
    work_.rows = rows.data();
    kernels::rotate_heads(work_);
  }

 private:
  template <class Element, class AnyView>
  static Element* token(const AnyView& view, std::int64_t b, std::int64_t n) {
    auto* data = view.template as<Element>();
    return view.rank == 4 ? data + b * view.strides[0] + n * view.strides[1] : data + n * view.strides[0];
  }

  void pass(const T* in, T* out) const {
    const std::int64_t end = schedule_.first_channel + schedule_.rotary_dim;
    for (std::int64_t head = 0; head < work_.heads; ++head) {
      const T* from = in + head * work_.in_head;
      T* to = out + head * work_.out_head;
      pass_channels(from, to, schedule_.first_channel, scale_);
      pass_channels(from + end, to + end, schedule_.head_dim - end, scale_);
    }
  }

  const ConstView& in_;
  const View& out_;
  double scale_;
  const RotarySchedule& schedule_;
  bool passes_;
  kernels::Heads<T, Real> work_;
};

// The arguments of turn_tokens. `views` are one or two with the same tokens and dtype.
struct TurnJob {
  std::span<const TurnedHeads> views;
  const TurnRule& rule;
  const RotarySchedule& schedule;
  bool rows_by_batch;  // whether each batch row has its own positions
  const Workers* workers;
};

// The number of rows looked up at a time; rows that must be computed are computed one by one.
inline constexpr std::int64_t kRowsAtOnce = 16;

// A run of tokens: of one batch row with its own positions, or of all batch rows with shared positions.
struct TokenRun {
  std::int64_t batch_row;
  std::int64_t last_row;  // of the batch; excluded
  std::int64_t first;
  std::int64_t count;
};

// Returns the tokens from `unit` up to `end` - 1, but at most `most`. If batch rows have their own positions, units
// number the tokens of all batch rows.
inline TokenRun run_at(const TurnJob& job, const HeadGrid& grid, std::int64_t unit, std::int64_t end,
                       std::int64_t most) {
  const std::int64_t batch_row = job.rows_by_batch ? unit / grid.tokens : 0;
  const std::int64_t first = unit - batch_row * grid.tokens;
  return {batch_row, job.rows_by_batch ? batch_row + 1 : grid.batch, first,
          std::min({most, end - unit, grid.tokens - first})};
}

// For rows that are already in memory.
template <class T, class Provider, class Turn>
void turn_found(const TurnJob& job, const Provider& provider, std::int64_t begin, std::int64_t end, const Turn& turn) {
  const Arithmetic<T>* rows[kRowsAtOnce];
  const HeadGrid grid = grid_of_heads(job.views[0].views.in);
  for (std::int64_t unit = begin; unit < end;) {
    const TokenRun run = run_at(job, grid, unit, end, kRowsAtOnce);
    const std::span found(rows, static_cast<std::size_t>(run.count));
    provider.find(run.batch_row, run.first, found);
    for (std::int64_t b = run.batch_row; b < run.last_row; ++b) turn(b, run.first, found);
    unit += run.count;
  }
}

// For rows that are computed before each use.
template <class T, class Provider, class Turn>
[[gnu::noinline]] void turn_made(const TurnJob& job, Provider& provider, std::int64_t begin, std::int64_t end,
                                 const Turn& turn) {
  RowScratch<Arithmetic<T>> scratch;
  const HeadGrid grid = grid_of_heads(job.views[0].views.in);
  for (std::int64_t unit = begin; unit < end; ++unit) {
    const TokenRun run = run_at(job, grid, unit, end, 1);
    const Arithmetic<T>* made = provider.row(run.batch_row, run.first, scratch);
    for (std::int64_t b = run.batch_row; b < run.last_row; ++b) turn(b, run.first, std::span(&made, 1));
  }
}

template <class T, class Provider, class Turn>
void each_token(const TurnJob& job, Provider& provider, std::int64_t begin, std::int64_t end, const Turn& turn) {
  if (provider.template in_memory<Arithmetic<T>>()) return turn_found<T>(job, provider, begin, end, turn);
  turn_made<T>(job, provider, begin, end, turn);
}

template <class T, class Provider>
void turn_part(const TurnJob& job, const Provider& shared, std::int64_t begin, std::int64_t end) {
  typename Provider::Own provider = shared;
  HeadTurner<T> first(job.views[0], job.rule, job.schedule);
  if (job.views.size() == 1) {
    return each_token<T>(job, provider, begin, end, [&](auto b, auto n, auto rows) { first.turn(b, n, rows); });
  }
  HeadTurner<T> second(job.views[1], job.rule, job.schedule);
  each_token<T>(job, provider, begin, end, [&](auto b, auto n, auto rows) {
    first.turn(b, n, rows);
    second.turn(b, n, rows);
  });
}

// A base for providers whose rows are never in memory.
struct MadeRows {
  template <class Real>
  bool in_memory() const {
    return false;
  }
  template <class Real>
  void find(std::int64_t, std::int64_t, std::span<const Real*>) const {}
};

// Parts smaller than this are not worth waking a thread for.
inline constexpr std::int64_t kPartBytes = 128 * 1024;

// Every part makes a Provider::Own. If its rows are in_memory, find() looks up those of several tokens at once;
// otherwise row() computes one row in the scratch memory.
template <class T, class Provider>
void turn_tokens_of(const TurnJob& job, const Provider& provider) {
  const HeadGrid grid = grid_of_heads(job.views[0].views.in);
  const std::int64_t units = job.rows_by_batch ? grid.batch * grid.tokens : grid.tokens;
  if (!job.workers || job.workers->count() == 1) return turn_part<T>(job, provider, 0, units);
  std::int64_t bytes = 0;
  for (const TurnedHeads& heads : job.views) bytes += heads.views.in.size() * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t worth = std::max<std::int64_t>(1, bytes / kPartBytes);
  const std::int64_t parts = std::min({static_cast<std::int64_t>(job.workers->count()), units, worth});
  // A single reference, so that std::function does not allocate.
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
  base::with_float_type(job.views[0].views.in.dtype, [&](auto type) { turn_tokens_of<decltype(type)>(job, provider); });
}

}  // namespace posenc::rotation
