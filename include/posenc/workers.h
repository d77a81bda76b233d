// Workers: threads that the caller creates, passes to operations, and joins by destroying them.
//
//     posenc::Workers workers(8);                       // seven threads and the caller
//     posenc::add_positions(x, positions, rows, x, {.workers = &workers});
//
// No operation's result depends on how many there are. Between runs the threads sleep. Workers may be shared: while one
// run has the threads, another one, from inside it or from another thread, is done by its own caller alone. Several
// threads that are to be fast need Workers each.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "posenc/export.h"

namespace posenc {

class POSENC_API Workers {
 public:
  // `count` threads in all, the caller's included: 1 starts none. Below 1 or above 1024 is an error, and so are more
  // than the system lets start.
  explicit Workers(int count);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();  // joins; not while a run is going on

  int count() const noexcept { return count_; }

  // Calls work(part) for every part of 0 .. parts, each once, on all threads, and returns when all are done; what they
  // wrote is then visible. Which thread gets which part is not fixed. `parts` may be less than count() or 0, below 0 is
  // an error. Parts are handed out one by one: make them thousands of numbers, not one. `work` must not throw.
  void run(std::int64_t parts, const std::function<void(std::int64_t part)>& work) const;

 private:
  struct Pool;
  int count_;
  std::unique_ptr<Pool> pool_;  // null for a count of 1
};

// The same with or without workers: null is the calling thread alone, in order.
POSENC_API void run_parts(const Workers* workers, std::int64_t parts,
                          const std::function<void(std::int64_t part)>& work);

}  // namespace posenc
