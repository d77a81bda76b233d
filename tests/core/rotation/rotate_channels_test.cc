#include "posenc/rotate_channels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "posenc/rotary_table.h"
#include "posenc/rotate.h"
#include "support/expect_error.h"
#include "support/head_block.h"
#include "support/typed_block.h"

namespace posenc::rotate_channels_test {
namespace {

// The channel that channel c of a window of `width` is paired with, where it is read and where it is written; and
// whether it is the first of its pair.
struct Partner {
  std::int64_t own, other;
  bool first;
};

Partner partner_of(Layout layout, std::int64_t width, std::int64_t parts, std::int64_t written) {
  const std::int64_t half = width / parts / 2;
  const std::int64_t start = written / (2 * half) * 2 * half, inside = written - start;
  switch (layout) {
    case Layout::interleaved:
      return {written, written % 2 == 0 ? written + 1 : written - 1, written % 2 == 0};
    case Layout::interleaved_to_half:
      return inside < half ? Partner{2 * inside, 2 * inside + 1, true}
                           : Partner{2 * (inside - half) + 1, 2 * (inside - half), false};
    default:
      return {written, inside < half ? written + half : written - half, inside < half};
  }
}

struct Case {
  Layout layout;
  std::int64_t width, offset, parts;
};
const Case kCases[] = {{Layout::half, 8, 0, 1},          {Layout::half, 6, 3, 1},
                       {Layout::interleaved, 6, 2, 1},   {Layout::interleaved_to_half, 10, 1, 1},
                       {Layout::half_negative, 8, 3, 1}, {Layout::half_per_axis, 8, 0, 2},
                       {Layout::half_per_axis, 6, 4, 3}, {Layout::half_per_axis, 6, 4, 1}};
constexpr std::int64_t kHeadDim = 11;

double unit_of(DType dtype) {
  if (dtype == DType::f64) return 0x1p-52;
  if (dtype == DType::f32) return 0x1p-23;
  return dtype == DType::f16 ? 0x1p-11 : 0x1p-8;
}

TEST(RotateChannels, IsTheFormula) {
  for (const Case& c : kCases) {
    for (const DType dtype : float_types()) {
      for (const DType table : {DType::f32, DType::f64}) {
        HeadBlock x(dtype, 2, 3, 2, kHeadDim, {.head_gap = 2}), out(dtype, 2, 3, 2, kHeadDim, {.heads_first = true});
        TypedBlock cos(table, 2, 3, c.width, {.gap = 1}), sin(table, 2, 3, c.width, {.tokens_first = true});
        x.set_values(random_numbers(x.view().size(), 1));
        cos.set_values(random_numbers(6 * c.width, 2));
        sin.set_values(random_numbers(6 * c.width, 3));
        const ChannelTables tables{cos.view(), sin.view(), c.layout, c.offset, c.parts};
        rotate_channels(x.view(), tables, out.view());
        for (std::int64_t b = 0; b < 2; ++b)
          for (std::int64_t n = 0; n < 3; ++n)
            for (std::int64_t h = 0; h < 2; ++h)
              for (std::int64_t m = 0; m < kHeadDim; ++m) {
                if (m < c.offset || m >= c.offset + c.width) {
                  ASSERT_EQ(out.at(b, n, h, m), x.at(b, n, h, m));
                  continue;
                }
                const std::int64_t w = m - c.offset;
                const Partner p = partner_of(c.layout, c.width, c.parts, w);
                const double sign = (p.first ? -1.0 : 1.0) * (c.layout == Layout::half_negative ? -1.0 : 1.0);
                const double wanted = x.at(b, n, h, c.offset + p.own) * cos.at(b, n, w) +
                                      sign * x.at(b, n, h, c.offset + p.other) * sin.at(b, n, w);
                ASSERT_NEAR(out.at(b, n, h, m), wanted, 12.0 * unit_of(dtype))
                    << static_cast<int>(c.layout) << " " << m;
              }
        EXPECT_TRUE(out.gaps_are_whole());
        HeadBlock in_place(dtype, 2, 3, 2, kHeadDim);
        in_place.set_values(x.values());
        rotate_channels(in_place.view(), tables, in_place.view());
        EXPECT_EQ(in_place.values(), out.values());
      }
    }
  }
}

// With the tables of fill_cos_sin it is rotate.
TEST(RotateChannels, IsRotateWithTheTablesOfPairs) {
  for (const Layout layout : {Layout::half, Layout::interleaved, Layout::half_negative, Layout::interleaved_to_half}) {
    const Rotary spec{.head_dim = kHeadDim, .layout = layout, .rotary_dim = 8, .first_channel = 2};
    const RotaryAngles angles(spec);
    const PositionView positions = PositionView::range(5, 3);
    TypedBlock cos(DType::f32, 1, 3, 8), sin(DType::f32, 1, 3, 8);
    fill_cos_sin(angles, positions, cos.flat(), sin.flat(),
                 layout == Layout::interleaved ? Tiling::pairs : Tiling::halves);
    HeadBlock x(DType::f32, 1, 3, 2, kHeadDim), wanted(DType::f32, 1, 3, 2, kHeadDim),
        out(DType::f32, 1, 3, 2, kHeadDim);
    x.set_values(random_numbers(x.view().size(), 1));
    rotate(x.tokens(), positions, angles, wanted.tokens());
    rotate_channels(x.tokens(), {cos.flat(), sin.flat(), layout, 2}, out.tokens());
    const std::vector<double> a = out.values(), b = wanted.values();
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-6);
  }
}

// <g, J v> = <J^T g, v>, head by head.
TEST(RotateChannels, BackwardIsTheTranspose) {
  for (const Case& c : kCases) {
    HeadBlock v(DType::f64, 1, 2, 2, kHeadDim), jv(DType::f64, 1, 2, 2, kHeadDim), g(DType::f64, 1, 2, 2, kHeadDim),
        jtg(DType::f64, 1, 2, 2, kHeadDim);
    TypedBlock cos(DType::f64, 1, 2, c.width), sin(DType::f64, 1, 2, c.width);
    v.set_values(random_numbers(v.view().size(), 1));
    g.set_values(random_numbers(g.view().size(), 2));
    cos.set_values(random_numbers(2 * c.width, 3));
    sin.set_values(random_numbers(2 * c.width, 4));
    const ChannelTables tables{cos.flat(), sin.flat(), c.layout, c.offset, c.parts};
    rotate_channels(v.view(), tables, jv.view());
    rotate_channels_backward(g.view(), tables, jtg.view());
    for (std::int64_t n = 0; n < 2; ++n)
      for (std::int64_t h = 0; h < 2; ++h) {
        double left = 0.0, right = 0.0;
        for (std::int64_t m = 0; m < kHeadDim; ++m) {
          left += g.at(0, n, h, m) * jv.at(0, n, h, m);
          right += jtg.at(0, n, h, m) * v.at(0, n, h, m);
        }
        EXPECT_NEAR(left, right, 1e-12) << static_cast<int>(c.layout);
      }
    rotate_channels_backward(g.view(), tables, g.view());
    EXPECT_EQ(g.values(), jtg.values());
  }
}

TEST(RotateChannels, TakesNothing) {
  const ConstView none = make_view(static_cast<const float*>(nullptr), {0, 4});
  const View x = make_view(static_cast<float*>(nullptr), {0, 2, 4});
  rotate_channels(x, {none, none}, x);
}

TEST(RotateChannels, RefusesBeforeItWrites) {
  HeadBlock x(DType::f32, 1, 3, 2, 8), out(DType::f32, 1, 3, 2, 8);
  TypedBlock cos(DType::f32, 1, 3, 6), sin(DType::f32, 1, 3, 6);
  const std::vector<std::byte> x_before = x.bytes(), out_before = out.bytes();
  const auto refused = [&](const ConstView& in, const ChannelTables& tables, const View& to, const std::string& part) {
    SCOPED_TRACE(part);
    expect_error(ErrorKind::usage, "[rotate_channels] ", [&] { rotate_channels(in, tables, to); });
    expect_error(ErrorKind::usage, part, [&] { rotate_channels(in, tables, to); });
    expect_error(ErrorKind::usage, part, [&] { rotate_channels_backward(in, tables, to); });
    EXPECT_EQ(x.bytes(), x_before);
    EXPECT_EQ(out.bytes(), out_before);
  };
  const ChannelTables good{cos.flat(), sin.flat()};
  View wrong = x.view();
  wrong.rank = 2;
  refused(wrong, good, out.view(), "[N, H, D]");
  wrong = x.view();
  wrong.data = nullptr;
  refused(wrong, good, out.view(), "null");
  wrong = out.view();
  wrong.shape[2] = 1;
  refused(x.view(), good, wrong, "must be [1, 3, 2, 8] like ");
  wrong = x.view();
  wrong.data = wrong.as<float>() + 1;
  wrong.shape[1] = 2;
  View fewer = x.view();
  fewer.shape[1] = 2;
  TypedBlock two(DType::f32, 1, 2, 6);
  refused(fewer, {two.flat(), two.flat()}, wrong, "overlap");
  ChannelTables tables = good;
  for (const int none : {-1, 17}) {
    tables.layout = static_cast<Layout>(none);
    refused(x.view(), tables, out.view(), "layout must be one of Layout");
  }
  tables = good;
  tables.cos = two.flat();
  refused(x.view(), tables, out.view(), "cos must be [3, R] or [1, 3, R] but is [2, 6]");
  tables = good;
  tables.sin.shape[1] = 4;
  refused(x.view(), tables, out.view(), "same shape");
  tables = good;
  tables.cos.dtype = tables.sin.dtype = DType::f16;
  refused(x.view(), tables, out.view(), "cos must be f32 or f64");
  tables = good;
  tables.sin.data = nullptr;
  refused(x.view(), tables, out.view(), "sin must not be null");
  tables = good;
  tables.sin.strides[1] = 2;
  tables.sin.shape[1] = tables.cos.shape[1] = 2;
  refused(x.view(), tables, out.view(), "contiguous");
  tables = good;
  tables.cos.shape[1] = tables.sin.shape[1] = 5;
  refused(x.view(), tables, out.view(), "even");
  tables = good;
  tables.first_channel = 3;
  refused(x.view(), tables, out.view(), "the window must be inside the head of 8 channels");
  tables.first_channel = -1;
  refused(x.view(), tables, out.view(), "the window must be inside the head of 8 channels");
  tables = good;
  tables.parts = 3;
  refused(x.view(), tables, out.view(), "parts");
  tables.layout = Layout::half_per_axis;
  tables.parts = 2;
  refused(x.view(), tables, out.view(), "parts");
  tables.parts = 0;
  refused(x.view(), tables, out.view(), "parts");
  tables.parts = std::numeric_limits<std::int64_t>::max();
  refused(x.view(), tables, out.view(), "parts");
  tables = good;
  tables.cos = x.tokens();
  tables.cos.rank = 2;
  refused(x.view(), {tables.cos, tables.cos}, x.view(), "");
}

}  // namespace
}  // namespace posenc::rotate_channels_test
