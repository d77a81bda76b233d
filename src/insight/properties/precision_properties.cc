#include "insight/properties/precision_properties.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "insight/properties/lists.h"
#include "insight/properties/property.h"
#include "insight/properties/rotary_measure.h"
#include "posenc/input_rows.h"
#include "posenc/rotary_table.h"

namespace posenc::properties {
namespace {

constexpr double kBound = 1e-3;                           // smaller errors are not known to hurt a model
constexpr std::int64_t kScanned = std::int64_t{1} << 22;  // every position below it is measured
constexpr double kLargestAngle = 8589934592.0;            // 2^33: reduce() is exact up to it
constexpr double kFloat32Room = 3.02e-8;                  // slightly more than half a unit of float32 below 1

// Every position up to 64, then eight per doubling, up to the largest position.
std::vector<std::int64_t> ladder() {
  std::vector<std::int64_t> positions;
  for (std::int64_t position = 1; position <= 64; ++position) positions.push_back(position);
  for (int step = 6 * 8 + 1; step <= 31 * 8; ++step) {
    positions.push_back(std::min(static_cast<std::int64_t>(std::exp2(step / 8.0)), kMaxPosition));
  }
  return positions;
}

// position * inv_freq less whole turns. Parts of 2 pi have 21 bits, so that their products with the turns are exact.
double reduce(double position, double inv_freq) {
  constexpr double kHigh = 0x1.921fbp+2, kMiddle = 0x1.5110bp-20, kLow = 0x1.18469898cc517p-42;
  const double product = position * inv_freq, rest = std::fma(position, inv_freq, -product);
  const double turns = std::nearbyint(product / (kHigh + kMiddle));
  return ((product - turns * kHigh) - turns * kMiddle) - turns * kLow + rest;
}

// A table's float32 numbers at one position: cosines of all pairs, then sines.
struct FloatTable {
  std::int64_t pairs = 0;
  double factor = 1.0;                                              // in its numbers
  bool exact = true;                                                // promised
  std::function<double(double position, std::int64_t pair)> angle;  // reduced
  std::function<void(std::int64_t position, std::vector<double>& cos_sin)> fill;
};

double largest_error(const FloatTable& table, std::int64_t position) {
  const auto pairs = static_cast<std::size_t>(table.pairs);
  std::vector<double> found(2 * pairs);
  table.fill(position, found);
  double largest = 0.0;
  for (std::size_t i = 0; i < pairs; ++i) {
    const double angle = table.angle(static_cast<double>(position), static_cast<std::int64_t>(i));
    if (std::isnan(angle)) continue;
    largest = std::max({largest, std::fabs(found[i] - table.factor * std::cos(angle)),
                        std::fabs(found[i + pairs] - table.factor * std::sin(angle))});
  }
  return largest;
}

Property own_precision(const FloatTable& table) {
  // The spacing of float32 numbers doubles at every power of two.
  const double room = kFloat32Room * std::exp2(std::ceil(std::log2(std::max(std::fabs(table.factor), 1.0))));
  double largest = 0.0, first_error = 0.0;
  std::int64_t good = 0, bad = 0;
  for (const std::int64_t position : ladder()) {
    const double error = largest_error(table, position);
    largest = std::max(largest, error);
    if (bad != 0) continue;
    (error <= room ? good : bad) = position;
    if (bad != 0) first_error = error;
  }
  Property property{
      .name = "precision",
      .title = "posenc's float32 cosines are within " + text::general_text(room, 3) + " at every position",
      .verdict = judge(table.exact, bad == 0),
      .finding = "largest error " + short_text(largest) + " among 264 positions up to 2,147,483,647",
      .numbers = {{"largest_error", largest}, {"room", room}}};
  if (bad == 0) return property;
  property.finding = "error " + short_text(first_error) + " at position " + count_text(bad) + ", largest error " +
                     short_text(largest) + (table.exact ? "" : ": the angles are rounded to float32");
  property.numbers.emplace_back("first_beyond", static_cast<double>(bad));
  if (table.exact || good == 0) return property;
  property.verdict = Verdict::holds_to;
  property.until = static_cast<double>(good);
  return property;
}

double worst_f32(const std::vector<double>& inv_freq, std::int64_t position) {
  double worst = 0.0;
  for (const double frequency : inv_freq) worst = std::max(worst, pipeline_error(Pipeline::f32, frequency, position));
  return worst;
}

// The first position with an error beyond the bound. Tries every position while that is quick, then eight per doubling.
struct FirstBeyond {
  std::int64_t position = 0;  // 0: nowhere
  std::int64_t good = 0;      // the last good position measured before it
};

FirstBeyond find_beyond(const std::vector<double>& inv_freq) {
  if (const auto first = first_beyond_f32(inv_freq, kScanned, kBound)) return {*first, *first - 1};
  FirstBeyond found{0, kScanned - 1};
  for (const std::int64_t position : ladder()) {
    if (position < kScanned) continue;
    if (worst_f32(inv_freq, position) > kBound) return {position, found.good};
    found.good = position;
  }
  return found;
}

Property usual_precision(const std::vector<double>& inv_freq) {
  const double at_million = worst_f32(inv_freq, 1000000);
  const FirstBeyond found = find_beyond(inv_freq);
  Property property{.name = "precision_f32",
                    .title = "angles computed in float32 give cosines within 0.001",
                    .verdict = found.position == 0 ? Verdict::holds : Verdict::holds_to,
                    .finding = "error " + short_text(at_million) + " at position 1,000,000",
                    .numbers = {{"error_at_1000000", at_million}}};
  if (found.position == 0) return property;
  property.until = static_cast<double>(found.good);
  property.finding =
      "the error first exceeds 0.001 at " + std::string(found.position < kScanned ? "position " : "about position ") +
      count_text(found.position) + (at_million < 0.001 ? " and varies with the position: it is " : "; it is ") +
      short_text(at_million) + " at position 1,000,000";
  if (found.position >= kScanned) property.finding += " (past 4,194,303, measured at eight positions per doubling)";
  property.numbers.emplace_back("first_beyond", static_cast<double>(found.position));
  return property;
}

double checked_angle(double position, double inv_freq) {
  if (std::fabs(position * inv_freq) > kLargestAngle) return std::nan("");
  return reduce(position, inv_freq);
}

}  // namespace

std::vector<Property> precision_properties(const SinusoidalSchedule& schedule) {
  // Both columns of every pair, for any width and order.
  SinusoidalSchedule plain = schedule;
  const auto pairs = static_cast<std::int64_t>(schedule.inv_freq.size());
  plain.width = 2 * pairs;
  plain.cosine = {0, 1, pairs};
  plain.sine = {pairs, 1, pairs};
  plain.first = 0;
  plain.zero_position.reset();
  FloatTable table{.pairs = pairs, .factor = schedule.multiplier, .angle = {}, .fill = {}};
  table.angle = [&](double position, std::int64_t i) {
    return checked_angle(position, schedule.inv_freq[static_cast<std::size_t>(i)]);
  };
  table.fill = [&](std::int64_t position, std::vector<double>& cos_sin) {
    std::vector<float> row(cos_sin.size());
    fill_rows(StreamedRows{&plain}, PositionView::range(position, 1), make_view(row.data(), {1, plain.width}));
    std::copy(row.begin(), row.end(), cos_sin.begin());
  };
  return {usual_precision(schedule.inv_freq), own_precision(table)};
}

std::vector<Property> precision_properties(const RotarySchedule& schedule) {
  const RotaryAngles angles(schedule);
  const std::int64_t pairs = schedule.columns();
  FloatTable table{.pairs = pairs, .factor = schedule.table_factor(), .angle = {}, .fill = {}};
  table.exact = schedule.precision == Precision::exact;
  table.angle = [&](double position, std::int64_t i) {
    double sum = 0.0;
    for (std::int64_t axis = 0; axis < schedule.axes; ++axis) {
      sum += checked_angle(position, schedule.inv_freq[static_cast<std::size_t>(axis * pairs + i)]);
    }
    return sum;
  };
  table.fill = [&](std::int64_t position, std::vector<double>& cos_sin) {
    std::vector<float> row(cos_sin.size());
    const std::vector<std::int64_t> place(static_cast<std::size_t>(schedule.axes), position);
    fill_cos_sin(angles, places_view(place, schedule.axes), make_view(row.data(), {1, 2 * pairs}));
    std::copy(row.begin(), row.end(), cos_sin.begin());
  };
  return {usual_precision(turning_frequencies(schedule)), own_precision(table)};
}

bool like_float32_angle(double difference, double angle, double tolerance) {
  const double most = 3.0 * 0x1p-24 * std::fabs(angle);
  return most < 0.5 && std::fabs(difference) <= most + tolerance;
}

}  // namespace posenc::properties
