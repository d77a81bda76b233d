// Sines and cosines at positions against the plain phase, on every target.
#include "core/rows/angle_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "core/numbers/real_phase.h"
#include "posenc/phase.h"
#include "support/every_target.h"

namespace posenc::rows::angle_rows_test {
namespace {

constexpr double kMultiplier = 0.75;
const std::vector<std::int64_t> kIntegers = {0,    1,     31,     32,      33,         63,         500,
                                             -1,   -31,   -32,    -33,     -1000,      8191,       131071,
                                             1000, 65536, 999999, 1048575, 2147483647, -2147483647};
const std::vector<double> kReals = {0.5, -0.5, 0.1, 31.75, -1000.3, 131070.99, 2147483646.5, -2147483646.25, 1e-9};

// More pairs than one block has; slow, fast, above one turn per position, negative and zero frequencies.
std::vector<double> frequencies() {
  std::vector<double> inv_freq = {6.5, 100.0, -0.3, 0.0, -7.0, 6.2, -6.2, 1e-12};
  for (int i = 0; i < 300; ++i) inv_freq.push_back(std::pow(10000.0, -i / 300.0));
  return inv_freq;
}

// A turn in double is off by at most two products and a sum, a float by half its last place more.
template <class T>
double tolerance() {
  return sizeof(T) == 8 ? 5e-16 : 0x1p-25 + 1e-15;
}

template <class T, class Position>
void check(const AngleRows& rows, Position position) {
  const std::int64_t pairs = rows.pairs();
  std::vector<T> sine(static_cast<std::size_t>(pairs)), cosine(sine);
  rows.at(position, 0, pairs, sine.data(), cosine.data());
  for (std::size_t j = 0; j < sine.size(); ++j) {
    const SinCos expected = sin_cos(phase_at(rows.steps()[j], position));
    ASSERT_NEAR(static_cast<double>(sine[j]), kMultiplier * expected.sin, tolerance<T>()) << position << " pair " << j;
    ASSERT_NEAR(static_cast<double>(cosine[j]), kMultiplier * expected.cos, tolerance<T>())
        << position << " pair " << j;
  }
}

template <class T>
void check_all(const AngleRows& rows) {
  for (const std::int64_t position : kIntegers) check<T>(rows, position);
  for (const double position : kReals) check<T>(rows, position);
}

TEST(AngleRows, AreThePhasesSinesAndCosinesOnEveryTarget) {
  on_every_target([] {
    const AngleRows rows(frequencies(), kMultiplier);
    check_all<double>(rows);
    check_all<float>(rows);
  });
}

template <class T>
bool same_bits(const std::vector<T>& a, const T* b) {
  return std::memcmp(a.data(), b, a.size() * sizeof(T)) == 0;
}

// Some pairs have the bits that they have among all of them, and nothing else is written.
template <class T, class Position>
void check_part(const AngleRows& rows, Position position, std::int64_t first, std::int64_t count) {
  const auto pairs = static_cast<std::size_t>(rows.pairs());
  std::vector<T> sine(pairs), cosine(pairs);
  rows.at(position, 0, rows.pairs(), sine.data(), cosine.data());
  std::vector<T> some_sine(static_cast<std::size_t>(count) + 1, T(7)), some_cosine(some_sine);
  rows.at(position, first, count, some_sine.data(), some_cosine.data());
  EXPECT_EQ(some_sine.back(), T(7));
  EXPECT_EQ(some_cosine.back(), T(7));
  some_sine.pop_back();
  some_cosine.pop_back();
  EXPECT_TRUE(same_bits(some_sine, sine.data() + first)) << position << " from " << first << " count " << count;
  EXPECT_TRUE(same_bits(some_cosine, cosine.data() + first)) << position << " from " << first << " count " << count;
}

TEST(AngleRows, PartsHaveTheBitsOfTheWholeOnEveryTarget) {
  on_every_target([] {
    const AngleRows rows(frequencies(), kMultiplier);
    for (const std::int64_t first : {0, 1, 8, 255, 256, 307}) {
      for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, rows.pairs() - first}) {
        check_part<float>(rows, std::int64_t{12345}, first, count);
        check_part<double>(rows, std::int64_t{-12345}, first, count);
        check_part<float>(rows, 12345.25, first, count);
        check_part<double>(rows, -12345.25, first, count);
      }
    }
  });
}

TEST(AngleRows, AWholeRealPositionIsThatInteger) {
  const AngleRows rows(frequencies(), kMultiplier);
  const auto pairs = static_cast<std::size_t>(rows.pairs());
  for (const std::int64_t position : kIntegers) {
    std::vector<double> sine(pairs), cosine(pairs), real_sine(pairs), real_cosine(pairs);
    rows.at(position, 0, rows.pairs(), sine.data(), cosine.data());
    rows.at(static_cast<double>(position), 0, rows.pairs(), real_sine.data(), real_cosine.data());
    EXPECT_TRUE(same_bits(real_sine, sine.data())) << position;
    EXPECT_TRUE(same_bits(real_cosine, cosine.data())) << position;
  }
}

TEST(AngleRows, NoPairsWriteNothing) {
  const AngleRows rows({}, 1.0);
  EXPECT_EQ(rows.pairs(), 0);
  rows.at<float>(std::int64_t{5}, 0, 0, nullptr, nullptr);
  rows.at<double>(5.5, 0, 0, nullptr, nullptr);
}

}  // namespace
}  // namespace posenc::rows::angle_rows_test
