#include "posenc/insight/drawing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/text/utf8.h"
#include "insight/drawing/font_widths.h"

namespace posenc {
namespace {

// The height of the letters of DejaVu Sans above the baseline, and their depth below it with the accents there, as
// shares of the text's size.
constexpr double kAscent = 0.76;
constexpr double kDescent = 0.24;
// Boxes that only touch do not overlap, even if their edges are rounded.
constexpr double kTouch = 1e-6;

std::uint16_t widest(bool bold) noexcept {
  std::uint16_t width = 0;
  for (const drawing::CharacterWidth& entry : drawing::kOtherWidths) {
    width = std::max(width, bold ? entry.bold : entry.regular);
  }
  return width;
}

std::uint16_t width_of(std::uint32_t code, bool bold) noexcept {
  if (code >= drawing::kFirstPlain && code <= drawing::kLastPlain) {
    const std::size_t index = code - drawing::kFirstPlain;
    return bold ? drawing::kBoldWidths[index] : drawing::kRegularWidths[index];
  }
  const auto* const end = drawing::kOtherWidths.data() + drawing::kOtherWidths.size();
  const auto* const found =
      std::lower_bound(drawing::kOtherWidths.data(), end, code,
                       [](const drawing::CharacterWidth& entry, std::uint32_t wanted) { return entry.code < wanted; });
  if (found == end || found->code != code) return widest(bold);
  return bold ? found->bold : found->regular;
}

double start_of(double at, double width, Anchor anchor) noexcept {
  if (anchor == Anchor::middle) return at - width / 2.0;
  return anchor == Anchor::end ? at - width : at;
}

Box cells_box(const Text& text, double width) noexcept {
  if (text.upward) {
    const double column = std::floor(text.at.x / kCellWidth) * kCellWidth;
    const double length = width / kCellWidth * kCellHeight;
    const double top = -start_of(-text.at.y, length, text.anchor) - length;
    return {column, std::round(top / kCellHeight) * kCellHeight, kCellWidth, length};
  }
  const double left = start_of(text.at.x, width, text.anchor);
  return {std::round(left / kCellWidth) * kCellWidth, std::floor(text.at.y / kCellHeight) * kCellHeight, width,
          kCellHeight};
}

Box proportional_box(const Text& text, double width) noexcept {
  const double height = (kAscent + kDescent) * text.size;
  if (text.upward) {
    const double bottom = -start_of(-text.at.y, width, text.anchor);
    return {text.at.x - kAscent * text.size, bottom - width, height, width};
  }
  return {start_of(text.at.x, width, text.anchor), text.at.y - kAscent * text.size, width, height};
}

bool overlap(const Box& a, const Box& b) noexcept {
  return a.x + kTouch < b.right() && b.x + kTouch < a.right() && a.y + kTouch < b.bottom() && b.y + kTouch < a.bottom();
}

struct PlacedText {
  std::size_t index;
  Box box;
};

std::vector<PlacedText> placed_texts(const Drawing& drawing) {
  std::vector<PlacedText> placed;
  for (std::size_t index = 0; index < drawing.marks.size(); ++index) {
    const Text* text = std::get_if<Text>(&drawing.marks[index]);
    if (text != nullptr && !text->text.empty()) placed.push_back({index, drawing.box_of(*text)});
  }
  return placed;
}

}  // namespace

Ink series_ink(std::int64_t n) noexcept {
  const std::int64_t index = (n % kSeriesInks + kSeriesInks) % kSeriesInks;
  return static_cast<Ink>(static_cast<std::int64_t>(Ink::series1) + index);
}

double text_width(std::string_view text, double size, bool bold, TextMetrics metrics) noexcept {
  double thousandths = 0.0;
  double characters = 0.0;
  while (!text.empty()) {
    const text::Character character = text::first_character(text);
    thousandths += width_of(character.code, bold);
    characters += 1.0;
    text.remove_prefix(character.length);
  }
  return metrics == TextMetrics::cells ? characters * kCellWidth : thousandths / 1000.0 * size;
}

Box Drawing::box_of(const Text& text) const noexcept {
  const double text_wide = text_width(text.text, text.size, text.bold, metrics);
  return metrics == TextMetrics::cells ? cells_box(text, text_wide) : proportional_box(text, text_wide);
}

std::vector<std::pair<std::size_t, std::size_t>> overlapping_texts(const Drawing& drawing) {
  const std::vector<PlacedText> texts = placed_texts(drawing);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t first = 0; first < texts.size(); ++first) {
    for (std::size_t second = first + 1; second < texts.size(); ++second) {
      if (overlap(texts[first].box, texts[second].box)) pairs.emplace_back(texts[first].index, texts[second].index);
    }
  }
  return pairs;
}

std::vector<std::size_t> texts_outside(const Drawing& drawing) {
  std::vector<std::size_t> outside;
  for (const PlacedText& text : placed_texts(drawing)) {
    const Box& box = text.box;
    const bool inside = box.x >= -kTouch && box.y >= -kTouch && box.right() <= drawing.width + kTouch &&
                        box.bottom() <= drawing.height + kTouch;
    if (!inside) outside.push_back(text.index);
  }
  return outside;
}

}  // namespace posenc
