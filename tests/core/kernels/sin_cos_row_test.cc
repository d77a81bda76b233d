// The kernel against the plain function, bit by bit; phase_test checks that one against MPFR.
#include "core/kernels/sin_cos_row.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <vector>

#include "posenc/phase.h"
#include "support/every_target.h"

namespace posenc::kernels::sin_cos_row_test {
namespace {

std::vector<std::uint64_t> probes() {
  std::vector<std::uint64_t> phases;
  // Around every eighth of a turn, where the quadrant changes, and around every power of two.
  for (std::uint64_t eighth = 0; eighth < 8; ++eighth) {
    for (std::uint64_t near = 0; near < 1000; ++near) phases.push_back((eighth << 61) + near - 500);
  }
  for (int bit = 0; bit < 64; ++bit) {
    for (std::uint64_t near = 0; near < 5; ++near) phases.push_back((std::uint64_t{1} << bit) + near - 2);
  }
  std::mt19937_64 random(11);
  for (int i = 0; i < 3000000; ++i) phases.push_back(random());
  for (int i = 0; i < 100000; ++i) phases.push_back(random() >> (i % 64));
  return phases;
}

TEST(SinCosRow, HasTheBitsOfThePlainFunctionOnEveryTarget) {
  const std::vector<std::uint64_t> phases = probes();
  const auto count = static_cast<std::int64_t>(phases.size());
  on_every_target([&] {
    for (const double multiplier : {1.0, -0.3}) {
      std::vector<double> sine(phases.size()), cosine(phases.size());
      std::vector<float> sine32(phases.size()), cosine32(phases.size());
      sin_cos_row(phases.data(), count, multiplier, sine.data(), cosine.data());
      sin_cos_row(phases.data(), count, multiplier, sine32.data(), cosine32.data());
      for (std::size_t i = 0; i < phases.size(); ++i) {
        const SinCos expected = sin_cos(phases[i]);
        const double s = multiplier * expected.sin;
        const double c = multiplier * expected.cos;
        ASSERT_EQ(std::bit_cast<std::uint64_t>(sine[i]), std::bit_cast<std::uint64_t>(s)) << phases[i];
        ASSERT_EQ(std::bit_cast<std::uint64_t>(cosine[i]), std::bit_cast<std::uint64_t>(c)) << phases[i];
        ASSERT_EQ(std::bit_cast<std::uint32_t>(sine32[i]), std::bit_cast<std::uint32_t>(static_cast<float>(s)));
        ASSERT_EQ(std::bit_cast<std::uint32_t>(cosine32[i]), std::bit_cast<std::uint32_t>(static_cast<float>(c)));
      }
    }
  });
}

template <class T>
void check_ends(std::int64_t count) {
  const std::vector<std::uint64_t> phases(40, std::uint64_t{1} << 60);
  std::vector<T> sine(40, T(7)), cosine(40, T(7));
  sin_cos_row(phases.data(), count, 1.0, sine.data(), cosine.data());
  for (std::int64_t i = 0; i < 40; ++i) {
    ASSERT_EQ(sine[static_cast<std::size_t>(i)] == T(7), i >= count) << count;
    ASSERT_EQ(cosine[static_cast<std::size_t>(i)] == T(7), i >= count) << count;
  }
}

TEST(SinCosRow, TouchesNothingBehindTheLast) {
  on_every_target([] {
    for (std::int64_t count = 0; count < 39; ++count) {
      check_ends<double>(count);
      check_ends<float>(count);
    }
  });
}

}  // namespace
}  // namespace posenc::kernels::sin_cos_row_test
