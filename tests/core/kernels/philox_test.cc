#include "core/kernels/philox.h"

#include <gtest/gtest.h>

#include <vector>

#include "posenc/random.h"
#include "support/every_target.h"

namespace posenc::kernels::philox_test {
namespace {

constexpr std::uint32_t kCanary = 0xdecafbad;

void check_blocks(const PhiloxCounter& counter, const PhiloxKey& key, std::int64_t blocks) {
  const auto numbers = static_cast<std::size_t>(4 * blocks);
  std::vector<std::uint32_t> expected;
  for (std::int64_t i = 0; i < blocks; ++i) {
    const PhiloxCounter at = {counter[0] + static_cast<std::uint32_t>(i), counter[1], counter[2], counter[3]};
    for (const std::uint32_t word : philox4x32(at, key)) expected.push_back(word);
  }
  expected.insert(expected.end(), 64, kCanary);
  // One number off the start of the memory: nobody promises an alignment.
  std::vector<std::uint32_t> out(1 + numbers + 64, kCanary);
  philox_blocks(counter.data(), key.data(), blocks, out.data() + 1);
  ASSERT_EQ(out.front(), kCanary);
  out.erase(out.begin());
  ASSERT_EQ(out, expected) << blocks << " blocks from " << counter[0];
}

TEST(Philox, BlocksAreTheFunctionOnEveryTarget) {
  on_every_target([] {
    for (std::int64_t blocks = 0; blocks <= 37; ++blocks) {
      check_blocks({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}, blocks);
      check_blocks({0, 0, 0, 0}, {0, 0}, blocks);
    }
    check_blocks({5, 0xffffffff, 0, 0x80000001}, {0xffffffff, 1}, 1001);
  });
}

TEST(Philox, TheFirstWordWrapsWithoutACarry) {
  on_every_target([] {
    for (std::uint32_t before = 1; before <= 20; ++before) check_blocks({0u - before, 7, 8, 9}, {10, 11}, 40);
  });
}

}  // namespace
}  // namespace posenc::kernels::philox_test
