#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/base/float_types.h"
#include "posenc/error.h"
#include "posenc/insight/analysis.h"
#include "posenc/phase.h"
#include "posenc/position.h"

namespace posenc {
namespace {

template <class T>
double rounded(double value) {
  return base::widen(base::narrow<T>(value));
}

// The result if position, frequency, product and result are each rounded to T.
template <class T>
SinCos coarse(double inv_freq, double position) {
  const double angle = rounded<T>(rounded<T>(position) * rounded<T>(inv_freq));
  return {rounded<T>(std::sin(angle)), rounded<T>(std::cos(angle))};
}

template <class T>
SinCos rounded_once(const SinCos& exact) {
  return {rounded<T>(exact.sin), rounded<T>(exact.cos)};
}

SinCos pipeline_values(Pipeline pipeline, double inv_freq, std::int64_t position, const SinCos& exact) {
  const auto at = static_cast<double>(position);
  switch (pipeline) {
    case Pipeline::f32:
      return coarse<float>(inv_freq, at);
    case Pipeline::bf16:
      return coarse<bf16>(inv_freq, at);
    case Pipeline::f16:
      return coarse<f16>(inv_freq, at);
    case Pipeline::bf16_table:
      return rounded_once<bf16>(exact);
    case Pipeline::posenc_f32:
      break;
  }
  return rounded_once<float>(exact);
}

// How far the float32 angle is from position * inv_freq: cosines and sines are off by no more, but for their rounding.
double angle_error_f32(double inv_freq, std::int64_t position) noexcept {
  const auto at = static_cast<double>(position);
  const float angle = static_cast<float>(position) * static_cast<float>(inv_freq);
  const double product = at * inv_freq;
  return std::fabs((static_cast<double>(angle) - product) - std::fma(at, inv_freq, -product));
}

std::int64_t first_of_pair(double inv_freq, std::int64_t end, double bound) {
  const double room = bound - 0x1p-24;  // the rounding of results
  // The product and the frequency are each rounded by at most half a unit, so smaller positions need not be tried.
  const double from = std::min(room / (std::fabs(inv_freq) * 0x1.01p-23), static_cast<double>(end));
  for (auto position = std::max<std::int64_t>(static_cast<std::int64_t>(from), 1); position < end; ++position) {
    if (angle_error_f32(inv_freq, position) < room) continue;
    if (pipeline_error(Pipeline::f32, inv_freq, position) > bound) return position;
  }
  return end;
}

}  // namespace

double pipeline_error(Pipeline pipeline, double inv_freq, std::int64_t position) {
  if (position > kMaxPosition || position < -kMaxPosition) {
    fail(ErrorKind::usage, "[pipeline_error] position must be within +-" + std::to_string(kMaxPosition) + " but got " +
                               std::to_string(position));
  }
  const SinCos exact = sin_cos(phase_at(make_phase_step(inv_freq), position));
  const SinCos found = pipeline_values(pipeline, inv_freq, position, exact);
  const double error = std::max(std::fabs(found.sin - exact.sin), std::fabs(found.cos - exact.cos));
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

std::optional<std::int64_t> first_beyond(Pipeline pipeline, double inv_freq, std::span<const std::int64_t> positions,
                                         double bound) {
  for (const std::int64_t position : positions) {
    if (pipeline_error(pipeline, inv_freq, position) > bound) return position;
  }
  return std::nullopt;
}

std::optional<std::int64_t> first_beyond_f32(std::span<const double> inv_freq, std::int64_t end, double bound) {
  constexpr std::int64_t kLast = std::int64_t{1} << 24;  // float32 holds whole numbers to here
  if (end < 1 || end > kLast) {
    fail(ErrorKind::usage, "[first_beyond_f32] end must be from 1 to 16777216 but got " + std::to_string(end));
  }
  if (!(bound >= 1e-6)) fail(ErrorKind::usage, "[first_beyond_f32] bound must be at least 1e-6");
  // Fast pairs exceed the bound first, which leaves fewer positions to try for the others.
  std::vector<double> sorted(inv_freq.begin(), inv_freq.end());
  std::sort(sorted.begin(), sorted.end(), [](double a, double b) { return std::fabs(a) > std::fabs(b); });
  std::int64_t first = end;
  for (const double frequency : sorted) {
    if (frequency != 0.0) first = first_of_pair(frequency, first, bound);
  }
  return first < end ? std::optional(first) : std::nullopt;
}

}  // namespace posenc
