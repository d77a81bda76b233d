// Threads that share a table or angles, and Workers in any number: the same bits.
#include <gtest/gtest.h>

#include <thread>

#include "posenc/rerotate.h"
#include "posenc/rotate.h"
#include "support/head_block.h"
#include "support/typed_block.h"

namespace posenc::rotate_threads_test {
namespace {

constexpr std::int64_t kTokens = 200;

std::vector<double> turned(const std::vector<double>& numbers, const RotarySource& source, const Workers* workers,
                           DType dtype = DType::f32) {
  HeadBlock x(dtype, 2, kTokens, 3, 66);
  x.set_values(numbers);
  rotate(x.view(), PositionView::range(5, kTokens), source, {.output_scale = 0.7, .workers = workers});
  return x.values();
}

TEST(RotateThreads, ShareATable) {
  const RotaryTable table(Rotary{.head_dim = 66, .layout = Layout::interleaved, .rotary_dim = 58}, 1000);
  const std::vector<double> numbers = random_numbers(2 * kTokens * 3 * 66, 1);
  for (const RotarySource& source : {RotarySource(table), RotarySource(table.angles())}) {
    const std::vector<double> wanted = turned(numbers, source, nullptr);
    std::vector<std::vector<double>> results(8);
    std::vector<std::thread> threads;
    for (std::vector<double>& result : results) {
      threads.emplace_back([&] { result = turned(numbers, source, nullptr); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::vector<double>& result : results) EXPECT_EQ(result, wanted);
  }
}

TEST(RotateThreads, ShareWorkers) {
  const RotaryTable table(Rotary{.head_dim = 66}, 1000);
  const std::vector<double> numbers = random_numbers(2 * kTokens * 3 * 66, 1);
  const std::vector<double> wanted = turned(numbers, table, nullptr);
  const Workers workers(3);
  std::vector<std::vector<double>> results(4);
  std::vector<std::thread> threads;
  for (std::vector<double>& result : results) {
    threads.emplace_back([&] { result = turned(numbers, table, &workers); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<double>& result : results) EXPECT_EQ(result, wanted);
}

TEST(RotateThreads, TheNumberOfWorkersChangesNoBit) {
  const std::vector<double> numbers = random_numbers(2 * kTokens * 3 * 66, 1);
  for (const Layout layout : {Layout::half, Layout::interleaved, Layout::interleaved_to_half}) {
    const RotaryTable table(Rotary{.head_dim = 66, .layout = layout, .rotary_dim = 58, .first_channel = 4}, 1000,
                            DType::f64);
    for (const DType dtype : float_types()) {
      for (const RotarySource& source : {RotarySource(table), RotarySource(table.angles())}) {
        const std::vector<double> wanted = turned(numbers, source, nullptr, dtype);
        for (int count = 1; count <= 5; ++count) {
          const Workers workers(count);
          EXPECT_EQ(turned(numbers, source, &workers, dtype), wanted) << count;
        }
      }
    }
  }
}

// Tokens that all move by one distance share a row: which part begins where must not matter.
TEST(RotateThreads, WorkersThatMoveKeysChangeNoBit) {
  const RotaryAngles angles(Rotary{.head_dim = 66, .rotary_dim = 58});
  const std::vector<double> numbers = random_numbers(2 * kTokens * 3 * 66, 1);
  const auto moved = [&](const Workers* workers) {
    HeadBlock x(DType::f64, 2, kTokens, 3, 66);
    x.set_values(numbers);
    rerotate(x.view(), {angles, PositionView::range(1000007, kTokens)}, {angles, PositionView::range(13, kTokens)},
             {.workers = workers});
    return x.values();
  };
  const std::vector<double> wanted = moved(nullptr);
  for (int count = 1; count <= 5; ++count) {
    const Workers workers(count);
    EXPECT_EQ(moved(&workers), wanted) << count;
  }
}

}  // namespace
}  // namespace posenc::rotate_threads_test
