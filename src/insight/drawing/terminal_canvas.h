// A surface to draw on, made of the characters of a terminal: braille dots, box-drawing lines, half blocks and text.
//
// In a cell, text hides everything, dots hide rules, and both hide the image. A cell has one colour, that of the last
// mark.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "posenc/insight/terminal.h"

namespace posenc::drawing {

// A dot of braille, two across and four down in a cell.
inline constexpr double kDot = kCellWidth / 2.0;
static_assert(kCellHeight == 4.0 * kDot);

// The directions that a rule leaves a cell in.
enum RuleSide : unsigned { kRuleLeft = 1, kRuleRight = 2, kRuleUp = 4, kRuleDown = 8 };

struct CellText {
  std::string character = {};  // empty: none
  bool bold = false;
  std::optional<Color> color = {};  // none: the terminal's own
};

struct DotLook {
  bool solid = false;   // of an area: printed as a block if one has that shape
  bool dashed = false;  // of a dashed line
  bool faint = false;   // of a mark that others can be seen through
};

struct CanvasCell {
  unsigned dots = 0;  // a bit per dot, row by row
  DotLook dot_look = {};
  Ink dot_ink = Ink::text;
  unsigned rules = 0;  // of RuleSide
  bool dashed = false;
  Ink rule_ink = Ink::axis;
  std::array<std::optional<std::uint8_t>, 2> levels = {};  // of the image, above and below
  ColorMap map = ColorMap::diverging;
  CellText text = {};
};

class Canvas {
 public:
  Canvas(std::int64_t columns, std::int64_t lines)
      : columns_(columns), lines_(lines), cells_(static_cast<std::size_t>(columns * lines)) {}

  std::int64_t columns() const noexcept { return columns_; }
  std::int64_t lines() const noexcept { return lines_; }
  CanvasCell* cell(std::int64_t column, std::int64_t line) noexcept;  // null outside

  void dot(std::int64_t x, std::int64_t y, Ink ink, const DotLook& look) noexcept;
  void rule(std::int64_t column, std::int64_t line, unsigned sides, Ink ink, bool dashed) noexcept;
  void text(std::int64_t column, std::int64_t line, std::string_view character, const CellText& style);

  std::string print(const TerminalOptions& options) const;

 private:
  std::int64_t columns_;
  std::int64_t lines_;
  std::vector<CanvasCell> cells_;
};

}  // namespace posenc::drawing
