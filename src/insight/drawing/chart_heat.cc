#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text/number_text.h"
#include "insight/drawing/chart.h"

namespace posenc::drawing {
namespace {

std::size_t index_of(const Heat& heat, std::int64_t row, std::int64_t column) {
  return static_cast<std::size_t>(row * heat.columns + column);
}

// The mean over cells [first, last) of one axis, whole cells: no value counts twice, none is left out.
struct Span {
  std::int64_t first, last;
};
Span span_of(std::int64_t index, std::int64_t count, std::int64_t total) {
  return {index * total / count, (index + 1) * total / count};
}

double mean_of(const Heat& heat, Span rows, Span columns) {
  double sum = 0.0;
  std::int64_t count = 0;
  for (std::int64_t r = rows.first; r < rows.last; ++r) {
    for (std::int64_t c = columns.first; c < columns.last; ++c) {
      const double value = heat.values[index_of(heat, r, c)];
      if (!std::isfinite(value)) continue;
      sum += value;
      ++count;
    }
  }
  return count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
}

std::vector<Tick> bar_ticks(double low, double high) {
  std::vector<Tick> ticks = {{high, text::general_text(high, 3)}};
  if (low < 0.0 && high > 0.0) ticks.push_back({0.0, "0"});
  ticks.push_back({low, text::general_text(low, 3)});
  return ticks;
}

class HeatPainter {
 public:
  HeatPainter(Drawing& drawing, const Box& outer, const Heat& heat, const HeatOptions& options)
      : drawing_(drawing),
        heat_(heat),
        options_(options),
        type_(drawing.metrics),
        cells_(drawing.metrics == TextMetrics::cells),
        outer_(outer) {}

  Box draw() {
    draw_titles();
    place_image();
    const Heat shown = averaged(heat_, shown_rows(), shown_columns());
    Image image{.box = image_, .columns = shown.columns, .rows = shown.rows, .levels = {}, .map = options_.map};
    for (const double value : shown.values) image.levels.push_back(level_of(value));
    drawing_.add(image);
    if (options_.decimals >= 0) write_numbers();
    draw_top();
    draw_rows();
    draw_columns();
    if (options_.color_bar) draw_bar();
    return image_;
  }

 private:
  std::uint8_t level_of(double value) const {
    return std::isfinite(value) ? color_level(value, options_.low, options_.high) : kAbsentLevel;
  }
  double width_of(const std::string& text) const { return text_width(text, type_.small, false, drawing_.metrics); }

  void draw_titles() {
    top_ = outer_.y;
    const auto lines = [&](const std::string& text, double size, bool bold, Ink ink) {
      if (text.empty()) return;
      for (const std::string& line : wrapped(text, outer_.width, size, bold, drawing_.metrics)) {
        drawing_.add(Text{.text = line, .at = {outer_.x, top_ + type_.ascent}, .size = size, .ink = ink, .bold = bold});
        top_ += type_.line;
      }
    };
    lines(options_.title, type_.label, true, Ink::text);
    lines(options_.row_label, type_.small, false, Ink::muted);
    if (!options_.top.empty()) top_ += type_.line;
    if (!cells_) top_ += 4.0;
  }

  // Those that would meet the one before them are left out.
  void draw_top() {
    double end = -1e300;
    for (const TopLabel& label : options_.top) {
      const double edge = label.anchor == Anchor::start ? -0.5 : label.anchor == Anchor::end ? 0.5 : 0.0;
      const double width = width_of(label.text);
      const double share = label.anchor == Anchor::start ? 0.0 : label.anchor == Anchor::end ? 1.0 : 0.5;
      const double start = x_of(label.column + edge) - share * width;
      if (start < end + 3.0) continue;
      end = start + width;
      drawing_.add(Text{.text = label.text,
                        .at = {start, image_.y - (cells_ ? kCellHeight : 4.0 + type_.line) + type_.ascent},
                        .size = type_.small,
                        .ink = Ink::muted});
    }
  }

  std::vector<Tick> ticks_of(const std::vector<Tick>& given, std::int64_t count, double first, double step,
                             std::int64_t wanted) const {
    if (!given.empty() || count == 0) return given;
    const double last = first + step * static_cast<double>(count - 1);
    std::vector<Tick> ticks;
    for (const Tick& tick : round_ticks(std::min(first, last), std::max(first, last), false, wanted)) {
      const double index = step == 0.0 ? 0.0 : (tick.value - first) / step;
      if (std::fabs(index - std::round(index)) < 1e-6 || count > 40) ticks.push_back({index, tick_text(tick.value)});
    }
    if (ticks.empty()) ticks.push_back({0.0, tick_text(first)});
    return ticks;
  }
  std::vector<Tick> row_ticks() const {
    const double room = outer_.bottom() - top_ - 2.0 * type_.line;
    const auto wanted = static_cast<std::int64_t>(room / (1.8 * type_.line));
    return ticks_of(options_.row_ticks, heat_.rows, options_.first_row, options_.row_step,
                    std::clamp<std::int64_t>(wanted, 1, 10));
  }

  void place_image() {
    double left = 0.0;
    for (const Tick& tick : row_ticks()) left = std::max(left, width_of(tick.label));
    left += type_.tick;
    double right = 0.0;
    if (options_.color_bar) {
      right = (cells_ ? kCellWidth : 12.0) + color_bar_width(drawing_, options_.low, options_.high);
    }
    const double below = type_.line + (options_.column_label.empty() ? 0.0 : type_.line) + (cells_ ? 0.0 : 4.0);
    image_ = {outer_.x + left, top_, outer_.width - left - right, outer_.bottom() - below - top_};
    if (options_.square && !cells_) {
      const double cell =
          std::min(image_.width / static_cast<double>(heat_.columns), image_.height / static_cast<double>(heat_.rows));
      image_.width = cell * static_cast<double>(heat_.columns);
      image_.height = cell * static_cast<double>(heat_.rows);
    }
    if (cells_) {
      // Whole characters per column, and whole half blocks per row.
      const double columns = std::max(1.0, std::floor(image_.width / kCellWidth));
      const double rows = std::max(2.0, 2.0 * std::floor(image_.height / kCellHeight));
      const auto whole = [](double room, std::int64_t count) {
        const double wanted = static_cast<double>(count);
        return wanted >= room ? room : wanted * std::floor(room / wanted);
      };
      const double per_row = std::max(2.0, 2.0 * std::ceil(whole(rows, heat_.rows) / 2.0));
      image_.width = kCellWidth * whole(columns, heat_.columns);
      image_.height = kCellHeight / 2.0 * std::min(rows, per_row);
    }
  }

  std::int64_t shown_columns() const {
    const double room = cells_ ? image_.width / kCellWidth : image_.width;
    return std::min(heat_.columns, std::max<std::int64_t>(1, static_cast<std::int64_t>(room)));
  }
  std::int64_t shown_rows() const {
    const double room = cells_ ? 2.0 * image_.height / kCellHeight : image_.height;
    return std::min(heat_.rows, std::max<std::int64_t>(1, static_cast<std::int64_t>(room)));
  }

  // What a cell of the picture is the mean of.
  std::string averages() const {
    const double rows = options_.rows_averaged * static_cast<double>(heat_.rows) / static_cast<double>(shown_rows());
    const double columns =
        options_.columns_averaged * static_cast<double>(heat_.columns) / static_cast<double>(shown_columns());
    if (rows < 1.01 && columns < 1.01) return "";
    return " (cells are means of " + text::general_text(rows, 2) + " x " + text::general_text(columns, 2) + ")";
  }

  double x_of(double column) const {
    return image_.x + image_.width * (column + 0.5) / static_cast<double>(heat_.columns);
  }
  double y_of(double row) const { return image_.y + image_.height * (row + 0.5) / static_cast<double>(heat_.rows); }

  void draw_rows() {
    double last = -1e300;
    for (const Tick& tick : row_ticks()) {
      const double y = cells_ ? y_of(tick.value) : y_of(tick.value) + 0.36 * type_.small;
      const double baseline = cells_ ? std::floor(y / kCellHeight) * kCellHeight + type_.ascent : y;
      if (baseline < last + type_.line - 1.0) continue;
      last = baseline;
      drawing_.add(Text{.text = tick.label,
                        .at = {image_.x - type_.tick, baseline},
                        .size = type_.small,
                        .anchor = Anchor::end,
                        .ink = Ink::muted});
    }
  }

  void draw_columns() {
    std::vector<Tick> ticks;
    for (std::int64_t wanted = 12; wanted > 0; --wanted) {
      ticks = ticks_of(options_.column_ticks, heat_.columns, options_.first_column, options_.column_step, wanted);
      double room = 0.0;
      for (const Tick& tick : ticks) room += width_of(tick.label) + 1.5 * kCellWidth;
      if (room <= image_.width || !options_.column_ticks.empty()) break;
    }
    double end = -1e300;
    const double y = image_.bottom() + (cells_ ? 0.0 : 4.0) + type_.ascent;
    for (const Tick& tick : ticks) {
      const double half = width_of(tick.label) / 2.0;
      const double x = std::clamp(x_of(tick.value), outer_.x + half, std::max(outer_.x + half, outer_.right() - half));
      if (x - half < end + (cells_ ? kCellWidth : 3.0)) continue;
      end = x + half;
      drawing_.add(
          Text{.text = tick.label, .at = {x, y}, .size = type_.small, .anchor = Anchor::middle, .ink = Ink::muted});
    }
    if (options_.column_label.empty()) return;
    const std::string label =
        shortened(options_.column_label + averages(), outer_.width, type_.small, drawing_.metrics);
    const double half = width_of(label) / 2.0;
    const double middle = image_.x + image_.width / 2.0;
    const double x = std::clamp(middle, outer_.x + half, std::max(outer_.x + half, outer_.right() - half));
    drawing_.add(Text{
        .text = label, .at = {x, y + type_.line}, .size = type_.small, .anchor = Anchor::middle, .ink = Ink::muted});
  }

  void draw_bar() {
    draw_color_bar(drawing_, {image_.right() + (cells_ ? kCellWidth : 12.0), image_.y, 0.0, image_.height},
                   options_.low, options_.high, options_.map);
  }

  void write_numbers() {
    const double height = image_.height / static_cast<double>(heat_.rows);
    const double width = image_.width / static_cast<double>(heat_.columns);
    double size = std::min(type_.small, 0.7 * height);
    for (const double value : heat_.values) {
      if (!std::isfinite(value)) continue;
      const double needed = text_width(text::fixed_text(value, options_.decimals), size, false, drawing_.metrics);
      if (needed > 0.92 * width) size *= 0.92 * width / needed;
    }
    if (size < 5.0) return;  // nobody could read them
    for (std::int64_t r = 0; r < heat_.rows; ++r) {
      for (std::int64_t c = 0; c < heat_.columns; ++c) {
        const double value = heat_.values[index_of(heat_, r, c)];
        if (!std::isfinite(value)) continue;
        drawing_.add(Text{.text = text::fixed_text(value, options_.decimals),
                          .at = {x_of(static_cast<double>(c)), y_of(static_cast<double>(r)) + 0.36 * size},
                          .size = size,
                          .anchor = Anchor::middle,
                          .on = CellPaint{options_.map, level_of(value)}});
      }
    }
  }

  Drawing& drawing_;
  const Heat& heat_;
  const HeatOptions& options_;
  Type type_;
  bool cells_;
  Box outer_;
  Box image_;
  double top_ = 0.0;
};

}  // namespace

Heat averaged(const Heat& heat, std::int64_t rows, std::int64_t columns) {
  if (rows >= heat.rows && columns >= heat.columns) return heat;
  Heat result{std::min(rows, heat.rows), std::min(columns, heat.columns), {}};
  for (std::int64_t r = 0; r < result.rows; ++r) {
    for (std::int64_t c = 0; c < result.columns; ++c) {
      result.values.push_back(
          mean_of(heat, span_of(r, result.rows, heat.rows), span_of(c, result.columns, heat.columns)));
    }
  }
  return result;
}

double color_bar_width(const Drawing& drawing, double low, double high) {
  const bool cells = drawing.metrics == TextMetrics::cells;
  double widest = 0.0;
  for (const Tick& tick : bar_ticks(low, high)) {
    widest = std::max(widest, text_width(tick.label, Type(drawing.metrics).small, false, drawing.metrics));
  }
  return widest + (cells ? 2.0 * kCellWidth : 16.0);
}

void draw_color_bar(Drawing& drawing, const Box& outer, double low, double high, ColorMap map) {
  const Type type(drawing.metrics);
  const bool cells = drawing.metrics == TextMetrics::cells;
  const Box bar = {outer.x, outer.y, cells ? kCellWidth : 12.0, outer.height};
  const auto steps = static_cast<std::int64_t>(cells ? 2.0 * bar.height / kCellHeight : 128.0);
  Image image{.box = bar, .columns = 1, .rows = steps, .levels = {}, .map = map};
  for (std::int64_t i = 0; i < steps; ++i) {
    const double share = steps == 1 ? 1.0 : 1.0 - static_cast<double>(i) / static_cast<double>(steps - 1);
    image.levels.push_back(color_level(share, 0.0, 1.0));
  }
  drawing.add(image);
  double last = -1e300;
  for (const Tick& tick : bar_ticks(low, high)) {
    const double share = (high - tick.value) / (high - low);
    const double inner = cells ? bar.height - kCellHeight : bar.height - type.small;
    const double y = bar.y + inner * share + (cells ? type.ascent : 0.85 * type.small);
    if (y < last + type.line - 1.0) continue;
    last = y;
    drawing.add(Text{.text = tick.label,
                     .at = {bar.right() + (cells ? kCellWidth : 4.0), y},
                     .size = type.small,
                     .ink = Ink::muted});
  }
}

Box draw_heat(Drawing& drawing, const Box& outer, const Heat& heat, const HeatOptions& options) {
  return HeatPainter(drawing, outer, heat, options).draw();
}

}  // namespace posenc::drawing
