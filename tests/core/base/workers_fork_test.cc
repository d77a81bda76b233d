// A forked child has its parent's Workers, but not their threads.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "posenc/workers.h"
#include "support/part_counts.h"
#include "support/sanitized.h"

namespace posenc::workers_fork_test {
namespace {

// The exit code of a child that does this, or minus the number of the signal that ended it: a child that hangs gets
// SIGALRM.
template <class Action>
int exit_code_of_child(const Action& action) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    _exit(action());
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 99;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

bool all_on_this_thread(const Workers& workers) {
  std::set<std::thread::id> threads;
  workers.run(100, [&](std::int64_t) { threads.insert(std::this_thread::get_id()); });
  return threads == std::set<std::thread::id>{std::this_thread::get_id()};
}

// Returns when as many threads as the workers have are at work at once.
bool on_all_threads(const Workers& workers) {
  std::atomic<int> begun{0};
  workers.run(workers.count(), [&](std::int64_t) {
    ++begun;
    while (begun < workers.count()) std::this_thread::yield();
  });
  return begun == workers.count();
}

TEST(WorkersFork, ChildDoesAllOnItsOwnThread) {
  for (const int count : {2, 5}) {
    auto workers = std::make_unique<const Workers>(count);
    counts_of(workers.get(), 100);
    for (int round = 0; round < 5; ++round) {
      EXPECT_EQ(exit_code_of_child([&] {
                  if (workers->count() != count) return 1;
                  if (counts_of(workers.get(), 100) != once(100)) return 2;
                  if (!all_on_this_thread(*workers)) return 3;
                  workers.reset();
                  return 0;
                }),
                0);
      EXPECT_TRUE(on_all_threads(*workers)) << "the parent keeps its threads";
    }
  }
}

TEST(WorkersFork, ChildThrowsToo) {
  const Workers workers(3);
  EXPECT_EQ(exit_code_of_child([&] {
              try {
                workers.run(9, [](std::int64_t part) {
                  if (part == 4) throw 5;
                });
              } catch (int thrown) {
                return thrown;
              }
              return 0;
            }),
            5);
}

// While a run has the threads, whichever thread it is that forks.
TEST(WorkersFork, ChildOfARunDoesNotHang) {
  auto workers = std::make_unique<const Workers>(3);
  std::mutex one_by_one;
  workers->run(12, [&](std::int64_t) {
    const std::lock_guard<std::mutex> lock(one_by_one);
    EXPECT_EQ(exit_code_of_child([&] {
                if (counts_of(workers.get(), 100) != once(100)) return 1;
                workers.reset();
                return 0;
              }),
              0);
  });
}

TEST(WorkersFork, ChildHasWorkersOfItsOwn) {
#if POSENC_THREAD_SANITIZED
  GTEST_SKIP() << "ThreadSanitizer lets no child of several threads start one";
#else
  // A thread that is still starting may hold a lock of AddressSanitizer's memory, which a child then has for ever.
  const Workers of_parent(3);
  ASSERT_TRUE(on_all_threads(of_parent));
  EXPECT_EQ(exit_code_of_child([&] {
              const Workers own(2);
              return on_all_threads(own) && counts_of(&own, 100) == once(100) && all_on_this_thread(of_parent) ? 0 : 1;
            }),
            0);
#endif
}

}  // namespace
}  // namespace posenc::workers_fork_test
