// Pictures made of characters, for a terminal.
//
//     std::fputs(posenc::terminal_heatmap(table.view(), {.columns = 80}).c_str(), stdout);
#pragma once

#include <cstdint>
#include <string>

#include "posenc/export.h"
#include "posenc/insight/drawing.h"
#include "posenc/view.h"

namespace posenc {

enum class TerminalStyle : int {
  truecolor,  // half blocks: two rows of cells per line, 24-bit colours
  color256,   // half blocks in the 256-colour palette
  ascii,      // one character per cell, dark to bright, no escape codes
};

struct HeatmapOptions {
  std::int64_t columns = 80;  // characters available for the cells; wider data is averaged down
  std::int64_t lines = 40;    // lines available; taller data is averaged down
  TerminalStyle style = TerminalStyle::ascii;
  double low = -1.0;              // the value of the first colour (blue) ...
  double high = 1.0;              // ... and of the last (red); values outside are clamped, NaN is shown as '?'
  std::string row_label = {};     // what a row is: "position"; written over the row numbers
  std::string column_label = {};  // what a column is: "channel"
  double first_row = 0.0;         // the number of the first row ...
  double row_step = 1.0;          // ... and from one to the next
};

// `values` is [rows, columns] f32 or f64. Cells are the mean of what they cover, so nothing is skipped. The result
// ends with a legend that says which colour or character is which value. An empty view is an error.
POSENC_API std::string terminal_heatmap(const ConstView& values, const HeatmapOptions& options);

struct TerminalOptions {
  TerminalStyle style = TerminalStyle::ascii;
  Theme theme = Theme::dark;  // of the terminal: which colours can be read on it
};

// A drawing in cells (its metrics say so): texts as characters, images as half blocks, lines and areas as braille; in
// ascii, characters by their strength, and one sign per series. Each line ends with a newline and without spaces before
// it.
POSENC_API std::string to_terminal(const Drawing& drawing, const TerminalOptions& options);

}  // namespace posenc
