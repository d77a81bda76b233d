// How figures show what they show: sizes, legends, scales, samples and titles.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/text/number_text.h"
#include "insight/figure/drawing_parts.h"
#include "posenc/insight/figure.h"
#include "posenc/insight/svg.h"
#include "posenc/insight/terminal.h"

namespace posenc::figure_look_test {
namespace {

using namespace figure_test;

TEST(Figures, ShowTheirDefault) {
  for (const FigureInfo& info : figures()) {
    const std::string name(info.name);
    const Spec spec = info.default_spec.empty() ? Spec(NoPosition{}) : parse_spec(std::string(info.default_spec));
    EXPECT_TRUE(figure_fits(name, spec)) << name;
    const bool bare = info.default_spec.empty();
    const Figure figure = bare ? make_figure(name, FigureOptions{}) : make_figure(name, {spec}, {});
    EXPECT_GT(figure.drawing.marks.size(), 5U) << name;
    EXPECT_TRUE(info.look_for.ends_with('.') || info.look_for.ends_with('?')) << name;
  }
}

std::vector<Image> images_of(const Figure& figure) {
  std::vector<Image> images;
  for (const Mark& mark : figure.drawing.marks) {
    if (const auto* image = std::get_if<Image>(&mark); image != nullptr && image->columns > 1) images.push_back(*image);
  }
  return images;
}

std::vector<Text> texts_like(const Figure& figure, const std::string& text) {
  std::vector<Text> found;
  for (const Mark& mark : figure.drawing.marks) {
    if (const auto* one = std::get_if<Text>(&mark); one != nullptr && one->text == text) found.push_back(*one);
  }
  return found;
}

void expect_equal_sizes(const Figure& figure, std::size_t count) {
  const std::vector<Image> images = images_of(figure);
  ASSERT_EQ(images.size(), count) << figure.name;
  for (const Image& image : images) {
    EXPECT_NEAR(image.box.width, images[0].box.width, 1e-9) << figure.name;
    EXPECT_NEAR(image.box.height, images[0].box.height, 1e-9) << figure.name;
  }
}

// A part has words on the sides whose content counts, and positions on the others.
TEST(Figures, PartsHaveWordsWhereContentCounts) {
  const Figure figure = make("parts", "sinusoidal:width=64", {.tokens = {"the", "cat", "sat"}});
  expect_equal_sizes(figure, 5);
  const std::vector<Text> cats = texts_like(figure, "cat");
  EXPECT_EQ(cats.size(), 6U);  // rows of parts 1, 2 and the sum, columns of parts 1, 3 and the sum
  // The fourth part is in the lower row on the left; no word is there.
  const Text title = texts_like(figure, "position, position").at(0);
  const Text sum = texts_like(figure, "their sum").at(0);
  for (const Text& cat : cats) EXPECT_FALSE(cat.at.y > title.at.y && cat.at.x < sum.at.x) << cat.at.x;
  EXPECT_EQ(texts_like(figure, "key's position").size(), 2U);
  EXPECT_EQ(texts_like(figure, "key's word").size(), 2U);
  EXPECT_EQ(texts_like(figure, "p1").size(), 4U);
}

// Without words the content of a token and a position must not have the same label.
TEST(Figures, PartsNameTokensAndPositionsDifferently) {
  for (const FigureOptions& options : {FigureOptions{}, in_cells(80, 40), in_cells(80, 40, true)}) {
    const Figure figure = make("parts", "sinusoidal:width=64", options);
    expect_equal_sizes(figure, 5);
    EXPECT_EQ(texts_like(figure, "t4").size(), 4U);  // rows of parts 1 and 2, columns of parts 1 and 3
    EXPECT_EQ(texts_like(figure, "p4").size(), 4U);
    EXPECT_GE(texts_like(figure, "4").size(), 1U);  // the sum has both
  }
}

// Labels below columns are left out at equal distances.
TEST(Figures, ColumnLabelsAreThinnedEvenly) {
  const Figure figure = make("parts", "sinusoidal:width=64");
  const bool odd = texts_like(figure, "p1").size() > 1;  // else only beside rows
  EXPECT_EQ(texts_like(figure, "p9").size() > 1, odd);
  EXPECT_EQ(texts_like(figure, "p11").size() > 1, odd);
}

// The level of the colour bar in the line of a label.
std::uint8_t bar_level_beside(const Figure& figure, const std::string& label) {
  const Text text = texts_like(figure, label).back();
  for (const Mark& mark : figure.drawing.marks) {
    const auto* bar = std::get_if<Image>(&mark);
    if (bar == nullptr || bar->columns != 1) continue;
    const double line = std::floor(text.at.y / kCellHeight) - std::floor(bar->box.y / kCellHeight);
    const double lines = bar->box.height / kCellHeight;
    const double row = line * static_cast<double>(bar->rows) / lines;
    return bar->levels[static_cast<std::size_t>(row)];
  }
  throw std::runtime_error("no colour bar");
}

TEST(Figures, ColorBarsOfTerminalsAreRightBesideTheirLabels) {
  for (const std::int64_t count : {3, 4, 5, 6, 7, 12, 13, 31}) {
    FigureOptions options = in_cells(80, 40, true);
    options.positions = PositionView::range(0, count);
    const Figure figure = make("heatmap", "sinusoidal:width=16", options);
    EXPECT_EQ(bar_level_beside(figure, "0"), color_level(0.0, -1.0, 1.0)) << count;
    EXPECT_EQ(bar_level_beside(figure, "1"), color_level(1.0, -1.0, 1.0)) << count;
    EXPECT_EQ(bar_level_beside(figure, "-1"), color_level(-1.0, -1.0, 1.0)) << count;
  }
  const Figure bias = make("bias", "alibi:heads=8", in_cells(80, 40, true));
  const std::string drawn = to_terminal(bias.drawing, {.style = TerminalStyle::ascii});
  EXPECT_TRUE(has(drawn, " + 0\n")) << drawn;  // as on the diagonals
}

TEST(Figures, OnePositionIsOneRow) {
  for (const bool plain : {false, true}) {
    FigureOptions options = in_cells(80, 40, plain);
    const std::int64_t fifty = 50;
    options.positions = PositionView::of(&fifty, 1);
    const Figure figure = make("heatmap", "sinusoidal:width=64", options);
    EXPECT_EQ(first_image(figure).box.height, kCellHeight);
    EXPECT_EQ(first_image(figure).rows, 1);
    EXPECT_TRUE(has(figure.note, "0:50 would be positions 0 to 49"));
    expect_readable(figure, "one row");
  }
  EXPECT_LT(make("heatmap", "sinusoidal:width=64", {.positions = PositionView::range(0, 2)}).drawing.height, 320.0);
}

TEST(Figures, WavesHavePointsEnoughForTheirTurns) {
  const Figure figure = make("waves", "sinusoidal:width=64", {.positions = PositionView::range(0, 1000)});
  std::size_t points = 0;  // of channel 2, which turns 119 times
  for (const Mark& mark : figure.drawing.marks) {
    const auto* path = std::get_if<Path>(&mark);
    if (path == nullptr || path->stroke != Ink::series2 || path->points.size() < 100) continue;
    points = std::max(points, path->points.size());
  }
  EXPECT_GT(points, 1500U);
}

TEST(Figures, AnglesAreNotCutOff) {
  const Figure figure = make("angle", "sinusoidal:width=128");
  EXPECT_GT(column(figure, "angle high")[0], 95.0);
  EXPECT_TRUE(has_text(figure, "100"));
}

TEST(Figures, PrecisionSaysHowManyPairsAreShown) {
  for (const FigureOptions& options : {FigureOptions{}, in_cells(80, 40, true)}) {
    EXPECT_EQ(make("precision", "rotary:head_dim=128", options).note, "errors are computed for 32 of the 64 pairs");
  }
  EXPECT_TRUE(has_text(make("precision", "rotary:head_dim=128"), "pair (one in 2)"));
  EXPECT_TRUE(has_text(make("precision", "rotary:head_dim=128", in_cells(80, 40, true)), "pair (one in 6)"));
}

// "head 0: -0.0741 to 0" takes two lines, "head 1: 0 to 1.2" one.
TEST(Figures, PanelsWithLongTitlesAreNotSmaller) {
  expect_equal_sizes(make("bias", "fire:heads=8"), 8);
  expect_equal_sizes(make("bias", "t5:heads=8"), 8);
}

// Without a scale, which a mask does not have, but with words for the sign of a hidden pair.
TEST(Figures, MasksSayWhatIsHidden) {
  for (const char* spec : {"window:left=3,right=0", "chunked:size=4"}) {
    EXPECT_TRUE(has_text(make("bias", spec, in_cells(80, 40, true)), "?: hidden, -inf")) << spec;
    EXPECT_TRUE(has_text(make("bias", spec), "grey: hidden, -inf")) << spec;
    EXPECT_FALSE(has_text(make("bias", spec), "head 0")) << spec;
    const Figure figure = make("bias", spec);
    for (const Mark& mark : figure.drawing.marks) {
      const auto* image = std::get_if<Image>(&mark);
      EXPECT_TRUE(image == nullptr || image->columns > 1) << spec;  // no colour bar
    }
  }
  EXPECT_FALSE(has_text(make("bias", "alibi:heads=8"), "hidden"));
}

TEST(Figures, BucketsSayWhichRowsHaveNoEnd) {
  EXPECT_TRUE(has(make("buckets", "t5:heads=8").finding,
                  "27 offsets read row 14, all up to -91 read row 15, and all from 91 on row 31"));
  EXPECT_TRUE(has(make("buckets", "t5:heads=8,direction=causal").finding, "and all from 0 on row 0"));
  EXPECT_TRUE(has(make("buckets", "clipped:heads=1,max_distance=3").finding,
                  "a row each, and all up to -3 read row 0, and all from 3 on row 6"));
}

TEST(Figures, WavesHavePanelsOnlyForTheirChannels) {
  for (const FigureOptions& size : {FigureOptions{}, in_cells(80, 40, true)}) {
    FigureOptions options = size;
    EXPECT_TRUE(has_text(make("waves", "sinusoidal:width=64", options), "cosine channels"));
    EXPECT_TRUE(has(make("waves", "sinusoidal:width=64", options).note, " of 32 pairs are shown; --channels chooses"));
    options.channels = {0, 2, 10};
    const Figure sines = make("waves", "sinusoidal:width=64", options);
    EXPECT_FALSE(has_text(sines, "cosine channels"));
    EXPECT_FALSE(has(sines.note, "pairs are shown")) << sines.note;
    options.channels = {1, 3};
    EXPECT_TRUE(texts_like(make("waves", "sinusoidal:width=64", options), "sine channels").empty());
  }
  EXPECT_TRUE(has(make("waves", "sinusoidal:width=64", in_cells(80, 40)).note, "positions 0 to 39, as many as fit"));
  EXPECT_TRUE(make("waves", "sinusoidal:width=4").note.empty());  // everything is shown
}

TEST(Figures, AttentionPanelsHaveOneSize) {
  for (const char* spec : {"alibi:heads=8", "sinusoidal:width=64", "rotary:head_dim=16"}) {
    expect_equal_sizes(make("attention", spec), 3);
    const Figure words = make("attention", spec, {.tokens = {"a", "longer-word-than-its-column", "b"}});
    expect_equal_sizes(words, 3);
    expect_readable(words, spec);
    EXPECT_EQ(texts_like(words, "b").size(), 6U);  // beside rows and below columns
  }
}

TEST(Figures, ScalingsHaveOneLegendAboveBothPanels) {
  const Figure figure = make("scalings", "rotary:head_dim=64");
  const double panels = texts_like(figure, "share of the plain frequency").at(0).at.y;
  for (const char* name : {"plain", "linear", "yarn", "llama3", "resonance"}) {
    const std::vector<Text> entries = texts_like(figure, name);
    ASSERT_EQ(entries.size(), 1U) << name;
    EXPECT_LT(entries[0].at.y, panels) << name;
  }
}

// On the scale of head 0, whose slope is 128 times as large, heads 4 to 7 would be blank.
TEST(Figures, EveryHeadOfABiasIsVisible) {
  for (const FigureOptions& options : {FigureOptions{}, in_cells(80, 40), in_cells(80, 40, true)}) {
    const std::vector<Image> images = images_of(make("bias", "alibi:heads=8", options));
    ASSERT_EQ(images.size(), 8U);
    for (const Image& image : images) {
      EXPECT_EQ(*std::min_element(image.levels.begin(), image.levels.end()), 0);
    }
  }
  EXPECT_TRUE(has(make("bias", "alibi:heads=8").note, "colour scale of its own"));
  EXPECT_TRUE(has_text(make("bias", "alibi:heads=8"), "head 7: -0.121 to 0"));
}

// Without room for all channels some pairs are shown as they are: the mean of a sine and a cosine is neither.
void expect_sampled(const Figure& figure, std::int64_t width) {
  const Image& image = first_image(figure);
  ASSERT_LT(image.columns, width);
  const std::int64_t every = (width / 2 + image.columns / 2 - 1) / (image.columns / 2);
  EXPECT_TRUE(has_text(figure, "one pair in " + std::to_string(every)));
  for (std::int64_t c = 0; c < image.columns; ++c) {
    const std::int64_t channel = c / 2 * 2 * every + c % 2;
    const double angle = std::pow(10000.0, -static_cast<double>(channel / 2 * 2) / static_cast<double>(width));
    const double value = channel % 2 == 0 ? std::sin(angle) : std::cos(angle);
    EXPECT_EQ(image.levels[static_cast<std::size_t>(image.columns + c)], color_level(value, -1.0, 1.0)) << c;
  }
}
TEST(Figures, CrowdedHeatmapsShowWholePairs) {
  expect_sampled(make("heatmap", "sinusoidal:width=128", in_cells(80, 40)), 128);
  expect_sampled(make("heatmap", "sinusoidal:width=512", in_cells(60, 30, true)), 512);
  FigureOptions small;
  small.width = 220.0;
  expect_sampled(make("heatmap", "sinusoidal:width=512", small), 512);
  const Figure wide = make("heatmap", "sinusoidal:width=10000", {.positions = PositionView::range(0, 3)});
  EXPECT_TRUE(has(wide.note, "one pair of channels in 5"));
  EXPECT_NEAR(column(wide, "channel 11")[1], std::cos(std::pow(10000.0, -10.0 / 10000.0)), 1e-12);
}

TEST(Figures, TerminalsGetAsManyPositionsAsFit) {
  for (const bool plain : {false, true}) {
    const Figure figure = make("heatmap", "sinusoidal:width=32", in_cells(80, 40, plain));
    EXPECT_FALSE(has_text(figure, "one in")) << plain;
    const std::string last = text::number_text(column(figure, "position").back());
    EXPECT_TRUE(has(figure.note, "positions 0 to " + last + ", as many as fit")) << figure.note;
    EXPECT_EQ(static_cast<std::size_t>(first_image(figure).rows), column(figure, "position").size());
  }
  for (const double lines : {30.0, 40.0, 60.0}) {
    const Figure learned = make("learned", "learned:rows=64,width=64,past_end=error", in_cells(80, lines, true));
    EXPECT_TRUE(has(learned.note, "as many as fit")) << learned.note;
    EXPECT_FALSE(has_text(learned, "one in")) << lines;
  }
  FigureOptions asked = in_cells(80, 40);
  asked.positions = PositionView::range(0, 1000);
  EXPECT_TRUE(has_text(make("heatmap", "sinusoidal:width=32", asked), "position (one in "));
  EXPECT_FALSE(
      has(make("heatmap", "learned:rows=10,width=32,past_end=error", in_cells(80, 40)).note, "as many as fit"));
}

TEST(Figures, CellsHaveTwoDecimals) {
  for (const FigureOptions& options : {FigureOptions{}, in_cells(80, 40), in_cells(80, 40, true)}) {
    const Figure figure = make("cells", "sinusoidal:width=64", options);
    std::int64_t numbers = 0;
    for (const Mark& mark : figure.drawing.marks) {
      const auto* text = std::get_if<Text>(&mark);
      if (text == nullptr || text->text.find('.') == std::string::npos) continue;
      const std::size_t sign = text->text.find_first_not_of(' ');
      if (text->text.find(' ', sign) != std::string::npos) continue;
      EXPECT_EQ(text->text.size() - text->text.find('.'), 3U) << text->text;
      if (options.metrics == TextMetrics::cells) {
        EXPECT_EQ(text->text.size(), 5U) << text->text;  // the points are below each other
      }
      ++numbers;
    }
    EXPECT_EQ(numbers, 121);
    EXPECT_TRUE(has(figure.finding, "two decimals"));
    EXPECT_EQ(images_of(figure).empty(), options.plain);  // signs of colours would be between the numbers
  }
}

TEST(Figures, SimilarityOfChosenPositions) {
  const std::vector<std::int64_t> chosen = {0, 1, 50};
  const Figure figure = make("similarity", "sinusoidal:width=128", {.positions = PositionView::of(chosen.data(), 3)});
  EXPECT_NEAR(column(figure, "position 1")[0], 0.9702, 5e-5);
  EXPECT_NEAR(column(figure, "position 50")[0], 0.5462, 5e-5);
  EXPECT_EQ(column(figure, "position"), (std::vector<double>{0, 1, 50}));
  EXPECT_TRUE(has_text(figure, "0.5462"));
  EXPECT_TRUE(has(figure.finding, "0.5462 of position 50"));
}

TEST(Figures, UntrainedTablesAreCalledUntrained) {
  const std::string learned = "learned:rows=40,width=32,past_end=error";
  for (const char* name : {"learned", "heatmap", "similarity", "attention"}) {
    const Figure figure = make(name, learned);
    EXPECT_TRUE(has(figure.title, "(untrained)")) << name;
    EXPECT_TRUE(has_text(figure, "(untrained)")) << name;
    EXPECT_FALSE(has(figure.finding, "training found")) << name;
  }
  EXPECT_TRUE(has(make("bias", "t5:heads=4").title, "(untrained)"));
  EXPECT_FALSE(has(make("buckets", "t5:heads=4").title, "(untrained)"));  // the same for every table
  EXPECT_FALSE(has(make("heatmap", "sinusoidal:width=8").title, "(untrained)"));
  const Encoding made = load_encoding(learned, {.init = "normal"});
  EXPECT_TRUE(made.made_by_init());
  EXPECT_TRUE(has(make_figure("learned", made, {}).title, "(untrained)"));
  LearnedNumbers numbers;
  numbers.table = Array{.shape = {40, 32}};
  numbers.table->data.resize(40 * 32 * 4);
  const Figure trained = make_figure("learned", make_encoding(parse_spec(learned), std::move(numbers)), {});
  EXPECT_FALSE(has(trained.title, "untrained"));
  EXPECT_TRUE(has(trained.finding, "what training found"));
}

TEST(Figures, BasesChangeWavelengthsAndSimilarity) {
  const Figure figure = make("bases", "sinusoidal:width=64");
  EXPECT_NEAR(column(figure, "base 10000 (this spec)")[31], 47117.0, 1.0);
  EXPECT_NEAR(column(figure, "base 1000")[31], 6.283185307 * std::pow(1000.0, 62.0 / 64.0), 1e-5);
  EXPECT_NEAR(column(figure, "base 1000000")[1], 6.283185307 * std::pow(1e6, 2.0 / 64.0), 1e-7);
  EXPECT_NEAR(column(figure, "exponents times 0.5")[31], 6.283185307 * std::pow(100.0, 62.0 / 64.0), 1e-5);
  // Equal curves would hide each other.
  const Figure equal = make("bases", "sinusoidal:width=64", {.bases = {100.0}, .exponents = {0.5, 1.5}});
  EXPECT_EQ(equal.data[0].columns.size(), 4U);
  EXPECT_EQ(texts_like(equal, "base 100 = exponents times 0.5").size(), 1U);
  EXPECT_TRUE(has_text(figure, "cosine of two rows"));
  EXPECT_NEAR(column(figure, "base 10000 (this spec)", 1)[5], 23.504 / 32.0, 5e-5);
  const Figure chosen = make("bases", "rotary:head_dim=64", {.bases = {500000.0}});
  EXPECT_NEAR(column(chosen, "base 500000")[1], 6.283185307 * std::pow(500000.0, 2.0 / 64.0), 1e-7);
  EXPECT_EQ(chosen.data[0].columns.size(), 3U);
  for (const char* word : {"rows", "xponents", "cosine"}) EXPECT_FALSE(has_text(chosen, word)) << word;
  EXPECT_TRUE(has_text(chosen, "relative score"));
  EXPECT_TRUE(has(error_of("bases", "rotary:head_dim=64", {.exponents = {2.0}}), "no exponent factor"));
  EXPECT_TRUE(has(error_of("bases", "rotary:head_dim=64", {.bases = {1, 2, 3, 4, 5, 6, 7}}),
                  "--bases: at most 6 values but got 7"));
}

TEST(Figures, BasesSayWhichWavelengthsAreInfinite) {
  const Figure figure = make("bases", "sinusoidal:width=64", {.exponents = {1e300}});
  EXPECT_TRUE(has(figure.finding, "infinite for 31 of 32 pairs (exponents times 1e+300)")) << figure.finding;
  EXPECT_FALSE(has(make("bases", "sinusoidal:width=64").finding, "infinite"));
}

TEST(Figures, PipelineHasShapesAndTheEntryOfTheEncoding) {
  const Figure added = make_figure("pipeline", FigureOptions{});
  EXPECT_EQ(added.command, "posenc plot pipeline");
  EXPECT_EQ(texts_like(added, "[N]").size(), 1U);
  EXPECT_EQ(texts_like(added, "[N, M]").size(), 4U);
  EXPECT_EQ(texts_like(added, "+").size(), 1U);
  const Figure rotated = make("pipeline", "rotary:head_dim=64");
  EXPECT_TRUE(texts_like(rotated, "+").empty());
  EXPECT_EQ(texts_like(rotated, "rotates q and k").size(), 1U);
  EXPECT_EQ(texts_like(make("pipeline", "alibi:heads=8"), "added to scores").size(), 1U);
  const Figure none = make("pipeline", "none");
  EXPECT_EQ(none.command, "posenc plot pipeline none");
  EXPECT_TRUE(has(none.finding, "without positions"));
  EXPECT_TRUE(texts_like(none, "+").empty());
  EXPECT_TRUE(texts_like(none, "positions").empty());
  EXPECT_EQ(texts_like(none, "[N, M]").size(), 2U);
  EXPECT_THROW(make_figure("heatmap", FigureOptions{}), Error);
}

}  // namespace
}  // namespace posenc::figure_look_test
