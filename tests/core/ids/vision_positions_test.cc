// Positions of patches and of text with pictures, piece by piece, and what is refused.
#include "posenc/vision_positions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "posenc/position_ids.h"
#include "support/expect_error.h"

namespace vision_positions_test {
namespace {

using posenc::ConstView;
using posenc::make_view;
using posenc::PatchGrid;

TEST(Vision, PatchesOfOtherSizes) {
  std::vector<std::int64_t> ids, wanted;
  posenc::append_patches(ids, {.frames = 2, .height = 6, .width = 9}, {.merge = 3, .axes = posenc::PatchAxes::xy});
  for (int t = 0; t < 2; ++t) {
    for (std::int64_t by = 0; by < 6; by += 3) {
      for (std::int64_t bx = 0; bx < 9; bx += 3) {
        for (std::int64_t y = by; y < by + 3; ++y) {
          for (std::int64_t x = bx; x < bx + 3; ++x) wanted.insert(wanted.end(), {x, y});
        }
      }
    }
  }
  EXPECT_EQ(ids, wanted);
  const auto of = [](PatchGrid grid, posenc::PatchOptions options) {
    std::vector<std::int64_t> out;
    return message_of([&] { posenc::append_patches(out, grid, options); });
  };
  EXPECT_NE(of({1, 4, 5}, {.merge = 2}).find("multiples of merge, 2, but it is 1x4x5"), std::string::npos);
  EXPECT_NE(of({1, 0, 5}, {}).find("at least 1 frame, row and column but is 1x0x5"), std::string::npos);
  EXPECT_NE(of({1, 4, 4}, {.merge = 0}).find("merge must be at least 1"), std::string::npos);
  EXPECT_NE(of({1, 1 << 20, 1 << 20}, {}).find("at most 2147483647 patches"), std::string::npos);
}

std::vector<std::int64_t> mixed(const std::vector<std::int64_t>& types, const std::vector<PatchGrid>& images,
                                const std::vector<PatchGrid>& videos, const posenc::MropeRule& rule,
                                std::int64_t& delta, const std::vector<double>& seconds = {}) {
  const auto count = static_cast<std::int64_t>(types.size());
  std::vector<std::int64_t> ids(types.size() * 3);
  delta = posenc::mrope_positions({.token_types = make_view(types.data(), {count}),
                                   .images = images,
                                   .videos = videos,
                                   .seconds_per_grid = seconds},
                                  rule, make_view(ids.data(), {count, 3}))[0];
  return ids;
}

TEST(Vision, MixedSequencesPieceByPiece) {
  std::int64_t delta = 0;
  // Two images without text between: 1 x 2 and 2 x 3 merged patches.
  const std::vector<std::int64_t> ids =
      mixed({0, 1, 1, 1, 1, 1, 1, 1, 1, 0}, {{1, 3, 6}, {1, 6, 9}}, {}, {.merge = 3}, delta);
  EXPECT_EQ(ids, (std::vector<std::int64_t>{0, 0, 0, 1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 3, 4,
                                            3, 3, 5, 3, 4, 3, 3, 4, 4, 3, 4, 5, 6, 6, 6}));
  EXPECT_EQ(delta, 7 - 10);
  std::vector<std::int64_t> pieces;
  std::int64_t next = posenc::append_text(pieces, 3, 0, 1);
  next = posenc::append_vision(pieces, {1, 3, 6}, next, {.merge = 3});
  next = posenc::append_vision(pieces, {1, 6, 9}, next, {.merge = 3});
  posenc::append_text(pieces, 3, next, 1);
  EXPECT_EQ(pieces, ids);
}

TEST(Vision, FrameStepsAndSplitFrames) {
  std::int64_t delta = 0;
  const auto times = [&](posenc::FrameStep step, double seconds) {
    const std::vector<std::int64_t> ids =
        mixed({2, 2, 2, 0}, {}, {{3, 1, 1}},
              {.merge = 1, .after = posenc::AfterVision::largest, .tokens_per_second = 25.0, .frame_step = step}, delta,
              {seconds});
    return std::vector<std::int64_t>{ids[0], ids[3], ids[6], ids[9]};
  };
  using Times = std::vector<std::int64_t>;
  EXPECT_EQ(times(posenc::FrameStep::frame, 0.9), (Times{0, 22, 45, 46}));
  // 100 * 0.29 is just below 29 in double, and 29 in float32: what transformers truncates is the float32 product.
  EXPECT_EQ(mixed(std::vector<std::int64_t>(101, 2), {}, {{101, 1, 1}}, {.merge = 1, .tokens_per_second = 1.0}, delta,
                  {0.29})[300],
            29);
  EXPECT_EQ(times(posenc::FrameStep::seconds, 0.9), (Times{0, 0, 0, 1}));
  EXPECT_EQ(times(posenc::FrameStep::seconds, 2.9), (Times{0, 50, 100, 101}));
  // Qwen3-VL: two frames of 1 x 2 with a timestamp before each; time has no extent.
  const std::vector<std::int64_t> ids =
      mixed({0, 2, 2, 0, 2, 2, 0}, {}, {{2, 2, 4}}, {.merge = 2, .split_frames = true}, delta);
  EXPECT_EQ(ids, (std::vector<std::int64_t>{0, 0, 0, 1, 1, 1, 1, 1, 2, 3, 3, 3, 4, 4, 4, 4, 4, 5, 6, 6, 6}));
  EXPECT_EQ(delta, 0);
}

TEST(Vision, Errors) {
  std::int64_t delta = 0;
  const auto of = [&](const std::vector<std::int64_t>& types, const std::vector<PatchGrid>& images,
                      const std::vector<PatchGrid>& videos, posenc::MropeRule rule = {},
                      const std::vector<double>& seconds = {}) {
    return message_of([&] { mixed(types, images, videos, rule, delta, seconds); });
  };
  EXPECT_NE(of({0, 1, 1}, {{1, 2, 2}}, {}).find("image tokens without a grid in row 0: 1 (image grids given: 1)"),
            std::string::npos);
  EXPECT_NE(of({0, 1}, {{1, 4, 4}}, {}).find("1x4x4 patches needs 4 tokens but row 0 has 1"), std::string::npos);
  EXPECT_NE(of({0, 1}, {{1, 2, 2}, {1, 2, 2}}, {}).find("grids of 2 images but tokens of 1"), std::string::npos);
  EXPECT_NE(of({0, 2}, {}, {}).find("video tokens without a grid in row 0: 1"), std::string::npos);
  EXPECT_NE(of({0, 3}, {}, {}).find("token [0, 1] is 3"), std::string::npos);
  EXPECT_NE(of({1}, {{1, 3, 2}}, {}).find("multiples of merge, 2, but it is 1x3x2"), std::string::npos);
  EXPECT_NE(of({1, 1}, {{2, 2, 2}}, {}).find("an image must have 1 frame but is 2x2x2"), std::string::npos);
  EXPECT_NE(of({2}, {}, {{1, 2, 2}}, {.tokens_per_second = std::nan("")}).find("tokens_per_second"), std::string::npos);
  EXPECT_NE(of({2}, {}, {{1, 2, 2}}, {.tokens_per_second = 2.0}, {1.0, 2.0}).find("one per video, 1, but are 2"),
            std::string::npos);
  EXPECT_NE(of({2}, {}, {{1, 2, 2}}, {.tokens_per_second = 2.0}, {std::nan("")}).find("seconds_per_grid"),
            std::string::npos);
  const std::vector<std::int64_t> types = {0, 0};
  std::vector<std::int64_t> ids(4);
  const ConstView view = make_view(types.data(), {2});
  EXPECT_NE(message_of([&] {
              posenc::mrope_positions({.token_types = view}, {}, make_view(ids.data(), {2, 2}));
            }).find("ids must be [2, 3], 3 axes for each of token_types, but is [2, 2]"),
            std::string::npos);
}

}  // namespace
}  // namespace vision_positions_test
