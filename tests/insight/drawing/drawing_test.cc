#include "posenc/insight/drawing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

namespace posenc::drawing_test {
namespace {

using Linear = std::array<double, 3>;
using Matrix = std::array<Linear, 3>;

double linear(std::uint8_t value) {
  const double share = value / 255.0;
  return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
}
Linear linear(Color color) { return {linear(color.red), linear(color.green), linear(color.blue)}; }

// WCAG 2.1.
double luminance(Color color) {
  const Linear part = linear(color);
  return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
}
double contrast(Color a, Color b) {
  const double first = luminance(a);
  const double second = luminance(b);
  return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

Linear product(const Matrix& matrix, const Linear& vector) {
  Linear result = {};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) result[row] += matrix[row][column] * vector[column];
  }
  return result;
}

// How colours are seen: by most, without the green and without the red receptor (Machado, Oliveira and Fernandes 2009,
// severity 1, on linear RGB).
constexpr std::array<Matrix, 3> kEyes = {
    {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
     {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
     {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}}};

// Ottosson's OKLab (2020): distances are as eyes see them, the first number is lightness.
Linear oklab(const Linear& rgb) {
  Linear cones = product({{{0.4122214708, 0.5363325363, 0.0514459929},
                           {0.2119034982, 0.6806995451, 0.1073969566},
                           {0.0883024619, 0.2817188376, 0.6299787005}}},
                         rgb);
  for (double& cone : cones) cone = std::cbrt(std::max(cone, 0.0));
  return product({{{0.2104542553, 0.7936177850, -0.0040720468},
                   {1.9779984951, -2.4285922050, 0.4505937099},
                   {0.0259040371, 0.7827717662, -0.8086757660}}},
                 cones);
}
double distance(Color a, Color b, const Matrix& eye) {
  const Linear first = oklab(product(eye, linear(a)));
  const Linear second = oklab(product(eye, linear(b)));
  return std::hypot(first[0] - second[0], first[1] - second[1], first[2] - second[2]);
}
double lightness(ColorMap map, int level, Theme theme) {
  return oklab(linear(color_of(map, static_cast<std::uint8_t>(level), theme)))[0];
}

constexpr std::array<Theme, 2> kThemes = {Theme::light, Theme::dark};

TEST(Ink, CanBeReadOnThePaper) {
  for (const Theme theme : kThemes) {
    const Color paper = color_of(Ink::paper, theme);
    EXPECT_GE(contrast(color_of(Ink::text, theme), paper), 7.0);
    for (const Ink ink : {Ink::muted, Ink::cool, Ink::warm}) EXPECT_GE(contrast(color_of(ink, theme), paper), 4.5);
    EXPECT_GE(contrast(color_of(Ink::axis, theme), paper), 3.0);
    for (int n = 0; n < kSeriesInks; ++n) EXPECT_GE(contrast(color_of(series_ink(n), theme), paper), 3.0) << n;
  }
  EXPECT_EQ(color_of(Ink::paper, Theme::automatic), color_of(Ink::paper, Theme::light));
}

// 0.1 is about five times what is just seen side by side.
TEST(Ink, SeriesDifferForEveryEye) {
  for (const Theme theme : kThemes) {
    for (std::size_t eye = 0; eye < kEyes.size(); ++eye) {
      for (int a = 0; a < kSeriesInks; ++a) {
        for (int b = 0; b < a; ++b) {
          EXPECT_GE(distance(color_of(series_ink(a), theme), color_of(series_ink(b), theme), kEyes[eye]), 0.1)
              << a << " and " << b << ", eye " << eye << ", theme " << static_cast<int>(theme);
        }
      }
      EXPECT_GE(distance(color_of(Ink::cool, theme), color_of(Ink::warm, theme), kEyes[eye]), 0.1);
    }
  }
}

TEST(Ink, SeriesComeAround) {
  EXPECT_EQ(series_ink(0), Ink::series1);
  EXPECT_EQ(series_ink(5), Ink::series6);
  EXPECT_EQ(series_ink(6), Ink::series1);
  EXPECT_EQ(series_ink(-1), Ink::series6);
}

TEST(ColorMap, SequentialLightnessIsMonotone) {
  for (const Theme theme : kThemes) {
    EXPECT_EQ(color_of(ColorMap::sequential, 0, theme), color_of(Ink::paper, theme));
    const double sign = theme == Theme::light ? -1.0 : 1.0;
    for (int level = 0; level + 4 <= kLastLevel; ++level) {  // single steps may round to the same colour
      EXPECT_GT(
          sign * (lightness(ColorMap::sequential, level + 4, theme) - lightness(ColorMap::sequential, level, theme)),
          0.0)
          << level;
    }
  }
}

TEST(ColorMap, DivergingArmsLeaveTheMiddleAlike) {
  for (const Theme theme : kThemes) {
    const double sign = theme == Theme::light ? -1.0 : 1.0;
    const double middle = lightness(ColorMap::diverging, 127, theme);
    for (int step = 4; step <= 127; ++step) {
      const double low = lightness(ColorMap::diverging, 127 - step, theme);
      const double high = lightness(ColorMap::diverging, 127 + step, theme);
      EXPECT_GT(sign * (low - lightness(ColorMap::diverging, 131 - step, theme)), 0.0) << step;
      EXPECT_GT(sign * (high - lightness(ColorMap::diverging, 123 + step, theme)), 0.0) << step;
      EXPECT_NEAR(low - middle, high - middle, 0.06) << step;
    }
    for (const Matrix& eye : kEyes) {
      EXPECT_GE(distance(color_of(ColorMap::diverging, 60, theme), color_of(ColorMap::diverging, 194, theme), eye),
                0.1);
    }
  }
}

TEST(ColorMap, AbsentIsNoLevel) {
  for (const Theme theme : kThemes) {
    for (const ColorMap map : {ColorMap::diverging, ColorMap::sequential}) {
      for (int level = 0; level <= kLastLevel; ++level) {
        EXPECT_GE(distance(color_of(map, kAbsentLevel, theme), color_of(map, static_cast<std::uint8_t>(level), theme),
                           kEyes[0]),
                  0.02)
            << level;
      }
    }
  }
}

TEST(ColorMap, LevelsOfValues) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(color_level(-1, -1, 1), 0);
  EXPECT_EQ(color_level(0, -1, 1), 127);
  EXPECT_EQ(color_level(1, -1, 1), 254);
  EXPECT_EQ(color_level(0.25, 0, 1), 64);  // 63.5, away from zero
  EXPECT_EQ(color_level(-kInf, -1, 1), 0);
  EXPECT_EQ(color_level(kInf, -1, 1), 254);
  EXPECT_EQ(color_level(std::numeric_limits<double>::quiet_NaN(), -1, 1), kAbsentLevel);
  EXPECT_EQ(color_level(5, 5, 5), 127);
  const double huge = std::numeric_limits<double>::max();
  EXPECT_EQ(color_level(0, -huge, huge), 127);
}

TEST(ColorMap, TextOnCellsCanBeRead) {
  for (const Theme theme : kThemes) {
    for (int level = 0; level <= kLastLevel; ++level) {
      const Color cell = color_of(ColorMap::diverging, static_cast<std::uint8_t>(level), theme);
      EXPECT_GE(contrast(readable_on(cell), cell), 4.5);
    }
  }
}

// Advance widths of DejaVu Sans 2.37, in units of 2048 to the em, as its hmtx table has them.
TEST(TextWidth, AsInTheFont) {
  const auto regular = [](const std::string& text) { return text_width(text, 2048, false, TextMetrics::proportional); };
  EXPECT_NEAR(regular("i"), 569, 2);
  EXPECT_NEAR(regular("W"), 2025, 2);
  EXPECT_NEAR(regular("0"), 1303, 2);
  EXPECT_NEAR(regular("iW0"), 569 + 2025 + 1303, 4);
  EXPECT_NEAR(regular("\xce\xb8"), 1253, 2);      // theta
  EXPECT_NEAR(regular("\xe2\x88\x92"), 1716, 2);  // minus
  EXPECT_NEAR(text_width("0", 2048, true, TextMetrics::proportional), 1425, 2);
  EXPECT_EQ(regular(""), 0.0);
  EXPECT_GE(regular("\xe4\xb8\xad"), regular("@"));  // not in the table: the widest
  EXPECT_EQ(text_width("\xce\xb8=\xff", 30, true, TextMetrics::cells), 3 * kCellWidth);
}

void expect_box(const Box& box, const Box& expected) {
  EXPECT_NEAR(box.x, expected.x, 1e-9);
  EXPECT_NEAR(box.y, expected.y, 1e-9);
  EXPECT_NEAR(box.width, expected.width, 1e-9);
  EXPECT_NEAR(box.height, expected.height, 1e-9);
}

TEST(TextBox, FollowsTheAnchor) {
  const Drawing drawing{.width = 200, .height = 100};
  const double wide = text_width("pe", 10, false, TextMetrics::proportional);
  expect_box(drawing.box_of({.text = "pe", .at = {50, 40}, .size = 10}), {50, 32.4, wide, 10});
  expect_box(drawing.box_of({.text = "pe", .at = {50, 40}, .size = 10, .anchor = Anchor::end}),
             {50 - wide, 32.4, wide, 10});
  expect_box(drawing.box_of({.text = "pe", .at = {50, 40}, .size = 10, .upward = true}), {42.4, 40 - wide, 10, wide});
  expect_box(drawing.box_of({.text = "pe", .at = {50, 40}, .size = 10, .anchor = Anchor::end, .upward = true}),
             {42.4, 40, 10, wide});
  expect_box(drawing.box_of({.text = "pe", .at = {50, 40}, .size = 10, .anchor = Anchor::middle, .upward = true}),
             {42.4, 40 - wide / 2, 10, wide});
}

TEST(TextBox, InCellsIsWholeCells) {
  const Drawing drawing{.width = 200, .height = 100, .metrics = TextMetrics::cells};
  expect_box(drawing.box_of({.text = "pos", .at = {51, 40}}), {48, 32, 24, 16});
  expect_box(drawing.box_of({.text = "pos", .at = {48, 32}, .anchor = Anchor::end}), {24, 32, 24, 16});
  expect_box(drawing.box_of({.text = "pos", .at = {9, 48}, .upward = true}), {8, 0, 8, 48});
}

TEST(TextBox, OverlapsAndTextsOutsideAreFound) {
  Drawing drawing{.width = 100, .height = 50};
  drawing.add(Text{.text = "left", .at = {0, 20}, .size = 10});
  drawing.add(Circle{.center = {5, 20}, .fill = Ink::text});
  const double wide = text_width("left", 10, false, TextMetrics::proportional);
  drawing.add(Text{.text = "touches", .at = {wide, 20}, .size = 10});
  EXPECT_TRUE(overlapping_texts(drawing).empty());
  EXPECT_TRUE(texts_outside(drawing).empty());
  drawing.add(Text{.text = "covers", .at = {wide - 1, 29.9}, .size = 10});
  drawing.add(Text{.text = "beyond", .at = {100, 49}, .size = 10, .anchor = Anchor::end});
  drawing.add(Text{.text = "", .at = {-50, 20}});
  const std::vector<std::pair<std::size_t, std::size_t>> pairs = {{0, 3}, {2, 3}};
  EXPECT_EQ(overlapping_texts(drawing), pairs);
  EXPECT_EQ(texts_outside(drawing), std::vector<std::size_t>{4});
}

}  // namespace
}  // namespace posenc::drawing_test
