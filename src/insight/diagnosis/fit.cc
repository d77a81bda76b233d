#include "insight/diagnosis/fit.h"

#include <algorithm>
#include <cmath>

namespace posenc::diagnosis {

void FitSum::add(double observed, double predicted, double size, double tolerance, double tolerance_f32, int band) {
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

Fit FitSum::result() const {
  Fit fit;
  if (count_ == 0) return fit;
  fit.rms = std::sqrt(sum_ / static_cast<double>(count_));
  fit.largest = largest_;
  fit.largest_relative = largest_relative_;
  fit.worst = worst_;
  fit.worst_f32 = worst_f32_;
  double low = fit.rms, high = 0.0;
  int bands = 0;
  for (int b = 0; b < 16; ++b) {
    if (band_count_[b] < 4) continue;
    const double rms = std::sqrt(band_sum_[b] / static_cast<double>(band_count_[b]));
    low = std::min(low, rms);
    high = std::max(high, rms);
    ++bands;
  }
  fit.even = bands >= 4 && low > 0.4 * fit.rms && high < 2.5 * fit.rms && largest_relative_ < 7.0 * fit.rms;
  return fit;
}

}  // namespace posenc::diagnosis
