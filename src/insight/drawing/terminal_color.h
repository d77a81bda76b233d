// Colours for a terminal: the escape codes that select a colour.
#pragma once

#include <string>

#include "posenc/insight/terminal.h"

namespace posenc::drawing {

struct Rgb {
  int red;  // 0 to 255, as the others
  int green;
  int blue;

  bool operator==(const Rgb&) const = default;
};

Rgb rgb(Color color) noexcept;

// The entry of the 256-colour palette nearest to `color`, among those that every terminal defines alike (16 to 255).
int palette_index(Rgb color) noexcept;

// The parameters of the SGR escape that selects `color`, without "\x1b[" and "m": "38;2;255;0;0". `style` is not ascii.
std::string foreground_code(Rgb color, TerminalStyle style);
std::string background_code(Rgb color, TerminalStyle style);

inline constexpr const char* kPlainForeground = "39";  // the terminal's own colours
inline constexpr const char* kPlainBackground = "49";

// Writes characters with colours. Writes an escape code only if something changes.
class ColorLine {
 public:
  void put(const std::string& foreground, const std::string& background, const std::string& character,
           bool bold = false);
  std::string finish();  // with the terminal's own colours again

 private:
  std::string text_;
  std::string foreground_ = kPlainForeground;
  std::string background_ = kPlainBackground;
  bool bold_ = false;
  bool colored_ = false;
};

}  // namespace posenc::drawing
