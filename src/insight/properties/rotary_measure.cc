#include "insight/properties/rotary_measure.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/float_types.h"
#include "core/text/number_text.h"
#include "insight/properties/lists.h"
#include "insight/properties/property.h"
#include "insight/properties/sample.h"
#include "posenc/error.h"
#include "posenc/insight/analysis.h"
#include "posenc/rotary_table.h"
#include "posenc/rotate.h"

namespace posenc::properties {
namespace {

constexpr std::int64_t kPlaces = 17;
using Vector = std::vector<double>;
using AxisPosition = std::vector<double>;  // a number per axis

double length(const Vector& x) { return std::sqrt(dot(x, x)); }

Vector unit_vector(std::int64_t width, std::uint64_t seed) {
  Vector x = normal_numbers(1, width, 1.0, seed);
  const double size = length(x);
  for (double& value : x) value /= size;
  return x;
}

PositionView view_of(const AxisPosition& place) { return places_view(place, static_cast<std::int64_t>(place.size())); }

Vector turned(Vector x, const AxisPosition& place, const RotaryAngles& angles) {
  const auto width = static_cast<std::int64_t>(x.size());
  rotate(make_view(x.data(), {1, 1, width}), view_of(place), angles);
  return x;
}

Vector turned_back(Vector x, const AxisPosition& place, const RotaryAngles& angles) {
  const auto width = static_cast<std::int64_t>(x.size());
  rotate_inverse(make_view(x.data(), {1, 1, width}), view_of(place), angles);
  return x;
}

AxisPosition moved(AxisPosition place, double by) {
  for (double& coordinate : place) coordinate += by;
  return place;
}

std::vector<AxisPosition> places_of(const PositionView& positions) {
  std::vector<AxisPosition> places;
  const std::int64_t count = std::min(positions.count, kPlaces);
  for (std::int64_t n = 0; n < count; ++n) {
    const std::int64_t at = count == 1 ? 0 : n * (positions.count - 1) / (count - 1);
    AxisPosition place;
    for (std::int64_t axis = 0; axis < positions.axes; ++axis) place.push_back(positions.real(0, at, axis));
    places.push_back(std::move(place));
  }
  return places;
}

bool within_range(const AxisPosition& place) {
  return std::all_of(place.begin(), place.end(),
                     [](double x) { return std::fabs(x) <= static_cast<double>(kMaxPosition); });
}

// How much q.k at a distance changes if both move.
double relative_spread(const Vector& q, const Vector& k, const AxisPosition& place, const RotaryAngles& angles) {
  const double expected = dot(turned(q, moved(place, 3.0), angles), turned(k, place, angles));
  double spread = 0.0;
  for (const double by : {1.0, 17.0, 1000.0, 100000.0}) {
    if (!within_range(moved(place, by + 3.0))) continue;
    const double found = dot(turned(q, moved(place, by + 3.0), angles), turned(k, moved(place, by), angles));
    spread = std::max(spread, std::fabs(found - expected));
  }
  return spread;
}

// Rows of cosines and sines, in double and without the factor.
class TurnRows {
 public:
  TurnRows(const RotarySchedule& schedule, const ConstView& table)
      : pairs_(static_cast<std::size_t>(schedule.pairs())), factor_(schedule.table_factor()), table_(table) {}

  std::vector<double> at(std::int64_t n) const {
    std::vector<double> row(2 * pairs_);
    base::load_row(table_[n], row.data());
    for (double& value : row) value /= factor_;
    return row;
  }

 private:
  std::size_t pairs_;
  double factor_;
  ConstView table_;
};

// The cosines and sines of the turns from one row to another.
std::vector<double> turns_between(const std::vector<double>& from, const std::vector<double>& to) {
  const std::size_t pairs = from.size() / 2;
  std::vector<double> turns(from.size());
  for (std::size_t i = 0; i < pairs; ++i) {
    turns[i] = from[i] * to[i] + from[i + pairs] * to[i + pairs];
    turns[i + pairs] = from[i] * to[i + pairs] - from[i + pairs] * to[i];
  }
  return turns;
}

std::vector<double> turned_on(const std::vector<double>& row, const std::vector<double>& turn) {
  const std::size_t pairs = row.size() / 2;
  std::vector<double> next(row.size());
  for (std::size_t i = 0; i < pairs; ++i) {
    next[i] = row[i] * turn[i] - row[i + pairs] * turn[i + pairs];
    next[i + pairs] = row[i + pairs] * turn[i] + row[i] * turn[i + pairs];
  }
  return next;
}

// The value of score_kernel for the cosines of turns.
double kernel_of(const RotarySchedule& schedule, const std::vector<double>& turns) {
  double sum = 0.0;
  for (std::size_t i = 0; i < turns.size() / 2; ++i) sum += turns[i];
  const double factor = 2.0 * schedule.table_factor() * schedule.table_factor();
  return (factor * sum + static_cast<double>(schedule.head_dim - schedule.rotary_dim)) /
         static_cast<double>(schedule.head_dim);
}

}  // namespace

std::vector<double> turning_frequencies(const RotarySchedule& schedule) {
  std::vector<double> list;
  for (const double frequency : schedule.inv_freq) {
    if (schedule.axes == 1 || frequency != 0.0) list.push_back(frequency);
  }
  return list;
}

void check_axes(const RotarySchedule& schedule, const PositionView& positions) {
  if (positions.axes != schedule.axes) {
    fail(ErrorKind::usage, "[check] positions must have " + std::to_string(schedule.axes) + " axes but have " +
                               std::to_string(positions.axes));
  }
  check_positions(positions, "check");
}

ObservedTurns measure_observed(const RotarySchedule& schedule, const CheckOptions& options) {
  constexpr std::int64_t kMost = 4096;
  const TurnRows rows(schedule, options.observed);
  const std::int64_t count = options.positions.count, further = std::min<std::int64_t>(5, count - 1);
  std::vector<double> turn(static_cast<std::size_t>(2 * schedule.pairs()));
  fill_cos_sin(RotaryAngles(schedule), PositionView::range(options.positions.step, 1),
               make_view(turn.data(), {1, 2 * schedule.pairs()}));
  for (double& value : turn) value /= schedule.table_factor();
  ObservedTurns found;
  const std::vector<double> first = rows.at(0);
  const std::vector<double> by_one = turns_between(first, rows.at(1));
  const std::vector<double> by_few = turns_between(first, rows.at(further));
  for (std::int64_t n = 0; n < count; ++n) {
    const std::vector<double> row = rows.at(n);
    if (n < kMost) found.kernel.push_back(kernel_of(schedule, turns_between(first, row)));
    if (n + 1 < count) {
      const std::vector<double> next = rows.at(n + 1);
      found.composed = std::max(found.composed, largest_gap(turned_on(row, turn), next));
      found.relative = std::max(found.relative, largest_gap(turns_between(row, next), by_one));
    }
    if (n + further >= count) continue;
    found.relative = std::max(found.relative, largest_gap(turns_between(row, rows.at(n + further)), by_few));
  }
  RotarySchedule stepped = schedule;
  for (double& frequency : stepped.inv_freq) frequency *= static_cast<double>(options.positions.step);
  found.promised = score_kernel(stepped, static_cast<std::int64_t>(found.kernel.size()));
  return found;
}

RotaryMeasure measure_rotary(const RotarySchedule& schedule, const PositionView& positions, std::uint64_t seed) {
  const RotaryAngles angles(schedule);
  const Vector q = unit_vector(schedule.head_dim, seed), k = unit_vector(schedule.head_dim, seed + 1);
  RotaryMeasure found;
  for (const AxisPosition& place : places_of(positions)) {
    const Vector x = turned(q, place, angles);
    found.norm = std::max(found.norm, std::fabs(length(x) - 1.0));
    if (is_rotation(schedule.layout)) {
      found.inverse = std::max(found.inverse, largest_gap(turned_back(x, place, angles), q));
    }
    if (!within_range(moved(place, 3.0))) continue;
    found.relative = std::max(found.relative, relative_spread(q, k, place, angles));
    const Vector twice = turned(turned(q, place, angles), AxisPosition(place.size(), 3.0), angles);
    found.composed = std::max(found.composed, largest_gap(twice, turned(q, moved(place, 3.0), angles)));
  }
  return found;
}

}  // namespace posenc::properties
