#include "posenc/insight/explain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "insight/explanation/explained.h"
#include "posenc/position.h"
#include "posenc/reference.h"
#include "posenc/schedule.h"
#include "posenc/table.h"
#include "support/expect_error.h"

namespace posenc::explain_test {
namespace {

TEST(Explain, TakesItsStepsInTheOrderOfALecture) {
  const auto names = [](const std::vector<Step>& steps) {
    std::vector<std::string> result;
    for (const Step& step : steps) {
      result.push_back(step.name);
      EXPECT_FALSE(step.title.empty()) << step.name;
      EXPECT_FALSE(step.lines.empty()) << step.name;
    }
    return result;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(explained("sinusoidal:width=4", 1)),
            (Names{"formula", "denominators", "symbols", "dimensions", "numbers", "speed", "mistakes", "reproduce"}));
  EXPECT_EQ(names(explained("sinusoidal:width=4", 1, {.shift = 2.0, .derivative = true})),
            (Names{"formula", "denominators", "symbols", "dimensions", "numbers", "speed", "derivative",
                   "shift_theorem", "shift_blocks", "shift_result", "residual", "mistakes", "reproduce"}));
  EXPECT_EQ(names(explained("sinusoidal:width=4,inv_freq=1/0.5", 1)).at(1), "frequencies");
}

TEST(Explain, WidthFour) {
  const std::vector<Step> at_one = explained("sinusoidal:width=4", 1);
  EXPECT_EQ(lines_of(at_one, "formula"),
            "PE(p, 2i)   = sin(p / 10000^(2i/4))\n"
            "PE(p, 2i+1) = cos(p / 10000^(2i/4))\n"
            "for i = 0 to 1, width 4\n");
  EXPECT_EQ(lines_of(at_one, "denominators"),
            "i = 0    10000^(0/4) = 1\n"
            "i = 1    10000^(2/4) = 100\n");
  EXPECT_EQ(step_of(at_one, "denominators").values, (std::vector<double>{1, 100}));
  EXPECT_EQ(lines_of(at_one, "symbols"), "PE(1) = [sin(1), cos(1), sin(1/100), cos(1/100)]\n");
  EXPECT_EQ(lines_of(at_one, "numbers"), "PE(1) = [0.84147, 0.54030, 0.01000, 0.99995]\n");
  expect_near(step_of(at_one, "numbers").values,
              {0.84147098480789651, 0.54030230586813972, 0.0099998333341666647, 0.99995000041666526}, 3e-16);
  EXPECT_EQ(lines_of(explained("sinusoidal:width=4", 0), "numbers"), "PE(0) = [0.00000, 1.00000, 0.00000, 1.00000]\n");
  EXPECT_EQ(lines_of(explained("sinusoidal:width=4", 3), "numbers"), "PE(3) = [0.14112, -0.98999, 0.03000, 0.99955]\n");
}

TEST(Explain, WidthSixInSymbols) {
  const std::vector<Step> steps = explained("sinusoidal:width=6", 2);
  EXPECT_EQ(
      lines_of(steps, "symbols"),
      "PE(2) = [sin(2), cos(2), sin(2/10000^(2/6)), cos(2/10000^(2/6)), sin(2/10000^(4/6)), cos(2/10000^(4/6))]\n");
  EXPECT_EQ(lines_of(steps, "numbers"), "PE(2) = [0.90930, -0.41615, 0.09270, 0.99569, 0.00431, 0.99999]\n");
  EXPECT_EQ(lines_of(steps, "denominators"),
            "i = 0    10000^(0/6) = 1\n"
            "i = 1    10000^(2/6) = 21.54435\n"
            "i = 2    10000^(4/6) = 464.1589\n");
}

TEST(Explain, WidthEight) {
  const std::vector<Step> steps = explained("sinusoidal:width=8", 3);
  EXPECT_EQ(lines_of(steps, "symbols"),
            "PE(3) = [sin(3), cos(3), sin(3/10), cos(3/10), sin(3/100), cos(3/100), sin(3/1000), cos(3/1000)]\n");
  EXPECT_EQ(lines_of(steps, "numbers"),
            "PE(3) = [0.14112, -0.98999, 0.29552, 0.95534, 0.03000, 0.99955, 0.00300, 1.00000]\n");
}

TEST(Explain, SaysWhatChangesFast) {
  const Step speed = step_of(explained("sinusoidal:width=4", 1), "speed");
  expect_near(speed.values, {6.283185307179586, 628.3185307179587}, 1e-12);
  EXPECT_NE(speed.lines.at(0).find("one turn in 6.28319 positions, 57.3 degrees"), std::string::npos);
  EXPECT_NE(speed.lines.at(2).find("100 times more slowly"), std::string::npos);
}

TEST(Explain, Derives) {
  const std::vector<Step> steps = explained("sinusoidal:width=4", 1, {.derivative = true});
  EXPECT_EQ(lines_of(steps, "derivative"),
            "d/dp sin(w p) = w cos(w p),   d/dp cos(w p) = -w sin(w p)\n"
            "i = 0    w = 1   w cos(1) = 0.54030   -w sin(1) = -0.84147\n"
            "i = 1    w = 0.01   w cos(1/100) = 0.01000   -w sin(1/100) = -0.00010\n"
            "PE'(1) = [0.54030, -0.84147, 0.01000, -0.00010]\n");
  expect_near(step_of(steps, "derivative").values,
              {0.54030230586813972, -0.84147098480789651, 0.0099995000041666526, -0.000099998333341666647}, 3e-16);
}

TEST(Explain, Shifts) {
  const std::vector<Step> steps = explained("sinusoidal:width=4", 1, {.shift = 2.0});
  expect_near(step_of(steps, "shift_blocks").values,
              {-0.41614683654714239, 0.90929742682568170, 0.99980000666657776, 0.019998666693333079}, 3e-16);
  EXPECT_EQ(lines_of(steps, "shift_result"),
            "M_2 PE(1) = [0.14112, -0.98999, 0.03000, 0.99955]\n"
            "PE(3) = [0.14112, -0.98999, 0.03000, 0.99955]\n");
  EXPECT_LT(step_of(steps, "residual").values.at(0), 1e-15);
}

TEST(Explain, ShiftsEveryVariantWithASmallResidual) {
  for (const char* spec : {"sinusoidal:width=8,order=halves", "sinusoidal:width=8,order=cos_halves,scale=-0.5",
                           "sinusoidal:width=6,order=cos_interleaved,first=2", "sinusoidal:width=7,odd=zero",
                           "sinusoidal:width=4,inv_freq=3/0.25,scale=2"}) {
    for (const double shift : {-3.0, 0.0, 2.5, 1000.0}) {
      SCOPED_TRACE(std::string(spec) + " shifted by " + std::to_string(shift));
      const std::vector<Step> steps = explained(spec, 5, {.shift = shift});
      EXPECT_LT(step_of(steps, "residual").values.at(0), 1e-15);
      std::vector<double> expected(step_of(steps, "numbers").values.size());
      reference::sinusoidal_row(std::get<Sinusoidal>(parse_spec(spec)), 5 + shift, expected.data());
      expect_near(step_of(steps, "shift_result").values, expected, 1e-12);
    }
  }
}

// Far out the angle carries the phase's own error, pi 2^-33 at the end of the range; the shift must not add to it.
TEST(Explain, ShiftsFarOut) {
  const std::vector<Step> steps = explained("sinusoidal:width=8", 2147483000, {.shift = 647.0});
  EXPECT_LT(step_of(steps, "residual").values.at(0), 1e-15);
  const std::vector<Step> back = explained("sinusoidal:width=8", 2147483647, {.shift = -2147483647.0});
  EXPECT_LT(step_of(back, "residual").values.at(0), 1e-9);
}

TEST(Explain, RefusesShiftsThatDoNotExist) {
  expect_error(ErrorKind::usage, "width 5 is odd and drops the last one",
               [] { explained("sinusoidal:width=5", 1, {.shift = 1.0}); });
  expect_error(ErrorKind::usage, "the row of zero_position is zero by definition",
               [] { explained("sinusoidal:width=4,zero_position=3", 1, {.shift = 2.0}); });
  expect_error(ErrorKind::usage, "the row of zero_position is zero by definition",
               [] { explained("sinusoidal:width=4,zero_position=3,first=2", 1, {.shift = 2.0}); });
}

TEST(Explain, RefusesPositionsBeyondTheRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double position : {2147483648.0, -1e300, nan}) {
    expect_error(ErrorKind::bad_input, "must be from -2147483647 to 2147483647 but got ",
                 [&] { explained("sinusoidal:width=4", position); });
    expect_error(ErrorKind::bad_input, "must be from -2147483647 to 2147483647 but got ",
                 [&] { explained("sinusoidal:width=4", 1.0, {.shift = position}); });
  }
  expect_error(ErrorKind::bad_input, "2147483648", [] { explained("sinusoidal:width=4,first=1", 2147483647); });
  expect_error(ErrorKind::bad_input, "width must be at least 1", [] { explain(Sinusoidal{}, 1.0, {}); });
}

TEST(Explain, ReproducesItsNumbers) {
  const std::vector<Step> steps = explained("sinusoidal:width=6,first=2", 1000003, {.shift = 2.0, .derivative = true});
  EXPECT_EQ(lines_of(steps, "reproduce"),
            "posenc table sinusoidal:width=6,first=2 --positions 1000003 --format csv\n"
            "posenc table sinusoidal:width=6,first=2 --positions 1000003 --derivative --format csv\n"
            "posenc table sinusoidal:width=6,first=2 --positions 1000005 --format csv\n");
  // Bit for bit what those commands print.
  std::vector<double> row(6);
  const SinusoidalSchedule schedule = make_schedule({.width = 6, .first = 2});
  fill_table(schedule, PositionView::range(1000003, 1), make_view(row.data(), {1, 6}));
  EXPECT_EQ(step_of(steps, "numbers").values, row);
  fill_derivative(schedule, PositionView::range(1000003, 1), make_view(row.data(), {1, 6}));
  EXPECT_EQ(step_of(steps, "derivative").values, row);
}

TEST(Explain, StaysReadableAtAnyWidth) {
  for (const std::int64_t width : {18, 19, 40, 512, 513, 1048576}) {
    for (const Order order : {Order::interleaved, Order::cos_halves}) {
      const Sinusoidal spec{.width = width, .order = order, .odd = OddWidth::zero};
      const std::vector<Step> steps = explain(spec, 12345.678, {.shift = -2.5, .derivative = true});
      for (const Step& step : steps) {
        EXPECT_LE(step.lines.size(), 30U) << step.name << " of width " << width;
        for (const std::string& line : step.lines) EXPECT_LT(line.size(), 400U) << line;
      }
      EXPECT_EQ(step_of(steps, "numbers").values.size(), static_cast<std::size_t>(width));
      EXPECT_EQ(step_of(steps, "denominators").values.size(), static_cast<std::size_t>(width / 2));
    }
  }
}

TEST(Explain, WorksAtTheLargestWidth) {
  const std::vector<Step> steps = explained("sinusoidal:width=1048576", 7, {.shift = 1.0, .derivative = true});
  EXPECT_EQ(step_of(steps, "numbers").values.size(), 1048576u);
  EXPECT_LT(step_of(steps, "residual").values.at(0), 1e-15);
}

// A frequency of zero has no denominator, and JSON has no NaN: the numbers must be ones that can be written.
TEST(Explain, HasNoNanInItsValues) {
  for (const char* spec :
       {"sinusoidal:width=4,scale=0", "sinusoidal:width=4,inv_freq=0/1", "sinusoidal:width=2,spacing=half",
        "sinusoidal:width=1", "sinusoidal:width=1,odd=zero", "sinusoidal:width=4,multiplier=0"}) {
    for (const Step& step : explained(spec, 3, {.derivative = true})) {
      for (const double value : step.values) EXPECT_FALSE(std::isnan(value)) << spec << ", " << step.name;
      for (const std::string& line : step.lines) EXPECT_EQ(line.find("nan"), std::string::npos) << spec << ": " << line;
    }
  }
}

TEST(Explain, GoesDimensionByDimension) {
  EXPECT_EQ(lines_of(explained("sinusoidal:width=4", 1), "dimensions"),
            "dimension 0  (i = 0)  sin(1) = 0.84147\n"
            "dimension 1  (i = 0)  cos(1) = 0.54030\n"
            "dimension 2  (i = 1)  sin(1/100) = sin(0.01) = 0.01000\n"
            "dimension 3  (i = 1)  cos(1/100) = cos(0.01) = 0.99995\n"
            "A small angle is almost its own sine: sin x is about x and cos x about 1 - x^2/2. Here sin(0.01) = "
            "0.009999833,\n"
            "cos(0.01) = 0.99995: a slow sine grows with the position like a ruler, and its cosine stays near 1.\n");
  // No angle is small: nothing is said about small ones.
  EXPECT_EQ(lines_of(explained("sinusoidal:width=4,base=4", 1), "dimensions").find("small"), std::string::npos);
  EXPECT_EQ(lines_of(explained("sinusoidal:width=4", 0), "dimensions").find("small"), std::string::npos);
  // The order of columns and the odd width are those of the spec.
  EXPECT_EQ(lines_of(explained("sinusoidal:width=3,order=halves,odd=zero,base=4", 2), "dimensions"),
            "dimension 0  (i = 0)  sin(2) = 0.90930\n"
            "dimension 1  (i = 0)  cos(2) = -0.41615\n"
            "dimension 2  = 0.00000\n");
}

TEST(Explain, ComparesAnotherBaseWithThatOfThePaper) {
  const Step base = step_of(explained("sinusoidal:width=4,base=100", 1), "base");
  expect_near(base.values, {2.0 * std::acos(-1.0), 20.0 * std::acos(-1.0)}, 1e-12);
  const std::string text = lines_of({base}, "base");
  EXPECT_NE(text.find("i = 1    one turn in 62.8319 positions; with base 10000 one turn in 628.319 positions: 10 times "
                      "faster here"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Slow pairs get faster"), std::string::npos) << text;
  char line[100];
  std::snprintf(line, sizeof line, "distance 10  %.5f; with base 10000 %.5f", (std::cos(10.0) + std::cos(1.0)) / 2.0,
                (std::cos(10.0) + std::cos(0.1)) / 2.0);
  EXPECT_NE(text.find(line), std::string::npos) << text << line;
  EXPECT_NE(lines_of(explained("rotary:head_dim=8,base=500000", 1), "base").find("Slow pairs get slower"),
            std::string::npos);
  EXPECT_NE(lines_of(explained("sinusoidal:width=8,exponent_factor=0.5", 1), "base").find("10000^0.5 = 100"),
            std::string::npos);
  for (const char* same : {"sinusoidal:width=8", "sinusoidal:width=8,first=2,order=halves", "rotary:head_dim=8"}) {
    for (const Step& step : explained(same, 1)) EXPECT_NE(step.name, "base") << same;
  }
}

TEST(Explain, NamesCommonMistakes) {
  const std::string sinusoidal = lines_of(explained("sinusoidal:width=64", 1), "mistakes");
  for (const char* said : {"0 to M/2 - 1 = 31, not to M/2 = 32", "= 47117.2, not 2 pi 10000 = 62831.9",
                           "from position 0 to 10 it completes 0.38 of a turn", "variance 1/2 per channel",
                           "sqrt(M/2) = 5.657", "20.05 to 178.97"}) {
    EXPECT_NE(sinusoidal.find(said), std::string::npos) << said << " is not in\n" << sinusoidal;
  }
  // The first rise of the dot product: 6 at width 64, 12 at width 128.
  EXPECT_NE(sinusoidal.find("first rises at\n  distance 6."), std::string::npos) << sinusoidal;
  EXPECT_NE(lines_of(explained("sinusoidal:width=128", 1), "mistakes").find("distance 12."), std::string::npos);
  const Positions at = parse_positions("0:4");
  const auto mistakes = [&](const std::string& spec) {
    return lines_of(explain_pairs(parse_spec(spec), {.queries = at, .keys = at}), "mistakes");
  };
  EXPECT_NE(mistakes("clipped:heads=1,max_distance=1").find("logarithmic buckets"), std::string::npos);
  EXPECT_NE(mistakes("clipped:heads=1,max_distance=1,offset=query_minus_key").find("i - j"), std::string::npos);
  EXPECT_NE(mistakes("t5:heads=1").find("from distance 8 on"), std::string::npos);
  EXPECT_NE(mistakes("none").find("equivariant, not invariant"), std::string::npos);
  EXPECT_NE(lines_of(explained("learned:past_end=error", 1), "mistakes").find("position -1"), std::string::npos);
}

TEST(ExplainRotary, TakesItsStepsInTheOrderOfALecture) {
  const auto names = [](const std::vector<Step>& steps) {
    std::vector<std::string> result;
    for (const Step& step : steps) {
      result.push_back(step.name);
      EXPECT_FALSE(step.lines.empty()) << step.name;
    }
    return result;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(explained("rotary:head_dim=4", 1)),
            (Names{"formula", "channels", "frequencies", "angles", "cos_sin", "matrix", "head", "product", "distances",
                   "mistakes", "reproduce"}));
  EXPECT_EQ(names(explained("rotary:head_dim=4", 1, {.shift = 2.0})).at(7), "score");
}

TEST(ExplainRotary, MultipliesTwoRotations) {
  const std::vector<Step> steps = explained("rotary:head_dim=4", 3, {.shift = 2.5});
  expect_near(step_of(steps, "matrix").values, {std::cos(3.0), -std::sin(3.0), std::sin(3.0), std::cos(3.0)}, 1e-15);
  expect_near(step_of(steps, "product").values, {std::cos(2.5), -std::sin(2.5), std::sin(2.5), std::cos(2.5)}, 1e-15);
  EXPECT_EQ(step_of(steps, "product").title, "Two rotations: R(3)^T R(5.5) = R(2.5)");
  const double back = std::sin(-2.0);
  expect_near(step_of(explained("rotary:head_dim=4", 2147483647.0), "product").values,
              {std::cos(2.0), -back, back, std::cos(2.0)}, 1e-8);
  const Step negative = step_of(explained("rotary:head_dim=4,layout=half_negative", 1), "matrix");
  expect_near(negative.values, {std::cos(1.0), std::sin(1.0), -std::sin(1.0), std::cos(1.0)}, 1e-15);
  // The factor is in both rotations, and the lines say so.
  const Step factor = step_of(explained("rotary:head_dim=4,attention_factor=2", 1), "product");
  EXPECT_NEAR(factor.values.at(0), 4.0 * std::cos(2.0), 1e-14);
  EXPECT_NE(factor.lines.at(4).find("factor 2"), std::string::npos);
}

TEST(ExplainRotary, ShowsTheScoreByDistance) {
  std::vector<double> expected;
  for (const double d : {0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0}) {
    expected.push_back(2.0 * std::cos(d) + 2.0 * std::cos(d / 100) + 2.0);
  }
  for (const char* layout : {"half", "interleaved", "interleaved_to_half", "half_negative"}) {
    const std::string text = "rotary:head_dim=6,rotary_dim=4,exponent_dim=4,layout=" + std::string(layout);
    expect_near(step_of(explained(text, 5), "distances").values, expected, 1e-12);
  }
}

TEST(ExplainLearned, ShowsTheLookupAndAStepOfTraining) {
  const std::vector<Step> steps = explained("learned:rows=8,width=4,past_end=clamp", 2);
  EXPECT_NE(lines_of(steps, "lookup").find("[0, 0, 1, 0, ...] times the table = row 2"), std::string::npos);
  EXPECT_EQ(lines_of(steps, "training"),
            "row before  = [0.48000, 0.31000, 0.01000, 0.42000]   (made up)\n"
            "gradient    = [0.32000, 0.18000, 0.16000, 0.13000]   (made up)\n"
            "row after   = row - learning rate x gradient = [0.44800, 0.29200, -0.00600, 0.40700], learning rate 0.1\n"
            "all other rows stay the same: positions that never occur in training are never trained\n");
  // With a table its row is used, that of the table and not what multipliers make of it.
  const std::vector<double> table = {1, 2, 3, 4, 5, 6};
  const ExplainOptions options = {.table = make_view(table.data(), {3, 2})};
  expect_near(step_of(explained("learned:past_end=error,multiplier=7", 1, options), "training").values,
              {3 - 0.032, 4 - 0.018}, 1e-15);
  const Step padding = step_of(explained("learned:past_end=error,padding_row=1", 1, options), "training");
  EXPECT_EQ(padding.values, (std::vector<double>{3, 4}));
  const std::vector<Step> stretched = explained("learned:rows=4,past_end=interpolate,length=8", 3);
  EXPECT_NE(lines_of(stretched, "lookup").find("0.75 at row 1, 0.25 at row 2"), std::string::npos);
  EXPECT_EQ(lines_of(explained("learned:past_end=error,first=2", 7), "row"),
            "position 7 reads row 9, if the table is that long\n");
  expect_error(ErrorKind::usage, "past_end=interpolate needs rows",
               [] { explained("learned:past_end=interpolate,length=8", 7); });
}

TEST(ExplainMask, SaysWhatAQuerySees) {
  const auto keys = [](const std::string& spec, double p) { return step_of(explained(spec, p), "keys").values; };
  using Ends = std::vector<double>;
  EXPECT_EQ(keys("window:left=2,right=1", 5), (Ends{3, 6}));
  EXPECT_EQ(keys("window:left=2,right=0", 5.5), (Ends{4, 5}));
  EXPECT_EQ(keys("window:left=2", 5), (Ends{}));
  EXPECT_EQ(keys("chunked:size=4", 6), (Ends{4, 6}));
  EXPECT_EQ(keys("chunked:size=4,direction=symmetric", -1), (Ends{-4, -1}));
  EXPECT_EQ(lines_of(explained("window:right=0", 5), "keys"), "all keys up to 5\n");
  EXPECT_EQ(lines_of(explained("window", 5), "keys"), "all keys\n");
  // By the definition, key by key.
  for (const char* text : {"window:left=3,right=2", "chunked:size=5", "chunked:size=3,direction=symmetric"}) {
    const Ends ends = keys(text, 7);
    for (double key = -10; key < 20; ++key) {
      EXPECT_EQ(reference::bias(parse_spec(text), {}, 0, 7, key) == 0.0, key >= ends.at(0) && key <= ends.at(1))
          << text << " " << key;
    }
  }
  EXPECT_EQ(step_of(explained("none", 3), "mask").values, (Ends{4, 0.25}));
  expect_error(ErrorKind::unsupported, "none has neither", [] { explained("none", 3, {.shift = 1.0}); });
}

TEST(ExplainRotary, TurnsTheHeadByTheDefinition) {
  for (const char* text :
       {"rotary:head_dim=8", "rotary:head_dim=8,layout=interleaved,attention_factor=1.5",
        "rotary:head_dim=8,layout=interleaved_to_half,rotary_dim=4,rope_offset=-4",
        "rotary:head_dim=20,layout=half_negative,base=500,exponent_dim=24", "rotary:head_dim=4,inv_freq=0.5/7"}) {
    const auto spec = std::get<Rotary>(parse_spec(text));
    const std::vector<double> position = {-12.5};
    std::vector<double> x(static_cast<std::size_t>(spec.head_dim)), expected(x.size());
    for (std::size_t c = 0; c < x.size(); ++c) x[c] = static_cast<double>(c % 9 + 1);
    reference::rotate_head(spec, position, x.data(), expected.data());
    SCOPED_TRACE(text);
    expect_near(step_of(explained(text, -12.5), "head").values, expected, 1e-12);
  }
}

TEST(ExplainRotary, TakesACoordinatePerAxis) {
  const auto spec = std::get<Rotary>(parse_spec("rotary:head_dim=4,axes=2,inv_freq=1/0/0.5/0.25"));
  const std::vector<double> position = {3.0, -2.0};
  const std::vector<Step> steps = explain(spec, position, {});
  expect_near(step_of(steps, "angles").values, {2.0, -0.5}, 1e-15);
  expect_near(step_of(steps, "cos_sin").values, {std::cos(2.0), std::cos(-0.5), std::sin(2.0), std::sin(-0.5)}, 1e-15);
  EXPECT_NE(lines_of(steps, "reproduce").find("--positions 3/-2 "), std::string::npos);
  expect_error(ErrorKind::usage, "[explain] position must have one coordinate per axis, 2, but has 1",
               [&] { explain(spec, 3.0, {}); });
  expect_error(ErrorKind::unsupported, "[explain] a shift needs positions on one axis, but the spec has 2",
               [&] { explain(spec, position, {.shift = 1.0}); });
}

TEST(ExplainRotary, ShowsThatScoresDependOnTheDistanceAlone) {
  const std::string text = "rotary:head_dim=128,rotary_dim=96";
  const std::vector<double> scores = step_of(explained(text, 1e6, {.shift = 5.0}), "score").values;
  ASSERT_EQ(scores.size(), 3u);
  for (const double score : scores) EXPECT_NEAR(score, scores[0], 1e-10);
  const std::vector<double> rounded =
      step_of(explained(text + ",precision=reference", 1e6, {.shift = 5.0}), "score").values;
  EXPECT_NEAR(rounded[1], scores[0], 1e-3);           // near position 0 float32 is good enough
  EXPECT_GT(std::fabs(rounded[0] - scores[0]), 0.1);  // at a million it is not
  const std::vector<double> other = step_of(explained(text, 1e6, {.shift = 6.0}), "score").values;
  EXPECT_GT(std::fabs(other[0] - scores[0]), 1.0);
}

TEST(ExplainRotary, SetsExactAndFloatAnglesSideBySide) {
  const auto exact = explained("rotary:head_dim=128", 1e6);
  const auto rounded = explained("rotary:head_dim=128,precision=reference", 1e6);
  const double w = std::pow(10000.0, -2.0 / 128.0);
  EXPECT_NEAR(step_of(exact, "angles").values.at(1), 1e6 * w, 1e-9);
  const float product = 1e6f * static_cast<float>(step_of(rounded, "frequencies").values.at(1));
  EXPECT_EQ(step_of(rounded, "angles").values.at(1), static_cast<double>(product));
  EXPECT_NE(lines_of(rounded, "angles").find("in float32 865964.375: error 0.0516"), std::string::npos);
  EXPECT_NE(lines_of(exact, "angles").find("would be 0.0516 radians, pair 1"), std::string::npos);
  // At the largest position the exact angle has no double, but what rounding adds has.
  const auto far = explained("rotary:head_dim=4,inv_freq=1/0.1,precision=reference", 2147483647.0);
  EXPECT_NE(lines_of(far, "angles").find("i = 0    angle = 2147483647, in float32 2147483648: error 1"),
            std::string::npos);
}

TEST(ExplainRotary, RefusesWhatHasNoMeaning) {
  expect_error(ErrorKind::unsupported, "[explain] the derivative is available for sinusoidal encodings only",
               [] { explained("rotary:head_dim=4", 1, {.derivative = true}); });
  expect_error(ErrorKind::bad_input,
               "[explain --shift] positions must be from -2147483647 to 2147483647 but got "
               "2147483648",
               [] { explained("rotary:head_dim=4", 2147483647.0, {.shift = 1.0}); });
  const std::vector<double> two = {1.0, 2.0};
  expect_error(ErrorKind::usage, "[explain] position must have one coordinate per axis, 1, but has 2",
               [&] { explain(parse_spec("sinusoidal:width=4"), two, {}); });
}

}  // namespace
}  // namespace posenc::explain_test
