#include "core/kernels/turn_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <type_traits>
#include <vector>

#include "core/kernels/half_row.h"
#include "posenc/half.h"
#include "support/every_target.h"

namespace posenc::kernels::turn_rows_test {
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

  AnchorTurn turn() const {
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
  turn_rows(c.turn(), PairColumns<double>{sine.data(), cosine.data(), 1, 0}, Stores::cached);
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
  turn_rows(c.turn(), PairColumns<float>{sine.data(), cosine.data(), 1, 0}, Stores::cached);
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
  turn_rows(c.turn(), PairColumns<float>{out.data() + sine_at, out.data() + 1 - sine_at, 2, 0}, Stores::cached);
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

TEST(TurnRows, F64OnEveryTarget) { on_every_size(check_f64); }
TEST(TurnRows, F32OnEveryTarget) { on_every_size(check_f32); }
TEST(TurnRows, InterleavedOnEveryTarget) {
  on_every_size([](const Case& c) { check_interleaved(c, false); });
}
TEST(TurnRows, CosineFirstOnEveryTarget) {
  on_every_size([](const Case& c) { check_interleaved(c, true); });
}

// Several rows at once: each has the bits that it has alone, wherever they go.
template <class T, class Turner>
void check_rows(std::int64_t pairs, std::int64_t rows, std::int64_t stride, const Turner& turner) {
  const Case many(pairs * rows);
  const Case offset(pairs);
  const auto at = [&](std::int64_t row, std::int64_t count) {
    return AnchorTurn{many.anchor_sin.data() + row * pairs,
                      many.anchor_cos.data() + row * pairs,
                      pairs,
                      offset.offset_sin.data(),
                      offset.offset_cos.data(),
                      pairs,
                      count};
  };
  const std::int64_t row_stride = 2 * pairs + 3;
  std::vector<T> together(static_cast<std::size_t>(rows * row_stride + 1), T(7)), alone(together);
  const auto columns = [&](std::vector<T>& out, std::int64_t row) {
    T* data = out.data() + row * row_stride;
    return PairColumns<T>{data + (stride == 2 ? 1 : 0), data + (stride == 2 ? 0 : pairs), stride, row_stride};
  };
  turner(at(0, rows), columns(together, 0));
  for (std::int64_t row = 0; row < rows; ++row) turner(at(row, 1), columns(alone, row));
  for (std::size_t i = 0; i < together.size(); ++i) ASSERT_EQ(together[i], alone[i]) << i << " of " << pairs;
}

TEST(TurnRows, ManyAreAsOneByOneOnEveryTarget) {
  on_every_target([] {
    for (const std::int64_t pairs : {1, 3, 4, 5, 16, 33}) {
      for (const std::int64_t rows : {0, 1, 3, 4, 5, 9}) {
        for (const std::int64_t stride : {1, 2}) {
          const auto cached = [](const auto& turn, const auto& out) { turn_rows(turn, out, Stores::cached); };
          check_rows<double>(pairs, rows, stride, cached);
          check_rows<float>(pairs, rows, stride, cached);
          check_rows<float>(pairs, rows, stride, [](const auto& turn, const auto& out) { turn_rows_odd(turn, out); });
        }
      }
    }
  });
}

// Both ways are the rows of the offset and of the offset with its sines negated, to the bit.
template <class T, class Both, class One>
void check_both(std::int64_t pairs, std::int64_t rows, std::int64_t stride, const Both& both, const One& one) {
  const Case many(pairs * rows);
  const Case offset(pairs);
  std::vector<double> negated(offset.offset_sin);
  for (double& value : negated) value = -value;
  const AnchorTurn turn{many.anchor_sin.data(),
                        many.anchor_cos.data(),
                        pairs,
                        offset.offset_sin.data(),
                        offset.offset_cos.data(),
                        pairs,
                        rows};
  AnchorTurn back = turn;
  back.offset_sin = negated.data();
  const std::int64_t row_stride = 2 * pairs + 3;
  const std::int64_t to_back = rows * row_stride;
  std::vector<T> together(static_cast<std::size_t>(2 * to_back + 1), T(7)), alone(together);
  const auto columns = [&](std::vector<T>& out, std::int64_t from) {
    T* data = out.data() + from;
    return PairColumns<T>{data + (stride == 2 ? 1 : 0), data + (stride == 2 ? 0 : pairs), stride, row_stride};
  };
  both(turn, columns(together, 0), to_back);
  one(turn, columns(alone, 0));
  one(back, columns(alone, to_back));
  for (std::size_t i = 0; i < together.size(); ++i) ASSERT_EQ(together[i], alone[i]) << i << " of " << pairs;
}

TEST(TurnRows, BothWaysAreAsOneByOneOnEveryTarget) {
  const auto both = [](const auto& turn, const auto& out, std::int64_t to_back) {
    turn_both(turn, out, to_back, Stores::cached);
  };
  const auto one = [](const auto& turn, const auto& out) { turn_rows(turn, out, Stores::cached); };
  const auto both_odd = [](const auto& turn, const auto& out, std::int64_t to_back) {
    turn_both_odd(turn, out, to_back);
  };
  const auto one_odd = [](const auto& turn, const auto& out) { turn_rows_odd(turn, out); };
  on_every_target([&] {
    for (const std::int64_t pairs : {1, 3, 4, 5, 16, 33}) {
      for (const std::int64_t rows : {1, 2, 3, 4}) {
        for (const std::int64_t stride : {1, 2}) {
          check_both<double>(pairs, rows, stride, both, one);
          check_both<float>(pairs, rows, stride, both, one);
          check_both<float>(pairs, rows, stride, both_odd, one_odd);
        }
      }
    }
  });
}

// Past the caches the same bits arrive.
template <class T>
void check_streamed(std::int64_t pairs, std::int64_t stride, bool cosine_first) {
  const Case one(pairs);
  AnchorTurn turn = one.turn();
  turn.rows = 4;  // the same row four times
  const std::int64_t row_stride = 2 * pairs;
  struct Lines {
    alignas(kStreamAlignment) T data[4 * 2 * 64];
  };
  const auto streamed = std::make_unique<Lines>(), plain = std::make_unique<Lines>();
  const auto columns = [&](T* data) {
    const std::int64_t second = stride == 2 ? 1 : pairs;
    return PairColumns<T>{data + (cosine_first ? second : 0), data + (cosine_first ? 0 : second), stride, row_stride};
  };
  turn_rows(turn, columns(streamed->data), Stores::past_caches);
  finish_stream();
  turn_rows(turn, columns(plain->data), Stores::cached);
  for (std::int64_t i = 0; i < 4 * row_stride; ++i) ASSERT_EQ(streamed->data[i], plain->data[i]) << i;
}

TEST(TurnRows, StreamedRowsAreTheSameOnEveryTarget) {
  on_every_target([] {
    for (const std::int64_t pairs : {16, 64}) {
      for (const std::int64_t stride : {1, 2}) {
        for (const bool cosine_first : {false, true}) {
          check_streamed<float>(pairs, stride, cosine_first);
          check_streamed<double>(pairs, stride, cosine_first);
        }
      }
    }
  });
}

// Doubles at and beside the ties of 16-bit floats, where rounding to float first would round twice.
template <class Half>
std::vector<double> ties() {
  std::vector<double> values;
  for (std::uint32_t bits = 0; bits < 0x7fff; bits += 1) {
    const double low = to_double(Half{static_cast<std::uint16_t>(bits)});
    const double high = to_double(Half{static_cast<std::uint16_t>(bits + 1)});
    if (!std::isfinite(low) || !std::isfinite(high)) continue;
    const double middle = low + (high - low) / 2.0;
    for (const double value : {low, middle, std::nextafter(middle, INFINITY), std::nextafter(middle, 0.0)}) {
      values.push_back(value);
      values.push_back(-value);
    }
  }
  std::mt19937_64 random(3);
  for (int i = 0; i < 200000; ++i) values.push_back(std::ldexp(static_cast<double>(random()), -64 - i % 160));
  return values;
}

TEST(TurnRows, OddRoundingIsOneRoundingTo16BitsOnEveryTarget) {
  const auto check = [](const std::vector<double>& values, auto half, const auto& convert) {
    using Half = decltype(half);
    const auto count = static_cast<std::int64_t>(values.size());
    std::vector<float> sine(values.size()), cosine(values.size());
    place_row_odd(values.data(), values.data(), count, PairColumns<float>{sine.data(), cosine.data(), 1, 0});
    std::vector<Half> narrow(values.size());
    narrow_row(sine.data(), count, narrow.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(narrow[i].bits, convert(values[i]).bits) << std::hexfloat << values[i];
      ASSERT_EQ(cosine[i], sine[i]);
    }
  };
  on_every_target([&] {
    check(ties<f16>(), f16{}, to_f16);
    check(ties<bf16>(), bf16{}, to_bf16);
  });
}

}  // namespace
}  // namespace posenc::kernels::turn_rows_test
