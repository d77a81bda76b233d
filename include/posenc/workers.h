// Workers: threads that the caller creates, passes to operations, and joins by destroying the object.
//
//     posenc::Workers workers(8);                       // seven threads plus the caller
//     posenc::add_positions(x, positions, rows, x, {.workers = &workers});
//
// The number of workers never changes a result. Between runs the threads sleep; after a run they first look for more
// work for 50 microseconds, unless there are more threads than processors. Workers may be shared: while one run uses
// the threads, a second run, nested or from another thread, is done by its own caller alone. If several threads need
// full speed, give each its own Workers.
//
// Threads do not survive a fork. In the child, Workers of the parent run everything on the calling thread, and
// destroying them joins and frees nothing. Workers that the child creates work normally.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "posenc/error.h"
#include "posenc/export.h"

namespace posenc {
namespace base {
class ThreadPool;
}

// The work for one part: refers to any callable object, which must outlive the run; nothing is copied or allocated.
// Null pointers and empty std::functions make it empty. Pass plain functions by address.
class PartWork {
 public:
  PartWork(std::nullptr_t) noexcept {}
  template <class F>
  requires std::invocable<F&, std::int64_t> &&
      (!std::is_function_v<std::remove_reference_t<F>>)&&(!std::same_as<std::remove_cvref_t<F>, PartWork>)
          PartWork(F&& work POSENC_LIFETIMEBOUND) noexcept
      : object_(const_cast<void*>(static_cast<const volatile void*>(std::addressof(work)))),
        call_([](void* object, std::int64_t part) { (*static_cast<std::remove_reference_t<F>*>(object))(part); }) {
    if constexpr (requires { work == nullptr; }) {
      if (work == nullptr) call_ = nullptr;
    }
  }

  explicit operator bool() const noexcept { return call_ != nullptr; }
  void operator()(std::int64_t part) const { call_(object_, part); }

 private:
  void* object_ = nullptr;
  void (*call_)(void* object, std::int64_t part) = nullptr;
};

class POSENC_API Workers {
 public:
  // `count` threads in total, including the caller: 1 starts none. Throws if count is not 1 to 1024, or if the system
  // cannot start that many. WebAssembly has no threads: more than 1 is an error of kind unsupported.
  explicit Workers(int count);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();  // joins the threads; must not be called during a run

  int count() const noexcept { return count_; }

  // Calls work(part) once for every part of 0 .. parts - 1, on all threads, and returns when all are done; everything
  // they wrote is then visible. Which thread gets which part is not fixed. `parts` may be 0 or less than count(); below
  // 0 throws. Parts are handed out one by one, so give each part thousands of numbers to work on.
  //
  // If work(part) throws, no further part is started, parts already started are finished, and run rethrows the
  // exception of the lowest part, as it would without threads. The workers stay usable.
  void run(std::int64_t parts, PartWork work) const;

 private:
  int count_;
  base::ThreadPool* pool_ = nullptr;  // null for a count of 1
};

// Runs the parts with or without workers: null runs them on the calling thread, in order.
POSENC_API void run_parts(const Workers* workers, std::int64_t parts, PartWork work);

}  // namespace posenc
