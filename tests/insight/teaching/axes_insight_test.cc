// What is explained, checked, asked and drawn of encodings with several axes at the input.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "posenc/insight/insight.h"
#include "posenc/posenc.h"

namespace axes_insight_test {
namespace {

using posenc::Positions;
using posenc::Spec;

TEST(AxesInsight, ExplainsChecksAndAsks) {
  const Spec spec = posenc::parse_spec("concat:0.axis=0,0.width=2,1.axis=1,1.width=2");
  const std::vector<double> place = {1.0, 2.0};
  const std::vector<posenc::Step> steps = posenc::explain(spec, place, {});
  ASSERT_GE(steps.size(), 3u);
  EXPECT_EQ(steps.back().lines[0],
            "posenc table concat:0.axis=0,0.width=2,1.axis=1,1.width=2 --positions 1/2 --format csv");
  const std::vector<double> row = {std::sin(1.0), std::cos(1.0), std::sin(2.0), std::cos(2.0)};
  const auto whole = std::find_if(steps.begin(), steps.end(), [](const posenc::Step& s) { return s.name == "row"; });
  ASSERT_NE(whole, steps.end());
  const std::vector<double>& shown = whole->values;
  ASSERT_EQ(shown.size(), row.size());
  for (std::size_t i = 0; i < row.size(); ++i) EXPECT_NEAR(shown[i], row[i], 1e-15);
  for (const char* text : {"concat:0.axis=0,0.width=8,1.axis=1,1.width=8", "fourier:axes=2,inv_freq=1/0.5/0.25/2",
                           "concat:0.axis=0,0.kind=learned,0.past_end=clamp,1.axis=2,1.width=4"}) {
    for (const posenc::Property& property : posenc::check({posenc::parse_spec(text)}, {})) {
      EXPECT_NE(property.verdict, posenc::Verdict::violated) << text << ": " << property.name;
      const bool learned = std::string(text).find("learned") != std::string::npos;
      if (property.name != "distance_only") continue;
      EXPECT_EQ(property.verdict == posenc::Verdict::holds, !learned) << text;
    }
    EXPECT_GE(posenc::make_exercises(posenc::parse_spec(text), 1, {}).size(), 5u);
    EXPECT_NO_THROW(posenc::make_figure("heatmap", {posenc::parse_spec(text)}, {}));
  }
}

// A map of a concat on a grid of 3 x 4, and of a rotary encoding: similarity 1 at the place itself, by plain loops
// else.
TEST(AxesInsight, MapsShowTheSimilarityOfPlaces) {
  const Positions places = posenc::parse_positions("3x4");
  const Spec concat = posenc::detr_sine(2);
  const posenc::Figure figure = posenc::make_figure("map", {concat}, {.positions = places, .position = 6.0});
  ASSERT_EQ(figure.data.size(), 1u);
  const Spec rotary = posenc::parse_spec("rotary:head_dim=4,axes=2,axis_of_pair=0/1,inv_freq=1/0.5");
  const posenc::Figure turned = posenc::make_figure("map", {rotary}, {.positions = places, .position = 6.0});
  for (std::size_t y = 0; y < 3; ++y) {
    for (std::size_t x = 0; x < 4; ++x) {
      const double dy = static_cast<double>(y) - 1.0, dx = static_cast<double>(x) - 2.0;
      const auto at = [&](const posenc::Figure& of) {
        return std::get<std::vector<double>>(of.data[0].columns[1 + x].values)[y];
      };
      EXPECT_NEAR(at(figure), (std::cos(dy) + std::cos(dx)) / 2.0, 1e-12);
      EXPECT_NEAR(at(turned), (std::cos(dy) + std::cos(0.5 * dx)) / 2.0, 1e-12);
    }
  }
  const posenc::Figure video = posenc::make_figure("map", {posenc::parse_spec("concat:0.axis=2,0.width=4")},
                                                   {.positions = posenc::parse_positions("2x3x4")});
  EXPECT_EQ(video.data.size(), 2u);
  EXPECT_THROW(posenc::make_figure("map", {concat}, {.positions = posenc::parse_positions("0/1,5/2,1/1")}),
               posenc::Error);
}

// One place alone must get colours too, and rows of frames need room.
TEST(AxesInsight, MapsOfOnePlaceAndOfManyFrames) {
  const Spec rotary = posenc::parse_spec("rotary:head_dim=48,sections=8/8/8");
  for (const char* places : {"1x1x1", "12x3x5", "5x2x2"}) {
    const Positions grid = posenc::parse_positions(places);
    EXPECT_NO_THROW(posenc::to_svg(posenc::make_figure("map", {rotary}, {.positions = grid}).drawing, {}));
  }
  const Positions many = posenc::parse_positions("12x3x5");
  EXPECT_THROW(posenc::make_figure("map", {rotary}, {.positions = many, .width = 200.0}), posenc::Error);
}

}  // namespace
}  // namespace axes_insight_test
