// The structure of rows of a sinusoidal schedule: which channel belongs to which pair, and the matrix of a shift.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "posenc/phase.h"
#include "posenc/schedule.h"

namespace posenc::properties {

// Whether every sine has its cosine: an odd width leaves one without.
inline bool has_partners(const SinusoidalSchedule& schedule) { return schedule.sine.count == schedule.cosine.count; }

inline bool is_zero_row(const SinusoidalSchedule& schedule, double position) {
  return schedule.zero_position &&
         position + static_cast<double>(schedule.first) == static_cast<double>(*schedule.zero_position);
}

inline std::int64_t channel_at(const Columns& columns, std::int64_t pair) {
  return columns.start + pair * columns.stride;
}
// The pair of a channel, if the channel is among these columns.
inline std::optional<std::int64_t> pair_at(const Columns& columns, std::int64_t channel) {
  const std::int64_t offset = channel - columns.start;
  if (offset < 0 || offset % columns.stride != 0 || offset / columns.stride >= columns.count) return std::nullopt;
  return offset / columns.stride;
}

// M_k as the cosine and sine of every pair, and the error of the row that it predicts.
class Shift {
 public:
  Shift(const SinusoidalSchedule& schedule, double k) : schedule_(schedule) {
    for (const double frequency : schedule.inv_freq) turns_.push_back(sin_cos(phase_at(make_phase_step(frequency), k)));
  }

  double residual(const double* row, const double* shifted) const {
    double largest = 0.0;
    for (std::int64_t j = 0; j < schedule_.sine.count; ++j) {
      const std::int64_t sine = channel_at(schedule_.sine, j), cosine = channel_at(schedule_.cosine, j);
      const SinCos& turn = turns_[static_cast<std::size_t>(j)];
      const double sine_off = shifted[sine] - (turn.cos * row[sine] + turn.sin * row[cosine]);
      const double cosine_off = shifted[cosine] - (turn.cos * row[cosine] - turn.sin * row[sine]);
      largest = std::max({largest, std::fabs(sine_off), std::fabs(cosine_off)});
    }
    return largest;
  }

 private:
  const SinusoidalSchedule& schedule_;
  std::vector<SinCos> turns_;
};

}  // namespace posenc::properties
