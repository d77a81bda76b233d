// Charts: panels with axes, heatmaps, legends and captions, laid out on a drawing so that no text meets another.
//
//     Page page(figure, {.title = ..., .formula = ..., .notes = {...}, .width = 720, .body_height = 320});
//     Panel panel(page.drawing(), page.body(), {.x = {.label = "position", .high = 100}, .y = {...}});
//     panel.line(xs, ys, {.ink = Ink::series1, .label = "channel 0"});
//     panel.legend();
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "posenc/drawing.h"
#include "posenc/figure.h"

namespace posenc::detail {

struct Tick {
  double value = 0.0;
  std::string label;
};

struct Axis {
  std::string label = {};
  double low = 0.0;
  double high = 1.0;
  bool log = false;
  bool plain = false;            // neither line nor ticks nor label
  std::vector<Tick> ticks = {};  // empty: round numbers, as many as there is room for
};

// Sizes of text and gaps, by the metrics of the drawing: in cells everything is a multiple of a cell.
struct Type {
  explicit Type(TextMetrics metrics);
  double title, label, small;  // sizes of text
  double line;                 // from one line of small text to the next
  double gap;                  // between things that do not belong together
  double tick;                 // how long a tick is
};

// Round numbers within [low, high], at most `count`; of a log axis powers of ten, with 2 and 5 where there is room.
std::vector<Tick> round_ticks(double low, double high, bool log, std::int64_t count);
// "0.25", "1e-07", "1M": short, the same precision for all.
std::string tick_text(double value);

// The whole picture: title above, body, and below it the lines that say formula, layout, type and command.
class Page {
 public:
  struct Options {
    std::string title;
    std::vector<std::string> notes;  // one after the other, broken to fit
    double width = 720.0;
    double body_height = 320.0;
  };
  Page(Drawing& drawing, const Options& options);
  const Box& body() const noexcept { return body_; }

 private:
  Box body_;
};

// Cuts a box into columns or rows with gaps between; shares are relative.
std::vector<Box> columns_of(const Box& box, const std::vector<double>& shares, double gap);
std::vector<Box> rows_of(const Box& box, const std::vector<double>& shares, double gap);

struct Stroke {
  Ink ink = Ink::series1;
  double width = 1.8;
  double opacity = 1.0;
  bool dashed = false;
  std::string label = {};  // in the legend; empty: not there
};

class Panel {
 public:
  struct Options {
    std::string title = {};
    Axis x = {};
    Axis y = {};
    std::optional<Axis> right = {};   // a second scale for the same curves
    std::vector<Stroke> legend = {};  // what the legend will show: its room is kept
    std::vector<Tick> marks = {};     // upright lines at places of x, each with its words above
    bool grid = true;
    bool equal = false;  // one unit is as long on both axes
  };
  Panel(Drawing& drawing, const Box& outer, Options options);

  const Box& plot() const noexcept { return plot_; }
  Point at(double x, double y) const noexcept;  // clamped to the plot
  // Values that are not finite break a line; what lies outside the plot is clipped.
  void line(std::span<const double> x, std::span<const double> y, const Stroke& stroke);
  void dots(std::span<const double> x, std::span<const double> y, const Stroke& stroke, double radius = 3.0);
  void band(std::span<const double> x, std::span<const double> low, std::span<const double> high, const Stroke& stroke);
  // A bar from 0 (or the axis's low end) to y around x, `width` in units of x.
  void bar(double x, double y, double width, const Stroke& stroke, const std::string& title = {});
  void level(double y, const Stroke& stroke);  // a line across at y

 private:
  void draw_frame();
  void draw_legend(Box& outer);
  void draw_marks(double top);

  Drawing* drawing_;
  Options options_;
  Box plot_;
};

// A matrix as an image with numbered axes and a colour bar.
struct Heat {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<double> values;  // [rows][columns]; -inf and NaN are absent
};
struct HeatOptions {
  std::string title = {};
  std::string row_label = {}, column_label = {};
  std::vector<Tick> row_ticks = {}, column_ticks = {};  // at the middles of cells, by index; empty: round indices
  double first_row = 0.0, row_step = 1.0;               // what row 0 is called, for round indices
  double first_column = 0.0, column_step = 1.0;
  double low = -1.0, high = 1.0;
  ColorMap map = ColorMap::diverging;
  bool color_bar = true;
  bool square = false;  // cells are as high as wide
  int decimals = -1;    // of numbers written into the cells; negative: none
};
// Draws it into `outer` and returns where the image stands. More rows or columns than points are averaged; `note` then
// says so, if it is given.
Box draw_heat(Drawing& drawing, const Box& outer, const Heat& heat, const HeatOptions& options,
              std::string* note = nullptr);

}  // namespace posenc::detail
