#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/text/number_text.h"
#include "insight/drawing/chart.h"
#include "posenc/error.h"

namespace posenc::drawing {
namespace {

bool in_cells(TextMetrics metrics) { return metrics == TextMetrics::cells; }

// The longest start of `text` that fits, at least one character; never within a character of UTF-8.
std::size_t fitting_prefix(const std::string& text, double width, double size, bool bold, TextMetrics metrics) {
  std::size_t end = 0;
  for (std::size_t i = 1; i <= text.size(); ++i) {
    if (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U) continue;
    if (end > 0 && text_width(text.substr(0, i), size, bold, metrics) > width) break;
    end = i;
  }
  return end;
}

double floor_to(double value, double unit) { return std::floor(value / unit) * unit; }

// The start and the length of each part of a length. If `unit` is above 0, every part is a whole number of units.
std::vector<std::pair<double, double>> parts_of(double start, double length, const std::vector<double>& shares,
                                                double gap, double unit) {
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  const double room = length - gap * static_cast<double>(shares.size() - 1);
  std::vector<std::pair<double, double>> parts;
  for (const double share : shares) {
    const double part = room * share / total;
    parts.emplace_back(start, unit > 0.0 ? floor_to(part, unit) : part);
    start += parts.back().second + gap;
  }
  return parts;
}
// In cells, an edge must be between two characters.
double snapped_height(const Drawing& drawing, double height) {
  return in_cells(drawing.metrics) ? floor_to(height, kCellHeight) : height;
}

double linear_step(double span, std::int64_t count) {
  const double raw = span / static_cast<double>(std::max<std::int64_t>(count, 1));
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw * (1.0 - 1e-9)) return factor * power;
  }
  return 10.0 * power;
}

std::vector<Tick> linear_ticks(double low, double high, std::int64_t count) {
  const double step = linear_step(high - low, count);
  const auto decimals = static_cast<int>(std::clamp(-std::floor(std::log10(step) + 1e-9), 0.0, 12.0));
  std::vector<Tick> ticks;
  for (double n = std::ceil(low / step - 1e-9); n * step <= high + 1e-9 * step; n += 1.0) {
    const double value = n == 0.0 ? 0.0 : n * step;
    const bool plain = std::fabs(value) < 1e6 && (step >= 1e-4);
    ticks.push_back({value, plain ? text::fixed_text(value, decimals) : tick_text(value)});
  }
  return ticks;
}

std::vector<Tick> log_ticks(double low, double high, std::int64_t count) {
  const double first = std::ceil(std::log10(low) - 1e-9);
  const double last = std::floor(std::log10(high) + 1e-9);
  const double decades = last - first + 1.0;
  const double every = std::max(1.0, std::ceil(decades / static_cast<double>(std::max<std::int64_t>(count, 1))));
  const bool fine = decades * 3.0 <= static_cast<double>(count);
  std::vector<Tick> ticks;
  for (double n = first - 1.0; n <= last; n += 1.0) {
    if (n < first ? !fine : std::fmod(n - first, every) != 0.0) continue;
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10.0, n);
      if (factor != 1.0 && !fine) break;
      if (value >= low * (1.0 - 1e-9) && value <= high * (1.0 + 1e-9)) ticks.push_back({value, tick_text(value)});
    }
  }
  return ticks;
}

}  // namespace

Type::Type(TextMetrics metrics)
    : title(15.0), label(12.0), small(11.0), line(17.0), ascent(12.5), gap(22.0), tick(5.0), margin(16.0) {
  if (!in_cells(metrics)) return;
  line = kCellHeight;
  ascent = kCellHeight / 2.0;
  gap = kCellHeight;
  tick = kCellWidth;
  margin = 0.0;
}

std::string tick_text(double value) {
  std::string text = text::general_text(value, 4);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  std::size_t digits = e + 1;
  const bool negative = text[digits] == '-';
  while (digits + 1 < text.size() && (text[digits] == '-' || text[digits] == '+' || text[digits] == '0')) ++digits;
  return text.substr(0, e + 1) + (negative ? "-" : "") + text.substr(digits);
}

std::vector<Tick> round_ticks(double low, double high, bool log, std::int64_t count) {
  if (!(high > low)) return {{low, tick_text(low)}};
  return log ? log_ticks(low, high, count) : linear_ticks(low, high, count);
}

std::vector<std::string> wrapped(const std::string& text, double width, double size, bool bold, TextMetrics metrics) {
  std::vector<std::string> lines;
  std::string line;
  const auto fits = [&](const std::string& candidate) { return text_width(candidate, size, bold, metrics) <= width; };
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t space = std::min(text.find(' ', start), text.size());
    std::string word = text.substr(start, space - start);
    start = space + 1;
    if (!line.empty() && !fits(line + " " + word)) {
      lines.push_back(line);
      line.clear();
    }
    while (line.empty() && !fits(word)) {
      const std::size_t end = fitting_prefix(word, width, size, bold, metrics);
      lines.push_back(word.substr(0, end));
      word.erase(0, end);
    }
    line += (line.empty() ? "" : " ") + word;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

std::string shortened(const std::string& text, double width, double size, TextMetrics metrics) {
  if (text_width(text, size, false, metrics) <= width) return text;
  const double dots = text_width("...", size, false, metrics);
  return text.substr(0, fitting_prefix(text, width - dots, size, false, metrics)) + "...";
}

void check_page_size(const char* side, double least, double size) {
  if (size >= least) return;
  fail(ErrorKind::usage, std::string("[make_figure] ") + side + " must be at least " +
                             text::number_text(std::ceil(least)) + " points for this figure but got " +
                             text::number_text(size));
}

Box lay_out_page(Drawing& drawing, const PageOptions& options) {
  const Type type(drawing.metrics);
  const double inner = options.width - 2.0 * type.margin;
  check_page_size("width", kLeastPageWidth, options.width);
  const auto title = wrapped(options.title, inner, type.title, true, drawing.metrics);
  std::vector<std::string> notes;
  for (const std::string& note : options.notes) {
    for (std::string& line : wrapped(note, inner, type.small, false, drawing.metrics)) notes.push_back(std::move(line));
  }
  const double title_line = in_cells(drawing.metrics) ? type.line : 20.0;
  const double above = type.margin + title_line * static_cast<double>(title.size()) + (type.margin > 0.0 ? 8.0 : 0.0);
  const double below = type.line * static_cast<double>(notes.size()) + type.margin + (type.margin > 0.0 ? 10.0 : 0.0);
  double body = options.height > 0.0 ? snapped_height(drawing, options.height - above - below) : options.body_height;
  if (in_cells(drawing.metrics)) body = std::max(std::min(body, options.most_body), options.least_body);
  if (!(body >= 4.0 * kCellHeight)) check_page_size("height", above + below + 4.0 * kCellHeight, options.height);
  drawing.width = options.width;
  drawing.height = above + body + below;
  for (std::size_t i = 0; i < title.size(); ++i) {
    drawing.add(Text{.text = title[i],
                     .at = {type.margin, type.margin + type.ascent + 1.0 + title_line * static_cast<double>(i)},
                     .size = type.title,
                     .bold = true});
  }
  for (std::size_t i = 0; i < notes.size(); ++i) {
    const double y =
        drawing.height - below + type.ascent + (type.margin > 0.0 ? 10.0 : 0.0) + type.line * static_cast<double>(i);
    drawing.add(Text{.text = notes[i], .at = {type.margin, y}, .size = type.small, .ink = Ink::muted});
  }
  return {type.margin, above, inner, body};
}

std::vector<Box> columns_of(const Drawing& drawing, const Box& box, const std::vector<double>& shares) {
  const double gap = Type(drawing.metrics).gap, unit = in_cells(drawing.metrics) ? kCellWidth : 0.0;
  std::vector<Box> boxes;
  for (const auto& [x, width] : parts_of(box.x, box.width, shares, gap, unit)) {
    boxes.push_back({x, box.y, width, box.height});
  }
  return boxes;
}

std::vector<Box> rows_of(const Drawing& drawing, const Box& box, const std::vector<double>& shares) {
  const bool cells = in_cells(drawing.metrics);
  const double gap = cells ? 0.0 : Type(drawing.metrics).gap, unit = cells ? kCellHeight : 0.0;
  std::vector<Box> boxes;
  for (const auto& [y, height] : parts_of(box.y, box.height, shares, gap, unit)) {
    boxes.push_back({box.x, y, box.width, height});
  }
  return boxes;
}

void draw_arrow(Drawing& drawing, Point a, Point b, const Stroke& stroke) {
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const double length = std::hypot(dx, dy);
  drawing.add(Path{.points = {a, b},
                   .stroke = stroke.ink,
                   .line_width = stroke.width,
                   .opacity = stroke.opacity,
                   .dashed = stroke.dashed,
                   .title = stroke.label});
  if (length < 1e-9) return;
  const double head = std::min(9.0, 0.4 * length);
  const double ux = dx / length;
  const double uy = dy / length;
  drawing.add(Path{.points = {b,
                              {b.x - head * ux + 0.4 * head * uy, b.y - head * uy - 0.4 * head * ux},
                              {b.x - head * ux - 0.4 * head * uy, b.y - head * uy + 0.4 * head * ux}},
                   .fill = stroke.ink,
                   .opacity = stroke.opacity,
                   .closed = true});
}

}  // namespace posenc::drawing
