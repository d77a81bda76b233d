#include "posenc/insight/terminal.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <variant>

#include "core/text/utf8.h"
#include "insight/drawing/drawing_check.h"
#include "insight/drawing/terminal_canvas.h"
#include "posenc/error.h"

namespace posenc {
namespace {

using drawing::Canvas;
using drawing::kDot;

constexpr double kMostCells = 4e6;
constexpr double kFaint = 0.5;  // areas of lower opacity are drawn as every other dot

std::int64_t whole(double value) { return static_cast<std::int64_t>(value); }
// A dot or cell that ends at an edge belongs to what is above or left of it: axes are beside the plot, and the lowest
// values of a curve are on the axis.
std::int64_t before(double value, double unit) { return whole(std::ceil(value / unit - 1e-9)) - 1; }
std::int64_t after(double value, double unit) { return whole(std::floor(value / unit + 1e-9)); }

bool is_rule(Ink ink) { return ink == Ink::axis || ink == Ink::grid || ink == Ink::muted; }

class TerminalPainter {
 public:
  TerminalPainter(const Drawing& drawing, Theme theme, Canvas& canvas)
      : drawing_(drawing), theme_(theme), canvas_(canvas) {}

  void operator()(const Path& path) {
    if (path.fill) fill_area(path.points, *path.fill, path.opacity);
    if (!path.stroke) return;
    for (std::size_t i = 1; i < path.points.size(); ++i) segment(path.points[i - 1], path.points[i], path);
    if (path.closed && path.points.size() > 2) segment(path.points.back(), path.points.front(), path);
  }
  void operator()(const Rectangle& rectangle) {
    const Box& box = rectangle.box;
    if (rectangle.fill) fill_box(box, *rectangle.fill, rectangle.opacity);
    if (!rectangle.stroke) return;
    if (is_rule(*rectangle.stroke)) return frame(box, *rectangle.stroke);
    const Point a = {box.x, box.y};
    const Point b = {box.right(), box.y};
    const Point c = {box.right(), box.bottom()};
    const Point d = {box.x, box.bottom()};
    (*this)(Path{.points = {a, b, c, d}, .stroke = rectangle.stroke, .closed = true});
  }
  void operator()(const Circle& circle) {
    const Point center = circle.center;
    const double radius = circle.radius;
    if (circle.fill) {
      for_dots({center.x - radius, center.y - radius, 2.0 * radius, 2.0 * radius}, [&](Point at) {
        if (std::hypot(at.x - center.x, at.y - center.y) <= radius) put_dot(at, *circle.fill);
      });
      put_dot(center, *circle.fill);  // however small
    }
    if (!circle.stroke) return;
    const auto steps = static_cast<int>(std::ceil(6.3 * radius / kDot)) + 4;
    for (int step = 0; step < steps; ++step) {
      const double angle = 6.283185307179586 * step / steps;
      put_dot({center.x + radius * std::cos(angle), center.y + radius * std::sin(angle)}, *circle.stroke);
    }
  }
  void operator()(const Text& text) {
    const Box box = drawing_.box_of(text);
    std::int64_t column = after(box.x, kCellWidth);
    std::int64_t line = after(box.y, kCellHeight);
    const std::string characters = text::one_line(text.text);
    const drawing::CellText style = {.bold = text.bold, .color = color(text)};
    for (std::string_view rest = characters; !rest.empty();) {
      const std::size_t length = text::first_character(rest).length;
      canvas_.text(column, line, rest.substr(0, length), style);
      rest.remove_prefix(length);
      ++(text.upward ? line : column);
    }
  }
  void operator()(const Image& image) {
    const Box& box = image.box;
    for (std::int64_t line = after(box.y, kCellHeight); line <= before(box.bottom(), kCellHeight); ++line) {
      for (std::int64_t column = after(box.x, kCellWidth); column <= before(box.right(), kCellWidth); ++column) {
        drawing::CanvasCell* cell = canvas_.cell(column, line);
        if (cell == nullptr) continue;
        *cell = {};
        cell->map = image.map;
        for (const std::size_t half : {std::size_t{0}, std::size_t{1}}) {
          const Point middle = {(static_cast<double>(column) + 0.5) * kCellWidth,
                                (static_cast<double>(line) + (half == 0 ? 0.25 : 0.75)) * kCellHeight};
          cell->levels[half] = level_at(image, middle);
        }
      }
    }
  }

 private:
  std::optional<Color> color(const Text& text) const {
    if (text.color) return text.color;
    if (text.on) return readable_on(color_of(text.on->map, text.on->level, theme_));
    if (text.ink == Ink::text) return std::nullopt;  // the terminal's own text colour is readable on its background
    return color_of(text.ink, theme_);
  }
  static std::optional<std::uint8_t> level_at(const Image& image, Point at) {
    const double column = (at.x - image.box.x) / image.box.width * static_cast<double>(image.columns);
    const double row = (at.y - image.box.y) / image.box.height * static_cast<double>(image.rows);
    if (!(column >= 0.0 && row >= 0.0)) return std::nullopt;
    const std::int64_t x = whole(column);
    const std::int64_t y = whole(row);
    if (x >= image.columns || y >= image.rows) return std::nullopt;
    return image.levels[static_cast<std::size_t>(y * image.columns + x)];
  }

  void put_dot(Point at, Ink ink, const drawing::DotLook& look = {}) {
    canvas_.dot(after(at.x, kDot), before(at.y, kDot), ink, look);
  }

  // Visits the middles of the dots that are in a box and on the page.
  template <class Visit>
  void for_dots(const Box& box, const Visit& visit) {
    const double top = std::max(0.0, std::floor(box.y / kDot));
    const double left = std::max(0.0, std::floor(box.x / kDot));
    const double bottom = std::min(drawing_.height, box.bottom()) / kDot;
    const double right = std::min(drawing_.width, box.right()) / kDot;
    for (double y = top; y < bottom; y += 1.0) {
      for (double x = left; x < right; x += 1.0) visit(Point{(x + 0.5) * kDot, (y + 0.5) * kDot});
    }
  }
  static bool is_shown(Point at, double opacity) {
    return opacity >= kFaint || (after(at.x, kDot) + after(at.y, kDot)) % 2 == 0;
  }
  void fill_box(const Box& box, Ink ink, double opacity) {
    for_dots(box, [&](Point at) {
      const bool inside = at.x >= box.x && at.x < box.right() && at.y >= box.y && at.y < box.bottom();
      if (inside && is_shown(at, opacity)) put_dot(at, ink, {.solid = true, .faint = opacity < kFaint});
    });
  }
  void fill_area(std::span<const Point> points, Ink ink, double opacity) {
    if (points.size() < 3) return;
    Box box = {points[0].x, points[0].y, 0.0, 0.0};
    for (const Point& point : points) {
      box.width = std::max(box.right(), point.x) - std::min(box.x, point.x);
      box.height = std::max(box.bottom(), point.y) - std::min(box.y, point.y);
      box.x = std::min(box.x, point.x);
      box.y = std::min(box.y, point.y);
    }
    for_dots(box, [&](Point at) {
      if (is_inside(points, at) && is_shown(at, opacity)) put_dot(at, ink, {.faint = opacity < kFaint});
    });
  }
  // Counts how often a ray to the right crosses the outline: inside, an odd number of times.
  static bool is_inside(std::span<const Point> points, Point at) {
    bool inside = false;
    for (std::size_t i = 0, j = points.size() - 1; i < points.size(); j = i++) {
      const Point a = points[i];
      const Point b = points[j];
      if ((a.y > at.y) == (b.y > at.y)) continue;
      if (at.x < a.x + (b.x - a.x) * (at.y - a.y) / (b.y - a.y)) inside = !inside;
    }
    return inside;
  }

  void segment(Point a, Point b, const Path& path) {
    if (is_rule(*path.stroke) && a.x == b.x) return upright_rule(a.x, std::min(a.y, b.y), std::max(a.y, b.y), path);
    if (is_rule(*path.stroke) && a.y == b.y) return level_rule(a.y, std::min(a.x, b.x), std::max(a.x, b.x), path);
    const double steps = std::ceil(std::max(std::fabs(b.x - a.x), std::fabs(b.y - a.y)) / kDot * 2.0) + 1.0;
    const double right = std::max(a.x, b.x) - (a.x == b.x ? 0.0 : 1e-3);  // excludes the dot that begins at the end
    for (double step = 0.0; step <= steps; step += 1.0) {
      if (path.dashed && std::fmod(step, 12.0) >= 7.0) continue;
      const double share = step / steps;
      put_dot({std::min(a.x + (b.x - a.x) * share, right), a.y + (b.y - a.y) * share}, *path.stroke,
              {.dashed = path.dashed, .faint = path.opacity < kFaint});
    }
  }
  void upright_rule(double x, double top, double bottom, const Path& path) {
    const std::int64_t column = before(x, kCellWidth);
    if (bottom - top < kCellHeight) return tick(x, before(top, kCellHeight), path);
    const std::int64_t last = before(bottom, kCellHeight);
    for (std::int64_t line = after(top, kCellHeight); line <= last; ++line) {
      const unsigned sides = line < last ? drawing::kRuleUp | drawing::kRuleDown : drawing::kRuleUp;
      canvas_.rule(column, line, sides, *path.stroke, path.dashed);
    }
  }
  void frame(const Box& box, Ink ink) {
    const std::int64_t left = before(box.x, kCellWidth);
    const std::int64_t right = before(box.right(), kCellWidth);
    const std::int64_t top = before(box.y, kCellHeight);
    const std::int64_t bottom = before(box.bottom(), kCellHeight);
    for (std::int64_t line = top; line <= bottom; ++line) {
      const bool is_edge = line == top || line == bottom;
      for (std::int64_t column = left; column <= right; column += is_edge ? 1 : std::max(right - left, whole(1.0))) {
        unsigned sides = 0;
        if (is_edge && column > left) sides |= drawing::kRuleLeft;
        if (is_edge && column < right) sides |= drawing::kRuleRight;
        if ((column == left || column == right) && line > top) sides |= drawing::kRuleUp;
        if ((column == left || column == right) && line < bottom) sides |= drawing::kRuleDown;
        canvas_.rule(column, line, sides, ink, false);
      }
    }
  }
  // Adds a tick to the axis above it, in the cell of x, or in the last cell if the axis ends there.
  void tick(double x, std::int64_t line, const Path& path) {
    std::int64_t column = after(x, kCellWidth);
    const drawing::CanvasCell* cell = canvas_.cell(column, line);
    if (cell == nullptr || cell->rules == 0) --column;
    canvas_.rule(column, line, drawing::kRuleDown, *path.stroke, path.dashed);
  }
  void level_rule(double y, double left, double right, const Path& path) {
    const std::int64_t line = before(y, kCellHeight);
    const std::int64_t first = before(left, kCellWidth);
    const std::int64_t last = before(right, kCellWidth);
    for (std::int64_t column = first; column <= last; ++column) {
      const unsigned left_side = column > first ? drawing::kRuleLeft : 0U;
      const unsigned right_side = column < last ? drawing::kRuleRight : 0U;
      canvas_.rule(column, line, left_side | right_side, *path.stroke, path.dashed);
    }
  }

  const Drawing& drawing_;
  Theme theme_;
  Canvas& canvas_;
};

}  // namespace

std::string to_terminal(const Drawing& drawing, const TerminalOptions& options) {
  drawing::check_drawing(drawing, "to_terminal");
  if (drawing.metrics != TextMetrics::cells) {
    fail(ErrorKind::usage, "[to_terminal] metrics must be cells: text is as wide as its number of characters");
  }
  const double columns = std::ceil(drawing.width / kCellWidth);
  const double lines = std::ceil(drawing.height / kCellHeight);
  if (columns * lines > kMostCells) {
    fail(ErrorKind::usage, "[to_terminal] a picture may have 4e6 characters but would have " +
                               std::to_string(whole(columns)) + " x " + std::to_string(whole(lines)));
  }
  Canvas canvas(whole(columns), whole(lines));
  TerminalPainter painter(drawing, options.theme, canvas);
  for (const Mark& mark : drawing.marks) std::visit(painter, mark);
  return canvas.print(options);
}

}  // namespace posenc
