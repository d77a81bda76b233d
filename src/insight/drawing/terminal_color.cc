#include "insight/drawing/terminal_color.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>

namespace posenc::drawing {
namespace {

int square_distance(Rgb a, Rgb b) {
  const int red = a.red - b.red;
  const int green = a.green - b.green;
  const int blue = a.blue - b.blue;
  return red * red + green * green + blue * blue;
}

// The palette holds a cube of 6 x 6 x 6 colours with these levels on each side, then 24 greys.
constexpr std::array<int, 6> kLevels = {0, 95, 135, 175, 215, 255};
constexpr int kFirstCube = 16;
constexpr int kFirstGrey = 232;

int nearest_level(int value) {
  const auto nearer = [value](int a, int b) { return std::abs(a - value) < std::abs(b - value); };
  return static_cast<int>(std::min_element(kLevels.begin(), kLevels.end(), nearer) - kLevels.begin());
}

std::string color_code(const char* prefix, Rgb color, TerminalStyle style) {
  if (style == TerminalStyle::color256) return prefix + std::string(";5;") + std::to_string(palette_index(color));
  return prefix + std::string(";2;") + std::to_string(color.red) + ";" + std::to_string(color.green) + ";" +
         std::to_string(color.blue);
}

}  // namespace

Rgb rgb(Color color) noexcept { return {color.red, color.green, color.blue}; }

int palette_index(Rgb color) noexcept {
  const int red = nearest_level(color.red);
  const int green = nearest_level(color.green);
  const int blue = nearest_level(color.blue);
  const auto level = [](int index) { return kLevels[static_cast<std::size_t>(index)]; };
  const int grey = std::clamp((color.red + color.green + color.blue - 3 * 8 + 15) / 30, 0, 23);
  const int value = 8 + 10 * grey;
  if (square_distance(color, {value, value, value}) < square_distance(color, {level(red), level(green), level(blue)})) {
    return kFirstGrey + grey;
  }
  return kFirstCube + 36 * red + 6 * green + blue;
}

std::string foreground_code(Rgb color, TerminalStyle style) { return color_code("38", color, style); }

std::string background_code(Rgb color, TerminalStyle style) { return color_code("48", color, style); }

void ColorLine::put(const std::string& foreground, const std::string& background, const std::string& character,
                    bool bold) {
  std::string codes;
  const auto change = [&codes](bool changed, const std::string& code) {
    if (changed) codes += (codes.empty() ? "" : ";") + code;
  };
  // A space shows no text colour, so the colour need not change before the next visible character.
  const bool visible = character != " ";
  change(visible && foreground != foreground_, foreground);
  change(background != background_, background);
  change(visible && bold != bold_, bold ? "1" : "22");
  if (!codes.empty()) text_ += "\x1b[" + codes + "m";
  if (visible) foreground_ = foreground;
  if (visible) bold_ = bold;
  background_ = background;
  colored_ = colored_ || !codes.empty();
  text_ += character;
}

std::string ColorLine::finish() { return colored_ ? text_ + "\x1b[0m" : text_; }

}  // namespace posenc::drawing
