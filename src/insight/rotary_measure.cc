#include "insight/rotary_measure.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "detail/float_types.h"
#include "detail/number_text.h"
#include "posenc/error.h"
#include "posenc/random.h"
#include "posenc/rotate.h"

namespace posenc::detail {
namespace {

constexpr std::int64_t kPlaces = 17;
using Vector = std::vector<double>;
using Place = std::vector<double>;  // a number per axis

double length(const Vector& x) {
  double sum = 0.0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

double largest_difference(const Vector& a, const Vector& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Vector unit_vector(std::int64_t width, std::uint64_t seed) {
  Vector x(static_cast<std::size_t>(width));
  fill_random(make_view(x.data(), {1, width}), {.std = 1.0, .seed = seed});
  const double size = length(x);
  for (double& value : x) value /= size;
  return x;
}

PositionView view_of(const Place& place) {
  PositionView view = PositionView::of(place.data(), 1);
  view.axes = static_cast<std::int64_t>(place.size());
  return view;
}

Vector turned(Vector x, const Place& place, const RotaryAngles& angles) {
  const auto width = static_cast<std::int64_t>(x.size());
  rotate(make_view(x.data(), {1, 1, width}), view_of(place), angles);
  return x;
}

Vector turned_back(Vector x, const Place& place, const RotaryAngles& angles) {
  const auto width = static_cast<std::int64_t>(x.size());
  rotate_inverse(make_view(x.data(), {1, 1, width}), view_of(place), angles);
  return x;
}

Place moved(Place place, double by) {
  for (double& coordinate : place) coordinate += by;
  return place;
}

std::vector<Place> places_of(const PositionView& positions) {
  std::vector<Place> places;
  const std::int64_t count = std::min(positions.count, kPlaces);
  for (std::int64_t n = 0; n < count; ++n) {
    const std::int64_t at = count == 1 ? 0 : n * (positions.count - 1) / (count - 1);
    Place place;
    for (std::int64_t axis = 0; axis < positions.axes; ++axis) place.push_back(positions.real(0, at, axis));
    places.push_back(std::move(place));
  }
  return places;
}

// Angles that turn twice as once: written where they were read, and without a factor.
RotaryAngles plain_angles(RotarySchedule schedule) {
  if (schedule.layout == Layout::interleaved_to_half) schedule.layout = Layout::interleaved;
  schedule.attention_factor = 1.0;
  return RotaryAngles(schedule);
}

bool within_range(const Place& place) {
  return std::all_of(place.begin(), place.end(),
                     [](double x) { return std::fabs(x) <= static_cast<double>(kMaxPosition); });
}

// How far q.k at a distance changes when both move.
double relative_spread(const Vector& q, const Vector& k, const Place& place, const RotaryAngles& angles) {
  const double expected = dot(turned(q, moved(place, 3.0), angles), turned(k, place, angles));
  double spread = 0.0;
  for (const double by : {1.0, 17.0, 1000.0, 100000.0}) {
    if (!within_range(moved(place, by + 3.0))) continue;
    const double found = dot(turned(q, moved(place, by + 3.0), angles), turned(k, moved(place, by), angles));
    spread = std::max(spread, std::fabs(found - expected));
  }
  return spread;
}

}  // namespace

RotaryMeasure measure_rotary(const RotarySchedule& schedule, const PositionView& positions, std::uint64_t seed) {
  if (positions.axes != schedule.axes) {
    fail(ErrorKind::usage, "[check] positions must have " + std::to_string(schedule.axes) + " axes but have " +
                               std::to_string(positions.axes));
  }
  check_positions(positions, "check");
  const RotaryAngles angles(schedule), plain = plain_angles(schedule);
  const Vector q = unit_vector(schedule.head_dim, seed), k = unit_vector(schedule.head_dim, seed + 1);
  RotaryMeasure found;
  for (const Place& place : places_of(positions)) {
    const Vector x = turned(q, place, angles);
    found.norm = std::max(found.norm, std::fabs(length(x) - 1.0));
    found.inverse = std::max(found.inverse, largest_difference(turned_back(x, place, angles), q));
    if (!within_range(moved(place, 3.0))) continue;
    found.relative = std::max(found.relative, relative_spread(q, k, place, angles));
    const Vector twice = turned(turned(q, place, plain), Place(place.size(), 3.0), plain);
    found.composed = std::max(found.composed, largest_difference(twice, turned(q, moved(place, 3.0), plain)));
  }
  return found;
}

void check_cos_sin(const ConstView& table, std::int64_t count, std::int64_t pairs) {
  if (!is_float(table.dtype)) {
    fail(ErrorKind::bad_input,
         "[check] the table must be f32, f64, f16 or bf16 but is " + std::string(to_text(table.dtype)));
  }
  const bool fits = table.rank == 2 && table.shape[0] == count && table.shape[1] == 2 * pairs;
  if (fits && (table.strides[1] == 1 || table.size() == 0)) return;
  fail(ErrorKind::bad_input, "[check] the table must be [" + std::to_string(count) + ", " + std::to_string(2 * pairs) +
                                 "], the cosines of all pairs and then their sines, but is " + shape_text(table));
}

void check_finite_cos_sin(double value, double position, std::int64_t column) {
  if (std::isfinite(value)) return;
  fail(ErrorKind::bad_input, "[check] column " + std::to_string(column) + " at position " + number_text(position) +
                                 " must be finite but is " + number_text(value));
}

}  // namespace posenc::detail
