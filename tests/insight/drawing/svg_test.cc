#include "posenc/insight/svg.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "posenc/error.h"

namespace posenc::svg_test {
namespace {

// Reads a PNG back: chunks, and RFC 1951's fixed codes with matches, written from the RFC.
class PngReader {
 public:
  explicit PngReader(const std::string& png) {
    EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
    for (std::size_t at = 8; at < png.size();) {
      const std::size_t size = big_endian(png, at);
      const std::string name = png.substr(at + 4, 4);
      chunk(name, png.substr(at + 8, size));
      EXPECT_EQ(big_endian(png, at + 8 + size), crc(png.substr(at + 4, size + 4))) << name;
      at += size + 12;
    }
    unfilter();
  }

  std::size_t columns = 0;
  std::size_t rows = 0;
  std::vector<Color> palette;
  std::vector<std::uint8_t> levels;

 private:
  static std::size_t byte(const std::string& bytes, std::size_t at) { return static_cast<unsigned char>(bytes.at(at)); }
  static std::size_t big_endian(const std::string& bytes, std::size_t at) {
    return byte(bytes, at) << 24 | byte(bytes, at + 1) << 16 | byte(bytes, at + 2) << 8 | byte(bytes, at + 3);
  }
  static std::size_t crc(const std::string& bytes) {
    std::size_t sum = 0xFFFFFFFF;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      sum ^= byte(bytes, at);
      for (int bit = 0; bit < 8; ++bit) sum = sum % 2 == 1 ? (sum / 2) ^ 0xEDB88320 : sum / 2;
    }
    return sum ^ 0xFFFFFFFF;
  }
  void chunk(const std::string& name, const std::string& data) {
    if (name == "IHDR") {
      columns = big_endian(data, 0);
      rows = big_endian(data, 4);
      EXPECT_EQ(data.substr(8), std::string("\x08\x03\0\0\0", 5));
    } else if (name == "PLTE") {
      for (std::size_t at = 0; at < data.size(); at += 3) {
        palette.push_back({static_cast<std::uint8_t>(data[at]), static_cast<std::uint8_t>(data[at + 1]),
                           static_cast<std::uint8_t>(data[at + 2])});
      }
    } else if (name == "IDAT") {
      inflate(data);
    }
  }
  void inflate(const std::string& data) {
    EXPECT_EQ((byte(data, 0) * 256 + byte(data, 1)) % 31, 0u);
    data_ = data;
    bit_ = 16;
    EXPECT_EQ(bits(3), 3u);  // last block, fixed codes
    for (std::size_t value = symbol(); value != 256; value = symbol()) {
      if (value < 256) {
        raw_ += static_cast<char>(value);
        continue;
      }
      const std::size_t length = match_length(value);
      EXPECT_EQ(bits(5), 0u);  // distance 1
      raw_.append(length, raw_.back());
    }
    std::size_t a = 1, b = 0;
    for (std::size_t at = 0; at < raw_.size(); ++at) {
      a = (a + byte(raw_, at)) % 65521;
      b = (b + a) % 65521;
    }
    EXPECT_EQ(big_endian(data, (bit_ + 7) / 8), b << 16 | a);
  }
  std::size_t bits(std::size_t count) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < count; ++i, ++bit_) value |= (byte(data_, bit_ / 8) >> bit_ % 8 & 1) << i;
    return value;
  }
  // RFC 1951, 3.2.6.
  std::size_t symbol() {
    std::size_t code = 0;
    for (int i = 0; i < 7; ++i) code = code << 1 | bits(1);
    if (code <= 0b0010111) return 256 + code;
    code = code << 1 | bits(1);
    if (code >= 0b00110000 && code <= 0b10111111) return code - 0b00110000;
    if (code >= 0b11000000 && code <= 0b11000111) return 280 + code - 0b11000000;
    return 144 + (code << 1 | bits(1)) - 0b110010000;
  }
  // RFC 1951, 3.2.5: the table.
  std::size_t match_length(std::size_t value) {
    static const std::vector<std::size_t> kBase = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                                   31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const std::vector<std::size_t> kExtra = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                    2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    return kBase.at(value - 257) + bits(kExtra.at(value - 257));
  }
  void unfilter() {
    ASSERT_EQ(raw_.size(), rows * (columns + 1));
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t filter = byte(raw_, row * (columns + 1));
      ASSERT_TRUE(filter == 0 || filter == 2);
      for (std::size_t column = 0; column < columns; ++column) {
        const std::size_t above = filter == 2 ? levels.at(levels.size() - columns) : 0;
        levels.push_back(static_cast<std::uint8_t>(byte(raw_, row * (columns + 1) + 1 + column) + above));
      }
    }
  }

  std::string data_, raw_;
  std::size_t bit_ = 0;
};

// Whether tags are closed in their order, attributes are quoted and nothing stands bare that XML forbids.
bool is_well_formed(std::string_view xml) {
  std::vector<std::string_view> open;
  while (!xml.empty()) {
    if (xml[0] != '<') {
      const std::size_t end = std::min(xml.find('<'), xml.size());
      for (std::size_t at = 0; at < end; ++at) {
        const auto byte = static_cast<unsigned char>(xml[at]);
        if (byte < 0x20 && byte != '\n' && byte != '\t') return false;
        if (byte == '&' && xml.substr(at, 8).find(';') == std::string_view::npos) return false;
      }
      xml.remove_prefix(end);
      continue;
    }
    const std::size_t end = xml.find('>');
    if (end == std::string_view::npos) return false;
    const std::string_view tag = xml.substr(1, end - 1);
    xml.remove_prefix(end + 1);
    const std::string_view name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag.find('<') != std::string_view::npos) return false;
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
  }
  return open.empty();
}

Drawing everything() {
  Drawing drawing{.width = 320, .height = 200.5, .title = "A & B", .description = "x < y"};
  drawing.add(Path{.points = {{20, 180}, {300.126, 20}}, .stroke = Ink::series1, .dashed = true, .title = "it's"});
  drawing.add(Path{.points = {{0, 0}, {5, 0}, {5, 5}}, .fill = Ink::warm, .opacity = 0.25, .closed = true});
  drawing.add(Rectangle{.box = {1, 2, 3, 4}, .stroke = Ink::axis, .fill = Ink::paper, .radius = 2});
  drawing.add(Circle{.center = {-0.001, 9}, .radius = 2.5, .fill = Ink::cool});
  drawing.add(Text{.text = "a<b \x01\xce\xb8", .at = {160, 195}, .anchor = Anchor::middle, .bold = true});
  drawing.add(Text{.text = "up", .at = {10, 100}, .anchor = Anchor::end, .ink = Ink::muted, .upward = true});
  drawing.add(Text{.text = "0.5", .at = {10, 90}, .color = Color{1, 2, 255}});
  drawing.add(Text{.text = "cell", .at = {50, 90}, .on = CellPaint{.level = 127}});
  drawing.add(Image{.box = {0, 0, 40, 20}, .columns = 2, .rows = 1, .levels = {0, 254}, .title = "cells"});
  return drawing;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Svg, EveryMarkIsAnElement) {
  const std::string svg = to_svg(everything(), {.theme = Theme::light, .standalone = false, .id = "fig"});
  EXPECT_TRUE(is_well_formed(svg)) << svg;
  for (const char* line :
       {"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"posenc\" width=\"320\" height=\"200.5\" viewBox=\"0 0 320 "
        "200.5\" role=\"img\" aria-labelledby=\"fig-title fig-description\">\n<title id=\"fig-title\">A &amp; "
        "B</title>\n<desc id=\"fig-description\">x &lt; y</desc>\n<rect width=\"320\" height=\"200.5\" "
        "class=\"posenc-fill-paper\"/>\n",
        "<path d=\"M20 180L300.13 20\" class=\"posenc-stroke-series1\" fill=\"none\" stroke-width=\"1.5\" "
        "stroke-dasharray=\"6 3.75\"><title>it&#39;s</title></path>\n",
        "<path d=\"M0 0L5 0L5 5Z\" class=\"posenc-fill-warm\" opacity=\"0.25\"/>\n",
        "<rect x=\"1\" y=\"2\" width=\"3\" height=\"4\" rx=\"2\" class=\"posenc-fill-paper posenc-stroke-axis\" "
        "stroke-width=\"1\"/>\n",
        "<circle cx=\"0\" cy=\"9\" r=\"2.5\" class=\"posenc-fill-cool\"/>\n",
        "<text x=\"160\" y=\"195\" font-size=\"12\" font-weight=\"700\" text-anchor=\"middle\" "
        "class=\"posenc-fill-text\">a&lt;b \xce\xb8</text>\n",
        "<text x=\"10\" y=\"100\" font-size=\"12\" text-anchor=\"end\" transform=\"rotate(-90 10 100)\" "
        "class=\"posenc-fill-muted\">up</text>\n",
        "<text x=\"10\" y=\"90\" font-size=\"12\" fill=\"#0102ff\">0.5</text>\n",
        "<text x=\"50\" y=\"90\" font-size=\"12\" fill=\"#000000\">cell</text>\n",
        "<image x=\"0\" y=\"0\" width=\"40\" height=\"20\" preserveAspectRatio=\"none\" "
        "href=\"data:image/png;base64,"}) {
    EXPECT_EQ(count(svg, line), 1u) << line << "\n" << svg;
  }
  EXPECT_EQ(count(svg, "<style"), 0u);
  EXPECT_EQ(count(svg, "<image"), 1u);
}

TEST(Svg, AutomaticHasBothThemes) {
  const std::string svg = to_svg(everything(), {});
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_EQ(count(svg, "<image"), 2u);
  EXPECT_EQ(count(svg, "class=\"posenc-light\""), 1u);
  EXPECT_EQ(count(svg, "class=\"posenc-dark\""), 1u);
  EXPECT_EQ(count(svg, "class=\"posenc-fill-black-white\">cell"), 1u);  // the middle is bright in light, dark in dark
  const std::string style = svg_style(Theme::automatic);
  EXPECT_NE(svg.find("<style>\n" + style + "</style>"), std::string::npos);
  const std::size_t light = style.find("--posenc-series1:#1f91ff");
  const std::size_t media = style.find("@media (prefers-color-scheme:dark){\n:root:not([data-theme=\"light\"]){");
  const std::size_t forced = style.find(":root[data-theme=\"dark\"]{");
  ASSERT_NE(forced, std::string::npos);
  EXPECT_LT(light, media);
  EXPECT_LT(media, forced);
  EXPECT_EQ(count(style, "--posenc-paper:#111418"), 2u);
  EXPECT_EQ(count(style, "{"), count(style, "}"));
}

TEST(Svg, OneThemeHasOneSetOfColours) {
  EXPECT_EQ(count(svg_style(Theme::dark), "--posenc-paper:#"), 1u);
  EXPECT_EQ(count(svg_style(Theme::dark), "--posenc-paper:#111418"), 1u);
  EXPECT_EQ(count(svg_style(Theme::light), "--posenc-paper:#ffffff"), 1u);
  EXPECT_EQ(count(svg_style(Theme::light), "prefers-color-scheme"), 0u);
  EXPECT_EQ(count(to_svg(everything(), {.theme = Theme::dark}), "<image"), 1u);
}

TEST(Svg, TextOfXml) {
  EXPECT_EQ(xml_text("<a b=\"c\">&'"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;");
  EXPECT_EQ(xml_text(std::string("a\0b\x1f\x7f\t\n", 7)), "ab\x7f\t\n");
  EXPECT_EQ(xml_text("\xce\xb8 \xef\xbf\xbe \xff"), "\xce\xb8  \xef\xbf\xbd");  // U+FFFE goes, a stray byte shows
}

TEST(Svg, WhatCannotBePaintedIsAnError) {
  const auto message = [](const Drawing& drawing) -> std::string {
    try {
      to_svg(drawing, {});
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  Drawing drawing{.width = 10, .height = 0};
  EXPECT_EQ(message(drawing),
            "[to_svg] the page must be larger than 0 and at most 1e6 points wide and high but is 10 x 0");
  drawing.height = 10;
  EXPECT_EQ(message(drawing), "no error");
  drawing.add(Path{.points = {{0, std::numeric_limits<double>::quiet_NaN()}}, .stroke = Ink::text});
  EXPECT_EQ(message(drawing), "[to_svg] coordinates must be within 1e6 but got nan");
  drawing.marks = {Image{.columns = 2, .rows = 2, .levels = {0, 0, 0}}};
  EXPECT_EQ(message(drawing), "[to_svg] an image of 2 x 2 cells has 3 levels");
}

// Every length of run up to past the longest match, in bytes of both lengths of code, and rows that repeat.
TEST(PalettePng, ReadsBack) {
  std::vector<std::uint8_t> levels;
  for (std::size_t length = 1; length < 300; ++length) {
    levels.insert(levels.end(), length, static_cast<std::uint8_t>(length % 3 == 0 ? 200 + length % 50 : length % 140));
  }
  levels.insert(levels.end(), 1200, 7);
  levels.resize(levels.size() / 150 * 150);
  for (const std::int64_t columns : {150, 1}) {
    const auto rows = static_cast<std::int64_t>(levels.size()) / columns;
    const PngReader png(palette_png(levels, columns, rows, ColorMap::sequential, Theme::dark));
    EXPECT_EQ(png.columns, static_cast<std::size_t>(columns));
    EXPECT_EQ(png.levels, levels);
    ASSERT_EQ(png.palette.size(), 250u);  // up to the highest level that occurs
    for (std::size_t level = 0; level < png.palette.size(); ++level) {
      EXPECT_EQ(png.palette[level], color_of(ColorMap::sequential, static_cast<std::uint8_t>(level), Theme::dark));
    }
  }
}

TEST(PalettePng, RepeatedRowsCostLittle) {
  std::vector<std::uint8_t> levels;
  for (int row = 0; row < 100; ++row) {
    for (int column = 0; column < 100; ++column) levels.push_back(static_cast<std::uint8_t>(column));
  }
  const std::string png = palette_png(levels, 100, 100, ColorMap::diverging, Theme::light);
  EXPECT_LT(png.size(), 1000u);  // 357 of them the palette
  EXPECT_EQ(PngReader(png).levels, levels);
  EXPECT_THROW(palette_png(levels, 100, 99, ColorMap::diverging, Theme::light), Error);
  EXPECT_THROW(palette_png({}, 0, 0, ColorMap::diverging, Theme::light), Error);
}

}  // namespace
}  // namespace posenc::svg_test
