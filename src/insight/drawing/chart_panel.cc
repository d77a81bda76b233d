#include <algorithm>
#include <cmath>
#include <utility>

#include "insight/drawing/chart.h"

namespace posenc::drawing {
namespace {

double share_of(const Axis& axis, double value) {
  if (axis.log) return (std::log10(value) - std::log10(axis.low)) / (std::log10(axis.high) - std::log10(axis.low));
  return (value - axis.low) / (axis.high - axis.low);
}

bool within(const Axis& axis, double value) {
  const double slack = 1e-9 * std::fabs(axis.high - axis.low);
  return value >= axis.low - slack && value <= axis.high + slack;
}

bool drawable(const Axis& axis, double value) { return std::isfinite(value) && (!axis.log || value > 0.0); }

// The part of the line from a to b between the top and the bottom of a box; empty if all of it is outside.
std::optional<std::pair<Point, Point>> cut(Point a, Point b, const Box& box) {
  const auto clip = [&](Point from, Point to) {
    if (from.y < box.y) {
      from.x += (to.x - from.x) * (box.y - from.y) / (to.y - from.y);
      from.y = box.y;
    } else if (from.y > box.bottom()) {
      from.x += (to.x - from.x) * (box.bottom() - from.y) / (to.y - from.y);
      from.y = box.bottom();
    }
    return from;
  };
  if ((a.y < box.y && b.y < box.y) || (a.y > box.bottom() && b.y > box.bottom())) return std::nullopt;
  return std::pair{clip(a, b), clip(b, a)};
}

constexpr std::size_t kMostPoints = 4000;

// The lowest and the highest point of each of many parts: a wave too fast to be drawn becomes a band, and no peak is
// lost.
std::pair<std::vector<double>, std::vector<double>> thinned(std::span<const double> x, std::span<const double> y) {
  constexpr std::size_t kParts = 1000;
  std::pair<std::vector<double>, std::vector<double>> thin;
  for (std::size_t part = 0; part < kParts; ++part) {
    const std::size_t first = part * x.size() / kParts;
    const std::size_t end = (part + 1) * x.size() / kParts;
    std::size_t low = first;
    std::size_t high = first;
    for (std::size_t i = first; i < end; ++i) {
      if (y[i] < y[low]) low = i;
      if (y[i] > y[high]) high = i;
    }
    for (const std::size_t place : {std::min(low, high), std::max(low, high)}) {
      thin.first.push_back(x[place]);
      thin.second.push_back(y[place]);
    }
  }
  return thin;
}

}  // namespace

double draw_legend(Drawing& drawing, const Box& area, std::span<const Stroke> strokes) {
  const Type type(drawing.metrics);
  const double swatch = drawing.metrics == TextMetrics::cells ? 2.0 * kCellWidth : 20.0;
  const double space = kCellWidth;
  double x = area.x, top = area.y;
  bool any = false;
  for (const Stroke& stroke : strokes) {
    if (stroke.label.empty()) continue;
    const std::string label = shortened(stroke.label, area.width - swatch - space, type.small, drawing.metrics);
    const double width = swatch + space + text_width(label, type.small, false, drawing.metrics);
    if (any && x + width > area.right()) {
      x = area.x;
      top += type.line;
    }
    any = true;
    const double y = top + type.line / 2.0;
    drawing.add(Path{.points = {{x, y}, {x + swatch, y}},
                     .stroke = stroke.ink,
                     .line_width = std::min(stroke.width * 1.3, 8.0),
                     .opacity = stroke.opacity,
                     .dashed = stroke.dashed});
    drawing.add(Text{.text = label, .at = {x + swatch + space, top + type.ascent}, .size = type.small});
    x += width + 2.0 * space;
  }
  return any ? top + type.line - area.y : 0.0;
}

Panel::Panel(Drawing& drawing, const Box& outer, PanelOptions options)
    : drawing_(&drawing), options_(std::move(options)), type_(drawing.metrics), outer_(outer), plot_(outer) {
  lay_out(outer);
}

Point Panel::at(double x, double y) const noexcept {
  return {plot_.x + plot_.width * share_of(options_.x, x), plot_.bottom() - plot_.height * share_of(options_.y, y)};
}

std::vector<Tick> Panel::x_ticks() const {
  const Axis& axis = options_.x;
  if (axis.plain) return {};
  if (!axis.ticks.empty()) return axis.ticks;
  const bool cells = drawing_->metrics == TextMetrics::cells;
  for (std::int64_t count = 12; count > 1; --count) {
    const std::vector<Tick> ticks = round_ticks(axis.low, axis.high, axis.log, count);
    double room = 0.0;
    for (const Tick& tick : ticks) {
      room += text_width(tick.label, type_.small, false, drawing_->metrics) + (cells ? 2.0 * kCellWidth : 14.0);
    }
    if (room <= plot_.width) return ticks;
  }
  return round_ticks(axis.low, axis.high, axis.log, 1);
}

std::vector<Tick> Panel::y_ticks(const Axis& axis) const {
  if (axis.plain) return {};
  if (!axis.ticks.empty()) return axis.ticks;
  const auto count = static_cast<std::int64_t>(plot_.height / (type_.line * 1.6));
  return round_ticks(axis.low, axis.high, axis.log, std::clamp<std::int64_t>(count, 1, 8));
}

// Works from the outside in: first everything above and below the plot, then the numbers at its sides, whose width
// depends on its height.
void Panel::lay_out(const Box& outer) {
  for (Axis* axis : {&options_.x, &options_.y}) {
    axis->label = shortened(axis->label, outer.width, type_.small, drawing_->metrics);
  }
  double top = outer.y;
  if (!options_.title.empty()) {
    for (const std::string& line : wrapped(options_.title, outer.width, type_.label, true, drawing_->metrics)) {
      drawing_->add(Text{.text = line, .at = {outer.x, top + type_.ascent}, .size = type_.label, .bold = true});
      top += type_.line;
    }
  }
  top += draw_legend(*drawing_, {outer.x, top, outer.width, 0.0}, options_.legend);
  draw_axis_labels(top);
  const double below =
      (options_.x.plain ? 0.0 : type_.line + type_.tick) + (options_.x.label.empty() ? 0.0 : type_.line);
  plot_ = {outer.x, top, outer.width, outer.bottom() - below - top};
  const auto widest = [&](const std::vector<Tick>& ticks) {
    double width = 0.0;
    for (const Tick& tick : ticks) {
      width = std::max(width, text_width(tick.label, type_.small, false, drawing_->metrics));
    }
    return width;
  };
  const double left = options_.y.plain ? 0.0 : widest(y_ticks(options_.y)) + 2.0 * type_.tick;
  const double right = options_.right ? widest(y_ticks(*options_.right)) + 2.0 * type_.tick : 0.0;
  const double last = options_.x.plain ? 0.0 : widest(x_ticks()) / 2.0;
  const double first = std::max(left, last);
  plot_.x += first;
  plot_.width -= first + std::max(right, last);
  const double marks_top = plot_.y;
  double above = 0.0;
  for (const PlacedMark& mark : placed_marks()) above = std::max(above, type_.line * (mark.row + 1.0));
  plot_.y += above + (options_.y.plain ? 0.0 : type_.line / 2.0);  // the topmost number reaches half a line above
  plot_.height = outer.bottom() - below - plot_.y;
  if (options_.equal) {
    const double unit =
        std::min(plot_.width / (options_.x.high - options_.x.low), plot_.height / (options_.y.high - options_.y.low));
    const double width = unit * (options_.x.high - options_.x.low);
    const double height = unit * (options_.y.high - options_.y.low);
    plot_ = {plot_.x + (plot_.width - width) / 2.0, plot_.y + (plot_.height - height) / 2.0, width, height};
  }
  draw_y_axis(options_.y, false);
  if (options_.right) draw_y_axis(*options_.right, true);
  draw_x_axis();
  draw_marks(marks_top);
}

// Labels of vertical axes are above them, so that they can be read without tilting the head.
void Panel::draw_axis_labels(double& top) {
  const auto width = [&](const std::string& text) { return text_width(text, type_.small, false, drawing_->metrics); };
  const std::string right = options_.right ? options_.right->label : "";
  const bool has_left = !options_.y.plain && !options_.y.label.empty();
  if (has_left) {
    const bool both = width(options_.y.label) + width(right) + 2.0 * kCellWidth <= outer_.width;
    drawing_->add(
        Text{.text = options_.y.label, .at = {outer_.x, top + type_.ascent}, .size = type_.small, .ink = Ink::muted});
    if (right.empty() || !both) top += type_.line;
  }
  if (right.empty()) return;
  drawing_->add(Text{.text = right,
                     .at = {outer_.right(), top + type_.ascent},
                     .size = type_.small,
                     .anchor = Anchor::end,
                     .ink = Ink::muted});
  top += type_.line;
}

// Places the labels of marks in as many rows as they need, so that none overlaps another.
std::vector<Panel::PlacedMark> Panel::placed_marks() const {
  std::vector<double> ends;  // the right end of the last label of each row
  std::vector<PlacedMark> placed;
  std::vector<Tick> marks = options_.marks;
  std::sort(marks.begin(), marks.end(), [](const Tick& a, const Tick& b) { return a.value < b.value; });
  for (const Tick& mark : marks) {
    if (!within(options_.x, mark.value)) continue;
    const double width = text_width(mark.label, type_.small, false, drawing_->metrics);
    const double x = at(mark.value, options_.y.low).x;
    const double start = std::clamp(x - width / 2.0, outer_.x, std::max(outer_.x, outer_.right() - width));
    std::size_t row = 0;
    while (row < ends.size() && ends[row] + kCellWidth > start) ++row;
    if (row == ends.size()) ends.push_back(0.0);
    ends[row] = start + width;
    placed.push_back({mark.label, x, start, static_cast<double>(row)});
  }
  return placed;
}

void Panel::draw_marks(double top) {
  for (const PlacedMark& mark : placed_marks()) {
    const double y = top + type_.line * mark.row;
    drawing_->add(
        Text{.text = mark.label, .at = {mark.start, y + type_.ascent}, .size = type_.small, .ink = Ink::muted});
    drawing_->add(Path{.points = {{mark.x, y + type_.line}, {mark.x, plot_.bottom()}},
                       .stroke = Ink::muted,
                       .line_width = 1.2,
                       .dashed = true});
  }
}

void Panel::draw_x_axis() {
  if (options_.x.plain) return;
  drawing_->add(Path{
      .points = {{plot_.x, plot_.bottom()}, {plot_.right(), plot_.bottom()}}, .stroke = Ink::axis, .line_width = 1.0});
  const double y = plot_.bottom() + (drawing_->metrics == TextMetrics::cells ? 0.0 : type_.tick) + type_.ascent;
  double end = -1e300;
  for (const Tick& tick : x_ticks()) {
    if (!within(options_.x, tick.value)) continue;
    const double x = at(tick.value, options_.y.low).x;
    drawing_->add(Path{
        .points = {{x, plot_.bottom()}, {x, plot_.bottom() + type_.tick}}, .stroke = Ink::axis, .line_width = 1.0});
    const double half = text_width(tick.label, type_.small, false, drawing_->metrics) / 2.0;
    if (x - half < end + 4.0) continue;  // skip a label that would touch the one before it
    end = x + half;
    drawing_->add(
        Text{.text = tick.label, .at = {x, y}, .size = type_.small, .anchor = Anchor::middle, .ink = Ink::muted});
  }
  if (options_.x.label.empty()) return;
  drawing_->add(Text{.text = options_.x.label,
                     .at = {plot_.x + plot_.width / 2.0, outer_.bottom() - type_.line + type_.ascent},
                     .size = type_.small,
                     .anchor = Anchor::middle,
                     .ink = Ink::muted});
}

void Panel::draw_y_axis(const Axis& axis, bool right) {
  if (axis.plain) return;
  const double edge = right ? plot_.right() : plot_.x;
  double last = 1e300;
  for (const Tick& tick : y_ticks(axis)) {
    if (!within(axis, tick.value)) continue;
    const double y = plot_.bottom() - plot_.height * share_of(axis, tick.value);
    if (options_.grid && !right && drawing_->metrics != TextMetrics::cells) {
      drawing_->add(Path{.points = {{plot_.x, y}, {plot_.right(), y}}, .stroke = Ink::grid, .line_width = 1.0});
    }
    if (y > last - type_.line) continue;
    last = y;
    drawing_->add(Text{.text = tick.label,
                       .at = {edge + (right ? type_.tick : -type_.tick), y + 0.36 * type_.small},
                       .size = type_.small,
                       .anchor = right ? Anchor::start : Anchor::end,
                       .ink = Ink::muted});
  }
  drawing_->add(Path{.points = {{edge, plot_.y}, {edge, plot_.bottom()}}, .stroke = Ink::axis, .line_width = 1.0});
}

void Panel::line(std::span<const double> x, std::span<const double> y, const Stroke& stroke) {
  if (x.size() > kMostPoints) {
    const auto thin = thinned(x, y);
    return line(thin.first, thin.second, stroke);
  }
  Path path{.points = {},
            .stroke = stroke.ink,
            .line_width = stroke.width,
            .opacity = stroke.opacity,
            .dashed = stroke.dashed,
            .title = stroke.label};
  const auto flush = [&] {
    if (path.points.size() > 1) drawing_->add(path);
    path.points.clear();
  };
  for (std::size_t i = 1; i < x.size(); ++i) {
    const bool shown = drawable(options_.x, x[i]) && drawable(options_.x, x[i - 1]) && drawable(options_.y, y[i]) &&
                       drawable(options_.y, y[i - 1]);
    const auto part = shown ? cut(at(x[i - 1], y[i - 1]), at(x[i], y[i]), plot_) : std::nullopt;
    if (!part) {
      flush();
      continue;
    }
    const bool joined =
        !path.points.empty() && path.points.back().x == part->first.x && path.points.back().y == part->first.y;
    if (!joined) {
      flush();
      path.points.push_back(part->first);
    }
    path.points.push_back(part->second);
  }
  flush();
}

void Panel::dots(std::span<const double> x, std::span<const double> y, const Stroke& stroke, double radius) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!drawable(options_.x, x[i]) || !drawable(options_.y, y[i])) continue;
    if (!within(options_.x, x[i]) || !within(options_.y, y[i])) continue;
    drawing_->add(
        Circle{.center = at(x[i], y[i]),
               .radius = radius,
               .fill = stroke.ink,
               .opacity = stroke.opacity,
               .title = stroke.label.empty() ? "" : stroke.label + ": " + tick_text(x[i]) + ", " + tick_text(y[i])});
  }
}

void Panel::band(std::span<const double> x, std::span<const double> low, std::span<const double> high,
                 const Stroke& stroke) {
  Path path{.points = {}, .fill = stroke.ink, .opacity = stroke.opacity, .closed = true, .title = stroke.label};
  const auto place = [&](double px, double py) {
    Point point = at(px, py);
    point.y = std::clamp(point.y, plot_.y, plot_.bottom());
    return point;
  };
  for (std::size_t i = 0; i < x.size(); ++i) path.points.push_back(place(x[i], high[i]));
  for (std::size_t i = x.size(); i-- > 0;) path.points.push_back(place(x[i], low[i]));
  if (!path.points.empty()) drawing_->add(std::move(path));
}

void Panel::bar(double x, double y, double width, const Stroke& stroke, const std::string& title) {
  if (!drawable(options_.y, y)) return;
  const double foot = options_.y.log ? options_.y.low : std::clamp(0.0, options_.y.low, options_.y.high);
  const Point a = at(x - width / 2.0, std::clamp(std::max(y, foot), options_.y.low, options_.y.high));
  const Point b = at(x + width / 2.0, std::clamp(std::min(y, foot), options_.y.low, options_.y.high));
  drawing_->add(Rectangle{
      .box = {a.x, a.y, b.x - a.x, b.y - a.y}, .fill = stroke.ink, .opacity = stroke.opacity, .title = title});
}

void Panel::level(double y, const Stroke& stroke) {
  const double ends[] = {options_.x.low, options_.x.high};
  const double heights[] = {y, y};
  line(ends, heights, stroke);
}

}  // namespace posenc::drawing
