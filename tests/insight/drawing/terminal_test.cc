#include "posenc/insight/terminal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "posenc/error.h"

namespace posenc::terminal_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// "^" stands for the upper half block and "$" for the escape character, so that expected pictures can be read.
std::string readable(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 3, "\xe2\x96\x80") == 0) {
      result += '^';
      i += 2;
    } else {
      result += text[i] == '\x1b' ? '$' : text[i];
    }
  }
  return result;
}

std::vector<std::string> draw(const ConstView& values, const HeatmapOptions& options) {
  std::istringstream text(readable(terminal_heatmap(values, options)));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> draw(const std::vector<double>& values, std::int64_t columns, const HeatmapOptions& options) {
  return draw(make_view(values.data(), {static_cast<std::int64_t>(values.size()) / columns, columns}), options);
}

std::string error_of(const ConstView& values, const HeatmapOptions& options) {
  try {
    terminal_heatmap(values, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "no error";
}

HeatmapOptions styled(TerminalStyle style) {
  HeatmapOptions options;
  options.style = style;
  return options;
}

HeatmapOptions sized(std::int64_t columns, std::int64_t lines, TerminalStyle style = TerminalStyle::ascii) {
  HeatmapOptions options = styled(style);
  options.columns = columns;
  options.lines = lines;
  return options;
}

HeatmapOptions scaled(double low, double high, TerminalStyle style = TerminalStyle::ascii) {
  HeatmapOptions options = styled(style);
  options.low = low;
  options.high = high;
  return options;
}

using Lines = std::vector<std::string>;

TEST(Heatmap, AsciiTwoByTwo) {
  EXPECT_EQ(draw({-1.0, 1.0, 0.0, 0.5}, 2, {}), (Lines{"  0", "0  @", "1 +#", "  -1 [ .:-=+*#%@] 1"}));
}

TEST(Heatmap, LabelsAndRowNumbers) {
  const HeatmapOptions options{.row_label = "position", .column_label = "channel", .first_row = 96.0, .row_step = 2.0};
  EXPECT_EQ(draw({1.0, 0.0, -1.0}, 1, options), (Lines{"         channel", "position 0", "      96 @", "      98 +",
                                                       "     100  ", "         -1 [ .:-=+*#%@] 1"}));
}

TEST(Heatmap, TruecolorPutsTwoRowsOnALine) {
  const Lines lines = draw({-1.0, 1.0, 0.0, 1.0}, 2, styled(TerminalStyle::truecolor));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1], "0 $[38;2;24;60;142;48;2;246;246;244m^$[38;2;150;18;38;48;2;150;18;38m^$[0m");
}

TEST(Heatmap, Color256UsesThePalette) {
  const Lines lines = draw({-1.0, 0.0, 0.0, 1.0}, 2, styled(TerminalStyle::color256));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1], "0 $[38;5;24;48;5;255m^$[38;5;255;48;5;88m^$[0m");
}

TEST(Heatmap, CodesOnlyWhereAColorChanges) {
  const Lines lines = draw({-1.0, -1.0, -1.0, 0.0, 0.0, 1.0}, 3, styled(TerminalStyle::truecolor));
  EXPECT_EQ(lines[1], "0 $[38;2;24;60;142;48;2;246;246;244m^^$[48;2;150;18;38m^$[0m");
}

TEST(Heatmap, OddRowsEndOnThePlainBackground) {
  const Lines lines = draw({1.0, 1.0, 1.0}, 1, styled(TerminalStyle::truecolor));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[1], "0 $[38;2;150;18;38;48;2;150;18;38m^$[0m");
  EXPECT_EQ(lines[2], "2 $[38;2;150;18;38m^$[0m");
}

TEST(Heatmap, EveryColoredLineEndsReset) {
  std::vector<double> values(60);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i));
  for (const TerminalStyle style : {TerminalStyle::truecolor, TerminalStyle::color256}) {
    const Lines lines = draw(values, 6, scaled(-0.5, 2.0, style));
    ASSERT_EQ(lines.size(), 7u);
    for (std::size_t i = 1; i <= 5; ++i) EXPECT_EQ(lines[i].substr(lines[i].size() - 4), "$[0m") << lines[i];
    EXPECT_NE(lines[6].find("^$[0m 2"), std::string::npos) << lines[6];
  }
}

TEST(Heatmap, AsciiHasNoEscapeCodes) {
  const std::vector<double> values = {-1.0, kNan, 0.3, 1.0};
  const std::string text = terminal_heatmap(make_view(values.data(), {2, 2}), styled(TerminalStyle::ascii));
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
}

TEST(Heatmap, LegendRunsThroughTheMap) {
  const Lines lines = draw({0.0}, 1, scaled(-0.25, 4.0, TerminalStyle::truecolor));
  EXPECT_EQ(lines[2].find("  -0.25 $[38;2;24;60;142;48;2;24;60;142m^"), 0u) << lines[2];
  EXPECT_NE(lines[2].find("$[38;2;246;246;244;48;2;246;246;244m^"), std::string::npos) << lines[2];
  EXPECT_NE(lines[2].find("$[38;2;150;18;38;48;2;150;18;38m^$[0m 4"), std::string::npos) << lines[2];
}

TEST(Heatmap, WideDataIsAveraged) {
  const Lines lines = draw({-1.0, 1.0, 1.0, 1.0, -1.0, -1.0}, 6, sized(3, 40));
  EXPECT_EQ(lines[1], "0 +@ ");
  EXPECT_EQ(lines[2], "  -1 [ .:-=+*#%@] 1, each cell the mean of 1 x 2 values");
}

TEST(Heatmap, CellsThatCutAColumnShareIt) {
  // Cells of 1.5 columns: (1 * -1 + 0.5 * 1) / 1.5 = -1/3 and (0.5 * 1 + 1 * 0.5) / 1.5 = 2/3.
  EXPECT_EQ(draw({-1.0, 1.0, 0.5}, 3, sized(2, 40))[1], "0 -%");
}

TEST(Heatmap, NoRowIsSkipped) {
  for (std::size_t spike = 0; spike < 17; ++spike) {
    std::vector<double> values(17, -1.0);
    values[spike] = 1e6;
    const Lines lines = draw(values, 1, sized(80, 5));
    ASSERT_EQ(lines.size(), 7u);
    const auto is_high = [](const std::string& line) { return line.back() == '@'; };
    EXPECT_GE(std::count_if(lines.begin() + 1, lines.begin() + 6, is_high), 1) << spike;
  }
}

TEST(Heatmap, TallDataFitsTheLines) {
  const std::vector<double> values(1000 * 3, 0.0);
  for (const TerminalStyle style : {TerminalStyle::truecolor, TerminalStyle::color256, TerminalStyle::ascii}) {
    const Lines lines = draw(values, 3, sized(80, 12, style));
    ASSERT_EQ(lines.size(), 14u);
    EXPECT_EQ(lines[1].substr(0, 4), "  0 ");
    EXPECT_EQ(lines[2].substr(0, 4), "    ");
    EXPECT_EQ(lines[5].substr(0, 4), "333 ");
    EXPECT_EQ(lines[12].substr(0, 4), "916 ");
  }
}

TEST(Heatmap, SmallDataIsNotBlownUp) {
  EXPECT_EQ(draw({0.0, 0.0, 0.0}, 3, sized(80, 40)), (Lines{"  0 2", "0 +++", "  -1 [ .:-=+*#%@] 1"}));
}

TEST(Heatmap, ColumnNumbers) {
  const std::vector<double> values(512, 0.0);
  EXPECT_EQ(draw(values, 512, sized(40, 40))[0], "  0               204             409  511");
  EXPECT_EQ(draw(values, 512, sized(36, 40))[0], "  0               227              511");
  EXPECT_EQ(draw(values, 512, sized(4, 40))[0], "  0");
}

TEST(Heatmap, OutsideIsClampedAndNanIsShown) {
  EXPECT_EQ(draw({-7.0, 7.0, -kInf, kInf, kNan}, 5, {}),
            (Lines{"  0   4", "0  @ @?", "  -1 [ .:-=+*#%@] 1, ? is NaN"}));
  const Lines lines = draw({1.0, kNan, 1.0, 1.0}, 2, styled(TerminalStyle::truecolor));
  EXPECT_EQ(lines[1], "0 $[38;2;150;18;38;48;2;150;18;38m^$[39;49m?$[0m");
}

TEST(Heatmap, LowAndHighSetTheScale) { EXPECT_EQ(draw({0.0, 2.5, 5.0}, 3, scaled(0.0, 5.0))[1], "0  +@"); }

TEST(Heatmap, FloatsAndStrides) {
  const std::vector<float> values = {-1.0F, 9.0F, 0.0F, 9.0F, 1.0F, 9.0F, 0.5F, 9.0F};
  ConstView view = make_view(values.data(), {2, 2});
  view.strides = {4, 2};
  EXPECT_EQ(draw(view, {})[1], "0  +");
  EXPECT_EQ(draw(view, {})[2], "1 @#");
  EXPECT_EQ(draw(view.swap(0, 1), {})[1], "0  @");
}

TEST(Heatmap, WrongUseIsAnError) {
  const std::vector<double> values(6, 0.0);
  const ConstView view = make_view(values.data(), {2, 3});
  EXPECT_EQ(error_of(make_view(values.data(), {6}), {}),
            "[terminal_heatmap] values must be [rows, columns] but got [6]");
  EXPECT_EQ(error_of(make_view(values.data(), {0, 3}), {}),
            "[terminal_heatmap] values must not be empty but got [0, 3]");
  EXPECT_EQ(error_of(make_view(values.data(), {2, 0}), {}),
            "[terminal_heatmap] values must not be empty but got [2, 0]");
  EXPECT_EQ(error_of(make_view(static_cast<const void*>(values.data()), DType::f16, {2, 3}), {}),
            "[terminal_heatmap] values must be f32 or f64 but got f16");
  EXPECT_EQ(error_of(make_view(static_cast<const double*>(nullptr), {2, 3}), {}),
            "[terminal_heatmap] values must have data but got a null pointer");
  EXPECT_EQ(error_of(view, sized(0, 40)), "[terminal_heatmap] columns must be at least 1 but got 0");
  EXPECT_EQ(error_of(view, sized(80, -2)), "[terminal_heatmap] lines must be at least 1 but got -2");
  EXPECT_EQ(error_of(view, scaled(1.0, 1.0)),
            "[terminal_heatmap] low must be below high, both finite, but got 1 and 1");
  EXPECT_NE(error_of(view, scaled(kNan, 1.0)), "no error");
  EXPECT_NE(error_of(view, scaled(-1.0, kInf)), "no error");
}

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
  drawing.marks = {label("ab", 0, 0)};
  EXPECT_EQ(shown(drawing, TerminalStyle::truecolor), "ab\n");  // nothing to end
}

// Two rows of cells per line; where there is no number, nothing is painted.
TEST(ToTerminal, Images) {
  Drawing drawing = cells(4, 1);
  drawing.add(Image{.box = {0, 0, 4 * kCellWidth, kCellHeight},
                    .columns = 4,
                    .rows = 2,
                    .levels = {0, 254, 255, 255, 254, 254, 0, 255},
                    .map = ColorMap::sequential});
  EXPECT_EQ(shown(drawing), "+@ ?\n");  // the mean of 0 and 254, of 254 twice, of what is there, and nothing
  EXPECT_EQ(
      shown(drawing, TerminalStyle::truecolor),
      "\x1b[38;2;17;20;24;48;2;235;248;230m\u2580\x1b[38;2;235;248;230m\u2580\x1b[38;2;17;20;24;49m\u2584\x1b[0m\n");
  drawing.add(Text{.text = "7", .at = {8, 8}, .on = CellPaint{ColorMap::sequential, 254}});
  EXPECT_EQ(shown(drawing), "+7 ?\n");
  EXPECT_NE(shown(drawing, TerminalStyle::truecolor).find("38;2;0;0;0m7"), std::string::npos);
}

TEST(ToTerminal, BarsAreBlocks) {
  Drawing drawing = cells(8, 2);
  drawing.add(Rectangle{.box = {0, 8, 8, 24}, .fill = Ink::series2});    // one and a half cells high
  drawing.add(Rectangle{.box = {16, 28, 8, 4}, .fill = Ink::series2});   // a quarter
  drawing.add(Rectangle{.box = {32, 16, 4, 16}, .fill = Ink::series2});  // half a cell wide
  drawing.add(Rectangle{.box = {48, 16, 8, 16}, .fill = Ink::series2, .opacity = 0.2});
  EXPECT_EQ(plain(shown(drawing, TerminalStyle::truecolor)), "\u2584\n\u2588 \u2582 \u258c \u2895\n");
  EXPECT_EQ(shown(drawing), "o\no o o o\n");
  drawing.add(Rectangle{.box = {0, 0, 8, 32}, .fill = Ink::paper});
  EXPECT_EQ(shown(drawing), "\n  o o o\n");
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
