// What holds for every sinusoidal encoding, tried on random ones.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "posenc/files/spec_json.h"
#include "posenc/reference.h"
#include "posenc/table.h"

namespace posenc::property_test {
namespace {

// A number from low to high, about evenly spread.
double pick(double low, double high) {
  return low + (high - low) * static_cast<double>(*rc::gen::inRange<std::int64_t>(0, 1000001)) / 1000000.0;
}

template <class Value>
Value one_of(std::initializer_list<Value> values) {
  return *rc::gen::elementOf(std::vector<Value>(values));
}

Sinusoidal any_spec() {
  Sinusoidal spec;
  spec.width = *rc::gen::inRange<std::int64_t>(1, 70);
  spec.order = one_of({Order::interleaved, Order::cos_interleaved, Order::halves, Order::cos_halves});
  spec.odd = one_of({OddWidth::drop, OddWidth::zero});
  spec.first = *rc::gen::inRange<std::int64_t>(-1000, 1000);
  spec.multiplier = one_of({1.0, -1.0, 0.5, pick(-8.0, 8.0)});
  spec.frequency_scale = one_of({1.0, pick(-3.0, 3.0)});
  const auto pairs = static_cast<std::size_t>(spec.odd == OddWidth::zero ? spec.width / 2 : (spec.width + 1) / 2);
  if (one_of({0, 0, 0, 1}) == 1) {
    for (std::size_t j = 0; j < pairs; ++j) spec.inv_freq.push_back(pick(-7.0, 7.0));
    return spec;
  }
  spec.base = one_of({10000.0, 500000.0, pick(0.5, 1000.0)});
  spec.exponent_factor = one_of({1.0, pick(0.0, 2.0)});
  spec.spacing = one_of({Spacing::width, Spacing::even_width, Spacing::half});
  if (spec.spacing == Spacing::half) spec.shift = one_of({1.0, 0.0, 0.5});
  // A single pair admits any shift, two pairs or more need one below their number: 1 always serves.
  return spec;
}

double any_position() {
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return static_cast<double>(*rc::gen::inRange<std::int64_t>(-100, 1000));
    case 1:
      return static_cast<double>(*rc::gen::inRange<std::int64_t>(-2147482000, 2147482000));
    case 2:
      return pick(-50.0, 50.0);
    default:
      return pick(-1e6, 1e6);
  }
}

std::vector<double> row(const Sinusoidal& spec, double position) {
  std::vector<double> result(static_cast<std::size_t>(spec.width));
  fill_table(make_schedule(spec), PositionView::of(&position, 1), make_view(result.data(), {1, spec.width}));
  return result;
}

double largest_frequency(const Sinusoidal& spec) {
  double largest = 0.0;
  for (const double inv_freq : make_schedule(spec).inv_freq) largest = std::max(largest, std::fabs(inv_freq));
  return largest;
}

void require_close(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  RC_ASSERT(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::fabs(a[i] - b[i]) > tolerance) {
      RC_LOG() << "column " << i << ": " << a[i] << " and " << b[i] << ", tolerance " << tolerance << std::endl;
    }
    RC_ASSERT(std::fabs(a[i] - b[i]) <= tolerance);
  }
}

RC_GTEST_PROP(AnySinusoidal, StaysWithinItsMultiplier, ()) {
  const Sinusoidal spec = any_spec();
  RC_LOG() << to_text(Spec(spec)) << std::endl;
  for (const double value : row(spec, any_position())) {
    RC_ASSERT(std::fabs(value) <= std::fabs(spec.multiplier) * (1.0 + 1e-15));
  }
}

RC_GTEST_PROP(AnySinusoidal, PairsLieOnACircle, ()) {
  const Sinusoidal spec = any_spec();
  RC_LOG() << to_text(Spec(spec)) << std::endl;
  const SinusoidalSchedule schedule = make_schedule(spec);
  const std::vector<double> values = row(spec, any_position());
  for (std::int64_t j = 0; j < std::min(schedule.sine.count, schedule.cosine.count); ++j) {
    const double s = values[static_cast<std::size_t>(schedule.sine.start + j * schedule.sine.stride)];
    const double c = values[static_cast<std::size_t>(schedule.cosine.start + j * schedule.cosine.stride)];
    const double square = spec.multiplier * spec.multiplier;
    RC_ASSERT(std::fabs(s * s + c * c - square) <= 2e-15 * square);
  }
}

RC_GTEST_PROP(AnySinusoidal, RowsOfEvenWidthHaveTheSameLength, ()) {
  Sinusoidal spec = any_spec();
  RC_PRE(spec.width % 2 == 0);
  double sum = 0.0;
  for (const double value : row(spec, any_position())) sum += value * value;
  const double expected = spec.multiplier * spec.multiplier * static_cast<double>(spec.width) / 2.0;
  RC_ASSERT(std::fabs(sum - expected) <= 1e-14 * expected);
}

RC_GTEST_PROP(AnySinusoidal, AgreesWithTheReference, ()) {
  const Sinusoidal spec = any_spec();
  const double position = any_position();
  RC_LOG() << to_text(Spec(spec)) << " at " << position << std::endl;
  std::vector<double> expected(static_cast<std::size_t>(spec.width));
  reference::sinusoidal_row(spec, position, expected.data());
  const double angle = std::fabs(position + static_cast<double>(spec.first)) * largest_frequency(spec);
  // The reference rounds exponent, power and angle; an exponent of 2 ln(500000) costs 26 roundings.
  require_close(row(spec, position), expected, std::fabs(spec.multiplier) * (2e-15 + 60 * 0x1p-53 * angle));
}

RC_GTEST_PROP(AnySinusoidal, DerivativesAgreeWithTheReference, ()) {
  const Sinusoidal spec = any_spec();
  const double position = pick(-1000.0, 1000.0);
  std::vector<double> expected(static_cast<std::size_t>(spec.width)), got(expected);
  reference::sinusoidal_derivative_row(spec, position, expected.data());
  fill_derivative(make_schedule(spec), PositionView::of(&position, 1), make_view(got.data(), {1, spec.width}));
  const double largest = largest_frequency(spec);
  const double angle = std::fabs(position + static_cast<double>(spec.first)) * largest;
  require_close(got, expected, std::fabs(spec.multiplier) * largest * (1e-14 + 60 * 0x1p-53 * angle));
}

RC_GTEST_PROP(AnySinusoidal, ShiftsMoveRowsAndAdd, ()) {
  Sinusoidal spec = any_spec();
  RC_PRE(spec.width % 2 == 0 || spec.odd == OddWidth::zero);
  spec.width = std::min<std::int64_t>(spec.width, 20 + spec.width % 2);
  if (!spec.inv_freq.empty()) spec.inv_freq.resize(static_cast<std::size_t>(spec.width / 2));
  const SinusoidalSchedule schedule = make_schedule(spec);
  const auto width = static_cast<std::size_t>(spec.width);
  const auto matrix = [&](double k) {
    std::vector<double> m(width * width);
    fill_shift_matrix(schedule, k, make_view(m.data(), {spec.width, spec.width}));
    return m;
  };
  const auto a = static_cast<double>(*rc::gen::inRange<std::int64_t>(-5000, 5000));
  const auto b = static_cast<double>(*rc::gen::inRange<std::int64_t>(-5000, 5000));
  const std::vector<double> ma = matrix(a), mb = matrix(b), from = row(spec, b);
  std::vector<double> both(width * width, 0.0), moved(width, 0.0);
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      moved[i] += ma[i * width + j] * from[j];
      for (std::size_t k = 0; k < width; ++k) both[i * width + k] += ma[i * width + j] * mb[j * width + k];
    }
  }
  require_close(both, matrix(a + b), 2e-15);
  require_close(moved, row(spec, a + b), 2e-15 * std::max(1.0, std::fabs(spec.multiplier)));
}

RC_GTEST_PROP(AnySinusoidal, AScaleIsAScaledPosition, ()) {
  Sinusoidal spec = any_spec();
  spec.first = 0;
  spec.frequency_scale = 1.0;
  const double position = pick(-1000.0, 1000.0);
  const double scale = one_of({0.5, 2.0, pick(-3.0, 3.0)});
  Sinusoidal scaled = spec;
  scaled.frequency_scale = scale;
  const double angle = std::fabs(position * scale) * largest_frequency(spec);
  require_close(row(scaled, position), row(spec, position * scale),
                std::fabs(spec.multiplier) * (1e-15 + 4 * 0x1p-53 * angle));
}

RC_GTEST_PROP(AnySinusoidal, AnExponentFactorIsAPowerOfTheBase, ()) {
  Sinusoidal spec = any_spec();
  RC_PRE(spec.inv_freq.empty());
  const std::vector<double> got = make_schedule(spec).inv_freq;
  Sinusoidal other = spec;
  other.exponent_factor = 1.0;
  other.base = std::pow(spec.base, spec.exponent_factor);
  const std::vector<double> expected = make_schedule(other).inv_freq;
  for (std::size_t j = 0; j < got.size(); ++j) RC_ASSERT(std::fabs(got[j] - expected[j]) <= 2e-15 * std::fabs(got[j]));
}

// Fields that are given their default, one by one, change no bit of the table.
RC_GTEST_PROP(AnySinusoidal, NeutralFieldsChangeNothing, ()) {
  Sinusoidal spec = any_spec();
  spec.exponent_factor = spec.frequency_scale = spec.multiplier = 1.0;
  spec.first = 0;
  const std::string text = to_text(Spec(spec)) + ",exponent_factor=1,scale=1,multiplier=1,first=0,zero_position=none";
  const double position = any_position();
  RC_ASSERT(row(std::get<Sinusoidal>(parse_spec(text)), position) == row(spec, position));
}

std::string all_fields(const Spec& spec) { return to_text(to_json(spec)); }

RC_GTEST_PROP(AnySinusoidal, TextAndJsonGiveTheSpecBack, ()) {
  Sinusoidal spec = any_spec();
  if (one_of({0, 1}) == 1) spec.zero_position = *rc::gen::inRange<std::int64_t>(-2147483647, 2147483647);
  const Spec all = spec;
  RC_LOG() << to_text(all) << std::endl;
  const Spec from_text = parse_spec(to_text(all));
  RC_ASSERT(all_fields(from_text) == all_fields(all));
  RC_ASSERT(to_text(from_text) == to_text(all));
  RC_ASSERT(all_fields(spec_from_json(parse_json(all_fields(all), "spec.json"), "spec.json")) == all_fields(all));
}

}  // namespace
}  // namespace posenc::property_test
