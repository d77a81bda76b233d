#include "posenc/learned.h"

#include <algorithm>
#include <cmath>

#include "core/base/refuse.h"
#include "core/rows/learned_read.h"

namespace posenc {
namespace {

bool stretches(const Learned& spec, std::int64_t count) {
  return spec.past_end == PastEnd::interpolate && spec.length && *spec.length > count;
}

RowRead stretched(const Learned& spec, std::int64_t count, double position) {
  const double ratio = static_cast<double>(count) / static_cast<double>(*spec.length);
  const double place = std::clamp((position + 0.5) * ratio - 0.5, 0.0, static_cast<double>(count - 1));
  const double below = std::floor(place);
  const std::int64_t row = spec.first + static_cast<std::int64_t>(below);
  const double share = place - below;
  return {row, share > 0.0 ? row + 1 : row, share};
}

}  // namespace

std::int64_t positions_of(const Learned& spec, std::int64_t rows) {
  return std::max<std::int64_t>(rows - spec.first, 0);
}

std::string rows::read_refusal(const Learned& spec, std::int64_t rows, double position) {
  const std::int64_t count = positions_of(spec, rows);
  if (!(position >= 0.0)) {  // NaN too
    return "must not be negative: the first row is for position 0 (give pads an id of at least 0)";
  }
  if (count < 1) {
    return "has no row: the table has " + std::to_string(rows) + " rows and first is " + std::to_string(spec.first);
  }
  const bool stretch = stretches(spec, count);
  if (stretch) {
    if (position <= static_cast<double>(*spec.length - 1)) return {};
    return "is past the end of the stretched table, which has " + std::to_string(*spec.length) + " positions";
  }
  if (position != std::floor(position)) return "must be a whole number because it selects a row of the table";
  if (position <= static_cast<double>(count - 1) || spec.past_end == PastEnd::clamp) return {};
  const std::string offset = " (" + std::to_string(rows) + " rows, first=" + std::to_string(spec.first) + ")";
  return "is past the end of the table, which has " + std::to_string(count) + " positions" +
         (spec.first > 0 ? offset : "") + "; past_end=clamp would read the last row";
}

RowRead rows::read_of(const Learned& spec, std::int64_t rows, double position) noexcept {
  const std::int64_t count = positions_of(spec, rows);
  if (stretches(spec, count)) return stretched(spec, count, position);
  // std::min comes before the cast: a position beyond the table may be too large for an integer.
  const double place = std::min(position, static_cast<double>(count - 1));
  const std::int64_t row = spec.first + static_cast<std::int64_t>(place);
  return {row, row, 0.0};
}

RowRead row_read(const Learned& spec, std::int64_t rows, double position) {
  validate(spec);
  const std::string refusal = rows::read_refusal(spec, rows, position);
  base::require_input(refusal.empty(), "row_read", "position ", position, " ", refusal);
  return rows::read_of(spec, rows, position);
}

}  // namespace posenc
