// As many fused multiply-adds as the machine can do on one core: the limit of products of matrices.
#pragma once

#include <cstdint>

namespace posenc::bench {

// At least `flops` float32 operations (a multiply-add is two), with the widest vectors of the machine and no memory.
void fused_multiply_adds(double flops);

}  // namespace posenc::bench
