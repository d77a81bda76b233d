// The kernel against products of 128 bits.
#include "core/kernels/phase_row.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "support/every_target.h"

namespace posenc::kernels::phase_row_test {
namespace {

std::uint64_t expected_phase(std::uint64_t step, const FixedPosition& position) {
  __extension__ using Wide = unsigned __int128;
  const auto share = static_cast<std::uint64_t>((static_cast<Wide>(position.fraction) * step) >> 64);
  const std::uint64_t phase = static_cast<std::uint64_t>(position.whole) * step;
  return position.below ? phase - share : phase + share;
}

std::vector<std::uint64_t> numbers() {
  std::vector<std::uint64_t> all = {0, 1, 0xffffffff, 0x100000000, ~std::uint64_t{0}, std::uint64_t{1} << 63};
  std::mt19937_64 random(5);
  for (int i = 0; i < 500; ++i) all.push_back(random() >> (i % 40));
  return all;
}

TEST(PhaseRow, IsWhatProductsOf128BitsAreOnEveryTarget) {
  const std::vector<std::uint64_t> steps = numbers();
  on_every_target([&] {
    for (const std::int64_t whole : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{2147483647},
                                     std::int64_t{-2147483647}, std::int64_t{1} << 40}) {
      for (const std::uint64_t fraction : numbers()) {
        for (const bool below : {false, true}) {
          const FixedPosition position{whole, fraction, below};
          std::vector<std::uint64_t> phases(steps.size());
          phase_row(steps.data(), static_cast<std::int64_t>(steps.size()), position, phases.data());
          for (std::size_t i = 0; i < steps.size(); ++i) {
            ASSERT_EQ(phases[i], expected_phase(steps[i], position)) << steps[i] << " " << whole << " " << fraction;
          }
        }
      }
    }
  });
}

TEST(PhaseRow, TouchesNothingBehindTheLast) {
  const std::vector<std::uint64_t> steps(20, 12345);
  on_every_target([&] {
    for (std::int64_t count = 0; count < 20; ++count) {
      std::vector<std::uint64_t> phases(20, 7);
      phase_row(steps.data(), count, {3, 5, false}, phases.data());
      for (std::int64_t i = 0; i < 20; ++i) {
        ASSERT_EQ(phases[static_cast<std::size_t>(i)] == 7, i >= count) << count;
      }
    }
  });
}

}  // namespace
}  // namespace posenc::kernels::phase_row_test
