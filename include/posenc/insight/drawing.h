// Drawings: lines, shapes, images and text on a page, before anyone decides how it becomes visible.
//
//     posenc::Drawing drawing{.width = 320, .height = 200, .title = "A line", .description = "It rises."};
//     drawing.add(posenc::Path{.points = {{20, 180}, {300, 20}}, .stroke = posenc::Ink::series1});
//     drawing.add(posenc::Text{.text = "p", .at = {160, 195}, .anchor = posenc::Anchor::middle});
//     std::string svg = posenc::to_svg(drawing, {});                   // posenc/insight/svg.h
//     std::string picture = posenc::to_terminal(drawing, {});          // posenc/insight/terminal.h
//     posenc::write_png("line.png", drawing, {});                      // posenc/plot/plot.h, with Cairo
//
// Coordinates are points of a page, x to the right and y down. Colours are named by what they are for (Ink); a theme
// turns them into numbers. A drawing knows the box of each of its texts, so that overlaps can be found before anyone
// looks. Plain data: const objects may be shared between threads.
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
  paper,  // what everything is drawn on
  text,
  muted,  // text of less weight: ticks, notes
  axis,
  grid,
  cool,  // what is low or negative, as the diverging map has it
  warm,  // what is high or positive
  series1,
  series2,
  series3,
  series4,
  series5,
  series6,
};
inline constexpr int kSeriesInks = 6;
// The n-th series, counted from 0; after the last the first again.
POSENC_API Ink series_ink(std::int64_t n) noexcept;

// What the levels of an image are painted with. Levels are 0 to kLastLevel; kAbsentLevel is no number at all.
enum class ColorMap : int {
  diverging,   // cool, neutral in the middle, warm
  sequential,  // from the paper's colour to the strongest; lightness is monotone
};
inline constexpr std::uint8_t kLastLevel = 254;
inline constexpr std::uint8_t kAbsentLevel = 255;

// The level of a value between low and high; values outside are clamped, NaN is absent.
POSENC_API std::uint8_t color_level(double value, double low, double high) noexcept;

enum class Theme : int {
  light,
  dark,
  automatic,  // SVG only: light or dark, as the reader's system prefers; elsewhere light
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

// A line through points, or an area. Without stroke and fill it is not seen.
struct Path {
  std::vector<Point> points;
  std::optional<Ink> stroke = {};
  std::optional<Ink> fill = {};
  double line_width = 1.5;
  double opacity = 1.0;  // of both
  bool dashed = false;
  bool closed = false;     // also from the last point to the first
  std::string title = {};  // what a reader is told who points at it; may be empty
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

// What a cell of an image is painted with.
struct CellPaint {
  ColorMap map = ColorMap::diverging;
  std::uint8_t level = 0;
};
// Black or white, whichever can be read on `background`.
POSENC_API Color readable_on(Color background) noexcept;

enum class Anchor : int { start, middle, end };

// UTF-8 on one line. `at` is on the baseline, at the text's start, middle or end.
struct Text {
  std::string text;
  Point at;
  double size = 12.0;
  Anchor anchor = Anchor::start;
  Ink ink = Ink::text;
  std::optional<Color> color = {};  // instead of an ink: the same in every theme
  bool bold = false;
  bool upward = false;               // turned by a quarter, to be read from below; the anchor counts along the text
  std::optional<CellPaint> on = {};  // what it is written on: it is then black or white, as can be read there
};

// Cells of equal size, row by row from the top. Painted without smoothing.
struct Image {
  Box box;
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::vector<std::uint8_t> levels;  // [rows][columns]
  ColorMap map = ColorMap::diverging;
  std::string title = {};
};

// How wide text is taken to be.
enum class TextMetrics : int {
  proportional,  // as DejaVu Sans, the widest of the usual fonts: narrower ones leave room
  cells,         // a character is one cell of a terminal, kCellWidth x kCellHeight, whatever its size
};
inline constexpr double kCellWidth = 8.0;
inline constexpr double kCellHeight = 16.0;

// How wide a text is. Characters that the table does not have count as the widest.
POSENC_API double text_width(std::string_view text, double size, bool bold, TextMetrics metrics) noexcept;

using Mark = std::variant<Path, Rectangle, Circle, Text, Image>;

struct POSENC_API Drawing {
  double width = 0.0;
  double height = 0.0;
  std::string title = {};        // a few words
  std::string description = {};  // what there is to see, for readers who cannot
  TextMetrics metrics = TextMetrics::proportional;
  std::vector<Mark> marks = {};  // painted in this order

  void add(Mark mark) { marks.push_back(std::move(mark)); }

  // Where a text of this drawing stands: from the top of its highest letters to the bottom of its lowest.
  Box box_of(const Text& text) const noexcept;
};

// Pairs of texts whose boxes overlap, by their index in `marks`; nothing where all can be read.
POSENC_API std::vector<std::pair<std::size_t, std::size_t>> overlapping_texts(const Drawing& drawing);
// Texts whose boxes leave the page.
POSENC_API std::vector<std::size_t> texts_outside(const Drawing& drawing);

}  // namespace posenc
