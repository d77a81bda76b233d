// An in-place multiply over memory: the highest rate at which numbers can be read, changed and written back.
#pragma once

#include <cstdint>

namespace posenc::bench {

// Multiplies `runs` runs of `bytes` bytes, at intervals of `stride` bytes, by 1: as 16-bit numbers if `narrow`, else as
// float32, with the widest vectors of the machine.
void multiply_in_place(void* data, std::int64_t runs, std::int64_t bytes, std::int64_t stride, bool narrow);

}  // namespace posenc::bench
