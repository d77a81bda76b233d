// A run allocates nothing, whatever its work holds.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>

#include "posenc/workers.h"

namespace {
std::atomic<int> allocations{0};
}

void* operator new(std::size_t size) {
  ++allocations;
  void* memory = std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace posenc {
namespace {

TEST(WorkersAllocation, ThereIsNone) {
  const Workers one(1);
  const Workers two(2);
  for (const Workers* workers : {static_cast<const Workers*>(nullptr), &one, &two}) {
    for (const std::int64_t parts : {1, 2, 100}) {
      std::array<std::atomic<std::int64_t>*, 16> many{};
      std::atomic<std::int64_t> sum{0};
      many.fill(&sum);
      const int before = allocations;
      run_parts(workers, parts, [many](std::int64_t part) { *many[static_cast<std::size_t>(part % 16)] += part; });
      EXPECT_EQ(allocations, before) << parts;
      EXPECT_EQ(sum, parts * (parts - 1) / 2);
    }
  }
  EXPECT_GT(allocations, 0) << "they are counted";
}

}  // namespace
}  // namespace posenc
