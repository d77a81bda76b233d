#include "posenc/insight/figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "insight/figure/drawing_parts.h"
#include "insight/properties/published.h"
#include "posenc/error.h"
#include "posenc/insight/svg.h"
#include "posenc/insight/terminal.h"

namespace posenc::figure_test {
namespace {

std::string text_of_step(double step) { return std::to_string(static_cast<std::int64_t>(step)); }

// One of every kind, with what must be given.
const std::vector<std::string>& every_kind() {
  static const std::vector<std::string> specs = {"sinusoidal:width=64",
                                                 "learned:rows=40,width=32,past_end=error",
                                                 "hybrid:fixed.width=32,learned.rows=64,learned.past_end=clamp",
                                                 "concat:0.axis=0,0.width=32,1.axis=1,1.width=32",
                                                 "fourier:axes=3,inv_freq=1/0.5/0.25/2/0/1",
                                                 "rotary:head_dim=64",
                                                 "none",
                                                 "clipped:heads=3,max_distance=8",
                                                 "t5:heads=4",
                                                 "alibi:heads=12",
                                                 "kerple:heads=8",
                                                 "fire:heads=4",
                                                 "sandwich:heads=8,width=64",
                                                 "matrix:heads=2",
                                                 "shaw:head_dim=16,left=4,right=2",
                                                 "transformer_xl:heads=2,head_dim=8,width=32",
                                                 "window:left=4,right=0",
                                                 "chunked:size=8",
                                                 "pope:head_dim=8",
                                                 "xpos:head_dim=8",
                                                 "temperature:length=64"};
  return specs;
}

TEST(Figures, OfEveryKindCanBeRead) {
  std::size_t made = 0;
  for (const FigureInfo& info : figures()) {
    EXPECT_FALSE(info.summary.empty()) << info.name;
    EXPECT_FALSE(info.look_for.empty()) << info.name;
    for (const std::string& spec : every_kind()) {
      if (!figure_fits(info.name, parse_spec(spec))) continue;
      const std::string what = std::string(info.name) + " " + spec;
      const Figure figure = make(std::string(info.name), spec);
      ++made;
      expect_readable(figure, what);
      EXPECT_FALSE(figure.finding.empty()) << what;
      EXPECT_TRUE(has_text(figure, "posenc plot")) << what;
      EXPECT_EQ(figure.drawing.description, figure.finding) << what;
      ASSERT_FALSE(figure.data.empty()) << what;
      for (const DataTable& table : figure.data) {
        const std::string csv = to_csv(table);
        EXPECT_NE(csv.find("\n"), std::string::npos) << what;
        std::vector<std::size_t> lengths;
        for (const DataColumn& each : table.columns) {
          lengths.push_back(std::visit([](const auto& values) { return values.size(); }, each.values));
        }
        for (const std::size_t length : lengths) EXPECT_EQ(length, lengths[0]) << what << " " << table.name;
      }
      if (info.default_spec.empty()) break;
    }
  }
  EXPECT_GT(made, 60U);
}

// Scalings that give the same frequencies share a line, unless there is something else to say about one of them.
TEST(Figures, ScalingsShareLines) {
  for (const char* spec : {"rotary:head_dim=8,rotary_dim=4", "rotary:head_dim=64,scaling=linear,factor=1",
                           "rotary:head_dim=64,scaling=proportional,share=0.5", "rotary:head_dim=64"}) {
    expect_readable(make("scalings", spec), spec);
  }
  const Figure figure = make("scalings", "rotary:head_dim=64");
  EXPECT_TRUE(has_text(figure, "ntk, ntk_alpha"));
  EXPECT_TRUE(has_text(figure, "proportional, p_rope, share 0.75"));
  EXPECT_TRUE(has(figure.note, "proportional, p_rope, share 0.75: pairs 24 to 31 are stopped")) << figure.note;
  EXPECT_TRUE(has(make("scalings", "rotary:head_dim=8").note, "pairs 3 to 3 are stopped"));
}

// Every figure has a form for terminals: readable in every size and style, and not only words.
TEST(Figures, FitTerminalsOfDifferentSizes) {
  for (const FigureInfo& info : figures()) {
    for (const std::string& spec : every_kind()) {
      if (!figure_fits(info.name, parse_spec(spec))) continue;
      for (const auto& [columns, lines] :
           {std::pair{40, 24}, std::pair{60, 30}, std::pair{80, 40}, std::pair{200, 60}}) {
        for (const bool plain : {false, true}) {
          if (plain && columns != 80) continue;
          const std::string what = std::string(info.name) + " " + spec + " " + std::to_string(columns);
          const Figure figure = make(std::string(info.name), spec, in_cells(columns, lines, plain));
          expect_readable(figure, what);
          EXPECT_LE(figure.drawing.height, kCellHeight * (lines + 60)) << what;
          const std::string text =
              to_terminal(figure.drawing, {.style = plain ? TerminalStyle::ascii : TerminalStyle::color256});
          EXPECT_GT(text.size(), 200U) << what;
        }
      }
      if (info.default_spec.empty()) break;
    }
  }
}

TEST(Figures, HeatmapPaintsTheNumbersOfTheTable) {
  const Figure figure = make("heatmap", "sinusoidal:width=8");
  const Image& image = first_image(figure);
  ASSERT_EQ(image.rows, 100);
  ASSERT_EQ(image.columns, 8);
  for (std::int64_t p = 0; p < 100; ++p) {
    for (std::int64_t c = 0; c < 8; ++c) {
      const double angle = static_cast<double>(p) * std::pow(10000.0, -static_cast<double>(c / 2 * 2) / 8.0);
      const double value = c % 2 == 0 ? std::sin(angle) : std::cos(angle);
      const int level = static_cast<int>(std::lround((value + 1.0) / 2.0 * 254.0));
      EXPECT_NEAR(image.levels[static_cast<std::size_t>(p * 8 + c)], level, 1) << p << " " << c;
      EXPECT_NEAR(column(figure, "channel " + std::to_string(c))[static_cast<std::size_t>(p)], value, 1e-12);
    }
  }
  EXPECT_TRUE(has_text(figure, "fast: high frequency"));
  EXPECT_TRUE(has_text(figure, "slow: low frequency"));
}

// Each row is that of a position: a mean of neighbours would make fast channels flat, as if they did not change.
TEST(Figures, HeatmapOfManyPositionsShowsSomeAndSaysSo) {
  FigureOptions options{.positions = PositionView::range(0, 400000)};
  for (const bool cells : {false, true}) {
    if (cells) options = in_cells(80, 40);
    options.positions = PositionView::range(0, 400000);
    const Figure figure = make("heatmap", "sinusoidal:width=4", options);
    const std::vector<double>& positions = column(figure, "position");
    const std::string every = text_of_step(positions[1]);
    EXPECT_TRUE(has(figure.note, std::to_string(positions.size()) + " of 400000 positions are shown, one in " + every))
        << figure.note;
    EXPECT_TRUE(has_text(figure, "position (one in " + every + ")"));
    EXPECT_EQ(static_cast<std::size_t>(first_image(figure).rows), positions.size());
    for (std::size_t n = 0; n < positions.size(); ++n) {
      EXPECT_NEAR(column(figure, "channel 0")[n], std::sin(positions[n]), 1e-9) << n;
      EXPECT_NEAR(column(figure, "channel 3")[n], std::cos(0.01 * positions[n]), 1e-9) << n;
    }
  }
}

TEST(Figures, DistanceIsTheClosedForm) {
  const Figure figure = make("distance", "sinusoidal:width=64");
  const std::vector<double>& products = column(figure, "product");
  const double known[][2] = {{1, 30.917}, {2, 28.304}, {5, 23.504}, {10, 21.052}, {20, 18.879}, {50, 15.674}};
  for (const auto& [distance, product] : known)
    EXPECT_NEAR(products[static_cast<std::size_t>(distance)], product, 5e-4);
  EXPECT_NE(figure.finding.find("first rises at distance 6"), std::string::npos) << figure.finding;
  EXPECT_NEAR(column(figure, "cosine")[1], 30.917 / 32.0, 2e-5);
}

TEST(Figures, ShiftPredictsTheRow) {
  const Figure figure = make("shift", "sinusoidal:width=64");
  for (std::size_t c = 0; c < 64; ++c) {
    EXPECT_NEAR(column(figure, "predicted", 1)[c], column(figure, "actual", 1)[c], 1e-14);
  }
  EXPECT_NEAR(column(figure, "actual", 1)[0], std::sin(10.0), 1e-15);
  EXPECT_NEAR(column(figure, "column 1")[0], std::sin(5.0), 1e-14);
}

TEST(Figures, WavelengthsAreThoseOfTheFormula) {
  const Figure figure = make("wavelengths", "sinusoidal:width=64", {.train_length = 100});
  const std::vector<double>& lengths = column(figure, "wavelength");
  EXPECT_NEAR(lengths[0], 6.2832, 1e-4);
  EXPECT_NEAR(lengths[5], 26.50, 5e-3);
  EXPECT_NEAR(lengths[15], 471.17, 5e-3);
  EXPECT_NEAR(lengths[31], 47117.0, 1.0);
}

TEST(Figures, PartsAddUpToTheSum) {
  const Figure figure = make("parts", "sinusoidal:width=32", {.tokens = {"the", "cat", "the"}});
  ASSERT_EQ(figure.data.size(), 5U);
  for (int key = 0; key < 3; ++key) {
    for (std::size_t query = 0; query < 3; ++query) {
      double sum = 0.0;
      for (std::size_t part = 0; part < 4; ++part) sum += column(figure, "key " + std::to_string(key), part)[query];
      EXPECT_NEAR(column(figure, "key " + std::to_string(key), 4)[query], sum, 1e-12);
    }
  }
  // Equal words have equal contents, wherever they stand.
  EXPECT_EQ(column(figure, "key 0")[0], column(figure, "key 2")[2]);
  EXPECT_NE(column(figure, "key 0", 4)[0], column(figure, "key 2", 4)[2]);
}

TEST(Figures, BiasAndBucketsAreThoseOfTheKind) {
  const Figure alibi = make("bias_distance", "alibi:heads=8");
  EXPECT_DOUBLE_EQ(column(alibi, "head 0")[10], -5.0);
  EXPECT_DOUBLE_EQ(column(alibi, "head 7")[128], -0.5);
  const Figure t5 = make("buckets", "t5:heads=1,direction=causal");
  const std::vector<double>& offsets = column(t5, "offset");
  const std::vector<double>& rows = column(t5, "row");
  const int known[][2] = {{15, 15}, {16, 16}, {20, 17}, {24, 19}, {32, 21}, {64, 26}, {96, 29}};
  for (const auto& [distance, bucket] : known) {
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      if (offsets[i] != -distance) continue;
      EXPECT_EQ(rows[i], bucket) << distance;
    }
  }
}

TEST(Figures, AttentionMapsAreWeights) {
  for (const char* spec : {"none", "sinusoidal:width=64", "rotary:head_dim=16", "alibi:heads=2", "t5:heads=2"}) {
    const Figure figure = make("attention", spec);
    for (const std::size_t table : {0U, 1U}) {
      double row = 0.0;
      for (int key = 0; key < 20; ++key) row += column(figure, "key " + std::to_string(key), table)[7];
      EXPECT_NEAR(row, 1.0, 1e-12) << spec;
    }
    const bool same = column(figure, "key 3", 0) == column(figure, "key 3", 1);
    EXPECT_EQ(same, std::string(spec) == "none") << spec;
  }
  // A table that ends before the sentence does; the last word is far behind its end.
  std::vector<std::string> words(60, "a");
  words.push_back("b");
  const Figure cut = make("attention", "learned:rows=3,width=4096,past_end=error", {.tokens = words});
  EXPECT_EQ(column(cut, "key 0").size(), 3u);
  EXPECT_EQ(to_svg(cut.drawing, {}).find(">b<"), std::string::npos);
}

TEST(Figures, ClocksAreSinesAndCosines) {
  const Figure figure = make("clocks", "rotary:head_dim=8", {.position = 3.0});
  for (std::size_t i = 0; i < 4; ++i) {
    const double angle = 3.0 * std::pow(10000.0, -2.0 * static_cast<double>(i) / 8.0);
    EXPECT_NEAR(column(figure, "cos")[i], std::cos(angle), 1e-14);
    EXPECT_NEAR(column(figure, "sin")[i], std::sin(angle), 1e-14);
  }
}

TEST(Figures, ClocksSayWhereTheirHandsBegin) {
  EXPECT_TRUE(
      has_text(make("clocks", "rotary:head_dim=8"), "at position 0 hands are on the right; they rotate counterc"));
  EXPECT_TRUE(has_text(make("clocks", "sinusoidal:width=8,first=1"), "at angle 0 hands are on the right"));
}

TEST(Figures, PublishedNumbersStandThere) {
  const Figure figure = make("perplexity", "none");
  EXPECT_EQ(column(figure, "ALiBi")[4], 18.40);
  EXPECT_EQ(column(figure, "sinusoidal")[4], 178.97);
  EXPECT_TRUE(std::isnan(column(figure, "T5 bias")[6]));
  EXPECT_TRUE(has_text(figure, "Press, Smith, Lewis"));
}

TEST(Figures, SvgHasItsWordsAsText) {
  const std::string svg = to_svg(make("waves", "sinusoidal:width=64").drawing, {});
  for (const char* text : {">Waves of sinusoidal:width=64<", ">sine channels<", ">position<", ">channel 0 (6.283)<"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
}

// What a seed draws for a table is not what it draws for tokens.
TEST(Figures, TokensAreNotTheRowsOfATable) {
  const Figure figure = make("mixing", "learned:width=64,rows=128,past_end=error");
  double product = 0.0;
  double token = 0.0;
  double position = 0.0;
  for (std::size_t c = 0; c < 64; ++c) {
    product += column(figure, "token")[c] * column(figure, "position")[c];
    token += column(figure, "token")[c] * column(figure, "token")[c];
    position += column(figure, "position")[c] * column(figure, "position")[c];
  }
  EXPECT_LT(std::fabs(product) / std::sqrt(token * position), 0.5);
}

// The numbers of the teaching texts, at the sizes with which embeddings begin.
TEST(Figures, AnglesAreMarkedWhereModelsBegin) {
  const Figure figure = make("angle", "sinusoidal:width=128", {.input_std = 0.5});
  const auto& marks = std::get<std::vector<std::string>>(figure.data[0].columns.back().values);
  const struct {
    const char* mark;
    double std, plain, scaled;
  } known[] = {{"1", 1.0, 35.35, 3.583}, {"1/sqrt(M)", 0.08838835, 82.91, 35.35}, {"0.5", 0.5, 54.855, 7.131}};
  for (const auto& [mark, std, plain, scaled] : known) {
    const auto at = static_cast<std::size_t>(std::find(marks.begin(), marks.end(), mark) - marks.begin());
    ASSERT_LT(at, marks.size()) << mark;
    EXPECT_NEAR(column(figure, "std")[at], std, 1e-8) << mark;
    EXPECT_NEAR(column(figure, "angle")[at], plain, 0.02) << mark;
    EXPECT_NEAR(column(figure, "angle times sqrt(M)")[at], scaled, 0.01) << mark;
  }
  EXPECT_EQ(std::count(marks.begin(), marks.end(), ""), std::ssize(marks) - 3);
  EXPECT_TRUE(std::is_sorted(column(figure, "std").begin(), column(figure, "std").end()));
  EXPECT_TRUE(has(figure.finding, "82.9 degrees from it, and times sqrt(M) 35.4")) << figure.finding;
}

TEST(Figures, MixingHasTheTokensThatWereAskedFor) {
  const Figure half = make("mixing", "sinusoidal:width=128");
  const Figure whole = make("mixing", "sinusoidal:width=128", {.input_std = 1.0});
  for (std::size_t c = 0; c < 128; ++c) {
    EXPECT_NEAR(column(whole, "token")[c], 2.0 * column(half, "token")[c], 1e-12);
  }
  EXPECT_TRUE(has_text(half, "8.00 (position)"));
  EXPECT_TRUE(has_text(whole, "mean angle is 35.4 degrees"));
}

TEST(Figures, HaveTheirFindingAsACaption) {
  FigureOptions options;
  for (const bool caption : {true, false}) {
    options.caption = caption;
    const Figure figure = make("two_speeds", "none", options);
    EXPECT_EQ(has_text(figure, "the fast wave distinguishes neighbours"), caption);
    EXPECT_TRUE(has(figure.drawing.description, "the fast wave distinguishes neighbours"));
  }
}

TEST(Figures, SayWhatIsThere) {
  EXPECT_FALSE(has(make("similarity", "sinusoidal:width=7").finding, "every diagonal"));
  EXPECT_TRUE(has(make("similarity", "sinusoidal:width=8").finding, "every diagonal"));
  EXPECT_TRUE(has(make("wavelengths", "sinusoidal:width=8,base=10").finding, "6.283 to 35.33"));
  EXPECT_TRUE(has(make("bias", "window:left=4,right=0").finding, "visible pairs get 0, hidden ones -inf"));
  EXPECT_FALSE(has(make("cells", "sinusoidal:width=8,first=1").finding, "of 0"));
  EXPECT_TRUE(
      has(make("waves", "sinusoidal:width=64", {.positions = PositionView::range(0, 1000000)}).note, "as bands"));
  EXPECT_TRUE(has(make("bias", "alibi:heads=2", {.positions = PositionView::range(0, 100000)}).note, "400 of 100000"));
  FigureOptions narrow{.metrics = TextMetrics::cells};
  narrow.width = 40 * kCellWidth;
  narrow.height = 24 * kCellHeight;
  const Figure small = make("heatmap", "sinusoidal:width=64", narrow);
  EXPECT_TRUE(has_text(small, "one pair in 2"));
  const Figure seeded = make("mixing", "sinusoidal:width=8", {.seed = 9});
  EXPECT_EQ(seeded.command, "posenc plot mixing sinusoidal:width=8 --seed 9");
  const Figure word = make("attention", "alibi:heads=8", {.tokens = {"a", std::string(40, 'x')}});
  EXPECT_GT(first_image(word).box.width, 100.0);
}

TEST(FigureErrors, SayWhatIsWrong) {
  EXPECT_EQ(error_of("heatmp", "sinusoidal:width=4"), "there is no figure 'heatmp'; did you mean 'heatmap'?");
  EXPECT_NE(error_of("turn", "alibi:heads=2").find("cannot show alibi; it shows rotary"), std::string::npos);
  EXPECT_NE(error_of("heatmap", "sinusoidal:width=4", {.channels = {1}}).find("does not use channels"),
            std::string::npos);
  EXPECT_NE(error_of("bias", "alibi:heads=2", {.head = 2}).find("head must be 0 to 1 but got 2"), std::string::npos);
  EXPECT_NE(error_of("waves", "sinusoidal:width=4", {.channels = {9}}).find("but got 9"), std::string::npos);
  EXPECT_NE(error_of("heatmap", "learned:rows=4,width=4,past_end=error", {.positions = PositionView::range(0, 9)})
                .find("position"),
            std::string::npos);
  EXPECT_EQ(error_of("heat", "sinusoidal:width=4"), "there is no figure 'heat'; did you mean 'heatmap'?");
  EXPECT_EQ(error_of("spectrum", "sinusoidal:width=4"),
            "there is no figure 'spectrum'; posenc list figures shows all of them");
  // More numbers than there is room for, before one of them is computed.
  EXPECT_TRUE(has(error_of("similarity", "sinusoidal:width=1000000"), "100 x 1000000 numbers"));
  EXPECT_TRUE(has(error_of("mixing", "sinusoidal:width=1000000"), "the tokens would be 1024 x 1000000 numbers"));
  EXPECT_TRUE(has(error_of("attention", "sinusoidal:width=1000000"), "tokens and weights would be 192 x 1000000"));
  EXPECT_THROW(check_figure("bases", parse_spec("sinusoidal:width=1000000"), {}), Error);
  EXPECT_NO_THROW(check_figure("heatmap", parse_spec("sinusoidal:width=1000000"), {}));
  EXPECT_THROW(check_figure("heatmap", parse_spec("alibi:heads=8"), {}), Error);
  EXPECT_TRUE(has(error_of("shift", "sinusoidal:width=20000"), "the matrix would be 20000 x 20000 numbers"));
  EXPECT_TRUE(has(error_of("mixing", "sinusoidal:width=4", {.input_std = 0.0}), "input_std must be from 1e-9 to 1e9"));
  EXPECT_TRUE(has(error_of("cells", "sinusoidal:width=4", {.input_std = 1.0}), "does not use input_std"));
  FigureOptions narrow;
  narrow.width = 150.0;
  EXPECT_TRUE(has(error_of("heatmap", "sinusoidal:width=4", narrow), "width must be at least 200"));
  const std::vector<std::int64_t> uneven = {0, 1, 5};
  EXPECT_NE(error_of("heatmap", "sinusoidal:width=4", {.positions = PositionView::of(uneven.data(), 3)})
                .find("evenly spaced"),
            std::string::npos);
  EXPECT_NE(error_of("clocks", "rotary:head_dim=8", {.position = NAN}).find("position must be from"),
            std::string::npos);
}

TEST(DataTables, AreCsvAndJson) {
  const DataTable table{"t", {{"a,b", std::vector<double>{1.0, NAN}}, {"w", std::vector<std::string>{"x\"y", "z"}}}};
  EXPECT_EQ(to_csv(table), "\"a,b\",w\n1,\"x\"\"y\"\n,z\n");
  EXPECT_EQ(
      to_text(to_json(table)),
      "{\n  \"name\": \"t\",\n  \"columns\": {\n    \"a,b\": [1, null],\n    \"w\": [\"x\\\"y\", \"z\"]\n  }\n}\n");
}

}  // namespace
}  // namespace posenc::figure_test
