#include <algorithm>
#include <cmath>
#include <limits>

#include "detail/float_types.h"
#include "posenc/analysis.h"
#include "posenc/error.h"
#include "posenc/phase.h"
#include "posenc/position.h"

namespace posenc {
namespace {

template <class T>
double rounded(double value) {
  return detail::widen(detail::narrow<T>(value));
}

// Position, frequency, product and result, each rounded to T.
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

}  // namespace posenc
