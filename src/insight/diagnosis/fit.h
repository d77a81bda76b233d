// How well an engine, as it may be, makes the numbers that were seen.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace posenc::diagnosis {

struct Fit {
  double rms = std::numeric_limits<double>::infinity();    // of the differences, relative to the size of the numbers
  double largest = 0.0;                                    // difference, absolute
  double largest_relative = 0.0;                           // relative to the size of the numbers around it
  double worst = std::numeric_limits<double>::infinity();  // difference, in tolerances of the type
  double worst_f32 = std::numeric_limits<double>::infinity();  // the same where angles may be those of float32
  bool even = false;                                           // whether differences are alike everywhere, as noise is

  bool exact() const { return worst <= 1.0; }
  bool within_f32() const { return worst_f32 <= 1.0; }
};

// What a number may differ by.
struct Tolerance {
  double rounding = 0.0;        // by the type of the numbers, relative to their size
  double per_angle = 0.0;       // beside it with float32 angles, per radian of the whole angle
  double most_of_angles = 0.0;  // but at most this: beyond it anything would pass
};

// One comparison after the other.
class FitSum {
 public:
  // `band` tells parts of the numbers apart, 0 to 15: by position and by channel.
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
  // Whether the sum is beyond what `count` comparisons with a root mean square of `rms` have.
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
