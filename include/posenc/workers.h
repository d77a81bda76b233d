// Workers: threads that the caller creates, passes to operations, and joins by destroying them.
//
//     posenc::Workers workers(8);                       // seven threads and the caller
//     posenc::add_positions(x, positions, rows, x, {.workers = &workers});
//
// No operation's result depends on how many there are. One operation at a time may use a Workers object; several
// threads need one each.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "posenc/export.h"

namespace posenc {

class POSENC_API Workers {
 public:
  // `count` threads in all, the caller's included: 1 starts none. Below 1 or above 1024 is an error.
  explicit Workers(int count);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();  // joins

  int count() const noexcept { return count_; }

  // Calls work(part) for every part of 0 .. parts, each once, on all threads, and returns when all are done. Which
  // thread gets which part is not fixed. `work` must not throw.
  void run(std::int64_t parts, const std::function<void(std::int64_t part)>& work) const;

 private:
  struct Pool;
  int count_;
  std::unique_ptr<Pool> pool_;
};

// The same with or without workers: null is the calling thread alone.
POSENC_API void run_parts(const Workers* workers, std::int64_t parts,
                          const std::function<void(std::int64_t part)>& work);

}  // namespace posenc
