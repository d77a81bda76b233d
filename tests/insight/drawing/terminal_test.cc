#include "posenc/insight/terminal.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "posenc/error.h"

namespace posenc::terminal_test {
namespace {

Drawing cells(double columns, double lines) {
  return {.width = columns * kCellWidth, .height = lines * kCellHeight, .metrics = TextMetrics::cells};
}

Text label(const std::string& text, double column, double line, Anchor anchor = Anchor::start) {
  return {.text = text, .at = {column * kCellWidth, (line + 0.5) * kCellHeight}, .anchor = anchor};
}

// A chart of 24 x 8 characters: a frame, numbers beside it, a line that falls, and one that is level.
Drawing small_chart() {
  Drawing drawing = cells(24, 8);
  const Box plot = {4 * kCellWidth, kCellHeight, 18 * kCellWidth, 5 * kCellHeight};
  drawing.add(label("title", 4, 0));
  drawing.add(label("1", 3, 1, Anchor::end));
  drawing.add(label("0", 3, 5, Anchor::end));
  drawing.add(Path{.points = {{plot.x, plot.y}, {plot.x, plot.bottom()}}, .stroke = Ink::axis});
  drawing.add(Path{.points = {{plot.x, plot.bottom()}, {plot.right(), plot.bottom()}}, .stroke = Ink::axis});
  drawing.add(Path{.points = {{104, plot.bottom()}, {104, plot.bottom() + 8}}, .stroke = Ink::axis});
  drawing.add(Path{.points = {{plot.x, plot.y + 8}, {plot.right(), plot.bottom()}}, .stroke = Ink::series1});
  drawing.add(Path{.points = {{plot.x, plot.y + 30}, {plot.right(), plot.y + 30}}, .stroke = Ink::series2});
  drawing.add(label("x", 13, 6, Anchor::middle));
  return drawing;
}

std::string plain(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
    } else {
      result += text[i];
    }
  }
  return result;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string shown(const Drawing& drawing, TerminalStyle style = TerminalStyle::ascii) {
  return to_terminal(drawing, {.style = style});
}

TEST(ToTerminal, ChartInAscii) {
  EXPECT_EQ(shown(small_chart()),
            "    title\n"
            "  1|**\n"
            "   |oooooooooooooooooo\n"
            "   |      ****\n"
            "   |          ****\n"
            "  0+---------+----****\n"
            "             x\n"
            "\n");
}

TEST(ToTerminal, ChartInBraille) {
  EXPECT_EQ(plain(shown(small_chart(), TerminalStyle::color256)),
            "    title\n"
            "  1\u2502\u2826\u28c0\n"
            "   \u2502\u28c0\u28c0\u28c9\u28d2\u28e4\u28c0\u28c0\u28c0\u28c0\u28c0\u28c0\u28c0\u28c0\u28c0\u28c0\u28c0"
            "\u28c0\u28c0\n"
            "   \u2502      \u2809\u2812\u2824\u28c0\n"
            "   \u2502          \u2809\u2812\u2824\u28c0\n"
            "  0\u2514\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u252c\u2500\u2500\u2500\u2500\u2809\u2812"
            "\u2824\u28c0\n"
            "             x\n"
            "\n");
}

TEST(ToTerminal, ColoursOfInksAndTheirEnd) {
  Drawing drawing = cells(6, 1);
  drawing.add(Path{.points = {{0, 8}, {16, 8}}, .stroke = Ink::series1});
  drawing.add(label("ab", 3, 0));
  EXPECT_EQ(shown(drawing, TerminalStyle::truecolor), "\x1b[38;2;123;175;253m\u2812\u2812 \x1b[39mab\x1b[0m\n");
  EXPECT_EQ(to_terminal(drawing, {.style = TerminalStyle::truecolor, .theme = Theme::light}),
            "\x1b[38;2;31;145;255m\u2812\u2812 \x1b[39mab\x1b[0m\n");
  EXPECT_EQ(shown(drawing, TerminalStyle::color256), "\x1b[38;5;111m\u2812\u2812 \x1b[39mab\x1b[0m\n");
  drawing.marks = {label("ab", 0, 0)};
  EXPECT_EQ(shown(drawing, TerminalStyle::truecolor), "ab\n");  // nothing to end
}

// A dashed series has a sign other than the solid one of its colour.
TEST(ToTerminal, DashedSeries) {
  Drawing drawing = cells(4, 2);
  drawing.add(Path{.points = {{0, 8}, {32, 8}}, .stroke = Ink::series2});
  drawing.add(Path{.points = {{0, 24}, {32, 24}}, .stroke = Ink::series2, .dashed = true});
  EXPECT_EQ(shown(drawing), "oooo\nbbbb\n");
}

// Two rows of cells per line; a missing number is not painted.
TEST(ToTerminal, Images) {
  Drawing drawing = cells(4, 1);
  drawing.add(Image{.box = {0, 0, 4 * kCellWidth, kCellHeight},
                    .columns = 4,
                    .rows = 2,
                    .levels = {0, 254, 255, 255, 254, 254, 0, 255},
                    .map = ColorMap::sequential});
  EXPECT_EQ(shown(drawing), " @??\n");  // the upper row: a mean of two rows would be in neither
  EXPECT_EQ(
      shown(drawing, TerminalStyle::truecolor),
      "\x1b[38;2;17;20;24;48;2;235;248;230m\u2580\x1b[38;2;235;248;230m\u2580\x1b[38;2;17;20;24;49m\u2584\x1b[0m\n");
  drawing.add(Text{.text = "7", .at = {8, 8}, .on = CellPaint{ColorMap::sequential, 254}});
  EXPECT_EQ(shown(drawing), " 7??\n");
  EXPECT_NE(shown(drawing, TerminalStyle::truecolor).find("38;2;0;0;0m7"), std::string::npos);
}

TEST(ToTerminal, BarsAreBlocks) {
  Drawing drawing = cells(8, 2);
  drawing.add(Rectangle{.box = {0, 8, 8, 24}, .fill = Ink::series2});    // one and a half cells high
  drawing.add(Rectangle{.box = {16, 28, 8, 4}, .fill = Ink::series2});   // a quarter
  drawing.add(Rectangle{.box = {32, 16, 4, 16}, .fill = Ink::series2});  // half a cell wide
  drawing.add(Rectangle{.box = {48, 16, 8, 16}, .fill = Ink::series2, .opacity = 0.2});
  EXPECT_EQ(plain(shown(drawing, TerminalStyle::truecolor)), "\u2584\n\u2588 \u2582 \u258c \u2895\n");
  EXPECT_EQ(shown(drawing), "o\no o o ,\n");  // what others can be seen through has a sign of its own
  drawing.add(Rectangle{.box = {0, 0, 8, 32}, .fill = Ink::paper});
  EXPECT_EQ(shown(drawing), "\n  o o ,\n");
}

TEST(ToTerminal, LinesAreSeenInFaintAreas) {
  Drawing drawing = cells(4, 3);
  const Path line = {.points = {{0, 24}, {32, 24.5}}, .stroke = Ink::series1};
  const Rectangle area = {.box = {0, 0, 32, 48}, .fill = Ink::series1, .opacity = 0.25};
  drawing.add(area);
  drawing.add(line);
  EXPECT_EQ(shown(drawing), "''''\n****\n''''\n");
  drawing.add(area);
  EXPECT_EQ(shown(drawing), "''''\n****\n''''\n");
}

TEST(ToTerminal, FramesCirclesAndAreas) {
  Drawing drawing = cells(8, 4);
  drawing.add(Rectangle{.box = {8, 16, 32, 32}, .stroke = Ink::axis});
  drawing.add(Path{.points = {{56, 0}, {56, 64}}, .stroke = Ink::muted, .dashed = true});
  EXPECT_EQ(lines_of(plain(shown(drawing, TerminalStyle::truecolor))),
            (std::vector<std::string>{"\u250c\u2500\u2500\u2500\u2510 \u250a", "\u2502   \u2502 \u250a",
                                      "\u2514\u2500\u2500\u2500\u2518 \u250a", "      \u250a"}));
  drawing.marks = {Circle{.center = {32, 32}, .radius = 24, .fill = Ink::series3},
                   Circle{.center = {60, 60}, .radius = 0.5, .fill = Ink::series4}};
  EXPECT_EQ(shown(drawing), "  ++++\n ++++++\n ++++++\n  ++++ x\n");
  drawing.marks = {Path{.points = {{0, 0}, {64, 64}, {0, 64}}, .fill = Ink::series5, .closed = true}};
  EXPECT_EQ(shown(drawing), "##\n####\n######\n########\n");
}

TEST(ToTerminal, TextStaysWhereItsBoxIs) {
  Drawing drawing = cells(6, 3);
  drawing.add(label("\u03b8=1", 3, 0, Anchor::middle));
  drawing.add(label("a\x1b[mb\n", 0, 1));  // no control character reaches the terminal
  drawing.add(Text{.text = "up", .at = {44, 32}, .upward = true});
  drawing.add(label("cut off here", 3, 2));
  EXPECT_EQ(shown(drawing), "  \u03b8=1u\na[mb p\n   cut\n");
}

TEST(ToTerminal, WrongUseIsAnError) {
  const auto message = [](const Drawing& drawing) -> std::string {
    try {
      to_terminal(drawing, {});
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message({.width = 80, .height = 16}),
            "[to_terminal] metrics must be cells: text is as wide as its number of characters");
  EXPECT_EQ(message(cells(10000, 1000)), "[to_terminal] a picture may have 4e6 characters but would have 10000 x 1000");
  EXPECT_EQ(message(cells(0, 10)),
            "[to_terminal] the page must be larger than 0 and at most 1e6 points wide and high but is 0 x 160");
}

}  // namespace
}  // namespace posenc::terminal_test
