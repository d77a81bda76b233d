#include "posenc/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <vector>

#include "core/base/philox.h"
#include "posenc/half.h"
#include "support/expect_error.h"

namespace posenc::random_test {
namespace {

constexpr Distribution kNormal = Distribution::normal;
constexpr Distribution kUniform = Distribution::uniform;
constexpr double kInf = std::numeric_limits<double>::infinity();

template <class T>
std::vector<T> draw(std::int64_t rows, std::int64_t width, const Random& random) {
  std::vector<T> numbers(static_cast<std::size_t>(rows * width));
  fill_random(make_view(numbers.data(), {rows, width}), random);
  return numbers;
}

// The vectors published with Random123 (its tests/kat_vectors), which randomgen 2.3.0 gives too.
TEST(Philox4x32, KnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox4x32({ones, ones, ones, ones}, {ones, ones}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
  // From randomgen alone: words that differ in order and size.
  EXPECT_EQ(philox4x32({5, 6, 7, 0x80000001}, {123, 456}),
            (PhiloxCounter{0x5b640a2d, 0xeb61d32e, 0xd8020eba, 0xcfc8a98c}));
}

TEST(FillRandom, CountersOfTablesStandApart) {
  using Counter = std::array<std::uint32_t, 4>;
  EXPECT_EQ(base::table_counter(0, 0), (Counter{0, 0, 0, 0x80000000}));
  EXPECT_EQ(base::table_counter(0x0123456789abcdef, 0x3edcba9876543210),
            (Counter{0x76543210, 0x89abcdef, 0x01234567, 0xbedcba98}));
}

// Made by a Python program with nothing of posenc: the words of randomgen.Philox(number=4, width=32) at the counter
// (m / 2, n, n >> 32, 2^31), then sqrt(-2 log u) with cos (even m) or sin (odd m) of the phase, or sqrt(3) times the
// symmetric fraction, in mpmath with 200 bits, times 0.02 and rounded to double.
struct Known {
  Distribution distribution;
  std::uint64_t seed;
  std::int64_t n;
  std::int64_t m;
  double value;
};
constexpr Known kKnown[] = {
    {kNormal, 0x0u, 0, 0, -0x1.12c6cf291a1e0p-5},
    {kNormal, 0x0u, 0, 1, -0x1.719b0bc8161f9p-9},
    {kNormal, 0x0u, 0, 2, -0x1.9c15421a37269p-9},
    {kNormal, 0x0u, 1, 0, -0x1.e48c448c0bd27p-7},
    {kNormal, 0x7u, 3, 4, 0x1.63bd874ee11f4p-6},
    {kNormal, 0x7u, 3, 5, -0x1.d88c4230bf698p-6},
    {kNormal, 0x123456789abcdefu, 49, 8, -0x1.4f5074d91db89p-7},
    {kNormal, 0x123456789abcdefu, 49, 9, 0x1.a3d35ce8d6b2fp-8},
    {kNormal, 0x100000000u, 2, 6, -0x1.5085e425d9f55p-5},
    {kNormal, 0xffffffffffffffffu, 17, 3, -0x1.55b2b0114bf63p-8},
    {kUniform, 0x0u, 0, 0, 0x1.e4dfeb3668ba3p-11},
    {kUniform, 0x0u, 0, 1, -0x1.242953a409109p-6},
    {kUniform, 0x0u, 0, 2, 0x1.f13a9dd89d8dcp-7},
    {kUniform, 0x0u, 1, 0, 0x1.73fa5c5cbfa48p-10},
    {kUniform, 0x7u, 3, 4, 0x1.905bcd9a49b11p-6},
    {kUniform, 0x7u, 3, 5, -0x1.58f628ea89b61p-6},
    {kUniform, 0x123456789abcdefu, 49, 8, -0x1.94319d9db8a26p-8},
    {kUniform, 0x123456789abcdefu, 49, 9, 0x1.7a7f6e844994dp-6},
    {kUniform, 0x100000000u, 2, 6, -0x1.bbf5a5c9164c5p-8},
    {kUniform, 0xffffffffffffffffu, 17, 3, 0x1.048bc1ef7d7c4p-5},
};

TEST(FillRandom, KnownNumbers) {
  for (const Known& known : kKnown) {
    const Random random{.distribution = known.distribution, .std = 0.02, .seed = known.seed};
    const auto at = static_cast<std::size_t>(known.n * 10 + known.m);
    const double f64 = draw<double>(50, 10, random)[at];
    EXPECT_NEAR(f64, known.value, 4e-16 * std::fabs(known.value)) << known.seed << " " << known.n << " " << known.m;
    EXPECT_EQ(draw<float>(50, 10, random)[at], static_cast<float>(known.value));
    EXPECT_EQ(draw<f16>(50, 10, random)[at].bits, to_f16(known.value).bits);
    EXPECT_EQ(draw<bf16>(50, 10, random)[at].bits, to_bf16(known.value).bits);
  }
}

// The same definition in long double and libm, at many more numbers.
TEST(FillRandom, NormalNumbersAreBoxAndMullers) {
  const std::vector<double> numbers = draw<double>(100, 400, {.std = 1.0, .seed = 99});
  for (std::int64_t n = 0; n < 100; ++n) {
    for (std::int64_t m = 0; m < 400; m += 2) {
      const PhiloxCounter words = philox4x32(base::table_counter(n, m / 2), {99, 0});
      const auto turns = static_cast<long double>((std::uint64_t{words[1]} << 32) | words[0]) * 0x1p-64L;
      const std::uint64_t bits = ((std::uint64_t{words[3]} << 32) | words[2]) >> 11;
      const long double radius = std::sqrt(-2 * std::log(static_cast<long double>(bits + 1) * 0x1p-53L));
      const long double angle = 2 * std::numbers::pi_v<long double> * turns;
      const auto at = static_cast<std::size_t>(n * 400 + m);
      // Absolute in the radius: near an axis the other coordinate is small.
      ASSERT_NEAR(numbers[at], static_cast<double>(radius * std::cos(angle)), static_cast<double>(4e-16L * radius));
      ASSERT_NEAR(numbers[at + 1], static_cast<double>(radius * std::sin(angle)), static_cast<double>(4e-16L * radius));
    }
  }
}

TEST(FillRandom, DependsOnRowAndColumnOnly) {
  for (const Distribution distribution : {kNormal, kUniform}) {
    const Random random{.distribution = distribution, .std = 0.5, .seed = 3};
    const std::vector<float> all = draw<float>(20, 33, random);
    for (const std::int64_t width : {1, 2, 3, 32, 33}) {
      const std::vector<float> part = draw<float>(7, width, random);
      for (std::int64_t i = 0; i < 7 * width; ++i) {
        const auto whole = static_cast<std::size_t>(i / width * 33 + i % width);
        ASSERT_EQ(part[static_cast<std::size_t>(i)], all[whole]) << width << " " << i;
      }
    }
  }
}

TEST(FillRandom, RowsMayBeStrided) {
  const Random random{.seed = 5};
  const std::vector<float> plain = draw<float>(4, 5, random);
  std::vector<float> spread(4 * 9, 77.0f);
  fill_random({spread.data() + 3 * 9 + 2, DType::f32, 2, {4, 5}, {-9, 1}}, random);
  for (std::size_t i = 0; i < spread.size(); ++i) {
    const std::size_t row = 3 - i / 9;
    const std::size_t column = i % 9 - 2;
    ASSERT_EQ(spread[i], column < 5 ? plain[row * 5 + column] : 77.0f) << i;
  }
}

TEST(FillRandom, SeedsAndDistributionsDiffer) {
  const std::vector<float> first = draw<float>(1, 64, {.seed = 1});
  for (const Random& other :
       {Random{.seed = 2}, Random{.seed = 1 | std::uint64_t{1} << 63}, Random{.distribution = kUniform, .seed = 1}}) {
    const std::vector<float> second = draw<float>(1, 64, other);
    for (std::size_t i = 0; i < 64; ++i) EXPECT_NE(first[i], second[i]);
  }
}

TEST(FillRandom, StdZeroIsZero) {
  for (const Distribution distribution : {kNormal, kUniform}) {
    const std::vector<float> numbers = draw<float>(10, 11, {.distribution = distribution, .std = 0.0});
    const std::vector<float> zeros(numbers.size());
    EXPECT_EQ(std::memcmp(numbers.data(), zeros.data(), numbers.size() * sizeof(float)), 0) << "no -0 either";
  }
}

TEST(FillRandom, StdScales) {
  const std::vector<double> one = draw<double>(3, 5, {.std = 1.0, .seed = 8});
  const std::vector<double> four = draw<double>(3, 5, {.std = 4.0, .seed = 8});
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(four[i], 4.0 * one[i]);
}

TEST(FillRandom, EmptyTables) {
  fill_random(make_view(static_cast<float*>(nullptr), {0, 5}), {});
  fill_random(make_view(static_cast<float*>(nullptr), {5, 0}), {});
}

template <class T>
void expect_untouched(const Random& random, const std::string& message) {
  std::vector<T> out(6);
  std::memset(out.data(), 0x5a, out.size() * sizeof(T));
  const std::vector<T> before = out;
  expect_error(ErrorKind::usage, message, [&] { fill_random(make_view(out.data(), {2, 3}), random); });
  EXPECT_EQ(std::memcmp(out.data(), before.data(), out.size() * sizeof(T)), 0);
}

TEST(FillRandom, RefusesImpossibleStds) {
  const std::string condition = "[fill_random] std must be finite and at least 0 but got ";
  expect_untouched<float>({.std = -0.5}, condition + "-0.5");
  expect_untouched<float>({.std = kInf}, condition + "inf");
  expect_untouched<double>({.std = std::nan("")}, condition + "nan");
}

TEST(FillRandom, RefusesStdsThatOverflow) {
  expect_untouched<f16>({.std = 7700.0}, "[fill_random] std must be at most 7634 for f16 but got 7700, ");
  expect_untouched<f16>({.distribution = kUniform, .std = 40000.0}, "std must be at most 3.765e+04 for f16");
  expect_untouched<float>({.std = 4e37}, "std must be at most 3.966e+37 for f32");
  expect_untouched<bf16>({.std = 3.96e37}, "std must be at most 3.951e+37 for bf16");
  expect_untouched<double>({.std = 3e307}, "std must be at most 2.095e+307 for f64");
  for (const f16 number : draw<f16>(100, 100, {.std = 7600.0})) ASSERT_TRUE(std::isfinite(to_double(number)));
  for (const double number : draw<double>(10, 10, {.std = 2e307})) ASSERT_TRUE(std::isfinite(number));
}

TEST(FillRandom, RefusesOtherViews) {
  std::vector<float> out(24);
  expect_error(ErrorKind::usage, "[fill_random] out must be [N, M] but is [2, 3, 4]", [&] {
    fill_random(make_view(out.data(), {2, 3, 4}), {});
  });
  expect_error(ErrorKind::usage, "[fill_random] out must be [N, M] but is [24]",
               [&] { fill_random(make_view(out.data(), {24}), {}); });
  expect_error(ErrorKind::usage, "[fill_random] out must be f32, f64, f16 or bf16 but is i32", [&] {
    fill_random(make_view(out.data(), DType::i32, {4, 6}), {});
  });
  expect_error(ErrorKind::usage, "[fill_random] out must have contiguous channels", [&] {
    fill_random(make_view(out.data(), {4, 6}).swap(0, 1), {});
  });
  expect_error(ErrorKind::usage, "[fill_random] out must not be null", [&] {
    fill_random(make_view(static_cast<float*>(nullptr), {4, 6}), {});
  });
}

}  // namespace
}  // namespace posenc::random_test
