// How well a candidate engine explains the observed numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace posenc::diagnosis {

struct Fit {
  double rms = std::numeric_limits<double>::infinity();    // of the differences, relative to the size of the numbers
  double largest = 0.0;                                    // absolute difference
  double largest_relative = 0.0;                           // relative to the size of the numbers around it
  double worst = std::numeric_limits<double>::infinity();  // difference, in units of the tolerance of the type
  double worst_f32 = std::numeric_limits<double>::infinity();  // the same, allowing for float32 angles
  bool even = false;                                           // whether differences are alike everywhere, like noise

  bool exact() const { return worst <= 1.0; }
  bool within_f32() const { return worst_f32 <= 1.0; }
};

// How much a number may differ.
struct Tolerance {
  double rounding = 0.0;        // of the type of the numbers, relative to their size
  double per_angle = 0.0;       // additionally with float32 angles, per radian of the whole angle
  double most_of_angles = 0.0;  // but at most this, beyond which anything would pass
};

// Accumulates comparisons.
class FitSum {
 public:
  // `band`, 0 to 15, is the region of the number, by position and channel.
  void add(double observed, double predicted, double size, double tolerance, double tolerance_f32, int band) {
    const double difference = std::abs(observed - predicted);
    const double relative = difference / size;
    sum_ += relative * relative;
    ++count_;
    largest_ = std::max(largest_, difference);
    largest_relative_ = std::max(largest_relative_, relative);
    worst_ = std::max(worst_, difference / tolerance);
    worst_f32_ = std::max(worst_f32_, difference / tolerance_f32);
    band_sum_[band] += relative * relative;
    ++band_count_[band];
  }
  // Whether the sum exceeds that of `count` comparisons with a root mean square of `rms`.
  bool beyond(double rms, double count) const { return sum_ > rms * rms * count; }
  Fit result() const;

 private:
  double sum_ = 0.0;
  std::int64_t count_ = 0;
  double largest_ = 0.0, largest_relative_ = 0.0, worst_ = 0.0, worst_f32_ = 0.0;
  double band_sum_[16] = {};
  std::int64_t band_count_[16] = {};
};

}  // namespace posenc::diagnosis
