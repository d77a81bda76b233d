#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "posenc/insight/drawing.h"

namespace posenc {
namespace {

constexpr std::size_t kInks = static_cast<std::size_t>(Ink::series6) + 1;
using Inks = std::array<Color, kInks>;

// In the order of Ink. The series were chosen for the largest distance between the nearest two, as seen by readers
// with and without red-green blindness, among colours that stand out from the paper by 3 to 1 or more.
constexpr Inks kLightInks = {{{255, 255, 255},
                              {31, 35, 40},
                              {89, 99, 110},
                              {110, 118, 129},
                              {225, 228, 232},
                              {36, 92, 170},
                              {192, 57, 43},
                              {31, 145, 255},
                              {198, 111, 0},
                              {13, 157, 141},
                              {133, 74, 174},
                              {35, 84, 2},
                              {49, 43, 122}}};
constexpr Inks kDarkInks = {{{17, 20, 24},
                             {230, 237, 243},
                             {155, 165, 176},
                             {125, 133, 144},
                             {44, 50, 58},
                             {110, 170, 230},
                             {240, 128, 100},
                             {123, 175, 253},
                             {212, 70, 18},
                             {0, 143, 142},
                             {243, 245, 59},
                             {171, 192, 133},
                             {32, 109, 255}}};

using Anchors = std::array<Color, 5>;

// Both arms change alike, so that equal distances from the middle look equally strong; the colours differ also for
// readers who cannot tell red from green.
constexpr Anchors kLightDiverging = {{{24, 60, 142}, {92, 152, 206}, {246, 246, 244}, {226, 114, 88}, {150, 18, 38}}};
constexpr Anchors kDarkDiverging = {{{160, 212, 255}, {58, 112, 184}, {34, 37, 42}, {184, 76, 56}, {255, 190, 160}}};
constexpr Anchors kLightSequential = {{{255, 255, 255}, {190, 216, 238}, {92, 152, 206}, {32, 90, 164}, {12, 34, 84}}};
constexpr Anchors kDarkSequential = {{{17, 20, 24}, {30, 58, 110}, {48, 116, 180}, {110, 186, 220}, {235, 248, 230}}};
// A plain grey, unlike any level of its theme, so that a missing value does not look like a number.
constexpr Color kLightAbsent = {206, 206, 206};
constexpr Color kDarkAbsent = {78, 78, 78};

std::uint8_t mix(std::uint8_t from, std::uint8_t to, double share) noexcept {
  return static_cast<std::uint8_t>(std::lround(from + (to - from) * share));
}

double linear(std::uint8_t value) noexcept {
  const double share = value / 255.0;
  return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
}

const Anchors& anchors_of(ColorMap map, bool dark) noexcept {
  if (map == ColorMap::diverging) return dark ? kDarkDiverging : kLightDiverging;
  return dark ? kDarkSequential : kLightSequential;
}

}  // namespace

std::uint8_t color_level(double value, double low, double high) noexcept {
  if (std::isnan(value)) return kAbsentLevel;
  if (value <= low && low < high) return 0;
  if (value >= high && low < high) return kLastLevel;
  if (!(low < high)) return kLastLevel / 2;
  const double share = (value / 2 - low / 2) / (high / 2 - low / 2);  // halves: their difference cannot overflow
  return static_cast<std::uint8_t>(std::lround(std::clamp(share, 0.0, 1.0) * kLastLevel));
}

Color color_of(Ink ink, Theme theme) noexcept {
  return (theme == Theme::dark ? kDarkInks : kLightInks)[static_cast<std::size_t>(ink)];
}

Color color_of(ColorMap map, std::uint8_t level, Theme theme) noexcept {
  const bool dark = theme == Theme::dark;
  if (level == kAbsentLevel) return dark ? kDarkAbsent : kLightAbsent;
  const Anchors& anchors = anchors_of(map, dark);
  const double place = static_cast<double>(level) / kLastLevel * static_cast<double>(anchors.size() - 1);
  const std::size_t index = std::min(static_cast<std::size_t>(place), anchors.size() - 2);
  const double share = place - static_cast<double>(index);
  const Color from = anchors[index];
  const Color to = anchors[index + 1];
  return {mix(from.red, to.red, share), mix(from.green, to.green, share), mix(from.blue, to.blue, share)};
}

Color readable_on(Color background) noexcept {
  const double luminance =
      0.2126 * linear(background.red) + 0.7152 * linear(background.green) + 0.0722 * linear(background.blue);
  // Where the contrast of WCAG to black and to white is equal: sqrt(1.05 * 0.05) - 0.05.
  return luminance > 0.179 ? Color{0, 0, 0} : Color{255, 255, 255};
}

}  // namespace posenc
