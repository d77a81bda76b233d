#include "posenc/rotate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "posenc/reference.h"
#include "support/every_target.h"
#include "support/head_block.h"
#include "support/parts.h"
#include "support/rotary_oracle.h"
#include "support/typed_block.h"

namespace posenc::rotate_test {
namespace {

// Where a position view has its token, as the oracle wants it.
std::vector<double> coordinates(const PositionView& positions, std::int64_t b, std::int64_t n) {
  std::vector<double> result;
  for (std::int64_t a = 0; a < positions.axes; ++a) result.push_back(positions.real(positions.batch > 1 ? b : 0, n, a));
  return result;
}

// Every number of `out` is that of `in` rotated by exact angles, up to the rounding of the arithmetic.
void expect_turned(const HeadBlock& in, const HeadBlock& out, const PositionView& positions, const Rotary& spec,
                   double scale = 1.0) {
  const RotarySchedule schedule = make_schedule(spec);
  const View shape = in.view();
  for (std::int64_t b = 0; b < shape.shape[0]; ++b) {
    for (std::int64_t n = 0; n < shape.shape[1]; ++n) {
      const std::vector<double> position = coordinates(positions, b, n);
      const double angle_error = oracle::angle_error(schedule, position);
      for (std::int64_t h = 0; h < shape.shape[2]; ++h) {
        const oracle::TurnedHead wanted = oracle::turn_head(spec, position, in.head(b, n, h), scale);
        for (std::int64_t c = 0; c < shape.shape[3]; ++c) {
          const auto i = static_cast<std::size_t>(c);
          const double tolerance = oracle::turn_tolerance(shape.dtype, wanted.values[i], wanted.sizes[i], angle_error);
          ASSERT_NEAR(out.at(b, n, h, c), wanted.values[i], tolerance)
              << "b " << b << " n " << n << " h " << h << " channel " << c << " at " << position[0];
        }
      }
    }
  }
  EXPECT_TRUE(out.gaps_are_whole());
}

std::vector<double> numbers_for(const HeadBlock& block, unsigned seed = 1) {
  return random_numbers(block.view().size(), seed);
}

const Layout kLayouts[] = {Layout::half, Layout::interleaved, Layout::interleaved_to_half, Layout::half_negative,
                           Layout::half_per_axis};

TEST(Rotate, IsTheDefinitionInEveryLayoutAndType) {
  on_every_target([] {
    for (const Layout layout : kLayouts) {
      for (const DType dtype : float_types()) {
        SCOPED_TRACE(to_text(dtype));
        const Rotary spec{.head_dim = 24, .base = 50.0, .layout = layout, .attention_factor = 1.25};
        SCOPED_TRACE(to_text(Spec(spec)));
        const PositionView positions = PositionView::range(3, 5, 7);
        const RotaryAngles angles(spec);
        const RotaryTable table(angles, PositionView::range(3, 40), dtype == DType::f64 ? DType::f64 : DType::f32);
        for (const RotarySource& source : {RotarySource(angles), RotarySource(table)}) {
          HeadBlock x(dtype, 1, 5, 3, 24), out(dtype, 1, 5, 3, 24);
          x.set_values(numbers_for(x));
          rotate(x.tokens(), positions, source, out.tokens());
          expect_turned(x, out, positions, spec);
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    }
  });
}

// Tails of every vector width, and windows at the start, in the middle and at the end of a head.
TEST(Rotate, IsTheDefinitionForEverySize) {
  on_every_target([] {
    for (std::int64_t width = 2; width <= 72; width += 2) {
      for (const Layout layout : {Layout::half, Layout::interleaved, Layout::interleaved_to_half}) {
        for (const DType dtype : {DType::f32, DType::bf16}) {
          const Rotary spec{.head_dim = width + 5,
                            .base = 20.0,
                            .layout = layout,
                            .rotary_dim = width,
                            .first_channel = width % 3 == 0   ? 0
                                             : width % 3 == 1 ? 2
                                                              : -width};
          SCOPED_TRACE(to_text(Spec(spec)));
          const PositionView positions = PositionView::range(1, 2, 10);
          const RotaryTable table(spec, 12);
          HeadBlock x(dtype, 1, 2, 3, spec.head_dim), out(dtype, 1, 2, 3, spec.head_dim);
          x.set_values(numbers_for(x));
          rotate(x.tokens(), positions, table, out.tokens());
          expect_turned(x, out, positions, spec);
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    }
  });
}

TEST(Rotate, IsTheDefinitionForLargeHeads) {
  on_every_target([] {
    for (const std::int64_t width : {80, 128, 256, 8192}) {
      for (const Layout layout : {Layout::half, Layout::interleaved, Layout::interleaved_to_half}) {
        const Rotary spec{.head_dim = width, .layout = layout};
        SCOPED_TRACE(to_text(Spec(spec)));
        const PositionView positions = PositionView::range(1000, 1);
        const RotaryAngles angles(spec);
        for (const DType dtype : {DType::f32, DType::bf16}) {
          HeadBlock x(dtype, 1, 1, 1, width), out(dtype, 1, 1, 1, width);
          x.set_values(numbers_for(x));
          rotate(x.tokens(), positions, angles, out.tokens());
          expect_turned(x, out, positions, spec);
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    }
  });
}

// More than caches hold, at once and in parts that they do: the same bits.
TEST(Rotate, GivesTheSameBitsForLargeViews) {
  constexpr std::int64_t kTokens = 1300, kHeads = 33, kWidth = 100;  // 17 MB of floats, 34 of doubles
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    const std::int64_t tokens = dtype == DType::bf16 ? 2 * kTokens : kTokens;
    for (const Layout layout : {Layout::half, Layout::interleaved}) {
      const RotaryTable table(Rotary{.head_dim = kWidth, .layout = layout, .rotary_dim = 90}, tokens,
                              dtype == DType::f64 ? DType::f64 : DType::f32);
      HeadBlock whole(dtype, 1, tokens, kHeads, kWidth), parts(dtype, 1, tokens, kHeads, kWidth);
      ASSERT_GT(whole.bytes().size(), std::size_t{16} << 20);
      // Bytes 0x5a of the canary are plain numbers in every type; some others between them.
      for (std::int64_t n = 0; n < tokens; ++n) {
        for (std::int64_t c = 0; c < kWidth; c += 3) {
          whole.set(0, n, n % kHeads, c, static_cast<double>(c % 7) - 3.0);
          parts.set(0, n, n % kHeads, c, static_cast<double>(c % 7) - 3.0);
        }
      }
      rotate(whole.tokens(), PositionView::range(0, tokens), table);
      rotate_in_parts(parts.tokens(), table);
      EXPECT_TRUE(whole.bytes() == parts.bytes()) << to_text(dtype);
    }
  }
}

// 1 to 2^31 - 1, both ways, and real numbers: no drift with the position.
TEST(Rotate, IsExactFarOut) {
  const std::vector<std::int64_t> ids = {1,    499,      8191,       131071,     1048575,   16777217,
                                         -499, -1048575, 2147483646, 2147483647, -16777217, -2147483647};
  const std::vector<double> reals = {0.5, -0.25, 499.75, 1048575.3, -131071.0625, 2147483646.5};
  on_every_target([&] {
    for (const DType dtype : float_types()) {
      SCOPED_TRACE(to_text(dtype));
      for (const double base : {10000.0, 500000.0}) {
        const Rotary spec{.head_dim = 64, .base = base, .layout = Layout::interleaved};
        const RotaryAngles angles(spec);
        for (const PositionView& positions :
             {PositionView::of(ids.data(), std::ssize(ids)), PositionView::of(reals.data(), std::ssize(reals))}) {
          HeadBlock x(dtype, 1, positions.count, 1, 64), out(dtype, 1, positions.count, 1, 64);
          x.set_values(numbers_for(x));
          rotate(x.tokens(), positions, angles, out.tokens());
          expect_turned(x, out, positions, spec);
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    }
  });
}

TEST(Rotate, TakesATableFarOut) {
  const Rotary spec{.head_dim = 64};
  const RotaryAngles angles(spec);
  for (const std::int64_t start : {std::int64_t{1048573}, kMaxPosition - 2, -kMaxPosition, std::int64_t{-1}}) {
    const PositionView positions = PositionView::range(start, 3);
    const RotaryTable table(angles, positions);
    HeadBlock x(DType::f32, 1, 3, 2, 64), out(DType::f32, 1, 3, 2, 64);
    x.set_values(numbers_for(x));
    rotate(x.tokens(), positions, table, out.tokens());
    expect_turned(x, out, positions, spec);
  }
}

// With reference precision every product and sum is rounded by itself, so that every instruction set gives the bits of
// plain arithmetic.
TEST(Rotate, GivesTheBitsOfPlainArithmeticForReferencePrecision) {
  for (const Layout layout : kLayouts) {
    const Rotary spec{.head_dim = 90,
                      .layout = layout,
                      .rotary_dim = 76,
                      .first_channel = 3,
                      .attention_factor = 1.1,
                      .precision = Precision::reference};
    const RotaryTable table(spec, 300);
    const PositionView positions = PositionView::range(0, 4, 99);
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
      HeadBlock x(dtype, 1, 4, 3, 90);
      x.set_values(numbers_for(x));
      for (const float scale : {1.0f, 0.7f}) {
        HeadBlock wanted(dtype, 1, 4, 3, 90);
        for (std::int64_t n = 0; n < 4; ++n) {
          const float* row = table.view()[99 * n].as<float>();
          for (std::int64_t h = 0; h < 3; ++h) {
            for (std::int64_t c : {0, 1, 2, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89}) {
              wanted.set(0, n, h, c, static_cast<double>(static_cast<float>(x.at(0, n, h, c)) * scale));
            }
            for (std::int64_t i = 0; i < 38; ++i) {
              const reference::RotaryPair pair = reference::rotary_pair(spec, i);
              const auto a = static_cast<float>(x.at(0, n, h, pair.read_first));
              const auto b = static_cast<float>(x.at(0, n, h, pair.read_second));
              const float cosine = row[i], sine = layout == Layout::half_negative ? -row[38 + i] : row[38 + i];
              wanted.set(0, n, h, pair.write_first, static_cast<double>((a * cosine - b * sine) * scale));
              wanted.set(0, n, h, pair.write_second, static_cast<double>((b * cosine + a * sine) * scale));
            }
          }
        }
        on_every_target([&] {
          for (const RotarySource& source : {RotarySource(table), RotarySource(table.angles())}) {
            HeadBlock out(dtype, 1, 4, 3, 90);
            rotate(x.tokens(), positions, source, out.tokens(), {.output_scale = static_cast<double>(scale)});
            EXPECT_EQ(out.values(), wanted.values()) << to_text(Spec(spec)) << " " << to_text(dtype);
          }
        });
      }
    }
  }
}

TEST(Rotate, TakesSeveralAxes) {
  const std::vector<std::int64_t> ids = {0, 0, 0, 1, 20, 300, -4, 5, 60, 7, 7, 7};
  PositionView positions = PositionView::of(ids.data(), 4);
  positions.axes = 3;
  positions.token_stride = 3;
  std::vector<double> both(36);
  for (std::size_t i = 0; i < both.size(); ++i) both[i] = 0.03 * static_cast<double>(i % 7);
  const Rotary specs[] = {
      {.head_dim = 24, .axes = 3, .axis_of_pair = {0, 1, 2, 0, 1, 2, 0, 1, 2, 2, 2, 1}},
      {.head_dim = 24, .layout = Layout::interleaved, .axes = 3, .axis_of_pair = {2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0}},
      {.head_dim = 24, .layout = Layout::half_per_axis, .axes = 3},
      {.head_dim = 26, .layout = Layout::half_per_axis, .rotary_dim = 12, .first_channel = 5, .axes = 3},
      {.head_dim = 24,
       .layout = Layout::half_per_axis,
       .axes = 3,
       .axis_of_pair = {2, 2, 2, 2, 0, 0, 0, 0, 1, 1, 1, 1}},
      {.head_dim = 24, .inv_freq = both, .axes = 3},  // pairs rotated by all axes at once
  };
  on_every_target([&] {
    for (const Rotary& spec : specs) {
      SCOPED_TRACE(to_text(Spec(spec)));
      for (const DType dtype : {DType::f32, DType::f64}) {
        const RotaryAngles angles(spec);
        HeadBlock x(dtype, 1, 4, 2, spec.head_dim), out(dtype, 1, 4, 2, spec.head_dim);
        x.set_values(numbers_for(x));
        rotate(x.tokens(), positions, angles, out.tokens());
        expect_turned(x, out, positions, spec);
        if (::testing::Test::HasFatalFailure()) return;
        if (!spec.inv_freq.empty()) continue;
        HeadBlock by_table(dtype, 1, 4, 2, spec.head_dim);
        const RotaryTable table(angles, PositionView::range(-4, 305), dtype);
        rotate(x.tokens(), positions, table, by_table.tokens());
        EXPECT_EQ(by_table.values(), out.values());
      }
    }
  });
}

TEST(Rotate, TakesAnyOrderOfMemory) {
  const Rotary spec{.head_dim = 20, .base = 30.0, .rotary_dim = 14, .first_channel = 3};
  const std::int64_t ids[8] = {5, 1, 0, 9, 2, 2, 11, 7};
  PositionView batch = PositionView::of(ids, 4);
  batch.batch = 2;
  batch.batch_stride = 4;
  const RotaryTable table(spec, 12);
  for (const PositionView& positions : {batch, PositionView::of(ids, 4)}) {
    for (const HeadLayout& from :
         {HeadLayout{}, HeadLayout{.head_gap = 3, .token_gap = 5}, HeadLayout{.heads_first = true},
          HeadLayout{.head_gap = 1, .heads_first = true, .backwards = true}}) {
      for (const HeadLayout& to : {HeadLayout{}, HeadLayout{.head_gap = 2, .token_gap = 1, .backwards = true},
                                   HeadLayout{.token_gap = 9, .heads_first = true}}) {
        HeadBlock x(DType::f32, 2, 4, 3, 20, from), out(DType::f32, 2, 4, 3, 20, to),
            in_place(DType::f32, 2, 4, 3, 20, to);
        x.set_values(numbers_for(x));
        const std::vector<std::byte> before = x.bytes();
        rotate(x.view(), positions, table, out.view());
        EXPECT_EQ(x.bytes(), before);
        expect_turned(x, out, positions, spec);
        in_place.set_values(x.values());
        rotate(in_place.view(), positions, table);
        EXPECT_EQ(in_place.bytes(), out.bytes());
      }
    }
  }
}

// Head-major memory as a view of [H, N, D] whose axes are exchanged.
TEST(Rotate, TakesSwappedViews) {
  const Rotary spec{.head_dim = 6};
  std::vector<float> heads_first(3 * 4 * 6), tokens_first(3 * 4 * 6);
  for (std::size_t i = 0; i < heads_first.size(); ++i) heads_first[i] = static_cast<float>(i % 17) - 8.0f;
  for (std::size_t h = 0; h < 3; ++h)
    for (std::size_t n = 0; n < 4; ++n)
      for (std::size_t c = 0; c < 6; ++c) tokens_first[(n * 3 + h) * 6 + c] = heads_first[(h * 4 + n) * 6 + c];
  const RotaryTable table(spec, 10);
  rotate(make_view(heads_first.data(), {3, 4, 6}).swap(0, 1), PositionView::range(2, 4), table);
  rotate(make_view(tokens_first.data(), {4, 3, 6}), PositionView::range(2, 4), table);
  for (std::size_t h = 0; h < 3; ++h)
    for (std::size_t n = 0; n < 4; ++n)
      for (std::size_t c = 0; c < 6; ++c) {
        EXPECT_EQ(tokens_first[(n * 3 + h) * 6 + c], heads_first[(h * 4 + n) * 6 + c]);
      }
}

// Channels that are not rotated keep their bits, even NaN.
TEST(Rotate, LeavesChannelsOutsideTheWindow) {
  for (const std::int64_t offset : {0, 5, -8}) {
    const Rotary spec{.head_dim = 20, .rotary_dim = 8, .first_channel = offset, .attention_factor = 3.0};
    const std::int64_t start = offset < 0 ? 20 + offset : offset;
    std::vector<std::uint32_t> bits(2 * 20, 0x7fc12345);
    for (std::size_t i = 0; i < bits.size(); ++i) {
      const auto c = static_cast<std::int64_t>(i % 20);
      if (c >= start && c < start + 8) bits[i] = 0x3f800000;
    }
    const std::vector<std::uint32_t> before = bits;
    rotate(make_view(static_cast<void*>(bits.data()), DType::f32, {2, 1, 20}), PositionView::range(1, 2),
           RotaryAngles(spec));
    for (std::size_t i = 0; i < bits.size(); ++i) {
      const auto c = static_cast<std::int64_t>(i % 20);
      const bool inside = c >= start && c < start + 8;
      EXPECT_EQ(bits[i] == before[i], !inside) << offset << " " << i;
    }
  }
}

TEST(Rotate, ScalesAllChannelsButTheFactorOnlyTheWindow) {
  for (const DType dtype : float_types()) {
    const Rotary spec{.head_dim = 12, .rotary_dim = 8, .first_channel = 2, .attention_factor = 1.5};
    HeadBlock x(dtype, 1, 3, 2, 12), out(dtype, 1, 3, 2, 12);
    x.set_values(numbers_for(x));
    rotate(x.tokens(), PositionView::range(4, 3), RotaryAngles(spec), out.tokens(), {.output_scale = -2.5});
    expect_turned(x, out, PositionView::range(4, 3), spec, -2.5);
    for (std::int64_t c : {0, 1, 10, 11}) {
      EXPECT_EQ(out.at(0, 1, 1, c), rounded_to(dtype, -2.5 * x.at(0, 1, 1, c))) << to_text(dtype);
    }
  }
}

// A factor in the query or the softmax does not act in rotate, whatever the source.
TEST(Rotate, LeavesOtherFactorsToOthers) {
  const Rotary plain{.head_dim = 8};
  HeadBlock x(DType::f32, 1, 3, 2, 8), wanted(DType::f32, 1, 3, 2, 8);
  x.set_values(numbers_for(x));
  rotate(x.tokens(), PositionView::range(1, 3), RotaryTable(plain, 4), wanted.tokens());
  for (const FactorIn place : {FactorIn::query, FactorIn::softmax}) {
    const Rotary spec{.head_dim = 8, .attention_factor = 1.5, .attention_factor_in = place};
    const RotaryTable table(spec, 4);
    for (const RotarySource& source : {RotarySource(table), RotarySource(table.angles())}) {
      HeadBlock out(DType::f32, 1, 3, 2, 8);
      rotate(x.tokens(), PositionView::range(1, 3), source, out.tokens());
      EXPECT_EQ(out.values(), wanted.values());
    }
  }
}

TEST(Rotate, TakesNothing) {
  const RotaryTable table(Rotary{.head_dim = 4}, 4);
  rotate(make_view(static_cast<float*>(nullptr), {0, 3, 4}), PositionView::range(0, 0), table);
  rotate(make_view(static_cast<float*>(nullptr), {2, 0, 3, 4}), PositionView::range(0, 0), table);
  rotate(make_view(static_cast<float*>(nullptr), {0, 2, 3, 4}), PositionView::range(0, 2), table);
  rotate(make_view(static_cast<float*>(nullptr), {2, 0, 4}), PositionView::range(0, 2), table);
}

TEST(RotateQk, IsRotateOfEach) {
  for (const FactorIn place : {FactorIn::table, FactorIn::query, FactorIn::softmax}) {
    const Rotary spec{.head_dim = 10, .rotary_dim = 6, .attention_factor = 1.5, .attention_factor_in = place};
    const RotaryTable table(spec, 9);
    const PositionView positions = PositionView::range(0, 4, 2);
    HeadBlock q(DType::f32, 2, 4, 6, 10, {.head_gap = 1}), k(DType::f32, 2, 4, 2, 10, {.heads_first = true});
    HeadBlock q_out(DType::f32, 2, 4, 6, 10), k_out(DType::f32, 2, 4, 2, 10);
    HeadBlock q_wanted(DType::f32, 2, 4, 6, 10), k_wanted(DType::f32, 2, 4, 2, 10);
    q.set_values(numbers_for(q));
    k.set_values(numbers_for(k, 2));
    const double factor = place == FactorIn::query ? 1.5 : 1.0;
    rotate(q.view(), positions, table, q_wanted.view(), {.output_scale = 0.3 * factor});
    rotate(k.view(), positions, table, k_wanted.view(), {.output_scale = 0.9});
    const QueryKeyOptions options{.query_scale = 0.3, .key_scale = 0.9};
    rotate_qk(ConstQueryKey{q.view(), k.view()}, positions, table, {q_out.view(), k_out.view()}, options);
    EXPECT_EQ(q_out.bytes(), q_wanted.bytes());
    EXPECT_EQ(k_out.bytes(), k_wanted.bytes());
    rotate_qk(QueryKey{q.view(), k.view()}, positions, table, options);
    EXPECT_EQ(q.values(), q_wanted.values());
    EXPECT_EQ(k.values(), k_wanted.values());
    EXPECT_TRUE(q.gaps_are_whole());
  }
}

TEST(RotateQk, GoesBackwards) {
  const Rotary spec{.head_dim = 10, .rotary_dim = 6, .attention_factor = 1.5, .attention_factor_in = FactorIn::query};
  const RotaryAngles angles(spec);
  HeadBlock q(DType::f32, 1, 4, 6, 10), k(DType::f32, 1, 4, 2, 10), q_wanted(DType::f32, 1, 4, 6, 10),
      k_wanted(DType::f32, 1, 4, 2, 10);
  q.set_values(numbers_for(q));
  k.set_values(numbers_for(k, 2));
  const PositionView positions = PositionView::range(3, 4);
  rotate_backward(q.tokens(), positions, angles, q_wanted.tokens(), {.output_scale = 0.3 * 1.5});
  rotate_backward(k.tokens(), positions, angles, k_wanted.tokens(), {.output_scale = 0.9});
  rotate_qk_backward({q.tokens(), k.tokens()}, positions, angles, {.query_scale = 0.3, .key_scale = 0.9});
  EXPECT_EQ(q.values(), q_wanted.values());
  EXPECT_EQ(k.values(), k_wanted.values());
}

TEST(RotateInverse, UndoesRotateAndDividesByTheFactor) {
  on_every_target([] {
    for (const Layout layout : kLayouts) {
      for (const DType dtype : float_types()) {
        const Rotary spec{
            .head_dim = 22, .layout = layout, .rotary_dim = 18, .first_channel = 1, .attention_factor = 1.7};
        SCOPED_TRACE(to_text(Spec(spec)));
        const RotaryAngles angles(spec);
        const RotaryTable table(spec, 5000, dtype == DType::f64 ? DType::f64 : DType::f32);
        for (const RotarySource& source : {RotarySource(angles), RotarySource(table)}) {
          HeadBlock x(dtype, 1, 4, 3, 22), y(dtype, 1, 4, 3, 22);
          x.set_values(numbers_for(x));
          const PositionView positions = PositionView::range(1, 4, 1500);
          rotate(x.tokens(), positions, source, y.tokens(), {.output_scale = 3.0});
          rotate_inverse(y.tokens(), positions, source, {.output_scale = 1.0 / 3.0});
          const double unit = dtype == DType::f64   ? 0x1p-53
                              : dtype == DType::f32 ? 0x1p-24
                              : dtype == DType::f16 ? 0x1p-11
                                                    : 0x1p-8;
          const std::vector<double> wanted = x.values(), got = y.values();
          for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], wanted[i], 40.0 * unit) << to_text(dtype);
          EXPECT_TRUE(y.gaps_are_whole());
        }
      }
    }
  });
}

// <g, J v> = <J^T g, v> for the linear map J, which rotate is.
TEST(RotateBackward, IsTheTranspose) {
  for (const Layout layout : kLayouts) {
    const Rotary spec{.head_dim = 22, .layout = layout, .rotary_dim = 18, .first_channel = 3, .attention_factor = 1.7};
    SCOPED_TRACE(to_text(Spec(spec)));
    const RotaryAngles angles(spec);
    HeadBlock v(DType::f64, 1, 3, 2, 22), jv(DType::f64, 1, 3, 2, 22), g(DType::f64, 1, 3, 2, 22),
        jtg(DType::f64, 1, 3, 2, 22);
    v.set_values(numbers_for(v));
    g.set_values(numbers_for(g, 2));
    const PositionView positions = PositionView::range(2, 3, 5);
    rotate(v.tokens(), positions, angles, jv.tokens(), {.output_scale = 0.6});
    rotate_backward(g.tokens(), positions, angles, jtg.tokens(), {.output_scale = 0.6});
    const std::vector<double> a = g.values(), b = jv.values(), c = jtg.values(), d = v.values();
    for (std::size_t start = 0; start < a.size(); start += 22) {
      double left = 0.0, right = 0.0;
      for (std::size_t i = start; i < start + 22; ++i) {
        left += a[i] * b[i];
        right += c[i] * d[i];
      }
      EXPECT_NEAR(left, right, 1e-12);
    }
    rotate_backward(g.tokens(), positions, angles, {.output_scale = 0.6});
    EXPECT_EQ(g.values(), c);
  }
}

// d loss / d x by differences, with loss = sum of weight * rotate(x).
TEST(RotateBackward, EqualsFiniteDifferences) {
  for (const Layout layout : kLayouts) {
    const Rotary spec{.head_dim = 8, .layout = layout, .rotary_dim = 6, .first_channel = 1, .attention_factor = 1.3};
    const RotaryAngles angles(spec);
    const PositionView positions = PositionView::range(3, 1);
    HeadBlock x(DType::f64, 1, 1, 1, 8), weight(DType::f64, 1, 1, 1, 8), gradient(DType::f64, 1, 1, 1, 8);
    x.set_values(numbers_for(x));
    weight.set_values(numbers_for(weight, 2));
    const auto loss = [&] {
      HeadBlock out(DType::f64, 1, 1, 1, 8);
      rotate(x.tokens(), positions, angles, out.tokens(), {.output_scale = 0.5});
      double sum = 0.0;
      for (std::int64_t c = 0; c < 8; ++c) sum += out.at(0, 0, 0, c) * weight.at(0, 0, 0, c);
      return sum;
    };
    rotate_backward(weight.tokens(), positions, angles, gradient.tokens(), {.output_scale = 0.5});
    for (std::int64_t c = 0; c < 8; ++c) {
      const double old = x.at(0, 0, 0, c), step = 1e-4;
      x.set(0, 0, 0, c, old + step);
      const double above = loss();
      x.set(0, 0, 0, c, old - step);
      const double below = loss();
      x.set(0, 0, 0, c, old);
      EXPECT_NEAR(gradient.at(0, 0, 0, c), (above - below) / (2.0 * step), 1e-10) << to_text(Spec(spec)) << c;
    }
  }
}

}  // namespace
}  // namespace posenc::rotate_test
