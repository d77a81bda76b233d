#include "insight/drawing/terminal_canvas.h"

#include <algorithm>
#include <utility>

#include "insight/drawing/terminal_color.h"

namespace posenc::drawing {
namespace {

constexpr std::string_view kRamp = " .:-=+*#%@";
constexpr const char* kUpperHalf = "\xe2\x96\x80";
constexpr const char* kLowerHalf = "\xe2\x96\x84";
// Indexed by the sum of RuleSide: left 1, right 2, up 4, down 8.
constexpr std::array<const char*, 16> kRules = {" ",
                                                "\xe2\x94\x80",
                                                "\xe2\x94\x80",
                                                "\xe2\x94\x80",
                                                "\xe2\x94\x82",
                                                "\xe2\x94\x98",
                                                "\xe2\x94\x94",
                                                "\xe2\x94\xb4",
                                                "\xe2\x94\x82",
                                                "\xe2\x94\x90",
                                                "\xe2\x94\x8c",
                                                "\xe2\x94\xac",
                                                "\xe2\x94\x82",
                                                "\xe2\x94\xa4",
                                                "\xe2\x94\x9c",
                                                "\xe2\x94\xbc"};
constexpr const char* kDashedAcross = "\xe2\x94\x88";
constexpr const char* kDashedUpright = "\xe2\x94\x8a";
constexpr unsigned kAcross = kRuleLeft | kRuleRight;
constexpr unsigned kUpright = kRuleUp | kRuleDown;

// Shapes of dots, row by row from the top, that have a block of their own.
constexpr std::array<std::pair<unsigned, const char*>, 7> kBlocks = {{{0b11111111, "\xe2\x96\x88"},
                                                                      {0b11111100, "\xe2\x96\x86"},
                                                                      {0b11110000, "\xe2\x96\x84"},
                                                                      {0b11000000, "\xe2\x96\x82"},
                                                                      {0b00001111, "\xe2\x96\x80"},
                                                                      {0b01010101, "\xe2\x96\x8c"},
                                                                      {0b10101010, "\xe2\x96\x90"}}};

// Unicode numbers the dots down the left side, then down the right, and the lowest two last.
std::string braille(unsigned dots) {
  constexpr std::array<unsigned, 8> kPlaces = {0, 3, 1, 4, 2, 5, 6, 7};
  unsigned code = 0x2800;
  for (std::size_t dot = 0; dot < kPlaces.size(); ++dot) code |= (dots >> dot & 1U) << kPlaces[dot];
  return {static_cast<char>(0xE2), static_cast<char>(0x80U | (code >> 6U & 0x3FU)),
          static_cast<char>(0x80U | (code & 0x3FU))};
}

std::string dots_glyph(const CanvasCell& cell) {
  if (cell.dot_look.solid) {
    for (const auto& block : kBlocks) {
      if (block.first == cell.dots) return block.second;
    }
  }
  return braille(cell.dots);
}

std::string rules_glyph(const CanvasCell& cell) {
  if (cell.dashed && (cell.rules & kUpright) == 0) return kDashedAcross;
  if (cell.dashed && (cell.rules & kAcross) == 0) return kDashedUpright;
  return kRules[cell.rules];
}

// Dashed and faint series must differ from the solid one of their colour.
char ascii_sign(Ink ink, const DotLook& look) {
  constexpr std::string_view kSigns = " .:|.-+*o+x#%";  // in the order of Ink
  constexpr std::string_view kDashed = " .:|.-+abcdef";
  constexpr std::string_view kFaint = " .:|.-+',`;~^";
  return (look.faint ? kFaint : look.dashed ? kDashed : kSigns)[static_cast<std::size_t>(ink)];
}

char ascii_rule(const CanvasCell& cell) {
  const bool upright = (cell.rules & kUpright) != 0;
  const bool across = (cell.rules & kAcross) != 0;
  if (upright && across) return '+';
  if (cell.rule_ink == Ink::grid || cell.dashed) return upright ? ':' : '.';
  return upright ? '|' : '-';
}

// ASCII has no half blocks. The upper of two rows is shown, because their mean would be a number that neither has.
char ascii_level(const CanvasCell& cell) {
  const std::optional<std::uint8_t> level = cell.levels[0] ? cell.levels[0] : cell.levels[1];
  if (!level) return ' ';
  if (*level == kAbsentLevel) return '?';
  const std::size_t share = static_cast<std::size_t>(*level) * kRamp.size() / kLastLevel;
  return kRamp[std::min(share, kRamp.size() - 1)];
}

std::string ascii_glyph(const CanvasCell& cell) {
  if (!cell.text.character.empty()) return cell.text.character;
  if (cell.dots != 0) return {ascii_sign(cell.dot_ink, cell.dot_look)};
  if (cell.rules != 0) return {ascii_rule(cell)};
  return {ascii_level(cell)};
}

// The character of a cell and the codes that colour it.
struct Shown {
  std::string glyph = " ";
  std::string foreground = kPlainForeground;
  std::string background = kPlainBackground;
  bool bold = false;
};

class ColorCells {
 public:
  explicit ColorCells(const TerminalOptions& options) : options_(options) {}

  Shown show(const CanvasCell& cell) const {
    Shown shown;
    const std::optional<Color> above = level_color(cell, 0);
    const std::optional<Color> below = level_color(cell, 1);
    if (!cell.text.character.empty()) {
      shown = {cell.text.character, kPlainForeground, kPlainBackground, cell.text.bold};
      if (cell.text.color) shown.foreground = foreground(*cell.text.color);
      if (above) shown.background = background(*above);
    } else if (cell.dots != 0) {
      shown = {dots_glyph(cell), foreground(ink(cell.dot_ink)), above ? background(*above) : kPlainBackground};
    } else if (cell.rules != 0) {
      shown = {rules_glyph(cell), foreground(ink(cell.rule_ink)), above ? background(*above) : kPlainBackground};
    } else if (above) {
      shown = {kUpperHalf, foreground(*above), below ? background(*below) : kPlainBackground};
    } else if (below) {
      shown = {kLowerHalf, foreground(*below)};
    }
    return shown;
  }

 private:
  Color ink(Ink name) const { return color_of(name, options_.theme); }
  std::string foreground(Color color) const { return foreground_code(rgb(color), options_.style); }
  std::string background(Color color) const { return background_code(rgb(color), options_.style); }
  std::optional<Color> level_color(const CanvasCell& cell, std::size_t half) const {
    if (!cell.levels[half] || *cell.levels[half] == kAbsentLevel) return std::nullopt;
    return color_of(cell.map, *cell.levels[half], options_.theme);
  }

  const TerminalOptions& options_;
};

bool is_blank(const Shown& shown) { return shown.glyph == " " && shown.background == kPlainBackground; }

std::string color_line(const CanvasCell* cells, std::int64_t columns, const TerminalOptions& options) {
  const ColorCells colors(options);
  std::vector<Shown> line;
  for (std::int64_t column = 0; column < columns; ++column) line.push_back(colors.show(cells[column]));
  while (!line.empty() && is_blank(line.back())) line.pop_back();
  ColorLine text;
  for (const Shown& shown : line) text.put(shown.foreground, shown.background, shown.glyph, shown.bold);
  return text.finish();
}

std::string ascii_line(const CanvasCell* cells, std::int64_t columns) {
  std::string line;
  for (std::int64_t column = 0; column < columns; ++column) line += ascii_glyph(cells[column]);
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

}  // namespace

CanvasCell* Canvas::cell(std::int64_t column, std::int64_t line) noexcept {
  if (column < 0 || column >= columns_ || line < 0 || line >= lines_) return nullptr;
  return &cells_[static_cast<std::size_t>(line * columns_ + column)];
}

void Canvas::dot(std::int64_t x, std::int64_t y, Ink ink, const DotLook& look) noexcept {
  CanvasCell* place = x < 0 || y < 0 ? nullptr : cell(x / 2, y / 4);
  if (place == nullptr) return;
  const unsigned bit = 1U << static_cast<unsigned>(2 * (y % 4) + x % 2);
  if (ink == Ink::paper) {
    place->dots &= ~bit;
    return;
  }
  const bool first = place->dots == 0;
  const bool covered = !first && look.faint && !place->dot_look.faint;  // a line is not hidden by an area over it
  const bool solid = look.solid && (first || place->dot_look.solid);
  place->dots |= bit;
  if (!covered) {
    place->dot_ink = ink;
    place->dot_look = look;
  }
  place->dot_look.solid = solid;
}

void Canvas::rule(std::int64_t column, std::int64_t line, unsigned sides, Ink ink, bool dashed) noexcept {
  CanvasCell* place = cell(column, line);
  if (place == nullptr) return;
  // An axis is not broken by what crosses it.
  if (place->rules != 0 && place->rule_ink == Ink::axis && ink != Ink::axis) return;
  place->dashed = dashed && (place->rules == 0 || place->dashed);
  place->rules |= sides;
  place->rule_ink = ink;
}

void Canvas::text(std::int64_t column, std::int64_t line, std::string_view character, const CellText& style) {
  CanvasCell* place = cell(column, line);
  if (place == nullptr) return;
  place->text = style;
  place->text.character = character;
}

std::string Canvas::print(const TerminalOptions& options) const {
  std::string text;
  for (std::int64_t line = 0; line < lines_; ++line) {
    const CanvasCell* row = cells_.data() + line * columns_;
    text += options.style == TerminalStyle::ascii ? ascii_line(row, columns_) : color_line(row, columns_, options);
    text += '\n';
  }
  return text;
}

}  // namespace posenc::drawing
