// The highest rate of fused multiply-adds on one core: the limit of matrix products.
#pragma once

#include <cstdint>

namespace posenc::bench {

// Does at least `flops` float32 operations (a multiply-add counts as two) with the widest vectors, without memory
// access.
void fused_multiply_adds(double flops);

}  // namespace posenc::bench
