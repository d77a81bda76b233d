#include "core/rows/rotary_rows.h"

#include <cmath>
#include <cstddef>
#include <string>

#include "core/base/refuse.h"
#include "core/kernels/sin_cos_row.h"
#include "core/numbers/sin_cos.h"
#include "core/spec/rotary_window.h"

namespace posenc::rows {
namespace {

// A frequency of this size times the largest position, summed over 8 axes, still fits in a float32.
constexpr double kLargestRounded = 0x1p90;

// A schedule is plain data that anyone can fill in. Heads are written through its window, so it must be in bounds.
const RotarySchedule& checked(const RotarySchedule& s) {
  const auto refuse = [](std::string_view message) {
    base::refuse("RotaryAngles", "the schedule's ", message, ": use make_schedule");
  };
  if (s.head_dim < 2 || s.head_dim > spec::kMaxHeadDim) refuse("head_dim must be 2 to 8192");
  if (s.rotary_dim < 2 || s.rotary_dim % 2 != 0 || s.rotary_dim > s.head_dim) {
    refuse("rotary_dim must be even, from 2 to head_dim");
  }
  if (s.first_channel < 0 || s.first_channel > s.head_dim - s.rotary_dim) refuse("window must be inside the head");
  if (s.axes < 1 || s.axes > 8) refuse("axes must be 1 to 8");
  if (s.layout < Layout::half || s.layout > Layout::interleaved_pairs_with_halves_tiling_per_axis) {
    refuse("layout must be one of Layout");
  }
  if (!is_rotation(s.layout) && s.axes == 1) refuse("layout must be a rotation if there is only one axis");
  if (s.attention_factor_in < FactorIn::table || s.attention_factor_in > FactorIn::softmax) {
    refuse("attention_factor_in must be one of FactorIn");
  }
  if (s.precision < Precision::exact || s.precision > Precision::reference) {
    refuse("precision must be one of Precision");
  }
  if (static_cast<std::int64_t>(s.inv_freq.size()) != s.axes * s.columns()) {
    refuse("inv_freq must have one number per axis and pair (per channel if the layout is not a rotation)");
  }
  if (s.layout == Layout::half_per_axis && s.pairs() % s.axes != 0) refuse("window must have one part per axis");
  if (!(s.attention_factor >= 1e-9 && s.attention_factor <= 1e9)) {
    refuse("attention_factor must be from 1e-9 to 1e9");
  }
  for (const double frequency : s.inv_freq) {
    if (!std::isfinite(frequency)) refuse("inv_freq must be finite");
    base::require_input(s.precision != Precision::reference || std::fabs(frequency) <= kLargestRounded, "rotary",
                        "with precision=reference frequencies must be at most 1.2e27 but got ", frequency);
  }
  return s;
}

std::vector<PhaseStep> steps_of(const std::vector<double>& inv_freq) {
  std::vector<PhaseStep> steps;
  steps.reserve(inv_freq.size());
  for (const double frequency : inv_freq) steps.push_back(make_phase_step(frequency));
  return steps;
}

RotaryRows::OwnAxes own_axes_of(const RotarySchedule& s) {
  RotaryRows::OwnAxes own;
  for (std::int64_t pair = 0; pair < s.columns(); ++pair) {
    std::int64_t axis = -1;
    for (std::int64_t a = 0; a < s.axes; ++a) {
      if (s.inv_freq[static_cast<std::size_t>(a * s.columns() + pair)] == 0.0) continue;
      if (axis >= 0) return {};
      axis = a;
    }
    // A pair with frequency 0 joins its neighbours, because any axis gives it the same angle.
    if (axis < 0) axis = own.runs.empty() ? 0 : own.runs.back().axis;
    if (own.runs.empty() || own.runs.back().axis != axis) own.runs.push_back({axis, pair, 0});
    ++own.runs.back().count;
    own.inv_freq.push_back(s.inv_freq[static_cast<std::size_t>(axis * s.columns() + pair)]);
  }
  return own;
}

// The sine and cosine of a float32 angle, correctly rounded, multiplied by the factor as in a float32 tensor.
SinCos rounded_sin_cos(float angle, double factor) {
  SinCos exact = numbers::sin_cos_of(make_phase_step(static_cast<double>(angle)).step);
  // A phase is exact to 2^-64 of a turn, which is too coarse for the sine of a small angle.
  if (std::fabs(angle) < 0x1p-10f) {
    const double x = static_cast<double>(angle);
    exact.sin = x - x * x * x * (1.0 / 6.0 - x * x / 120.0);
  }
  const float narrow = static_cast<float>(factor);
  return {static_cast<double>(static_cast<float>(exact.sin) * narrow),
          static_cast<double>(static_cast<float>(exact.cos) * narrow)};
}

std::uint64_t phase_of(const PhaseStep& step, const PositionView& p, std::int64_t b, std::int64_t n, std::int64_t a) {
  if (p.integral()) return posenc::phase_at(step, p.integer(b, n, a));
  return posenc::phase_at(step, p.real(b, n, a));
}

float rounded_position(const PositionView& p, std::int64_t b, std::int64_t n, std::int64_t a) {
  return p.integral() ? static_cast<float>(p.integer(b, n, a)) : static_cast<float>(p.real(b, n, a));
}

}  // namespace

RotaryRows::RotaryRows(const RotarySchedule& schedule)
    : schedule_(checked(schedule)),
      own_axes_(own_axes_of(schedule_)),
      own_(own_axes_.inv_freq, schedule_.table_factor()),
      steps_(steps_of(schedule_.inv_freq)) {}

// Rounds every product and every sum to float32, as code with float32 tensors does.
float RotaryRows::rounded_angle(const PositionView& positions, std::int64_t b, std::int64_t n,
                                std::int64_t pair) const noexcept {
  float angle = 0.0f;
  for (std::int64_t a = 0; a < schedule_.axes; ++a) {
    const double frequency = schedule_.inv_freq[static_cast<std::size_t>(a * schedule_.columns() + pair)];
    const float product = rounded_position(positions, b, n, a) * static_cast<float>(frequency);
    angle = a == 0 ? product : angle + product;
  }
  return angle;
}

template <class T>
void RotaryRows::at(const PositionView& positions, std::int64_t b, std::int64_t n, T* cos, T* sin) const noexcept {
  const std::int64_t pairs = schedule_.columns();
  if (schedule_.precision == Precision::reference) {
    for (std::int64_t i = 0; i < pairs; ++i) {
      const SinCos value = rounded_sin_cos(rounded_angle(positions, b, n, i), schedule_.table_factor());
      cos[i] = static_cast<T>(value.cos);
      sin[i] = static_cast<T>(value.sin);
    }
    return;
  }
  for (const Run& run : own_axes_.runs) {
    if (positions.integral()) {
      own_.at(positions.integer(b, n, run.axis), run.first, run.count, sin + run.first, cos + run.first);
    } else {
      own_.at(positions.real(b, n, run.axis), run.first, run.count, sin + run.first, cos + run.first);
    }
  }
  if (one_axis_per_pair()) return;
  std::uint64_t sums[spec::kMaxHeadDim];
  phases(positions, b, n, sums);
  kernels::sin_cos_row(sums, pairs, schedule_.table_factor(), sin, cos);
}

template <class T>
void RotaryRows::at(std::int64_t position, T* cos, T* sin) const noexcept {
  PositionView everywhere = PositionView::of(&position, 1);
  everywhere.axes = schedule_.axes;
  everywhere.axis_stride = 0;
  at(everywhere, 0, 0, cos, sin);
}

void RotaryRows::phases(const PositionView& positions, std::int64_t b, std::int64_t n,
                        std::uint64_t* phases) const noexcept {
  const std::int64_t pairs = schedule_.columns();
  for (std::int64_t i = 0; i < pairs; ++i) {
    if (schedule_.precision == Precision::reference) {
      phases[i] = make_phase_step(static_cast<double>(rounded_angle(positions, b, n, i))).step;
      continue;
    }
    phases[i] = 0;
    for (std::int64_t a = 0; a < schedule_.axes; ++a) {
      phases[i] += phase_of(steps_[static_cast<std::size_t>(a * pairs + i)], positions, b, n, a);
    }
  }
}

template void RotaryRows::at(const PositionView&, std::int64_t, std::int64_t, float*, float*) const noexcept;
template void RotaryRows::at(const PositionView&, std::int64_t, std::int64_t, double*, double*) const noexcept;
template void RotaryRows::at(std::int64_t, float*, float*) const noexcept;
template void RotaryRows::at(std::int64_t, double*, double*) const noexcept;

}  // namespace posenc::rows
