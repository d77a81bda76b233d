#include "bench/limits/multiply.h"

#include "bench/bench.h"

namespace posenc::bench {
namespace {

// Read at run time, so that the compiler does not know that it is 1.
volatile float one = 1.0f;

// The compiler vectorises the inner loop over 128 bytes, the length of the shortest run of any case.
template <class T>
[[gnu::always_inline]] inline void multiply_run(T* x, std::int64_t count, T factor) {
  constexpr std::int64_t kBlock = 128 / static_cast<std::int64_t>(sizeof(T));
  std::int64_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    for (std::int64_t k = 0; k < kBlock; ++k) x[i + k] = static_cast<T>(x[i + k] * factor);
  }
  for (; i < count; ++i) x[i] = static_cast<T>(x[i] * factor);
}

template <class T>
[[gnu::always_inline]] inline void multiply_runs(void* data, std::int64_t runs, std::int64_t bytes,
                                                 std::int64_t stride) {
  const auto factor = static_cast<T>(one);
  const auto count = bytes / static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t run = 0; run < runs; ++run) {
    multiply_run(reinterpret_cast<T*>(static_cast<char*>(data) + run * stride), count, factor);
  }
}

template <class T>
void multiply_plain(void* data, std::int64_t runs, std::int64_t bytes, std::int64_t stride) {
  multiply_runs<T>(data, runs, bytes, stride);
}

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx2")]] void multiply_avx2(void* data, std::int64_t runs, std::int64_t bytes, std::int64_t stride) {
  multiply_runs<T>(data, runs, bytes, stride);
}
template <class T>
[[gnu::target("avx512f,avx512bw")]] void multiply_avx512(void* data, std::int64_t runs, std::int64_t bytes,
                                                         std::int64_t stride) {
  multiply_runs<T>(data, runs, bytes, stride);
}
#endif

template <class T>
void multiply(void* data, std::int64_t runs, std::int64_t bytes, std::int64_t stride) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bw")) return multiply_avx512<T>(data, runs, bytes, stride);
  if (__builtin_cpu_supports("avx2")) return multiply_avx2<T>(data, runs, bytes, stride);
#endif
  multiply_plain<T>(data, runs, bytes, stride);
}

}  // namespace

void multiply_in_place(void* data, std::int64_t runs, std::int64_t bytes, std::int64_t stride, bool narrow) {
  if (narrow) {
    multiply<std::uint16_t>(data, runs, bytes, stride);
  } else {
    multiply<float>(data, runs, bytes, stride);
  }
  keep(data);
}

}  // namespace posenc::bench
