#include "core/base/thread_pool.h"

#include "posenc/error.h"

#if defined(__wasi__)

namespace posenc::base {

class ThreadPool {};

ThreadPool* start_threads(int) {
  fail(ErrorKind::unsupported, "[Workers] count must be 1 because this system has no threads");
}
bool run_on_threads(ThreadPool&, std::int64_t, PartWork) { return false; }
void stop_threads(ThreadPool*) noexcept {}

}  // namespace posenc::base

#else

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace posenc::base {
namespace {

using Clock = std::chrono::steady_clock;

// Waking a sleeping thread takes 15 to 50 us. So a waiting thread polls for this long before it sleeps: while it polls,
// starting the next run and noticing the end of a run take about a microsecond.
constexpr std::chrono::microseconds kLook{50};

}  // namespace

// A run offers places to the threads. A thread that takes a place draws parts until none is left. The caller draws
// parts too, and then withdraws the places that no thread has taken, so a short run does not wait for sleeping threads.
//
// A thread increments sleepers_ before rechecking for work; a publisher stores the work before reading sleepers_. Both
// are seq_cst, so one sees the other. The mutex only prevents a notification between a sleeper's check and its sleep.
//
// Threads are created by pthread_create, because std::thread reports failure only by an exception.
class ThreadPool {
 public:
  // Returns the error number if the system refuses a thread, else 0.
  int start(int count) {
    // With more threads than processors, a polling thread would keep another from working.
    look_ = static_cast<unsigned>(count) < std::thread::hardware_concurrency() ? kLook : kLook.zero();
    threads_.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      pthread_t thread{};
      const int refused = pthread_create(&thread, nullptr, &enter, this);
      if (refused != 0) return refused;
      threads_.push_back(thread);
    }
    return 0;
  }

  void join() noexcept {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    offered_.notify_all();
    for (const pthread_t thread : threads_) pthread_join(thread, nullptr);
  }

  std::size_t started() const noexcept { return threads_.size(); }
  bool is_own() const noexcept { return ::getpid() == process_; }
  bool take() noexcept { return !taken_.exchange(true); }

  void run(std::int64_t parts, PartWork work) {
    // The caller works too, so at most parts - 1 threads are needed.
    const auto helpers = std::min(static_cast<std::int64_t>(threads_.size()), parts - 1);
    work_ = work;
    end_ = static_cast<std::uint64_t>(parts);
    next_ = 0;
    left_ = 0;
    places_ = helpers;
    wake(helpers);
    draw();
    wait_for(helpers - places_.exchange(0));
    finish();
  }

 private:
  static void* enter(void* pool) noexcept {
    static_cast<ThreadPool*>(pool)->serve();
    return nullptr;
  }

  template <class Ready>
  bool look_for(Ready ready) const noexcept {
    const Clock::time_point end = Clock::now() + look_;
    do {
      if (ready()) return true;
    } while (Clock::now() < end);
    return false;
  }

  void serve() noexcept {
    const auto called = [this] { return places_ > 0 || stop_; };
    while (true) {
      if (take_place()) {
        draw();
        leave();
        if (look_for(called)) continue;
      }
      if (stop_) return;
      std::unique_lock<std::mutex> lock(mutex_);
      ++sleepers_;
      offered_.wait(lock, called);
      --sleepers_;
    }
  }

  bool take_place() noexcept {
    std::int64_t places = places_;
    while (places > 0) {
      if (places_.compare_exchange_weak(places, places - 1)) return true;
    }
    return false;
  }

  void leave() noexcept {
    ++left_;
    if (!caller_sleeps_) return;
    { const std::lock_guard<std::mutex> lock(mutex_); }
    finished_.notify_one();
  }

  void wake(std::int64_t helpers) noexcept {
    const int sleepers = sleepers_;
    if (sleepers == 0) return;
    { const std::lock_guard<std::mutex> lock(mutex_); }
    if (helpers >= sleepers) {
      offered_.notify_all();
    } else {
      for (std::int64_t i = 0; i < helpers; ++i) offered_.notify_one();
    }
  }

  // Waits until all threads that took a place have left it.
  void wait_for(std::int64_t threads) noexcept {
    const auto all_left = [this, threads] { return left_ == threads; };
    if (look_for(all_left)) return;
    std::unique_lock<std::mutex> lock(mutex_);
    caller_sleeps_ = true;
    finished_.wait(lock, all_left);
    caller_sleeps_ = false;
  }

  void draw() noexcept {
    for (std::uint64_t part = next_++; part < end_; part = next_++) call(part);
  }

#if defined(__cpp_exceptions)
  void call(std::uint64_t part) noexcept {
    try {
      work_(static_cast<std::int64_t>(part));
    } catch (...) {
      next_ = end_;  // start no further part
      const std::lock_guard<std::mutex> lock(mutex_);
      if (error_ != nullptr && error_part_ < part) return;
      error_ = std::current_exception();
      error_part_ = part;
    }
  }

  // Parts are drawn in order, so the lowest part that throws always runs. Its error is the one that a single thread
  // would have thrown.
  void finish() {
    const std::exception_ptr error = std::exchange(error_, nullptr);
    taken_ = false;
    if (error != nullptr) std::rethrow_exception(error);
  }

  std::exception_ptr error_;  // guarded by mutex_
  std::uint64_t error_part_ = 0;
#else
  void call(std::uint64_t part) noexcept { work_(static_cast<std::int64_t>(part)); }
  void finish() noexcept { taken_ = false; }
#endif

  std::vector<pthread_t> threads_;
  const pid_t process_ = ::getpid();
  std::chrono::microseconds look_{};
  std::atomic<bool> taken_{false};  // a run is in progress

  // Written before places are offered, and read by threads that took one.
  PartWork work_ = nullptr;
  std::uint64_t end_ = 0;  // unsigned, because next_ goes past it
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::int64_t> places_{0};
  std::atomic<std::int64_t> left_{0};

  std::mutex mutex_;
  std::condition_variable offered_;
  std::condition_variable finished_;
  std::atomic<int> sleepers_{0};
  std::atomic<bool> caller_sleeps_{false};
  std::atomic<bool> stop_{false};
};

ThreadPool* start_threads(int count) {
  auto pool = std::make_unique<ThreadPool>();
  const int refused = pool->start(count);
  if (refused == 0) return pool.release();
  const std::size_t started = pool->started() + 1;
  pool->join();
  pool.reset();  // explicitly: without exceptions, fail() does not unwind
  fail(ErrorKind::io, "[Workers] cannot start " + std::to_string(count + 1) + " threads: after " +
                          std::to_string(started) + ", " + std::generic_category().message(refused));
}

bool run_on_threads(ThreadPool& pool, std::int64_t parts, PartWork work) {
  if (!pool.is_own() || !pool.take()) return false;
  pool.run(parts, work);
  return true;
}

void stop_threads(ThreadPool* pool) noexcept {
  if (pool == nullptr || !pool->is_own()) return;
  pool->join();
  delete pool;
}

}  // namespace posenc::base

#endif
