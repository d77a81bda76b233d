// The heads of one token, as the rotating kernel passes them on.
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
  std::int64_t in_ahead;  // elements from what is read to what is fetched meanwhile; 0 fetches nothing
  std::int64_t out_ahead;
  bool negative;
};

}  // namespace posenc::kernels
