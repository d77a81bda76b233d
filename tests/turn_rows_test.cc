#include "kernels/turn_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "support/every_target.h"

namespace posenc::kernels {
namespace {

constexpr float kCanary = 1234.5f;

struct Case {
  std::vector<double> anchor_sin, anchor_cos, offset_sin, offset_cos;

  explicit Case(std::int64_t pairs) {
    std::mt19937_64 random(static_cast<std::uint64_t>(pairs) + 1);
    std::uniform_real_distribution<double> angle(-4.0, 4.0);
    for (std::int64_t i = 0; i < pairs; ++i) {
      const double a = angle(random);
      const double b = angle(random);
      anchor_sin.push_back(std::sin(a));
      anchor_cos.push_back(std::cos(a));
      offset_sin.push_back(std::sin(b));
      offset_cos.push_back(std::cos(b));
    }
  }

  Turn turn() const {
    return {anchor_sin.data(),
            anchor_cos.data(),
            0,
            offset_sin.data(),
            offset_cos.data(),
            static_cast<std::int64_t>(anchor_sin.size()),
            1};
  }
  // In long double: 11 bits more than any target has.
  long double sine(std::size_t i) const {
    return static_cast<long double>(anchor_sin[i]) * offset_cos[i] +
           static_cast<long double>(anchor_cos[i]) * offset_sin[i];
  }
  long double cosine(std::size_t i) const {
    return static_cast<long double>(anchor_cos[i]) * offset_cos[i] -
           static_cast<long double>(anchor_sin[i]) * offset_sin[i];
  }
};

// Two products of at most 1/2 + 1/2 and their sum, each rounded at worst: 1.5 times 2^-53. Rounding to float32 adds
// 2^-25 of a number below 1.
constexpr long double kF64 = 1.6e-16L;
constexpr long double kF32 = 0x1p-25L + kF64;

void check_f64(const Case& c) {
  const std::size_t pairs = c.anchor_sin.size();
  std::vector<double> sine(pairs + 8, static_cast<double>(kCanary)), cosine(sine);
  turn_rows(c.turn(), PairColumns<double>{sine.data(), cosine.data(), 1, 0});
  for (std::size_t i = 0; i < pairs; ++i) {
    ASSERT_LE(std::fabs(static_cast<long double>(sine[i]) - c.sine(i)), kF64) << i << " of " << pairs;
    ASSERT_LE(std::fabs(static_cast<long double>(cosine[i]) - c.cosine(i)), kF64) << i << " of " << pairs;
  }
  for (std::size_t i = pairs; i < pairs + 8; ++i) {
    ASSERT_EQ(sine[i], static_cast<double>(kCanary)) << "written past the end, " << pairs;
    ASSERT_EQ(cosine[i], static_cast<double>(kCanary)) << "written past the end, " << pairs;
  }
}

void check_f32(const Case& c) {
  const std::size_t pairs = c.anchor_sin.size();
  std::vector<float> sine(pairs + 16, kCanary), cosine(sine);
  turn_rows(c.turn(), PairColumns<float>{sine.data(), cosine.data(), 1, 0}, Rounding::nearest);
  for (std::size_t i = 0; i < pairs; ++i) {
    ASSERT_LE(std::fabs(static_cast<long double>(sine[i]) - c.sine(i)), kF32) << i << " of " << pairs;
    ASSERT_LE(std::fabs(static_cast<long double>(cosine[i]) - c.cosine(i)), kF32) << i << " of " << pairs;
  }
  for (std::size_t i = pairs; i < pairs + 16; ++i) {
    ASSERT_EQ(sine[i], kCanary) << "written past the end, " << pairs;
    ASSERT_EQ(cosine[i], kCanary) << "written past the end, " << pairs;
  }
}

void check_interleaved(const Case& c, bool cosine_first) {
  const std::size_t pairs = c.anchor_sin.size();
  std::vector<float> out(2 * pairs + 16, kCanary);
  const std::size_t sine_at = cosine_first ? 1 : 0;
  turn_rows(c.turn(), PairColumns<float>{out.data() + sine_at, out.data() + 1 - sine_at, 2, 0}, Rounding::nearest);
  for (std::size_t i = 0; i < pairs; ++i) {
    ASSERT_LE(std::fabs(static_cast<long double>(out[2 * i + sine_at]) - c.sine(i)), kF32) << i << " of " << pairs;
    ASSERT_LE(std::fabs(static_cast<long double>(out[2 * i + 1 - sine_at]) - c.cosine(i)), kF32)
        << i << " of " << pairs;
  }
  for (std::size_t i = 2 * pairs; i < out.size(); ++i) ASSERT_EQ(out[i], kCanary) << "written past the end, " << pairs;
}

template <class Check>
void on_every_size(const Check& check) {
  on_every_target([&] {
    for (std::int64_t pairs = 0; pairs <= 70; ++pairs) check(Case(pairs));
  });
}

TEST(TurnRow, F64OnEveryTarget) { on_every_size(check_f64); }
TEST(TurnRow, F32OnEveryTarget) { on_every_size(check_f32); }
TEST(TurnRow, InterleavedOnEveryTarget) {
  on_every_size([](const Case& c) { check_interleaved(c, false); });
}
TEST(TurnRow, CosineFirstOnEveryTarget) {
  on_every_size([](const Case& c) { check_interleaved(c, true); });
}

}  // namespace
}  // namespace posenc::kernels
