// Workers: threads that the caller creates, passes to operations, and joins by destroying them.
//
//     posenc::Workers workers(8);                       // seven threads and the caller
//     posenc::add_positions(x, positions, rows, x, {.workers = &workers});
//
// No operation's result depends on how many there are. Between runs the threads sleep; after a run they look for the
// next one for 50 microseconds first, unless there are more of them than processors. Workers may be shared: while one
// run has the threads, another one, from inside it or from another thread, is done by its own caller alone. Several
// threads that are to be fast need Workers each.
//
// Threads stay behind at a fork: in the child, Workers of the parent do everything on the calling thread, and
// destroying them joins nothing and frees nothing. Workers that the child creates are its own.
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

// What is done with a part: any callable object, referred to, so it must outlive the run; nothing is copied or
// allocated. Null pointers and empty std::functions are empty. Of a plain function pass the address.
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
  // `count` threads in all, the caller's included: 1 starts none. Below 1 or above 1024 is an error, and so are more
  // than the system lets start. WebAssembly has no threads: there more than 1 is an error of kind unsupported.
  explicit Workers(int count);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();  // joins; not while a run is going on

  int count() const noexcept { return count_; }

  // Calls work(part) for every part of 0 .. parts, each once, on all threads, and returns when all are done; what they
  // wrote is then visible. Which thread gets which part is not fixed. `parts` may be less than count() or 0, below 0 is
  // an error. Parts are handed out one by one: make them thousands of numbers, not one.
  //
  // Where work(part) throws, no part is begun any more, those that were begun are finished, and then run throws what
  // the lowest part threw: the same as without threads. The workers stay usable.
  void run(std::int64_t parts, PartWork work) const;

 private:
  int count_;
  base::ThreadPool* pool_ = nullptr;  // null for a count of 1
};

// The same with or without workers: null is the calling thread alone, in order.
POSENC_API void run_parts(const Workers* workers, std::int64_t parts, PartWork work);

}  // namespace posenc
