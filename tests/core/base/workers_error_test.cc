// What happens when the work of a part throws.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "posenc/workers.h"
#include "support/expect_error.h"
#include "support/part_counts.h"

namespace posenc::workers_error_test {
namespace {

// No workers, then some.
std::vector<std::unique_ptr<const Workers>> all_kinds() {
  std::vector<std::unique_ptr<const Workers>> kinds(1);
  for (const int count : {1, 2, 4, 9}) kinds.push_back(std::make_unique<const Workers>(count));
  return kinds;
}

TEST(WorkersError, IsThatOfTheLowestPart) {
  for (const auto& workers : all_kinds()) {
    for (int round = 0; round < 300; ++round) {
      expect_error(ErrorKind::bad_input, "part 37 is broken", [&] {
        run_parts(workers.get(), 100, [&](std::int64_t part) {
          // The lowest one is late, so that others throw before it does.
          if (part == 37 && round % 10 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
          if (part >= 37) fail(ErrorKind::bad_input, "part " + std::to_string(part) + " is broken");
        });
      });
      ASSERT_EQ(counts_of(workers.get(), 100), once(100)) << "usable, and the error is gone";
    }
  }
}

TEST(WorkersError, MayBeOfAnyType) {
  for (const auto& workers : all_kinds()) {
    const auto throw_number = [](std::int64_t part) {
      if (part == 3) throw 7;
    };
    try {
      run_parts(workers.get(), 5, throw_number);
      ADD_FAILURE();
    } catch (int number) {
      EXPECT_EQ(number, 7);
    }
    EXPECT_THROW(run_parts(workers.get(), 5, [](std::int64_t) { std::vector<int>().at(1); }), std::out_of_range);
  }
}

TEST(WorkersError, BeginsNoOtherPart) {
  constexpr std::int64_t kParts = 20000;
  for (const auto& workers : all_kinds()) {
    std::atomic<bool> thrown{false};
    std::atomic<std::int64_t> begun{0};
    const auto work = [&](std::int64_t part) {
      ++begun;
      if (part == 0) {
        thrown = true;
        throw 1;
      }
      while (!thrown) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    };
    EXPECT_THROW(run_parts(workers.get(), kParts, work), int);
    EXPECT_LT(begun, workers == nullptr || workers->count() == 1 ? 2 : kParts);
  }
}

// A counter of 63 bits has no room above these: the threads that draw after the error would get negative parts.
TEST(WorkersError, EndsTheLongestRun) {
  for (const auto& workers : all_kinds()) {
    const int count = workers == nullptr ? 1 : workers->count();
    std::atomic<int> begun{0};
    std::atomic<std::int64_t> lowest{0};
    const auto work = [&](std::int64_t part) {
      if (part < 0) lowest = part;
      ++begun;
      while (begun < count) std::this_thread::yield();
      if (part <= 0) throw 1;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    };
    EXPECT_THROW(run_parts(workers.get(), INT64_MAX, work), int);
    EXPECT_EQ(lowest, 0);
  }
}

TEST(WorkersError, WaitsForPartsThatHaveBegun) {
  constexpr int kCount = 4;
  const Workers workers(kCount);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> begun{0};
    int done[kCount] = {};  // not atomic, as in counts_of
    const auto work = [&](std::int64_t part) {
      ++begun;
      while (begun < kCount) std::this_thread::yield();
      if (part == round % kCount) throw 1;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      done[part] = 1;
    };
    EXPECT_THROW(workers.run(kCount, work), int);
    EXPECT_EQ(done[0] + done[1] + done[2] + done[3], kCount - 1);
  }
}

TEST(WorkersError, PassesThroughARunInsideARun) {
  const Workers workers(3);
  for (int round = 0; round < 100; ++round) {
    expect_error(ErrorKind::usage, "inner 4", [&] {
      workers.run(20, [&](std::int64_t outer) {
        workers.run(20, [&](std::int64_t inner) {
          if (outer == 5 && inner >= 4) fail(ErrorKind::usage, "inner " + std::to_string(inner));
        });
      });
    });
  }
  EXPECT_EQ(counts_of(&workers, 50), once(50));
}

TEST(WorkersError, ReachesItsOwnCaller) {
  const Workers workers(3);
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&, caller] {
      for (int run = 0; run < 500; ++run) {
        int got = -1;
        try {
          workers.run(9, [&](std::int64_t part) {
            if (part == 6) throw 1000 * caller + run;
          });
        } catch (int thrown) {
          got = thrown;
        }
        wrong += got == 1000 * caller + run ? 0 : 1;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace posenc::workers_error_test
