#include "posenc/workers.h"

#include <string>

#include "core/base/refuse.h"
#include "core/base/thread_pool.h"

namespace posenc {
namespace {

constexpr int kMaxCount = 1024;

void run_inline(std::int64_t parts, PartWork work) {
  for (std::int64_t part = 0; part < parts; ++part) work(part);
}

void check_run(std::int64_t parts, PartWork work) {
  base::require(parts >= 0, "Workers::run", "parts must be at least 0 but got ", parts);
  if (!work) base::refuse("Workers::run", "work must be a function but is empty");
}

}  // namespace

Workers::Workers(int count) : count_(count) {
  base::require(count >= 1 && count <= kMaxCount, "Workers", "count must be 1 to 1024 but got ", count);
  if (count > 1) pool_ = base::start_threads(count - 1);
}

Workers::~Workers() { base::stop_threads(pool_); }

void Workers::run(std::int64_t parts, PartWork work) const {
  check_run(parts, work);
  if (pool_ != nullptr && parts > 1 && base::run_on_threads(*pool_, parts, work)) return;
  run_inline(parts, work);
}

void run_parts(const Workers* workers, std::int64_t parts, PartWork work) {
  if (workers != nullptr) return workers->run(parts, work);
  check_run(parts, work);
  run_inline(parts, work);
}

}  // namespace posenc
