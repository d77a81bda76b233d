// How the worked examples write numbers, rows and long lists.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/text/number_text.h"

namespace posenc::explanation {

inline std::string five_decimals(double value) {
  std::string text = text::fixed_text(value, 5);
  return text == "-0.00000" ? "0.00000" : text;
}

inline std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

// "p + 2", "p - 3".
inline std::string plus(const std::string& text, double value) {
  return text + (value < 0.0 ? " - " : " + ") + text::number_text(std::fabs(value));
}

// A row of `width` cells as "[a, b, ..., c]"; cell(column) is its text.
template <class Cell>
std::string row_text(std::int64_t width, const Cell& cell) {
  constexpr std::int64_t kWhole = 16;  // a row of at most this many columns is shown whole ...
  constexpr std::int64_t kEnds = 4;    // ... of a longer one, this many at either end
  std::string text;
  for (std::int64_t column = 0; column < width; ++column) {
    if (width > kWhole && column == kEnds) {
      text += ", ...";
      column = width - kEnds;
    }
    text += (column > 0 ? ", " : "") + cell(column);
  }
  return "[" + text + "]";
}

}  // namespace posenc::explanation
