#include "posenc/workers.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

#include "posenc/error.h"

namespace posenc {
namespace {

using Work = std::function<void(std::int64_t part)>;

constexpr int kMaxCount = 1024;

void run_inline(std::int64_t parts, const Work& work) {
  for (std::int64_t part = 0; part < parts; ++part) work(part);
}

void check_run(std::int64_t parts, const Work& work) {
  if (parts < 0) {
    fail(ErrorKind::usage, "[Workers::run] parts must be at least 0 but got " + std::to_string(parts));
  }
  if (!work) fail(ErrorKind::usage, "[Workers::run] work must be a function but is empty");
}

}  // namespace

// A run offers places to the threads. Who takes one draws parts until none is left. The caller draws too, then
// withdraws the places that no thread has woken up for: a short run does not wait for sleepers.
//
// Threads come from pthread_create: std::thread reports a refusal by an exception only, and the library has no catch.
struct Workers::Pool {
  std::vector<pthread_t> threads;
  std::atomic<bool> taken{false};  // by a run
  std::atomic<std::int64_t> next{0};

  std::mutex mutex;  // of what follows
  std::condition_variable offered;
  std::condition_variable finished;
  const Work* work = nullptr;
  std::int64_t parts = 0;
  std::int64_t places = 0;  // on offer
  int active = 0;           // threads that took one
  bool stop = false;

  ~Pool() {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      stop = true;
    }
    offered.notify_all();
    for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  }

  static void* enter(void* pool) noexcept {
    static_cast<Pool*>(pool)->serve();
    return nullptr;
  }

  // The error number of the thread that the system refused, or 0.
  int start(int count) {
    threads.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      pthread_t thread{};
      const int refused = pthread_create(&thread, nullptr, &enter, this);
      if (refused != 0) return refused;
      threads.push_back(thread);
    }
    return 0;
  }

  void serve() noexcept {
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      offered.wait(lock, [this] { return stop || places > 0; });
      if (stop) return;
      --places;
      ++active;
      const Work* mine = work;
      const std::int64_t end = parts;
      lock.unlock();
      draw(end, *mine);
      lock.lock();
      if (--active == 0) finished.notify_one();
    }
  }

  void draw(std::int64_t end, const Work& mine) noexcept {
    for (std::int64_t part = next.fetch_add(1); part < end; part = next.fetch_add(1)) mine(part);
  }

  void run(std::int64_t end, const Work& mine) noexcept {
    // The caller is one more thread, and nobody need wake for a part that is not there.
    const auto helpers = std::min(static_cast<std::int64_t>(threads.size()), end - 1);
    {
      const std::lock_guard<std::mutex> lock(mutex);
      work = &mine;
      parts = end;
      places = helpers;
      next = 0;
    }
    if (helpers == static_cast<std::int64_t>(threads.size())) {
      offered.notify_all();
    } else {
      for (std::int64_t i = 0; i < helpers; ++i) offered.notify_one();
    }
    draw(end, mine);
    std::unique_lock<std::mutex> lock(mutex);
    places = 0;
    finished.wait(lock, [this] { return active == 0; });
  }
};

Workers::Workers(int count) : count_(count) {
  if (count < 1 || count > kMaxCount) {
    fail(ErrorKind::usage, "[Workers] count must be 1 to 1024 but got " + std::to_string(count));
  }
  if (count == 1) return;
  pool_ = std::make_unique<Pool>();
  const int refused = pool_->start(count - 1);
  if (refused == 0) return;
  const std::size_t started = pool_->threads.size() + 1;
  pool_.reset();  // here, not by unwinding: without exceptions there is none
  fail(ErrorKind::io, "[Workers] cannot start " + std::to_string(count) + " threads: after " + std::to_string(started) +
                          ", " + std::generic_category().message(refused));
}

Workers::~Workers() = default;

void Workers::run(std::int64_t parts, const Work& work) const {
  check_run(parts, work);
  if (pool_ == nullptr || parts < 2 || pool_->taken.exchange(true)) return run_inline(parts, work);
  pool_->run(parts, work);
  pool_->taken = false;
}

void run_parts(const Workers* workers, std::int64_t parts, const Work& work) {
  if (workers != nullptr) return workers->run(parts, work);
  check_run(parts, work);
  run_inline(parts, work);
}

}  // namespace posenc
