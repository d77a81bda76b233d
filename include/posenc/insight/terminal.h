// Drawings made of characters, for a terminal.
//
//     posenc::Figure figure = posenc::make_figure(
//         "heatmap", {.spec = posenc::Sinusoidal{.width = 128}}, {.metrics = posenc::TextMetrics::cells});
//     std::fputs(posenc::to_terminal(figure.drawing, {}).c_str(), stdout);
#pragma once

#include <string>

#include "posenc/export.h"
#include "posenc/insight/drawing.h"

namespace posenc {

enum class TerminalStyle : int {
  truecolor,  // half blocks: two rows of cells per line, 24-bit colours
  color256,   // half blocks in the 256-colour palette
  ascii,      // one character per cell, dark to bright, no escape codes
};

struct TerminalOptions {
  TerminalStyle style = TerminalStyle::ascii;
  Theme theme = Theme::dark;  // of the terminal: which colours can be read on it
};

// A drawing in cells (its metrics say so): texts as characters, images as half blocks, lines and areas as braille; in
// ascii, characters by their strength, and one sign per series. Each line ends with a newline and without spaces before
// it.
POSENC_API std::string to_terminal(const Drawing& drawing, const TerminalOptions& options);

}  // namespace posenc
