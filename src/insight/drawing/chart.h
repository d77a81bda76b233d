// Charts: panels with axes, heatmaps, legends and captions, laid out on a drawing so that no text meets another.
//
//     const Box body = lay_out_page(drawing, {.title = "...", .notes = {...}, .width = 720, .body_height = 320});
//     Panel panel(drawing, body, {.x = {.label = "position", .high = 100}, .y = {...}, .legend = {stroke}});
//     panel.line(xs, ys, stroke);
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "posenc/insight/drawing.h"

namespace posenc::drawing {

struct Tick {
  double value = 0.0;
  std::string label;
};

struct Axis {
  std::string label = {};
  double low = 0.0;
  double high = 1.0;
  bool log = false;
  bool plain = false;            // neither ticks nor label
  std::vector<Tick> ticks = {};  // empty: round numbers, as many as there is room for
};

// Sizes of text and gaps for the metrics of a drawing. In cells, everything is a multiple of a cell.
struct Type {
  explicit Type(TextMetrics metrics);
  double title, label, small;  // sizes of text
  double line;                 // from one line of text to the next
  double ascent;               // from the top of a line to its baseline
  double gap;                  // between things that do not belong together
  double tick;                 // how long a tick is, and the room beside it
  double margin;               // around the page
};

// About `count` round numbers within [low, high]. On a log axis: powers of ten, with 2 and 5 times these if there is
// room.
std::vector<Tick> round_ticks(double low, double high, bool log, std::int64_t count);
// A number as short text: "0.25", "1e-7", "1e6".
std::string tick_text(double value);
// Breaks a text into lines of at most `width`: between words, and within a word that is longer than a line.
std::vector<std::string> wrapped(const std::string& text, double width, double size, bool bold, TextMetrics metrics);

// The text, or as much of its beginning as fits `width` together with three dots.
std::string shortened(const std::string& text, double width, double size, TextMetrics metrics);

// Throws unless the "width" or "height" of a page is at least as large as its figure needs.
void check_page_size(const char* side, double least, double size);
inline constexpr double kLeastPageWidth = 200.0;  // a narrower page has no room for a picture and its numbers
struct PageOptions {
  std::string title;
  std::vector<std::string> notes;  // below, one after the other, broken to fit
  double width = 720.0;
  double body_height = 320.0;
  double height = 0.0;  // of the whole page; if given, the body gets what is left of it
  // In cells, where a page may be longer than the screen: the smallest and the largest height of the body.
  double least_body = 0.0, most_body = 1e6;
};
// Sets the size of the drawing, writes title and notes, and returns the box of the body. Throws if there is no room.
Box lay_out_page(Drawing& drawing, const PageOptions& options);

// Cuts a box into columns or rows with gaps between; shares are relative.
std::vector<Box> columns_of(const Drawing& drawing, const Box& box, const std::vector<double>& shares);
std::vector<Box> rows_of(const Drawing& drawing, const Box& box, const std::vector<double>& shares);

struct Stroke {
  Ink ink = Ink::series1;
  double width = 1.8;
  double opacity = 1.0;
  bool dashed = false;
  std::string label = {};  // in the legend; empty: not there
};

// Draws a legend at the top of `area`, in as many lines as it needs, and returns how high it is.
double draw_legend(Drawing& drawing, const Box& area, std::span<const Stroke> strokes);

struct PanelOptions {
  std::string title = {};
  Axis x = {};
  Axis y = {};
  std::optional<Axis> right = {};   // a second scale for the same curves
  std::vector<Stroke> legend = {};  // above the plot, so that it hides nothing
  std::vector<Tick> marks = {};     // vertical lines at values of x, each with its words above
  bool grid = true;
  bool equal = false;  // one unit is as long on both axes
};

class Panel {
 public:
  Panel(Drawing& drawing, const Box& outer, PanelOptions options);

  const Box& plot() const noexcept { return plot_; }
  Point at(double x, double y) const noexcept;  // not clamped
  // Values that are not finite break a line. Lines are cut at the edges of the plot.
  void line(std::span<const double> x, std::span<const double> y, const Stroke& stroke);
  void dots(std::span<const double> x, std::span<const double> y, const Stroke& stroke, double radius = 3.0);
  void band(std::span<const double> x, std::span<const double> low, std::span<const double> high, const Stroke& stroke);
  // A bar around x from 0 to y (on a log axis, from its low end to y); `width` is in units of x.
  void bar(double x, double y, double width, const Stroke& stroke, const std::string& title = {});
  void level(double y, const Stroke& stroke);  // a horizontal line at y

 private:
  struct PlacedMark {
    std::string label;
    double x, start, row;
  };
  std::vector<PlacedMark> placed_marks() const;
  void lay_out(const Box& outer);
  void draw_axis_labels(double& top);
  void draw_marks(double top);
  void draw_x_axis();
  void draw_y_axis(const Axis& axis, bool right);
  std::vector<Tick> x_ticks() const;
  std::vector<Tick> y_ticks(const Axis& axis) const;

  Drawing* drawing_;
  PanelOptions options_;
  Type type_;
  Box outer_;
  Box plot_;
};

// A matrix as an image with numbered axes and a colour bar.
struct Heat {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<double> values;  // [rows][columns]; -inf and NaN are absent
};
// Words above a heatmap, at the left or right edge or the middle of a column.
struct TopLabel {
  double column = 0.0;  // by index
  Anchor anchor = Anchor::middle;
  std::string text;
};
struct HeatOptions {
  std::string title = {};
  std::string row_label = {}, column_label = {};
  std::vector<Tick> row_ticks = {}, column_ticks = {};  // at the middles of cells, by index; empty: round numbers
  double first_row = 0.0, row_step = 1.0;               // for round numbers: the label of row 0, and the step
  double first_column = 0.0, column_step = 1.0;
  std::vector<TopLabel> top = {};
  double low = -1.0, high = 1.0;
  ColorMap map = ColorMap::diverging;
  bool color_bar = true;
  std::vector<Tick> bar_ticks = {};  // of the colour bar; empty: low, 0 and high
  bool square = false;               // cells are as high as wide
  std::int64_t column_group = 1;     // columns that are shown or left out together: 2 keeps a sine with its cosine
  std::int64_t rows_every = 1;       // the matrix has one row in so many already
  std::int64_t columns_every = 1;    // the same of groups of columns
  int decimals = -1;                 // of numbers written into the cells; negative: none
  // Room beside and below the image: equal rooms make images of equal size.
  double least_left = 0.0, least_right = 0.0, least_below = 0.0;
  std::int64_t least_title_lines = 0;
};
// Draws the matrix into `outer` and returns the box of the image. If there is no room for all rows or columns, every
// n-th row or group of columns is shown, because a mean would be a number that no position and no channel has. The
// labels of the axes say so.
Box draw_heat(Drawing& drawing, const Box& outer, const Heat& heat, const HeatOptions& options);
// Several matrices as images of the same size, one in each box.
std::vector<Box> draw_heats(Drawing& drawing, const std::vector<Box>& boxes, const std::vector<Heat>& heats,
                            std::vector<HeatOptions> options);
// The colour bar alone, at the left edge of `outer`, for several heatmaps of one scale. No ticks: low, 0 and high.
void draw_color_bar(Drawing& drawing, const Box& outer, double low, double high, ColorMap map,
                    const std::vector<Tick>& ticks = {});
double color_bar_width(const Drawing& drawing, double low, double high, const std::vector<Tick>& ticks = {});
// How many rows of an image fit into a height.
std::int64_t image_rows(const Drawing& drawing, double height);

// An arrow from a to b.
void draw_arrow(Drawing& drawing, Point a, Point b, const Stroke& stroke);

}  // namespace posenc::drawing
