// Rotations allocate nothing: every operator new of the program is counted.
#include <gtest/gtest.h>

#include "posenc/rerotate.h"
#include "posenc/rotate.h"
#include "support/allocations.h"

namespace posenc::rotate_allocation_test {
namespace {

TEST(RotateAllocation, TheCountCounts) {
  EXPECT_GT(allocations_of([] { RotaryTable(Rotary{.head_dim = 8}, 4); }), 0);
}

TEST(RotateAllocation, RotationsAllocateNothing) {
  const Layout layouts[] = {Layout::half, Layout::interleaved, Layout::interleaved_to_half, Layout::half_negative,
                            Layout::half_per_axis};
  std::vector<float> q(2 * 300 * 3 * 64, 1.0f), k(2 * 300 * 64, 1.0f);
  const View query = make_view(q.data(), {2, 300, 3, 64}), key = make_view(k.data(), {2, 300, 1, 64});
  const PositionView positions = PositionView::range(0, 300);
  const Workers workers(3);
  for (const Layout layout : layouts) {
    const RotaryTable table(Rotary{.head_dim = 64, .layout = layout, .rotary_dim = 48, .first_channel = 3}, 400);
    const RotaryAngles other(
        Rotary{.head_dim = 64, .base = 500.0, .layout = layout, .rotary_dim = 48, .first_channel = 3});
    for (const RotarySource& source : {RotarySource(table), RotarySource(table.angles())}) {
      for (const Workers* threads : {static_cast<const Workers*>(nullptr), &workers}) {
        EXPECT_EQ(allocations_of([&] { rotate(query, positions, source, {.output_scale = 0.5, .workers = threads}); }),
                  0);
        EXPECT_EQ(allocations_of([&] { rotate_inverse(query, positions, source, {.workers = threads}); }), 0);
        EXPECT_EQ(allocations_of([&] { rotate_backward(query, positions, source, {.workers = threads}); }), 0);
        EXPECT_EQ(allocations_of([&] { rotate_qk(QueryKey{query, key}, positions, source, {.workers = threads}); }), 0);
        EXPECT_EQ(allocations_of([&] {
                    rerotate(query, {source.angles(), positions}, {other, positions}, {.workers = threads});
                  }),
                  0);
      }
    }
  }
}

}  // namespace
}  // namespace posenc::rotate_allocation_test
