// The threads behind Workers. A pool belongs to the process that started it; a forked child has none of its threads.
#pragma once

#include <cstdint>

#include "posenc/workers.h"

namespace posenc::base {

// Starts threads; end them with stop_threads. Throws an Error of kind io if the system refuses a thread, of kind
// unsupported if it has no threads.
ThreadPool* start_threads(int count);

// Runs all parts on the pool's threads and the caller; parts >= 2. Returns false and does nothing if another run uses
// the pool or the pool belongs to another process. Rethrows the exception of the lowest part that threw.
bool run_on_threads(ThreadPool& pool, std::int64_t parts, PartWork work);

// Joins the threads and destroys the pool. Does nothing in a forked child: the threads do not exist there but may have
// held the pool's locks, so the pool can neither be used nor destroyed.
void stop_threads(ThreadPool* pool) noexcept;

}  // namespace posenc::base
