#include "insight/properties/mixings.h"

#include <gtest/gtest.h>

#include <vector>

namespace posenc::mixings_test {
namespace {

TEST(Mixings, ShareDrawsAndAreWhatEachIsAlone) {
  const std::vector<double> row = {0.14, -0.99, 0.14, 0.99, 0.01, 1.0};
  const std::vector<MixingOptions> sizes = {{.std = 0.3, .scale = 7.0, .tokens = 300, .seed = 5},
                                            {.std = 2.0, .tokens = 300, .seed = 5}};
  const std::vector<Mixing> both = properties::mixings(row, sizes);
  ASSERT_EQ(both.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    const Mixing alone = mixing(row, sizes[k]);
    EXPECT_EQ(both[k].angles, alone.angles);
    EXPECT_EQ(both[k].token_norm, alone.token_norm);
    EXPECT_EQ(both[k].sum_norm, alone.sum_norm);
    EXPECT_EQ(both[k].position_norm, alone.position_norm);
  }
  EXPECT_NE(both[0].angles, both[1].angles);
}

}  // namespace
}  // namespace posenc::mixings_test
