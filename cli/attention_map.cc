#include "cli/attention_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "cli/array_output.h"
#include "core/text/utf8.h"
#include "posenc/insight/terminal.h"

namespace posenc::cli {
namespace {

constexpr std::int64_t kMostShown = 24;

double largest_of(const ConstView& weights) {
  double largest = 0.0;
  for (std::int64_t n = 0; n < weights.shape[0]; ++n) {
    for (std::int64_t s = 0; s < weights.shape[1]; ++s) largest = std::max(largest, number_at(weights[n], s));
  }
  return largest;
}

Image image_of(const ConstView& weights, const Box& box) {
  Image image{.box = box, .columns = weights.shape[1], .rows = weights.shape[0], .levels = {}};
  image.map = ColorMap::sequential;
  const double largest = largest_of(weights);
  for (std::int64_t n = 0; n < image.rows; ++n) {
    for (std::int64_t s = 0; s < image.columns; ++s) {
      image.levels.push_back(color_level(number_at(weights[n], s), 0.0, largest));
    }
  }
  return image;
}

std::string label_of(const std::vector<std::string>& words, std::int64_t n) {
  const auto i = static_cast<std::size_t>(n);
  return i < words.size() ? words[i] : fmt::format("{}", n);
}

// The first characters of a label, for which a heatmap has room.
std::string short_label_of(const std::vector<std::string>& words, std::int64_t n) {
  constexpr int kMostCharacters = 10;
  const std::string label = label_of(words, n);
  std::size_t bytes = 0;
  for (int i = 0; i < kMostCharacters && bytes < label.size(); ++i) {
    bytes += text::first_character(std::string_view(label).substr(bytes)).length;
  }
  return label.substr(0, bytes);
}

ConstView corner_of(const ConstView& weights) {
  ConstView corner = weights;
  for (std::size_t axis = 0; axis < 2; ++axis) corner.shape[axis] = std::min(corner.shape[axis], kMostShown);
  return corner;
}

// One character per key, dark for the smallest.
std::vector<std::string> shades_of(const ConstView& weights) {
  Drawing drawing{.width = kCellWidth * static_cast<double>(weights.shape[1]),
                  .height = kCellHeight * static_cast<double>(weights.shape[0])};
  drawing.metrics = TextMetrics::cells;
  drawing.add(image_of(weights, {0.0, 0.0, drawing.width, drawing.height}));
  std::vector<std::string> lines(1);
  for (const char c : to_terminal(drawing, {.style = TerminalStyle::ascii})) {
    c == '\n' ? lines.emplace_back() : lines.back() += c;
  }
  return lines;
}

}  // namespace

std::string attention_map_text(const ConstView& weights, const std::vector<std::string>& words) {
  const ConstView shown = corner_of(weights);
  const std::vector<std::string> shades = shades_of(shown);
  std::size_t label = 5;
  for (std::int64_t n = 0; n < shown.shape[0]; ++n) label = std::max(label, label_of(words, n).size());
  const int digits = largest_of(shown) >= 0.995 ? 4 : 3;  // with a space before 100
  std::string text = fmt::format("  {:>{}}", "", label);
  for (std::int64_t s = 0; s < shown.shape[1]; ++s) text += fmt::format("{:>{}}", s, digits);
  text += "\n";
  for (std::int64_t n = 0; n < shown.shape[0]; ++n) {
    text += fmt::format("  {:>{}}", label_of(words, n), label);
    for (std::int64_t s = 0; s < shown.shape[1]; ++s) {
      text += fmt::format("{:>{}.0f}", 100.0 * number_at(shown[n], s), digits);
    }
    text += fmt::format("  |{:<{}}|\n", shades[static_cast<std::size_t>(n)], shown.shape[1]);
  }
  if (weights.shape[0] > kMostShown || weights.shape[1] > kMostShown) {
    text += fmt::format("  (the first {} of {} queries and {} of {} keys)\n", shown.shape[0], weights.shape[0],
                        shown.shape[1], weights.shape[1]);
  }
  return text;
}

Drawing attention_map_drawing(const ConstView& weights, const std::vector<std::string>& words,
                              const std::string& title) {
  const std::int64_t queries = weights.shape[0], keys = weights.shape[1];
  const double side = 400.0, cell = side / static_cast<double>(std::max(queries, keys));
  const double left = 100.0, top = 60.0, width = cell * static_cast<double>(keys),
               height = cell * static_cast<double>(queries);
  Drawing drawing{.width = left + std::max(width, 400.0) + 30.0, .height = top + height + 70.0, .title = title};
  drawing.description =
      fmt::format("attention weights from 0 to {:.4f}: rows are queries, columns are keys", largest_of(weights));
  drawing.add(Text{.text = title, .at = {20.0, 26.0}, .size = 14.0, .bold = true});
  drawing.add(
      Text{.text = fmt::format("background: 0, strongest color: {:.4f}; every row sums to 1", largest_of(weights)),
           .at = {20.0, 44.0},
           .size = 11.0,
           .ink = Ink::muted});
  drawing.add(image_of(weights, {left, top, width, height}));
  drawing.add(Rectangle{.box = {left, top, width, height}, .stroke = Ink::axis});
  const auto every = [&](double points) {  // each label needs this much room
    return std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(points / cell)), 1);
  };
  for (std::int64_t n = 0; n < queries; n += every(14.0)) {
    drawing.add(Text{.text = short_label_of(words, n),
                     .at = {left - 6.0, top + (static_cast<double>(n) + 0.5) * cell + 4.0},
                     .size = 11.0,
                     .anchor = Anchor::end});
  }
  for (std::int64_t s = 0; s < keys; s += every(28.0)) {
    drawing.add(Text{.text = fmt::format("{}", s),
                     .at = {left + (static_cast<double>(s) + 0.5) * cell, top + height + 16.0},
                     .size = 11.0,
                     .anchor = Anchor::middle});
  }
  drawing.add(Text{.text = "key", .at = {left + width / 2.0, top + height + 40.0}, .anchor = Anchor::middle});
  drawing.add(Text{.text = "query", .at = {24.0, top + height / 2.0}, .anchor = Anchor::middle, .upward = true});
  return drawing;
}

}  // namespace posenc::cli
