#include "posenc/workers.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "support/expect_error.h"
#include "support/part_counts.h"
#include "support/sanitized.h"

namespace posenc::workers_test {
namespace {

TEST(Workers, DoEachPartOnce) {
  for (const int count : {1, 2, 3, 8, 33}) {
    const Workers workers(count);
    EXPECT_EQ(workers.count(), count);
    for (const std::int64_t parts : {0, 1, 2, 3, 7, 8, 9, 32, 100, 10000}) {
      const std::vector<int> counts = counts_of(&workers, parts);
      EXPECT_EQ(counts, once(parts)) << count << " threads, " << parts;
    }
  }
}

// A thread that wakes up late must not meet the next run with the work of the last.
TEST(Workers, DoManyShortRuns) {
  const Workers workers(4);
  for (int run = 0; run < 300000; ++run) {
    const std::int64_t parts = run % 7;
    ASSERT_EQ(counts_of(&workers, parts), once(parts)) << "run " << run;
  }
}

// Every part waits until all have begun: with fewer threads than parts this would never end.
TEST(Workers, AllWorkAtOnce) {
  for (const int count : {2, 5}) {
    const Workers workers(count);
    for (int round = 0; round < 100; ++round) {
      std::atomic<int> begun{0};
      std::mutex mutex;
      std::set<std::thread::id> threads;
      workers.run(count, [&](std::int64_t) {
        ++begun;
        while (begun < count) std::this_thread::yield();
        const std::lock_guard<std::mutex> lock(mutex);
        threads.insert(std::this_thread::get_id());
      });
      ASSERT_EQ(threads.size(), static_cast<std::size_t>(count));
      ASSERT_EQ(threads.count(std::this_thread::get_id()), 1u) << "the caller works too";
    }
  }
}

TEST(Workers, ReturnWhenAllIsDone) {
  const Workers workers(3);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> done{0};
    workers.run(3, [&](std::int64_t part) {
      std::this_thread::sleep_for(std::chrono::milliseconds(part));
      ++done;
    });
    ASSERT_EQ(done, 3);
  }
}

TEST(Workers, OneIsTheCallerInOrder) {
  const Workers one(1);
  const std::thread::id caller = std::this_thread::get_id();
  for (const Workers* workers : {static_cast<const Workers*>(nullptr), &one}) {
    std::vector<std::int64_t> order;
    run_parts(workers, 5, [&](std::int64_t part) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      order.push_back(part);
    });
    EXPECT_EQ(order, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  }
}

TEST(Workers, ARunInsideARunIsTheCallersOwn) {
  const Workers workers(4);
  std::vector<std::vector<int>> counts(50, std::vector<int>(50));
  workers.run(50, [&](std::int64_t outer) {
    const std::thread::id own = std::this_thread::get_id();
    workers.run(50, [&](std::int64_t inner) {
      EXPECT_EQ(std::this_thread::get_id(), own);
      ++counts[static_cast<std::size_t>(outer)][static_cast<std::size_t>(inner)];
    });
  });
  EXPECT_EQ(counts, (std::vector<std::vector<int>>(50, std::vector<int>(50, 1))));
}

TEST(Workers, MayBeShared) {
  const Workers workers(3);
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int run = 0; run < 3000; ++run) wrong += counts_of(&workers, 11) == once(11) ? 0 : 1;
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

// 0 where the system does not say.
std::size_t threads_of_this_process() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    std::size_t count = 0;
    if (word == "Threads:" && status >> count) return count;
  }
  return 0;
}

// The kernel wakes who joins a thread a moment before it forgets the thread.
std::size_t threads_when_forgotten(std::size_t expected) {
  for (int wait = 0; wait < 1000 && threads_of_this_process() != expected; ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return threads_of_this_process();
}

TEST(Workers, StartAndJoinTheirThreads) {
  { const Workers first(2); }  // with the first thread ThreadSanitizer starts one of its own
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const std::size_t before = threads_of_this_process();
  if (before == 0) GTEST_SKIP() << "needs /proc";
  for (int round = 0; round < 50; ++round) {
    auto workers = std::make_unique<const Workers>(6);
    EXPECT_EQ(threads_of_this_process(), before + 5);
    if (round % 2 == 0) counts_of(workers.get(), 100);
    workers.reset();
    ASSERT_EQ(threads_when_forgotten(before), before);
  }
  const Workers one(1);
  EXPECT_EQ(threads_of_this_process(), before) << "one is the caller";
}

TEST(Workers, SleepBetweenRuns) {
  for (const int count : {2, 8}) {
    const Workers workers(count);
    counts_of(&workers, 1000);
    const std::clock_t before = std::clock();  // of all threads
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_LT(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, 0.02) << count;
  }
}

// A run may come while the threads still look for it, fall asleep, or sleep.
TEST(Workers, WakeAfterAnyPause) {
  const Workers workers(2);
  for (int round = 0; round < 300; ++round) {
    std::this_thread::sleep_for(std::chrono::microseconds(round));
    std::atomic<int> begun{0};
    workers.run(2, [&](std::int64_t) {
      ++begun;
      while (begun < 2) std::this_thread::yield();
    });
  }
}

std::atomic<std::int64_t> sum_of_parts{0};
void add_part(std::int64_t part) { sum_of_parts += part; }

TEST(Workers, TakeAnyCallable) {
  const Workers two(2);
  for (const Workers* workers : {static_cast<const Workers*>(nullptr), &two}) {
    sum_of_parts = 0;
    run_parts(workers, 5, &add_part);
    const std::function<void(std::int64_t)> function = add_part;
    run_parts(workers, 5, function);
    std::atomic<std::int64_t> own{0};
    auto changing = [&own, calls = std::make_unique<std::atomic<int>>(0)](std::int64_t part) mutable {
      ++*calls;
      own += part;
    };
    run_parts(workers, 5, changing);
    EXPECT_EQ(sum_of_parts, 20);
    EXPECT_EQ(own, 10);
  }
}

TEST(Workers, RefuseImpossibleCounts) {
  for (const int count : {0, -1, -2147483647, 1025, 2147483647}) {
    expect_error(ErrorKind::usage, "[Workers] count must be 1 to 1024 but got " + std::to_string(count),
                 [&] { const Workers workers(count); });
  }
}

TEST(Workers, RefuseImpossibleRuns) {
  const Workers two(2);
  for (const Workers* workers : {static_cast<const Workers*>(nullptr), &two}) {
    expect_error(ErrorKind::usage, "[Workers::run] parts must be at least 0 but got -1",
                 [&] { run_parts(workers, -1, [](std::int64_t) { ADD_FAILURE(); }); });
    expect_error(ErrorKind::usage, "[Workers::run] work must be a function but is empty",
                 [&] { run_parts(workers, 3, nullptr); });
    expect_error(ErrorKind::usage, "[Workers::run] work must be a function but is empty",
                 [&] { run_parts(workers, 3, std::function<void(std::int64_t)>()); });
    expect_error(ErrorKind::usage, "[Workers::run] work must be a function but is empty",
                 [&] { run_parts(workers, 3, static_cast<void (*)(std::int64_t)>(nullptr)); });
  }
}

// In a process of its own, whose memory does not suffice for a thousand stacks.
TEST(WorkersDeathTest, SayThatTheSystemRefuses) {
#if POSENC_ADDRESS_SANITIZED || POSENC_THREAD_SANITIZED
  GTEST_SKIP() << "sanitizers need more memory than the limit leaves";
#else
  const auto start_too_many = [] {
    const rlimit limit{rlim_t{1} << 30, rlim_t{1} << 30};
    setrlimit(RLIMIT_AS, &limit);
    expect_error(ErrorKind::io, "[Workers] cannot start 1024 threads: after ", [] { const Workers workers(1024); });
    const Workers few(3);  // those that had started are gone
    std::_Exit(testing::Test::HasFailure() || counts_of(&few, 9) != once(9) ? 1 : 0);
  };
  EXPECT_EXIT(start_too_many(), testing::ExitedWithCode(0), "");
#endif
}

}  // namespace
}  // namespace posenc::workers_test
