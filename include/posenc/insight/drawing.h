// Drawings: lines, shapes, images and text on a page, independent of the format of the output.
//
//     posenc::Drawing drawing{.width = 320, .height = 200, .title = "A line", .description = "It rises."};
//     drawing.add(posenc::Path{.points = {{20, 180}, {300, 20}}, .stroke = posenc::Ink::series1});
//     drawing.add(posenc::Text{.text = "p", .at = {160, 195}, .anchor = posenc::Anchor::middle});
//     std::string svg = posenc::to_svg(drawing, {});                   // posenc/insight/svg.h
//     std::string picture = posenc::to_terminal(drawing, {});          // posenc/insight/terminal.h
//     posenc::write_png("line.png", drawing, {});                      // posenc/plot/plot.h, with Cairo
//
// Coordinates are points of a page, x to the right and y down. Colours are named by what they are for (Ink); a theme
// maps them to RGB. A drawing knows the box of each of its texts, so that a test can find overlaps. Plain data: const
// objects may be shared between threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "posenc/error.h"
#include "posenc/export.h"

namespace posenc {

struct Point {
  double x = 0.0;
  double y = 0.0;
};

struct Box {
  double x = 0.0;  // its left edge
  double y = 0.0;  // its upper edge
  double width = 0.0;
  double height = 0.0;

  double right() const noexcept { return x + width; }
  double bottom() const noexcept { return y + height; }
};

// What a colour is for. The series are distinct also for readers who cannot tell red from green.
enum class Ink : int {
  paper,  // the background
  text,
  muted,  // less important text: ticks, notes
  axis,
  grid,
  cool,  // low or negative values, as in the diverging map
  warm,  // high or positive values
  series1,
  series2,
  series3,
  series4,
  series5,
  series6,
};
inline constexpr int kSeriesInks = 6;
// The ink of series n, counted from 0; wraps around after the last.
POSENC_API Ink series_ink(std::int64_t n) noexcept;

// The colours of an image. Levels are 0 to kLastLevel; kAbsentLevel marks a missing value.
enum class ColorMap : int {
  diverging,   // cool, neutral in the middle, warm
  sequential,  // from the background to the strongest colour; lightness is monotone
};
inline constexpr std::uint8_t kLastLevel = 254;
inline constexpr std::uint8_t kAbsentLevel = 255;

// The level of a value between low and high. Values outside are clamped; NaN is absent.
POSENC_API std::uint8_t color_level(double value, double low, double high) noexcept;

enum class Theme : int {
  light,
  dark,
  automatic,  // SVG: light or dark, as the reader's system prefers; elsewhere light
};

struct Color {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  bool operator==(const Color&) const = default;
};
// automatic counts as light.
POSENC_API Color color_of(Ink ink, Theme theme) noexcept;
POSENC_API Color color_of(ColorMap map, std::uint8_t level, Theme theme) noexcept;

// A line through points, or an area. Invisible without stroke and fill.
struct Path {
  std::vector<Point> points;
  std::optional<Ink> stroke = {};
  std::optional<Ink> fill = {};
  double line_width = 1.5;
  double opacity = 1.0;  // of stroke and fill
  bool dashed = false;
  bool closed = false;     // adds a line from the last point to the first
  std::string title = {};  // the tooltip; may be empty
};

struct Rectangle {
  Box box;
  std::optional<Ink> stroke = {};
  std::optional<Ink> fill = {};
  double line_width = 1.0;
  double opacity = 1.0;
  double radius = 0.0;  // of its corners
  std::string title = {};
};

struct Circle {
  Point center;
  double radius = 1.0;
  std::optional<Ink> stroke = {};
  std::optional<Ink> fill = {};
  double line_width = 1.0;
  double opacity = 1.0;
  std::string title = {};
};

// The colour of one cell of an image.
struct CellPaint {
  ColorMap map = ColorMap::diverging;
  std::uint8_t level = 0;
};
// Black or white, whichever is readable on `background`.
POSENC_API Color readable_on(Color background) noexcept;

enum class Anchor : int { start, middle, end };

// One line of UTF-8. `at` is on the baseline, at the start, middle or end of the text.
struct Text {
  std::string text;
  Point at;
  double size = 12.0;
  Anchor anchor = Anchor::start;
  Ink ink = Ink::text;
  std::optional<Color> color = {};  // replaces the ink; the same in every theme
  bool bold = false;
  bool upward = false;               // rotated by 90 degrees, read from bottom to top; the anchor is along the text
  std::optional<CellPaint> on = {};  // the cell behind it: the text is then black or white, whichever is readable
};

// A grid of cells of equal size, row by row from the top, painted without smoothing.
struct Image {
  Box box;
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::vector<std::uint8_t> levels;  // [rows][columns]
  ColorMap map = ColorMap::diverging;
  std::string title = {};
};

// How the width of text is measured.
enum class TextMetrics : int {
  proportional,  // as DejaVu Sans, the widest common font, so that other fonts fit too
  cells,         // every character fills one terminal cell, kCellWidth x kCellHeight, whatever its size
};
inline constexpr double kCellWidth = 8.0;
inline constexpr double kCellHeight = 16.0;

// The width of a text. A character that is not in the table of widths counts as the widest one.
POSENC_API double text_width(std::string_view text, double size, bool bold, TextMetrics metrics) noexcept;

using Mark = std::variant<Path, Rectangle, Circle, Text, Image>;

struct POSENC_API Drawing {
  double width = 0.0;
  double height = 0.0;
  std::string title = {};        // a few words
  std::string description = {};  // the alternative text
  TextMetrics metrics = TextMetrics::proportional;
  bool plain = false;  // in cells only: laid out for TerminalStyle::ascii, where an image has one row per line, not two
  std::vector<Mark> marks = {};  // painted in this order

  void add(Mark mark) { marks.push_back(std::move(mark)); }

  // The box around a text of this drawing, from the top of its highest letters to the bottom of its lowest.
  Box box_of(const Text& text) const noexcept;
};

// Pairs of texts whose boxes overlap, as indices into `marks`; empty if all texts are readable.
POSENC_API std::vector<std::pair<std::size_t, std::size_t>> overlapping_texts(const Drawing& drawing);
// Texts whose boxes leave the page.
POSENC_API std::vector<std::size_t> texts_outside(const Drawing& drawing);

}  // namespace posenc
