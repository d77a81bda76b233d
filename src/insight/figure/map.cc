// The map: how alike every place of a grid is to one of its places.
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/refuse.h"
#include "core/text/number_text.h"
#include "insight/figure/figure_call.h"
#include "insight/properties/property.h"
#include "posenc/error.h"
#include "posenc/rotary_table.h"

namespace posenc::figure {
namespace {

constexpr std::int64_t kMostPlaces = 65536;
constexpr std::int64_t kMostFrames = 16;

constexpr base::Refusal refuse{"make_figure", ErrorKind::usage, "map: "};

// Coordinates of all places, row by row, and how many there are along each axis.
struct PlaceGrid {
  std::vector<double> coordinates;  // [places][axes]
  std::int64_t axes = 2;
  std::vector<std::int64_t> shape;  // [axes]

  std::int64_t frame_cells() const { return shape[shape.size() - 1] * shape[shape.size() - 2]; }
  std::int64_t places() const { return static_cast<std::int64_t>(coordinates.size()) / axes; }
  PositionView view() const { return properties::places_view(coordinates, axes); }
  double at(std::int64_t place, std::int64_t axis) const {
    return coordinates[static_cast<std::size_t>(place * axes + axis)];
  }
};

// The number of values of coordinate `axis` before it repeats; later axes change faster.
std::int64_t length_along(const PlaceGrid& grid, std::int64_t axis, std::int64_t inner) {
  std::int64_t length = 1;
  while (length * inner < grid.places() && grid.at(length * inner, axis) != grid.at(0, axis)) ++length;
  return length;
}

void find_shape(PlaceGrid& grid) {
  std::int64_t inner = 1;
  for (std::int64_t axis = grid.axes; axis-- > 0;) {
    grid.shape.insert(grid.shape.begin(), length_along(grid, axis, inner));
    inner *= grid.shape.front();
  }
  bool whole = inner == grid.places();
  for (std::int64_t n = 0; whole && n < grid.places(); ++n) {
    std::int64_t step = 1;
    for (std::int64_t axis = grid.axes; axis-- > 0; step *= grid.shape[static_cast<std::size_t>(axis)]) {
      const std::int64_t index = n / step % grid.shape[static_cast<std::size_t>(axis)];
      whole = whole && grid.at(n, axis) == grid.at(index * step, axis);
    }
  }
  if (!whole) refuse("positions must be all places of a grid, row by row, as 12x16 or 3x8x8");
}

PlaceGrid grid_of(const FigureCall& call) {
  PlaceGrid grid;
  grid.axes = axes_of(call.numbers->spec());
  if (grid.axes < 2) refuse("the encoding must have several axes but has one: posenc list figures shows which fit it");
  PositionView positions = call.options.positions;
  const std::vector<std::int64_t> small = call.numbers->small_grid();
  if (positions.count == 0) positions = properties::places_view(small, grid.axes);
  check_positions(positions, "make_figure");
  if (positions.axes != grid.axes) {
    refuse("the encoding has ", grid.axes, " axes, but the positions are on ", positions.axes,
           "; write a grid, such as ", grid.axes == 2 ? "8x8" : "2x8x8");
  }
  if (positions.batch != 1) refuse("positions must not have a batch but have ", positions.batch, " rows");
  if (positions.count > kMostPlaces) {
    refuse("there must be at most 65536 places but there are ", positions.count);
  }
  for (std::int64_t n = 0; n < positions.count; ++n) {
    for (std::int64_t axis = 0; axis < grid.axes; ++axis) grid.coordinates.push_back(positions.real(0, n, axis));
  }
  find_shape(grid);
  if (grid.places() / grid.frame_cells() > kMostFrames) {
    refuse("there must be at most 16 frames");
  }
  return grid;
}

// The rows of an encoding at the input; for a rotary one cosines and sines, whose products are its scores.
std::vector<double> rows_on(const Encoding& numbers, const PlaceGrid& grid, std::int64_t& width) {
  width = numbers.rotary() ? 2 * numbers.rotary()->columns() : numbers.width();
  std::vector<double> rows(static_cast<std::size_t>(grid.places() * width));
  const View out = make_view(rows.data(), {grid.places(), width});
  if (numbers.rotary()) {
    fill_cos_sin(RotaryAngles(*numbers.rotary()), grid.view(), out);
  } else {
    fill_rows(numbers.rows(), grid.view(), out);
  }
  return rows;
}

// The place that the options ask for, or the one in the middle.
std::int64_t chosen_place(const FigureCall& call, const PlaceGrid& grid) {
  if (call.options.position) {
    const double place = *call.options.position;
    if (place != std::floor(place) || place < 0.0 || place >= static_cast<double>(grid.places())) {
      refuse("place must be a whole number from 0 to ", grid.places() - 1, ", as there are ", grid.places(),
             " places, but got ", place);
    }
    return static_cast<std::int64_t>(place);
  }
  std::int64_t place = 0;
  for (const std::int64_t length : grid.shape) place = place * length + length / 2;
  return place;
}

std::string place_text(const PlaceGrid& grid, std::int64_t place) {
  std::string text;
  for (std::int64_t axis = 0; axis < grid.axes; ++axis) {
    text += (axis > 0 ? "/" : "") + text::general_text(grid.at(place, axis), 4);
  }
  return text;
}

std::vector<double> similarities(const Encoding& numbers, const PlaceGrid& grid, std::int64_t chosen) {
  std::int64_t width = 0;
  const std::vector<double> rows = rows_on(numbers, grid, width);
  const double* own = rows.data() + chosen * width;
  const double own_square = dot(own, own, width);
  std::vector<double> values;
  for (std::int64_t n = 0; n < grid.places(); ++n) {
    const double* row = rows.data() + n * width;
    const double size = std::sqrt(own_square * dot(row, row, width));
    values.push_back(size > 0.0 ? dot(own, row, width) / size : 0.0);
  }
  return values;
}

// Ticks for coordinates along an axis that are not evenly spaced, few enough to be readable.
std::vector<drawing::Tick> uneven_ticks(const PlaceGrid& grid, std::int64_t axis, std::int64_t stride) {
  const std::int64_t count = grid.shape[static_cast<std::size_t>(axis)];
  if (count < 3) return {};
  const double first = grid.at(0, axis), step = grid.at(stride, axis) - first;
  bool even = true;
  for (std::int64_t i = 2; i < count; ++i) {
    const double expected = first + static_cast<double>(i) * step;
    even = even && std::fabs(grid.at(i * stride, axis) - expected) < 1e-6 * std::fabs(step);
  }
  std::vector<drawing::Tick> ticks;
  const std::int64_t every = (count + 7) / 8;
  for (std::int64_t i = 0; !even && i < count; i += every) {
    ticks.push_back({static_cast<double>(i), text::general_text(grid.at(i * stride, axis), 4)});
  }
  return ticks;
}

drawing::HeatOptions heat_options(const PlaceGrid& grid, const std::string& title) {
  const std::int64_t rows = grid.shape[grid.shape.size() - 2], columns = grid.shape.back();
  const std::int64_t y = grid.axes - 2, x = grid.axes - 1;
  return {.title = title,
          .row_label = "axis " + std::to_string(y),
          .column_label = "axis " + std::to_string(x),
          .row_ticks = uneven_ticks(grid, y, columns),
          .column_ticks = uneven_ticks(grid, x, 1),
          .first_row = grid.at(0, y),
          .row_step = rows > 1 ? grid.at(columns, y) - grid.at(0, y) : 1.0,
          .first_column = grid.at(0, x),
          .column_step = columns > 1 ? grid.at(1, x) - grid.at(0, x) : 1.0,
          .square = true};
}

std::string frame_title(const PlaceGrid& grid, std::int64_t first) {
  std::string title;
  for (std::int64_t axis = 0; axis + 2 < grid.axes; ++axis) {
    title +=
        (axis > 0 ? ", axis " : "axis ") + std::to_string(axis) + ": " + text::general_text(grid.at(first, axis), 4);
  }
  return title;
}

std::int64_t panels_beside(std::int64_t frames) { return std::min<std::int64_t>(frames, 4); }
std::int64_t panels_below(std::int64_t frames) { return (frames + 3) / 4; }

// A box per frame, row by row.
std::vector<Box> boxes_of(const FigurePage& page, const Box& body, std::int64_t frames) {
  const auto beside = static_cast<std::size_t>(panels_beside(frames));
  const std::vector<double> alike(static_cast<std::size_t>(panels_below(frames)), 1.0);
  std::vector<Box> boxes;
  for (const Box& strip : drawing::rows_of(page.figure.drawing, body, alike)) {
    const std::vector<Box> of_row = drawing::columns_of(page.figure.drawing, strip, std::vector<double>(beside, 1.0));
    boxes.insert(boxes.end(), of_row.begin(), of_row.end());
  }
  constexpr double kLeast = 90.0;  // below it titles and ticks have no room
  if (page.figure.drawing.metrics != TextMetrics::cells && boxes.front().width < kLeast) {
    const double lacking = (kLeast - boxes.front().width) * static_cast<double>(beside);
    drawing::check_page_size("width", page.figure.drawing.width + lacking, page.figure.drawing.width);
  }
  return boxes;
}

// A panel per frame, or `only` one of them; the data has all of them.
void draw_frames(FigurePage& page, const PlaceGrid& grid, const std::vector<double>& values,
                 std::optional<std::int64_t> only) {
  const std::int64_t cells = grid.frame_cells(), frames = grid.places() / cells;
  // From the lowest similarity to 1, so that differences are visible; from -1 if some are negative.
  const double least = *std::min_element(values.begin(), values.end());
  const double low = least < 0.0 ? -1.0 : std::min(std::floor(least * 10.0) / 10.0, 0.9);
  const ColorMap map = low < 0.0 ? ColorMap::diverging : ColorMap::sequential;
  const double gap = drawing::Type(page.drawing().metrics).gap;
  const double bar = drawing::color_bar_width(page.drawing(), low, 1.0) + gap;
  Box body = page.body;
  body.width -= bar;
  const std::vector<Box> boxes = boxes_of(page, body, only ? 1 : frames);
  for (std::int64_t t = 0; t < frames; ++t) {
    const double* first = values.data() + t * cells;
    const drawing::Heat heat{cells / grid.shape.back(), grid.shape.back(), {first, first + cells}};
    drawing::HeatOptions options = heat_options(grid, frame_title(grid, t * cells));
    options.color_bar = false;  // one for all, on the right
    options.low = low;
    options.map = map;
    if (!only || t == *only) {
      const Box image =
          drawing::draw_heat(page.drawing(), boxes[static_cast<std::size_t>(only ? 0 : t)], heat, options);
      const Box beside{page.body.right() - bar + gap, image.y, 0.0, image.height};
      if (only || t == 0) drawing::draw_color_bar(page.drawing(), beside, low, 1.0, map);
    }
    page.figure.data.push_back(heat_table(frames > 1 ? "frame " + std::to_string(t) : "similarity", heat, "row",
                                          "column", options.first_row, options.row_step));
  }
}

// The height that square cells need, within the limits of a page.
double body_height(const PlaceGrid& grid, double width, std::int64_t frames) {
  const auto rows = static_cast<double>(grid.shape[grid.shape.size() - 2]);
  const double panel = 0.85 * width / static_cast<double>(panels_beside(frames)) - 30.0;
  const double height = std::clamp(panel * rows / static_cast<double>(grid.shape.back()) + 90.0, 170.0, 460.0);
  return height * static_cast<double>(panels_below(frames));
}

Figure make_map(const FigureCall& call) {
  const PlaceGrid grid = grid_of(call);
  const std::int64_t chosen = chosen_place(call, grid), frames = grid.places() / grid.frame_cells();
  const std::vector<double> values = similarities(*call.numbers, grid, chosen);
  std::optional<std::int64_t> only;  // a terminal has room for one frame
  if (frames > 1 && call.options.metrics == TextMetrics::cells) only = chosen / grid.frame_cells();
  const double width = frames > 3 ? 1100.0 : 720.0;
  FigurePage page = begin_figure(
      call, {.title = "How alike places are to " + place_text(grid, chosen) + ": " + call.numbers->command_text(),
             .finding = (call.numbers->rotary() ? "the score of equal queries and keys" : "the cosine of rows") +
                        std::string(", 1 at the place itself and down to ") +
                        text::general_text(*std::min_element(values.begin(), values.end()), 3) + " among " +
                        properties::several(grid.places(), "place"),
             .note = only ? "only the frame of the place itself; --format csv has all " + std::to_string(frames) : "",
             .body_height = body_height(grid, width, frames),
             .width = width,
             .least_lines = 16});
  draw_frames(page, grid, values, only);
  return std::move(page.figure);
}

bool has_several_axes(const Spec& spec) { return axes_of(spec) > 1; }

}  // namespace

std::vector<FigureEntry> map_figures() {
  return {
      {{.name = "map",
        .summary = "how alike every place of a grid is to one of its places, a panel per frame",
        .look_for = "A cross along rows and columns if axes are encoded separately, a round spot if they are mixed.",
        .options = "positions position",
        .default_spec = "rotary:head_dim=64,sections=16/16,axis_frequencies=restart"},
       make_map,
       has_several_axes}};
}

}  // namespace posenc::figure
