// The heads of one token, as passed between the functions of the rotation kernel.
#pragma once

#include <cstdint>

namespace posenc::kernels {

template <class T, class Real>
struct Token {
  const T* in;
  T* out;
  std::int64_t in_stride;  // elements from head to head
  std::int64_t out_stride;
  std::int64_t heads;
  const Real* cos;
  const Real* sin;
  std::int64_t pairs;
  std::int64_t parts;
  std::int64_t in_ahead;  // elements from the data read to the data prefetched; 0: no prefetch
  std::int64_t out_ahead;
  bool negative;
};

}  // namespace posenc::kernels
