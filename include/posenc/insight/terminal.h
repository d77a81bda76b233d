// Drawings made of characters, for a terminal.
//
//     posenc::Figure figure = posenc::make_figure(
//         "heatmap", {posenc::Sinusoidal{.width = 128}}, {.metrics = posenc::TextMetrics::cells});
//     std::fputs(posenc::to_terminal(figure.drawing, {}).c_str(), stdout);
#pragma once

#include <string>

#include "posenc/export.h"
#include "posenc/insight/drawing.h"

namespace posenc {

enum class TerminalStyle : int {
  truecolor,  // half blocks: two image rows per line, 24-bit colours
  color256,   // half blocks in the 256-colour palette
  ascii,      // one character per image cell, no escape codes
};

struct TerminalOptions {
  TerminalStyle style = TerminalStyle::ascii;
  Theme theme = Theme::dark;  // of the terminal, so that the colours are readable on it
};

// Prints a drawing whose metrics are cells: texts as characters, images as half blocks, lines and areas as braille. In
// ascii, images are characters from light to dense, and each series has a sign of its own; of two image rows on one
// line the upper one is shown, so make the drawing with `plain`. Every line ends with a newline, without trailing
// spaces.
POSENC_API std::string to_terminal(const Drawing& drawing, const TerminalOptions& options);

}  // namespace posenc
