#include "detail/terminal_color.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>

namespace posenc::detail {
namespace {

// Both arms darken alike, so that equal distances from the middle look equally strong; the colours stay apart for
// readers who cannot tell red from green.
constexpr std::array<Rgb, 5> kAnchors = {
    {{24, 60, 142}, {92, 152, 206}, {246, 246, 244}, {226, 114, 88}, {150, 18, 38}}};

int mix(int from, int to, double share) { return static_cast<int>(std::lround(from + (to - from) * share)); }

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

Rgb diverging_color(double t) noexcept {
  constexpr double kSpans = static_cast<double>(kAnchors.size() - 1);
  const double place = std::clamp(t, 0.0, 1.0) * kSpans;
  const auto index = static_cast<std::size_t>(std::min(std::floor(place), kSpans - 1.0));
  const double share = place - static_cast<double>(index);
  const Rgb from = kAnchors[index];
  const Rgb to = kAnchors[index + 1];
  return {mix(from.red, to.red, share), mix(from.green, to.green, share), mix(from.blue, to.blue, share)};
}

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

}  // namespace posenc::detail
