#include <algorithm>
#include <cmath>

#include "core/text/number_text.h"
#include "insight/drawing/chart.h"

namespace posenc::drawing {
namespace {

// Which rows or columns are shown: groups of `group` neighbours, one group in `every`.
struct Sampling {
  std::int64_t total = 0, group = 1, every = 1;

  std::int64_t shown() const {
    const std::int64_t groups = (total + group - 1) / group;
    const std::int64_t kept = (groups + every - 1) / every;
    const bool last_is_cut = total % group != 0 && (groups - 1) % every == 0;
    return kept * group - (last_is_cut ? group - total % group : 0);
  }
  std::int64_t index(std::int64_t place) const { return place / group * every * group + place % group; }
};
Sampling sampled(std::int64_t total, std::int64_t group, std::int64_t room) {
  Sampling sampling{total, std::max<std::int64_t>(group, 1), 1};
  if (sampling.group > room) sampling.group = 1;
  while (sampling.shown() > std::max<std::int64_t>(room, 1)) ++sampling.every;
  return sampling;
}

std::vector<Tick> bar_ticks(double low, double high) {
  std::vector<Tick> ticks = {{high, text::general_text(high, 3)}};
  if (low < 0.0 && high > 0.0) ticks.push_back({0.0, "0"});
  ticks.push_back({low, text::general_text(low, 3)});
  return ticks;
}

// What a colour bar shows at a place between two of `places`, which are values and their places from the top down.
double value_below(const std::vector<Point>& places, double below) {
  for (std::size_t i = 1; i < places.size(); ++i) {
    const Point above = places[i - 1], next = places[i];
    if (below > next.y && i + 1 < places.size()) continue;
    const double share = next.y > above.y ? (below - above.y) / (next.y - above.y) : 0.0;
    return above.x + (next.x - above.x) * std::clamp(share, 0.0, 1.0);
  }
  return places.front().x;
}

// A number, or one with a letter before it, such as p12.
bool is_number(const std::string& text) {
  const std::size_t letter = text.size() > 1 && text[0] >= 'a' && text[0] <= 'z' ? 1 : 0;
  return !text.empty() && text.find_first_not_of("0123456789+-.e", letter) == std::string::npos;
}

class HeatPainter {
 public:
  HeatPainter(Drawing& drawing, const Box& outer, const Heat& heat, const HeatOptions& options)
      : drawing_(drawing),
        heat_(heat),
        options_(options),
        type_(drawing.metrics),
        cells_(drawing.metrics == TextMetrics::cells),
        outer_(outer),
        title_(options.title.empty() ? std::vector<std::string>{}
                                     : wrapped(options.title, outer.width, type_.label, true, drawing.metrics)) {
    top_ = outer_.y + type_.line * static_cast<double>(std::max(title_lines(), options_.least_title_lines));
    if (!options_.row_label.empty()) top_ += type_.line;
    if (!options_.top.empty()) top_ += type_.line;
    if (!cells_) top_ += 4.0;
    place_image();
    if (!cells_ && has_word_columns() && !columns_fit()) {
      upward_ = true;
      place_image();
    }
  }

  Box draw() {
    draw_titles();
    // In plain text a colour is a character, and characters between the numbers would make them unreadable.
    const bool only_numbers = options_.decimals >= 0 && numbers_fit() && cells_ && drawing_.plain;
    if (!only_numbers) draw_image();
    if (options_.decimals >= 0 && numbers_fit()) write_numbers();
    draw_top();
    draw_rows();
    draw_columns();
    if (options_.color_bar && !only_numbers) draw_bar();
    return image_;
  }

  std::int64_t title_lines() const { return std::ssize(title_); }
  double left_room() const {
    double left = 0.0;
    for (const Tick& tick : row_ticks()) left = std::max(left, width_of(tick.label));
    return std::max(left + type_.tick, options_.least_left);
  }
  double right_room() const {
    const double bar =
        (cells_ ? kCellWidth : 12.0) + color_bar_width(drawing_, options_.low, options_.high, options_.bar_ticks);
    return std::max(options_.color_bar ? bar : 0.0, options_.least_right);
  }
  double below_room() const {
    double words = type_.line;
    if (upward_) {
      words = 6.0;
      for (const Tick& tick : options_.column_ticks) words = std::max(words, width_of(tick.label) + 6.0);
    }
    const double room = words + (options_.column_label.empty() ? 0.0 : type_.line) + (cells_ ? 0.0 : 4.0);
    return std::max(room, options_.least_below);
  }

 private:
  double width_of(const std::string& text) const { return text_width(text, type_.small, false, drawing_.metrics); }
  std::uint8_t level_of(double value) const {
    return std::isfinite(value) ? color_level(value, options_.low, options_.high) : kAbsentLevel;
  }
  double value_at(std::int64_t row, std::int64_t column) const {
    return heat_.values[static_cast<std::size_t>(rows_.index(row) * heat_.columns + columns_.index(column))];
  }

  // --- Where the image is.

  void place_image() {
    const double left = left_room(), right = right_room();
    image_ = {outer_.x + left, top_, outer_.width - left - right, outer_.bottom() - below_room() - top_};
    choose_shown();
    if (options_.square && !cells_) {
      const double cell = std::min(image_.width / static_cast<double>(columns_.shown()),
                                   image_.height / static_cast<double>(rows_shown_));
      image_.width = cell * static_cast<double>(columns_.shown());
      image_.height = cell * static_cast<double>(rows_shown_);
    }
    if (cells_) {
      // Every column is the same number of characters wide, every row the same number of (half) lines high.
      const double columns = std::max(1.0, std::floor(image_.width / kCellWidth));
      const double unit = drawing_.plain ? kCellHeight : kCellHeight / 2.0;
      const double units = std::max(1.0, std::floor(image_.height / kCellHeight) * kCellHeight / unit);
      const auto columns_shown = static_cast<double>(columns_.shown());
      const auto rows_shown = static_cast<double>(rows_shown_);
      image_.width = kCellWidth * columns_shown * std::max(1.0, std::floor(columns / columns_shown));
      image_.height = unit * rows_shown * std::max(1.0, std::floor(units / rows_shown));
    }
  }
  void choose_shown() {
    const double room = cells_ ? image_.width / kCellWidth : image_.width;
    columns_ = sampled(heat_.columns, options_.column_group, static_cast<std::int64_t>(room));
    const std::int64_t lines = std::max<std::int64_t>(1, image_rows(drawing_, image_.height));
    rows_ = sampled(heat_.rows, 1, lines);
    rows_shown_ = rows_.shown();
  }
  double x_of(double column) const {
    return image_.x +
           image_.width * (column / static_cast<double>(columns_.every) + 0.5) / static_cast<double>(columns_.shown());
  }
  double y_of(double row) const {
    return image_.y + image_.height * (row / static_cast<double>(rows_.every) + 0.5) / static_cast<double>(rows_shown_);
  }

  // --- What is left out.

  std::string rows_remark() const {
    const std::int64_t every = rows_.every * options_.rows_every;
    return every > 1 ? " (one in " + std::to_string(every) + ")" : "";
  }
  std::string columns_remark() const {
    const std::int64_t every = columns_.every * options_.columns_every;
    if (every <= 1) return "";
    return (columns_.group == 2 ? " (one pair in " : " (one in ") + std::to_string(every) + ")";
  }

  // --- Words.

  void draw_titles() {
    double y = outer_.y;
    for (const std::string& line : title_) {
      drawing_.add(Text{.text = line, .at = {outer_.x, y + type_.ascent}, .size = type_.label, .bold = true});
      y += type_.line;
    }
    if (options_.row_label.empty()) return;
    const std::int64_t below = options_.least_title_lines - title_lines();  // labels of panels side by side are level
    y += type_.line * static_cast<double>(std::max<std::int64_t>(below, 0));
    const std::string label =
        shortened(options_.row_label + rows_remark(), outer_.width, type_.small, drawing_.metrics);
    drawing_.add(Text{.text = label, .at = {outer_.x, y + type_.ascent}, .size = type_.small, .ink = Ink::muted});
  }

  // Leaves out a label that would overlap the one before it.
  void draw_top() {
    double end = -1e300;
    for (const TopLabel& label : options_.top) {
      const double edge = label.anchor == Anchor::start ? -0.5 : label.anchor == Anchor::end ? 0.5 : 0.0;
      const double width = width_of(label.text);
      const double share = label.anchor == Anchor::start ? 0.0 : label.anchor == Anchor::end ? 1.0 : 0.5;
      const double at = std::clamp(x_of(label.column + edge), image_.x, image_.right());
      const double start = at - share * width;
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
  void draw_rows() {
    double last = -1e300;
    for (const Tick& tick : row_ticks()) {
      const double y = cells_ ? y_of(tick.value) - 1e-6 : y_of(tick.value) + 0.36 * type_.small;
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

  bool has_word_columns() const {
    return std::any_of(options_.column_ticks.begin(), options_.column_ticks.end(),
                       [](const Tick& tick) { return !is_number(tick.label); });
  }
  double column_width() const { return image_.width / static_cast<double>(columns_.shown()); }
  bool columns_fit() const {
    return std::all_of(options_.column_ticks.begin(), options_.column_ticks.end(),
                       [&](const Tick& tick) { return width_of(tick.label) + 4.0 <= column_width(); });
  }
  std::vector<Tick> column_ticks() const {
    std::vector<Tick> ticks = options_.column_ticks;
    if (!ticks.empty()) {
      // Shorten a word that does not fit to its beginning.
      for (Tick& tick : ticks) {
        if (!cells_ || is_number(tick.label)) continue;
        const auto room = static_cast<std::size_t>(std::max(1.0, column_width() / kCellWidth - 1.0));
        const std::vector<std::string> lines =
            wrapped(tick.label, kCellWidth * static_cast<double>(room), type_.small, false, drawing_.metrics);
        if (!lines.empty()) tick.label = lines.front();
      }
      return ticks;
    }
    for (std::int64_t wanted = 12; wanted > 0; --wanted) {
      ticks = ticks_of({}, heat_.columns, options_.first_column, options_.column_step, wanted);
      double room = 0.0;
      for (const Tick& tick : ticks) room += width_of(tick.label) + 1.5 * kCellWidth;
      if (room <= image_.width) break;
    }
    return ticks;
  }
  // Every n-th of the ticks, so that their labels do not overlap.
  std::vector<Tick> thinned(const std::vector<Tick>& ticks) const {
    const double gap = cells_ ? kCellWidth : 3.0;
    const auto fits = [&](std::size_t every) {
      for (std::size_t i = every; i < ticks.size(); i += every) {
        const Tick &one = ticks[i - every], &next = ticks[i];
        const double room = std::fabs(x_of(next.value) - x_of(one.value));
        if (room < (width_of(one.label) + width_of(next.label)) / 2.0 + gap) return false;
      }
      return true;
    };
    std::size_t every = 1;
    while (!fits(every)) ++every;
    std::vector<Tick> kept;
    for (std::size_t i = 0; i < ticks.size(); i += every) kept.push_back(ticks[i]);
    return kept;
  }
  void draw_columns() {
    double end = -1e300;
    const double y = image_.bottom() + (cells_ ? 0.0 : 4.0) + type_.ascent;
    for (const Tick& tick : upward_ ? column_ticks() : thinned(column_ticks())) {
      if (upward_) {
        drawing_.add(Text{.text = tick.label,
                          .at = {x_of(tick.value) + 0.36 * type_.small, image_.bottom() + 6.0},
                          .size = type_.small,
                          .anchor = Anchor::end,
                          .ink = Ink::muted,
                          .upward = true});
        continue;
      }
      const double half = width_of(tick.label) / 2.0;
      const double x = std::clamp(x_of(tick.value), outer_.x + half, std::max(outer_.x + half, outer_.right() - half));
      if (x - half < end + (cells_ ? kCellWidth : 3.0)) continue;
      end = x + half;
      drawing_.add(
          Text{.text = tick.label, .at = {x, y}, .size = type_.small, .anchor = Anchor::middle, .ink = Ink::muted});
    }
    if (options_.column_label.empty()) return;
    const std::string label =
        shortened(options_.column_label + columns_remark(), outer_.width, type_.small, drawing_.metrics);
    const double half = width_of(label) / 2.0;
    const double middle = image_.x + image_.width / 2.0;
    const double x = std::clamp(middle, outer_.x + half, std::max(outer_.x + half, outer_.right() - half));
    drawing_.add(Text{.text = label,
                      .at = {x, image_.bottom() + below_room() - type_.line + type_.ascent},
                      .size = type_.small,
                      .anchor = Anchor::middle,
                      .ink = Ink::muted});
  }

  // --- Colours and numbers.

  void draw_image() {
    Image image{.box = image_, .columns = columns_.shown(), .rows = rows_shown_, .levels = {}, .map = options_.map};
    for (std::int64_t r = 0; r < image.rows; ++r) {
      for (std::int64_t c = 0; c < image.columns; ++c) image.levels.push_back(level_of(value_at(r, c)));
    }
    drawing_.add(image);
  }
  void draw_bar() {
    // Less has no room for its ends and 0.
    const double height = std::max(image_.height, 3.0 * type_.line);
    draw_color_bar(drawing_, {image_.right() + (cells_ ? kCellWidth : 12.0), image_.y, 0.0, height}, options_.low,
                   options_.high, options_.map, options_.bar_ticks);
  }

  // The size of numbers that fit into the cells.
  double number_size() const {
    const double height = image_.height / static_cast<double>(heat_.rows);
    double size = std::min(type_.small, 0.7 * height);
    for (const double value : heat_.values) {
      if (!std::isfinite(value)) continue;
      const double needed = text_width(text::fixed_text(value, options_.decimals), size, false, drawing_.metrics);
      if (needed > 0.92 * column_width()) size *= 0.92 * column_width() / needed;
    }
    return size;
  }
  bool numbers_fit() const {
    if (rows_shown_ < heat_.rows || columns_.shown() < heat_.columns) return false;
    if (!cells_) return number_size() >= 5.0;  // smaller ones are unreadable
    return std::all_of(heat_.values.begin(), heat_.values.end(), [&](double value) {
      return width_of(text::fixed_text(value, options_.decimals)) + kCellWidth <= column_width();
    });
  }
  // In a column of characters the points of numbers are below each other.
  std::string aligned(const std::string& number) const {
    std::size_t widest = 0;
    if (!cells_) return number;
    for (const double value : heat_.values) {
      if (std::isfinite(value)) widest = std::max(widest, text::fixed_text(value, options_.decimals).size());
    }
    return std::string(widest - number.size(), ' ') + number;
  }
  void write_numbers() {
    const double size = cells_ ? type_.small : number_size();
    for (std::int64_t r = 0; r < heat_.rows; ++r) {
      for (std::int64_t c = 0; c < heat_.columns; ++c) {
        const double value = value_at(r, c);
        if (!std::isfinite(value)) continue;
        Text number{.text = aligned(text::fixed_text(value, options_.decimals)),
                    .at = {x_of(static_cast<double>(c)), y_of(static_cast<double>(r)) + (cells_ ? -1e-6 : 0.36 * size)},
                    .size = size,
                    .anchor = Anchor::middle};
        if (!(cells_ && drawing_.plain)) number.on = CellPaint{options_.map, level_of(value)};
        drawing_.add(number);
      }
    }
  }

  Drawing& drawing_;
  const Heat& heat_;
  const HeatOptions& options_;
  Type type_;
  bool cells_;
  Box outer_;
  std::vector<std::string> title_;
  double top_ = 0.0;
  bool upward_ = false;  // words below the columns run upwards
  Box image_;
  Sampling rows_, columns_;
  std::int64_t rows_shown_ = 0;
};

}  // namespace

std::int64_t image_rows(const Drawing& drawing, double height) {
  if (drawing.metrics != TextMetrics::cells) return static_cast<std::int64_t>(height);
  return static_cast<std::int64_t>(height / kCellHeight) * (drawing.plain ? 1 : 2);
}

double color_bar_width(const Drawing& drawing, double low, double high, const std::vector<Tick>& ticks) {
  const bool cells = drawing.metrics == TextMetrics::cells;
  double widest = 0.0;
  for (const Tick& tick : ticks.empty() ? bar_ticks(low, high) : ticks) {
    widest = std::max(widest, text_width(tick.label, Type(drawing.metrics).small, false, drawing.metrics));
  }
  return widest + (cells ? 2.0 * kCellWidth : 16.0);
}

void draw_color_bar(Drawing& drawing, const Box& outer, double low, double high, ColorMap map,
                    const std::vector<Tick>& ticks) {
  const Type type(drawing.metrics);
  const bool cells = drawing.metrics == TextMetrics::cells;
  const double height = cells ? std::ceil(outer.height / kCellHeight) * kCellHeight : outer.height;
  const Box bar = {outer.x, outer.y, cells ? kCellWidth : 12.0, height};
  const double inner = bar.height - (cells ? kCellHeight : type.small);
  const double unit = cells ? kCellHeight : 1e-6;  // a label is beside a whole line of characters
  std::vector<Point> places = {{high, 0.0}};       // a value, and how far below the top of the bar its label is
  std::vector<Text> labels;
  double last = -1e300;
  for (const Tick& tick : ticks.empty() ? bar_ticks(low, high) : ticks) {
    const double below = std::round(inner * (high - tick.value) / (high - low) / unit) * unit;
    if (below < last + type.line - 1.0) continue;
    last = below;
    places.push_back({tick.value, below});
    drawing.add(Text{
        .text = tick.label,
        .at = {bar.right() + (cells ? kCellWidth : 4.0), bar.y + below + (cells ? type.ascent : 0.85 * type.small)},
        .size = type.small,
        .ink = Ink::muted});
  }
  places.push_back({low, inner});
  const std::int64_t steps = cells ? image_rows(drawing, bar.height) : 128;
  Image image{.box = bar, .columns = 1, .rows = steps, .levels = {}, .map = map};
  for (std::int64_t i = 0; i < steps; ++i) {
    // In characters the middle of a line, so that it has the colour of its label.
    const double middle = (static_cast<double>(i) + 0.5) / static_cast<double>(steps) * bar.height;
    const double below =
        cells ? middle - kCellHeight / 2.0 : inner * static_cast<double>(i) / static_cast<double>(steps - 1);
    image.levels.push_back(color_level(value_below(places, below), low, high));
  }
  drawing.add(image);
  for (const Text& label : labels) drawing.add(label);
}

Box draw_heat(Drawing& drawing, const Box& outer, const Heat& heat, const HeatOptions& options) {
  return HeatPainter(drawing, outer, heat, options).draw();
}

std::vector<Box> draw_heats(Drawing& drawing, const std::vector<Box>& boxes, const std::vector<Heat>& heats,
                            std::vector<HeatOptions> options) {
  double left = 0.0, right = 0.0, below = 0.0;
  std::int64_t title_lines = 0;
  for (std::size_t i = 0; i < heats.size(); ++i) {
    const HeatPainter painter(drawing, boxes[i], heats[i], options[i]);
    left = std::max(left, painter.left_room());
    right = std::max(right, painter.right_room());
    below = std::max(below, painter.below_room());
    title_lines = std::max(title_lines, painter.title_lines());
  }
  std::vector<Box> images;
  for (std::size_t i = 0; i < heats.size(); ++i) {
    options[i].least_left = left;
    options[i].least_right = right;
    options[i].least_below = below;
    options[i].least_title_lines = title_lines;
    images.push_back(draw_heat(drawing, boxes[i], heats[i], options[i]));
  }
  return images;
}

}  // namespace posenc::drawing
