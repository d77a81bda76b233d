#include "posenc/query_temperature.h"

#include <cmath>
#include <string>

#include "core/base/float_types.h"
#include "core/base/refuse.h"
#include "core/rotation/pope_call.h"
#include "core/rotation/rotate_checks.h"
#include "core/rows/convert_row.h"

namespace posenc {
namespace {

constexpr const char* kWhere = "scale_queries";

double factor_at(const QueryTemperature& temperature, double position) {
  const double count = position + static_cast<double>(temperature.first);
  const auto length = static_cast<double>(temperature.length);
  base::require_input(count >= 0.0, "temperature", "positions must be at least ", -temperature.first, " but got ",
                      position);
  if (temperature.form == TemperatureForm::power) return std::exp(temperature.scale * std::log1p(count / length));
  return 1.0 + temperature.scale * std::log1p(std::floor(count / length));
}

void check(const rotation::HeadViews& views, const PositionView& positions) {
  rotation::check_heads(views, "D", kWhere);
  const rotation::HeadGrid grid = rotation::grid_of_heads(views.in);
  if (positions.axes != 1 || positions.count != grid.tokens ||
      (positions.batch != 1 && positions.batch != grid.batch)) {
    base::refuse(kWhere, "positions must be one per token of ", shape_text(views.in), ", on one axis, but are [",
                 positions.batch, ", ", positions.count, ", ", positions.axes, "]");
  }
  check_positions(positions, kWhere);
  base::check_apart({views.out_name, views.out}, positions, kWhere);
}

// Computed in the arithmetic of the view (float32 for 16-bit data) and rounded once.
template <class T>
void scale_token(const ConstView& in, const View& out, double factor) {
  using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const auto narrow_factor = static_cast<Real>(factor);
  for (std::int64_t h = 0; h < in.shape[0]; ++h) {
    const T* from = in[h].as<T>();
    T* to = out[h].as<T>();
    for (std::int64_t c = 0; c < in.shape[1]; ++c) {
      to[c] = base::narrow<T>(static_cast<double>(static_cast<Real>(base::widen(from[c])) * narrow_factor));
    }
  }
}

}  // namespace

double query_factor(const QueryTemperature& temperature, double position) {
  validate(temperature);
  check_positions(PositionView::of(&position, 1), "query_factor");
  return factor_at(temperature, position);
}

void scale_queries(const ConstView& q, const PositionView& positions, const QueryTemperature& temperature,
                   const View& out, const ScaleQueriesOptions& options) {
  validate(temperature);
  check({q, out, "q", "out"}, positions);
  std::vector<double> factors;  // all are computed before any write, because a position may be refused
  for (std::int64_t b = 0; b < positions.batch; ++b) {
    for (std::int64_t n = 0; n < positions.count; ++n) factors.push_back(factor_at(temperature, positions.real(b, n)));
  }
  if (q.size() == 0) return;
  const ConstView from = base::with_axes(q, 4);
  const View to = base::with_axes(out, 4);
  run_parts(options.workers, from.shape[1], [&](std::int64_t n) {
    for (std::int64_t b = 0; b < from.shape[0]; ++b) {
      const std::int64_t row = positions.batch == 1 ? 0 : b;
      const double factor = factors[static_cast<std::size_t>(row * positions.count + n)];
      base::with_float_type(from.dtype, [&](auto type) { scale_token<decltype(type)>(from[b][n], to[b][n], factor); });
    }
  });
}

}  // namespace posenc
