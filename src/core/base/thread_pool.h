// The threads behind Workers. A pool belongs to the process that started it: a forked child has none of its threads.
#pragma once

#include <cstdint>

#include "posenc/workers.h"

namespace posenc::base {

// Fails with kind io where the system refuses a thread, unsupported where it has none. For stop_threads.
ThreadPool* start_threads(int count);

// All parts on the pool's threads and the caller's; parts >= 2. False, and nothing is done, where the pool cannot serve
// the caller now: another run has it, or this process is not its own. Throws what the lowest part that threw threw.
bool run_on_threads(ThreadPool& pool, std::int64_t parts, PartWork work);

// Joins. In another process than the pool's own the pool is left as it is: its locks may be held by threads that are
// not there, so that it can neither be used nor destroyed.
void stop_threads(ThreadPool* pool) noexcept;

}  // namespace posenc::base
