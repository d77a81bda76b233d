// A run allocates nothing, whatever its work holds.
#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "posenc/workers.h"
#include "support/allocations.h"

namespace posenc::workers_allocation_test {
namespace {

TEST(WorkersAllocation, ThereIsNone) {
  const Workers one(1);
  const Workers two(2);
  for (const Workers* workers : {static_cast<const Workers*>(nullptr), &one, &two}) {
    for (const std::int64_t parts : {1, 2, 100}) {
      std::array<std::atomic<std::int64_t>*, 16> many{};
      std::atomic<std::int64_t> sum{0};
      many.fill(&sum);
      const auto add = [many](std::int64_t part) { *many[static_cast<std::size_t>(part % 16)] += part; };
      EXPECT_EQ(allocations_of([&] { run_parts(workers, parts, add); }), 0) << parts;
      EXPECT_EQ(sum, parts * (parts - 1) / 2);
    }
  }
  EXPECT_GT(allocations_so_far(), 0) << "they are counted";
}

}  // namespace
}  // namespace posenc::workers_allocation_test
