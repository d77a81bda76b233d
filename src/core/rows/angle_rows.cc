#include "core/rows/angle_rows.h"

#include <algorithm>

#include "core/kernels/phase_row.h"
#include "core/kernels/sin_cos_row.h"
#include "core/kernels/turn_phases.h"

namespace posenc::rows {
namespace {

constexpr std::int64_t kBlock = 256;  // pairs whose phases fit on the stack

// Calls visit(first, count) for blocks of pairs, first to first + count - 1.
template <class Visit>
void for_each_block(std::int64_t first, std::int64_t count, const Visit& visit) noexcept {
  for (std::int64_t done = 0; done < count; done += kBlock) visit(first + done, std::min(kBlock, count - done));
}

}  // namespace

AngleRows::AngleRows(const std::vector<double>& inv_freq, double multiplier) : multiplier_(multiplier) {
  steps_.reserve(inv_freq.size());
  plain_steps_.reserve(inv_freq.size());
  for (const double one : inv_freq) {
    steps_.push_back(make_phase_step(one));
    plain_steps_.push_back(steps_.back().step);
    if (!numbers::is_plain(steps_.back())) other_pairs_.push_back(pairs() - 1);
  }
  offsets_.resize(static_cast<std::size_t>(3 * (kOffsets / 2 + 1) * row_stride()));
  for (std::int64_t offset = 0; offset <= kOffsets / 2; ++offset) {
    double* sine = offsets_.data() + 3 * offset * row_stride();
    double* negated = sine + row_stride();
    take_phases(offset, 1.0, sine, negated + row_stride());
    for (std::int64_t j = 0; j < pairs(); ++j) negated[j] = -sine[j];
  }
}

void AngleRows::phases_at(std::int64_t position, std::int64_t first, std::int64_t count,
                          std::uint64_t* phases) const noexcept {
  const std::uint64_t* steps = plain_steps_.data() + first;
  for (std::int64_t i = 0; i < count; ++i) phases[i] = static_cast<std::uint64_t>(position) * steps[i];
}

void AngleRows::phases_at(const numbers::SplitPosition& position, std::int64_t first, std::int64_t count,
                          std::uint64_t* phases) const noexcept {
  kernels::phase_row(plain_steps_.data() + first, count, {position.whole, position.fixed, position.fraction < 0.0},
                     phases);
  for (const std::int64_t pair : other_pairs_) {
    if (pair < first || pair >= first + count) continue;
    phases[pair - first] = numbers::phase_at(steps_[static_cast<std::size_t>(pair)], position);
  }
}

template <class T>
void AngleRows::at(std::int64_t position, std::int64_t first, std::int64_t count, T* sine, T* cosine) const noexcept {
  std::uint64_t phases[kBlock];
  for_each_block(first, count, [&](std::int64_t from, std::int64_t size) {
    phases_at(anchor_of(position), from, size, phases);
    const std::int64_t offset = offset_of(position);
    const kernels::PhaseTurn turn{phases, multiplier_, offset_sin(offset) + from, offset_cos(offset) + from, size};
    kernels::turn_phases(turn, sine + (from - first), cosine + (from - first));
  });
}

template <class T>
void AngleRows::at(const numbers::SplitPosition& position, std::int64_t first, std::int64_t count, T* sine,
                   T* cosine) const noexcept {
  if (position.fraction == 0.0) return at(position.whole, first, count, sine, cosine);
  std::uint64_t phases[kBlock];
  for_each_block(first, count, [&](std::int64_t from, std::int64_t size) {
    phases_at(position, from, size, phases);
    kernels::sin_cos_row(phases, size, multiplier_, sine + (from - first), cosine + (from - first));
  });
}

template <class T>
void AngleRows::at(double position, std::int64_t first, std::int64_t count, T* sine, T* cosine) const noexcept {
  at(numbers::split_position(position), first, count, sine, cosine);
}

void AngleRows::take_phases(std::int64_t position, double multiplier, double* sine, double* cosine) const noexcept {
  std::uint64_t phases[kBlock];
  for_each_block(0, pairs(), [&](std::int64_t first, std::int64_t count) {
    phases_at(position, first, count, phases);
    kernels::sin_cos_row(phases, count, multiplier, sine + first, cosine + first);
  });
}

void AngleRows::from_phase(std::int64_t position, double* sine, double* cosine) const noexcept {
  take_phases(position, multiplier_, sine, cosine);
}

template void AngleRows::at(std::int64_t, std::int64_t, std::int64_t, float*, float*) const noexcept;
template void AngleRows::at(std::int64_t, std::int64_t, std::int64_t, double*, double*) const noexcept;
template void AngleRows::at(double, std::int64_t, std::int64_t, float*, float*) const noexcept;
template void AngleRows::at(double, std::int64_t, std::int64_t, double*, double*) const noexcept;
template void AngleRows::at(const numbers::SplitPosition&, std::int64_t, std::int64_t, float*, float*) const noexcept;
template void AngleRows::at(const numbers::SplitPosition&, std::int64_t, std::int64_t, double*, double*) const noexcept;

}  // namespace posenc::rows
