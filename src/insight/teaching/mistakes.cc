#include "insight/teaching/mistakes.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "insight/properties/formulas.h"

namespace posenc::teaching {
namespace {

constexpr const char* kDegrees = "angles were taken in degrees; they are in radians";
constexpr const char* kOddExponent = "the exponent of the cosine has 2i + 1; both numbers of a pair have 2i";
constexpr const char* kOddExponents = "the exponent has 2i + 1; it is 2i";
constexpr const char* kHalfExponent = "the exponent has i; it is 2i";
constexpr const char* kChannelExponent = "the exponent has the number of the channel for i; i counts pairs";
constexpr const char* kHalves = "the sines come first and then the cosines; they alternate";
constexpr const char* kLate = "one position late; positions count from 0";
constexpr const char* kEarly = "one position early; positions count from 0";
constexpr const char* kRounded = "a number was rounded too early; keep all digits until the end";

double rounded(double value, int decimals) {
  const double unit = std::pow(10.0, decimals);
  return std::round(value * unit) / unit;
}

// How a student works out a row: correctly, except for members that differ from their defaults.
struct Hand {
  double angle_factor = 1.0;  // degrees
  double sine_step = 2.0;     // the exponent of the sine of pair i is sine_step i, that of the cosine ...
  double cosine_step = 2.0;   // ... cosine_step i + cosine_offset
  double cosine_offset = 0.0;
  double sine_offset = 0.0;
  double late = 0.0;  // added to positions
  bool swapped = false;
  bool halves = false;      // all sines, then all cosines
  int angle_decimals = -1;  // rounded before use; -1: not
  int divisor_decimals = -1;
  int value_decimals = -1;
};

double value_of(const Sinusoidal& spec, const Hand& hand, double position, std::int64_t channel) {
  const std::int64_t half = spec.width / 2;
  if (hand.halves) channel = channel < half ? 2 * channel : 2 * (channel - half) + 1;
  const auto pair = static_cast<double>(channel / 2);
  const bool cosine = (channel % 2 == 1) != hand.swapped;
  const double exponent =
      cosine ? hand.cosine_step * pair + hand.cosine_offset : hand.sine_step * pair + hand.sine_offset;
  double divisor = std::pow(spec.base, exponent / static_cast<double>(spec.width));
  if (hand.divisor_decimals >= 0) divisor = rounded(divisor, hand.divisor_decimals);
  double angle = (position + hand.late) / divisor;
  if (hand.angle_decimals >= 0) angle = rounded(angle, hand.angle_decimals);
  angle *= hand.angle_factor;
  const double value = cosine ? std::cos(angle) : std::sin(angle);
  return hand.value_decimals < 0 ? value : rounded(value, hand.value_decimals);
}

std::vector<Mistake> mistakes_of(const Sinusoidal& spec, const RowAnswer& answer,
                                 const std::vector<std::pair<std::string, Hand>>& hands) {
  std::vector<Mistake> result;
  for (const auto& [text, hand] : hands) {
    const Hand& how = hand;
    result.push_back({text, answer([&](double p, std::int64_t c) { return value_of(spec, how, p, c); })});
  }
  return result;
}

// `exponents`: whether the answer depends on exponents.
std::vector<Mistake> mistakes_by_hand(const Sinusoidal& spec, const RowAnswer& answer, bool exponents,
                                      const std::string& unswapped) {
  const char* first = properties::cosine_first(spec.order) ? "the cosine comes first" : "the sine comes first";
  const std::string swapped = "sine and cosine are swapped; " + (unswapped.empty() ? first : unswapped);
  std::vector<std::pair<std::string, Hand>> hands = {{kDegrees, {.angle_factor = std::numbers::pi / 180.0}},
                                                     {swapped, {.swapped = true}},
                                                     {kLate, {.late = 1.0}},
                                                     {kEarly, {.late = -1.0}}};
  if (exponents) {
    hands.push_back({kOddExponent, {.cosine_offset = 1.0}});
    hands.push_back({kOddExponents, {.cosine_offset = 1.0, .sine_offset = 1.0}});
    hands.push_back({kHalfExponent, {.sine_step = 1.0, .cosine_step = 1.0}});
    hands.push_back({kChannelExponent, {.sine_step = 4.0, .cosine_step = 4.0, .cosine_offset = 2.0}});
    if (spec.order == Order::interleaved) hands.push_back({kHalves, {.halves = true}});
  }
  for (int decimals = 1; decimals <= 4; ++decimals) hands.push_back({kRounded, {.angle_decimals = decimals}});
  for (int decimals = 0; decimals <= 2; ++decimals) hands.push_back({kRounded, {.divisor_decimals = decimals}});
  for (int decimals = 2; decimals <= 3; ++decimals) hands.push_back({kRounded, {.value_decimals = decimals}});
  return mistakes_of(spec, answer, hands);
}

}  // namespace

std::vector<Mistake> row_mistakes(const Sinusoidal& spec, const RowAnswer& answer, const std::string& unswapped) {
  return mistakes_by_hand(spec, answer, /*exponents=*/true, unswapped);
}

std::vector<Mistake> angle_mistakes(const RowAnswer& answer, const std::string& unswapped) {
  return mistakes_by_hand({.width = 2}, answer, /*exponents=*/false, unswapped);
}

std::vector<Mistake> order_mistakes(const std::vector<double>& values) {
  if (values.size() < 4) return {};
  std::vector<double> halves;
  for (const std::size_t start : {0u, 1u}) {
    for (std::size_t c = start; c < values.size(); c += 2) halves.push_back(values[c]);
  }
  return {{kHalves, halves}};
}

std::vector<Mistake> wavelength_mistakes(double base, double width, double pair) {
  const auto length = [&](double exponent) { return 2.0 * std::numbers::pi * std::pow(base, exponent / width); };
  const double right = length(2.0 * pair);
  std::vector<Mistake> mistakes = {
      {"a turn was taken as 360 degrees; it is 2 pi radians", {right * 180.0 / std::numbers::pi}},
      {"2 pi is missing: this is the divisor of the position, not the length of a turn",
       {right / (2.0 * std::numbers::pi)}},
      {kOddExponents, {length(2.0 * pair + 1.0)}},
      {kHalfExponent, {length(pair)}},
      {"this is 2 pi times the frequency; it is 2 pi divided by the frequency", {length(-2.0 * pair)}},
      {"this is the frequency; a full turn takes 2 pi divided by it", {2.0 * std::numbers::pi / right}},
      {"one pair late; pairs count from 0", {length(2.0 * pair + 2.0)}},
      {"one pair early; pairs count from 0", {length(2.0 * pair - 2.0)}}};
  // The next pair, or 2 pi base, is the likelier mistake.
  if (pair != 1.0 && 4.0 * pair != width) mistakes.push_back({kChannelExponent, {length(4.0 * pair)}});
  return mistakes;
}

std::vector<Mistake> distance_mistakes(const std::function<double(double distance)>& value, double distance) {
  return {{"the distance is one too large", {value(distance + 1.0)}},
          {"the distance is one too small", {value(distance - 1.0)}}};
}

std::vector<Mistake> counting_mistakes(double value) {
  return {{"one too many; positions and rows count from 0", {value + 1.0}},
          {"one too few; positions and rows count from 0", {value - 1.0}}};
}

}  // namespace posenc::teaching
