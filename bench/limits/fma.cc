#include "bench/limits/fma.h"

#include "bench/bench.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace posenc::bench {
namespace {

// Read at run time, so that the compiler cannot fold the multiplications.
volatile float factor = 0.5f;

// Twelve independent sums: enough to cover the latency of two units.
constexpr int kSums = 12;

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void fma_avx2(std::int64_t rounds) {
  const __m256 a = _mm256_set1_ps(factor);
  __m256 sums[kSums];
  for (__m256& sum : sums) sum = a;
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kSums; ++i) sums[i] = _mm256_fmadd_ps(sums[i], a, a);
  }
  for (const __m256& sum : sums) keep(&sum);
}

[[gnu::target("avx512f")]] void fma_avx512(std::int64_t rounds) {
  const __m512 a = _mm512_set1_ps(factor);
  __m512 sums[kSums];
  for (__m512& sum : sums) sum = a;
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kSums; ++i) sums[i] = _mm512_fmadd_ps(sums[i], a, a);
  }
  for (const __m512& sum : sums) keep(&sum);
}
#endif

// Portable code with four lanes at a time, for the compiler to vectorise.
void fma_plain(std::int64_t rounds) {
  constexpr int kLanes = 4;
  const float a = factor;
  float sums[kSums][kLanes];
  for (auto& sum : sums) {
    for (float& lane : sum) lane = a;
  }
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (auto& sum : sums) {
      for (float& lane : sum) lane = lane * a + a;
    }
  }
  keep(sums);
}

}  // namespace

void fused_multiply_adds(double flops) {
  const auto rounds = [&](int lanes) { return static_cast<std::int64_t>(flops / (2.0 * kSums * lanes)) + 1; };
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return fma_avx512(rounds(16));
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return fma_avx2(rounds(8));
#endif
  fma_plain(rounds(4));
}

}  // namespace posenc::bench
