#include "core/kernels/half_row.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "posenc/half.h"
#include "support/every_target.h"

namespace posenc::kernels::half_row_test {
namespace {

template <class Half>
struct Convert;
template <>
struct Convert<f16> {
  static f16 narrow(float value) { return to_f16(static_cast<double>(value)); }
};
template <>
struct Convert<bf16> {
  static bf16 narrow(float value) { return to_bf16(static_cast<double>(value)); }
};

template <class Half>
std::vector<Half> all_halves() {
  std::vector<Half> all;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) all.push_back({static_cast<std::uint16_t>(bits)});
  return all;
}

// Every 16-bit number, every midpoint of two neighbours, the floats beside both, and a million others.
template <class Half>
std::vector<float> probes() {
  std::vector<float> values;
  const auto add = [&](float value) {
    for (const float near : {value, std::nextafter(value, INFINITY), std::nextafter(value, -INFINITY)}) {
      values.push_back(near);
      values.push_back(-near);
    }
  };
  for (std::uint16_t bits = 0; bits < 0x7fff; ++bits) {
    const double low = to_double(Half{bits});
    const double high = to_double(Half{static_cast<std::uint16_t>(bits + 1)});
    add(static_cast<float>(low));
    if (std::isfinite(low) && std::isfinite(high)) add(static_cast<float>(low + (high - low) / 2.0));
  }
  add(65520.0f);
  // NaN whose only bits are among those that go, signalling and quiet.
  for (const std::uint32_t bits : {0x7f800001u, 0xff800001u, 0x7fc00000u, 0xffc00000u, 0x7fffffffu, 0xffffffffu}) {
    values.push_back(std::bit_cast<float>(bits));
  }
  std::mt19937 random(7);
  for (int i = 0; i < 1000000; ++i) values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  return values;
}

template <class Half>
class HalfRow : public testing::Test {};
using Halves = testing::Types<f16, bf16>;
TYPED_TEST_SUITE(HalfRow, Halves);

TYPED_TEST(HalfRow, WidensEveryNumberExactly) {
  const std::vector<TypeParam> all = all_halves<TypeParam>();
  on_every_target([&] {
    std::vector<float> wide(all.size());
    widen_row(all.data(), static_cast<std::int64_t>(all.size()), wide.data());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto expected = static_cast<float>(to_double(all[i]));
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(wide[i])) << i;
      } else {
        ASSERT_EQ(std::bit_cast<std::uint32_t>(wide[i]), std::bit_cast<std::uint32_t>(expected)) << i;
      }
    }
  });
}

TYPED_TEST(HalfRow, NarrowsAsTheConversionFromDouble) {
  const std::vector<float> values = probes<TypeParam>();
  on_every_target([&] {
    std::vector<TypeParam> narrow(values.size());
    narrow_row(values.data(), static_cast<std::int64_t>(values.size()), narrow.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i])) {
        ASSERT_TRUE(std::isnan(to_double(narrow[i]))) << i;
        ASSERT_EQ(narrow[i].bits >> 15 != 0, std::signbit(values[i])) << i;
      } else {
        ASSERT_EQ(narrow[i].bits, Convert<TypeParam>::narrow(values[i]).bits) << std::hexfloat << values[i];
      }
    }
  });
}

TYPED_TEST(HalfRow, TouchesNothingBehindTheLast) {
  const std::vector<float> values(40, 1.5f);
  on_every_target([&] {
    for (std::int64_t count = 0; count < 39; ++count) {
      std::vector<TypeParam> narrow(40, TypeParam{0x1234});
      narrow_row(values.data(), count, narrow.data());
      std::vector<float> wide(40, 7.0f);
      widen_row(narrow.data(), count, wide.data());
      for (std::int64_t i = 0; i < 40; ++i) {
        const auto k = static_cast<std::size_t>(i);
        ASSERT_EQ(narrow[k].bits == 0x1234, i >= count) << count;
        ASSERT_EQ(wide[k], i < count ? 1.5f : 7.0f) << count;
      }
    }
  });
}

}  // namespace
}  // namespace posenc::kernels::half_row_test
