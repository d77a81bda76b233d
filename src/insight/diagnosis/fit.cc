#include "insight/diagnosis/fit.h"

#include <algorithm>
#include <cmath>

namespace posenc::diagnosis {

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
