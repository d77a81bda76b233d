#include "core/kernels/join_row.h"

#include <gtest/gtest.h>

#include <random>
#include <type_traits>
#include <vector>

#include "posenc/half.h"
#include "support/every_target.h"

namespace posenc::kernels::join_row_test {
namespace {

constexpr std::size_t kMargin = 32;

template <class Real>
std::vector<Real> numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<Real> number(-3, 3);
  std::vector<Real> result(count);
  for (Real& value : result) value = number(random);
  return result;
}

// Every step is rounded by itself: volatile keeps the compiler from fusing them.
template <class Real>
Real product(Real a, Real b) {
  const volatile Real result = a * b;
  return result;
}

// One number off the start of the memory: nobody promises an alignment. Out of place and in place.
template <class Real>
void check_add_and_scale(std::size_t count) {
  const std::vector<Real> x = numbers<Real>(count + 1 + kMargin, 1), row = numbers<Real>(count + 1, 2);
  const auto scale = static_cast<Real>(22.627417);
  std::vector<Real> sum(x.size(), Real(9)), scaled(sum), wanted_sum(sum), wanted_scaled(sum), in_place(x), wanted(x);
  for (std::size_t i = 1; i <= count; ++i) {
    wanted_scaled[i] = product(scale, x[i]);
    wanted[i] = wanted_sum[i] = wanted_scaled[i] + row[i];
  }
  const auto length = static_cast<std::int64_t>(count);
  add_row(x.data() + 1, row.data() + 1, scale, length, sum.data() + 1);
  ASSERT_EQ(sum, wanted_sum) << count;
  scale_row(x.data() + 1, scale, length, scaled.data() + 1);
  ASSERT_EQ(scaled, wanted_scaled) << count;
  add_row(in_place.data() + 1, row.data() + 1, scale, length, in_place.data() + 1);
  ASSERT_EQ(in_place, wanted) << count;
}

template <class Real>
void check_drop(std::size_t count) {
  std::vector<Real> x = numbers<Real>(count + 1 + kMargin, 3);
  std::vector<std::uint32_t> random(count + 1);
  std::mt19937 engine(4);
  for (std::uint32_t& number : random) number = static_cast<std::uint32_t>(engine());
  // Borders: numbers are unsigned, and the threshold itself is kept.
  const std::uint32_t threshold = 0x90000000;
  if (count > 2) random[1] = threshold, random[2] = threshold - 1, random[3 % (count + 1)] = 0xffffffff;
  const auto factor = static_cast<Real>(1.7);
  std::vector<Real> wanted(x);
  for (std::size_t i = 1; i <= count; ++i) wanted[i] = random[i] < threshold ? Real(0) : product(x[i], factor);
  drop_row(random.data() + 1, threshold, factor, static_cast<std::int64_t>(count), x.data() + 1);
  ASSERT_EQ(x, wanted) << count;
}

template <class Check>
void on_every_size(const Check& check) {
  on_every_target([&] {
    for (std::size_t count = 0; count <= 70; ++count) check(count);
    check(std::size_t{4099});
  });
}

TEST(JoinRow, AddAndScaleOnEveryTarget) {
  on_every_size(check_add_and_scale<float>);
  on_every_size(check_add_and_scale<double>);
}

template <class Half>
Half narrow(float value) {
  if constexpr (std::is_same_v<Half, f16>) return to_f16(static_cast<double>(value));
  if constexpr (std::is_same_v<Half, bf16>) return to_bf16(static_cast<double>(value));
}

// In float as above, then rounded by the plain conversion. In place.
template <class Half>
void check_add_half(std::size_t count) {
  const std::vector<float> row = numbers<float>(count + 1, 2);
  const float scale = 22.627417f;
  std::vector<Half> x;
  for (const float value : numbers<float>(count + 1 + kMargin, 1)) x.push_back(narrow<Half>(value));
  std::vector<Half> wanted(x);
  for (std::size_t i = 1; i <= count; ++i) {
    wanted[i] = narrow<Half>(product(scale, static_cast<float>(to_double(x[i]))) + row[i]);
  }
  add_row(x.data() + 1, row.data() + 1, scale, static_cast<std::int64_t>(count), x.data() + 1);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i].bits, wanted[i].bits) << i << " of " << count;
}

TEST(JoinRow, AddOf16BitsOnEveryTarget) {
  on_every_size(check_add_half<f16>);
  on_every_size(check_add_half<bf16>);
}

TEST(JoinRow, DropOnEveryTarget) {
  on_every_size(check_drop<float>);
  on_every_size(check_drop<double>);
}

}  // namespace
}  // namespace posenc::kernels::join_row_test
