// The form of numbers, rows and long lists in worked examples.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/joined.h"
#include "core/text/number_text.h"
#include "posenc/insight/explain.h"

namespace posenc::explanation {

inline std::string five_decimals(double value) {
  std::string text = text::fixed_text(value, 5);
  return text == "-0.00000" ? "0.00000" : text;
}

// A number as text without an exponent, because exponents are hard to read: "2559196", "628.319".
inline std::string readable(double value) {
  return std::fabs(value) >= 1e5 && std::fabs(value) < 1e15 ? text::fixed_text(value, 0) : text::general_text(value, 6);
}

inline std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

// A text as lines of at most about 100 characters; `indent` precedes all but the first.
inline std::vector<std::string> wrapped_lines(std::string_view text, std::string_view indent = "") {
  constexpr std::size_t kMost = 100;
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t room = kMost - (lines.empty() ? 0 : indent.size());
    std::size_t end = text.size() <= room ? text.size() : text.rfind(' ', room);
    if (end == std::string_view::npos) end = std::min(text.find(' '), text.size());
    lines.push_back(std::string(lines.empty() ? "" : indent) + std::string(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Adds the step about common mistakes in texts on a kind, before the commands if there are any.
void add_mistakes(const Spec& spec, std::vector<Step>& steps);

// A place on one axis or several: "3", "3/5".
inline std::string place_text(std::span<const double> place, std::string_view between = "/") {
  return text::joined(place, between);
}

// The spec as written in commands.
template <class Options>
std::string spec_text_of(const Spec& spec, const Options& options) {
  return options.spec_text.empty() ? to_text(spec) : options.spec_text;
}

// The command that prints the row of a place.
inline Step table_command(const Spec& spec, std::span<const double> place, const ExplainOptions& options) {
  const std::string table = options.table_text.empty() ? "" : options.table_text + " ";
  return {"reproduce",
          "The command for these numbers",
          {"posenc table " + spec_text_of(spec, options) + " --positions " + place_text(place) + " " + table +
           "--format csv"},
          {}};
}

// "p + 2", "p - 3".
inline std::string plus(const std::string& text, double value) {
  return text + (value < 0.0 ? " - " : " + ") + text::number_text(std::fabs(value));
}

// A row of `width` cells as "[a, b, ..., c]"; cell(column) is its text.
template <class Cell>
std::string row_text(std::int64_t width, const Cell& cell) {
  constexpr std::int64_t kWhole = 16;  // a row of at most so many columns is shown whole ...
  constexpr std::int64_t kEnds = 4;    // ... and so many at either end of a longer one
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
