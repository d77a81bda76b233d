// Measures angles and magnitudes in the numbers, and derives frequencies and positions from them.
#pragma once

#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "insight/diagnosis/numbers.h"

namespace posenc::diagnosis {

// The measured angles of tokens and columns.
struct Measured {
  std::vector<std::int64_t> tokens;  // which tokens were measured
  std::int64_t columns = 0;
  std::vector<double> angle;      // [tokens][columns], -pi to pi; NaN if it cannot be measured
  std::vector<double> magnitude;  // likewise
  double noise = 0.0;             // of an angle, radians

  double at(std::size_t t, std::int64_t column) const {
    return angle[t * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)];
  }
};

// A frequency that explains the angles of a column.
struct Frequency {
  double value = 0.0;
  double error = 0.0;      // radians per position; infinite if unknown
  double turn = INFINITY;  // adding multiples of this gives the same angles: a whole turn between the nearest tokens
};
// The frequency of each column. Starts with the nearest tokens, assuming less than half a turn between them, and goes
// on to distant ones. Positions have one axis.
std::vector<Frequency> measured_frequencies(const Measured& measured, const Ids& ids);

// The magnitude that most numbers have; none if they differ.
std::optional<double> common_magnitude(const Measured& measured, double tolerance);

// The positions from `first` to `end` - 1, sorted by their angle at a frequency.
class AngleBins {
 public:
  AngleBins(double frequency, std::int64_t first, std::int64_t end);

  static constexpr std::int64_t kCount = 2048;
  static std::int64_t bin_of(double angle);
  bool is(double frequency, std::int64_t first, std::int64_t end) const {
    return frequency_ == frequency && first_ == first && end_ == end;
  }
  template <class Do>
  void each(std::int64_t bin, Do&& take) const {
    const auto b = static_cast<std::size_t>(bin);
    for (std::size_t i = starts_[b]; i < starts_[b + 1]; ++i) take(first_ + std::int64_t{offsets_[i]});
  }

 private:
  double frequency_;
  std::int64_t first_, end_;
  std::vector<std::size_t> starts_;     // [kCount + 1]
  std::vector<std::uint32_t> offsets_;  // of positions relative to the first, bin by bin
};

// Keeps the bins that were made last, because nearly all candidate engines have the same fastest frequency.
class KnownBins {
 public:
  const AngleBins& of(double frequency, std::int64_t first, std::int64_t end);

 private:
  std::deque<AngleBins> bins_;
};

// For each token, the integer position at which the columns would have the measured angles; none if no position from
// `first` to `end` - 1 fits within the tolerance.
struct DecodeOptions {
  std::int64_t first = 0;
  std::int64_t end = 0;
  double tolerance = 1e-3;  // radians, of the mean over columns
};
std::vector<std::optional<std::int64_t>> decoded_positions(const Measured& measured,
                                                           const std::vector<double>& inv_freq,
                                                           const DecodeOptions& options, KnownBins& known);

// The integer offset that all tokens share: `expected` are the angles at their given positions, [tokens][columns]. None
// if no offset up to `far` fits.
std::optional<std::int64_t> common_shift(const Measured& measured, const std::vector<double>& expected,
                                         const std::vector<double>& inv_freq, std::int64_t far, KnownBins& known);

// The number in [low, high] with the smallest cost: scans at even steps of the logarithm, then refines the best; none
// if its cost is not `promising`.
struct Range {
  double low = 0.0;
  double high = 0.0;
  double promising = 1e300;
};
std::optional<double> smallest(const std::function<double(double)>& cost, const Range& range);

// The nearest round number (10000, 0.25, 1e6), if it is near enough.
double plain_number(double value, double tolerance);

}  // namespace posenc::diagnosis
