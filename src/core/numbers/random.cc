#include "posenc/random.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "core/base/check_view.h"
#include "core/base/float_types.h"
#include "core/base/philox.h"
#include "core/numbers/sin_cos.h"
#include "core/text/number_text.h"

namespace posenc {
namespace {

constexpr double kSqrt3 = 0x1.bb67ae8584caap+0;
// No draw exceeds this many standard deviations: sqrt(2 * 53 * log 2) = 8.572 for the normal distribution.
constexpr double kNormalReach = 8.58;
constexpr double kUniformReach = 1.74;

std::uint64_t join(std::uint32_t lower, std::uint32_t upper) noexcept {
  return std::uint64_t{lower} | (std::uint64_t{upper} << 32);
}

// The natural logarithm of a number from 2^-53 to 1, within 2 ulp: 2 atanh((x - 1) / (x + 1)) near 1. libm is not used,
// so that a seed gives the same table on every platform.
double log_of(double value) noexcept {
  constexpr double kLn2High = 0x1.62e42fefa38p-1;  // 42 bits, so that multiples up to 53 are exact
  constexpr double kLn2Low = 0x1.ef35793c7673p-45;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  // The mantissa is from sqrt(1/2) to sqrt(2), so that numbers just below 1 have exponent 0 and lose no bits.
  constexpr std::uint64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
  const auto exponent = static_cast<std::int64_t>(bits - kSqrtHalf) >> 52;
  const double mantissa = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(exponent) << 52));
  const double s = (mantissa - 1.0) / (mantissa + 1.0);  // within +-0.1716: the next term is below 1e-19
  const double z = s * s;
  double series = 1.0 / 23.0;
  for (int odd = 21; odd >= 3; odd -= 2) series = 1.0 / odd + z * series;
  const double whole = static_cast<double>(exponent);
  return whole * kLn2High + (2.0 * s + (2.0 * s * z * series + whole * kLn2Low));
}

struct Pair {
  double first;
  double second;
};

// Box-Muller: a random phase, and a radius from a uniform number in (0, 1]. Standard deviation 1.
Pair normal_pair(const PhiloxCounter& words) noexcept {
  const SinCos direction = numbers::sin_cos_of(join(words[0], words[1]));
  const double uniform = static_cast<double>((join(words[2], words[3]) >> 11) + 1) * 0x1p-53;
  const double radius = std::sqrt(-2.0 * log_of(uniform));
  return {radius * direction.cos, radius * direction.sin};
}

// An odd multiple of 2^-53 in (-1, 1); a number and its negative have equal probability. Exact.
double symmetric(std::uint64_t bits) noexcept {
  constexpr auto kOne = static_cast<std::int64_t>(std::uint64_t{1} << 53);
  return static_cast<double>(2 * static_cast<std::int64_t>(bits >> 11) + 1 - kOne) * 0x1p-53;
}

Pair uniform_pair(const PhiloxCounter& words) noexcept {
  return {kSqrt3 * symmetric(join(words[0], words[1])), kSqrt3 * symmetric(join(words[2], words[3]))};
}

template <class T>
void fill_row(const Random& random, std::int64_t n, std::int64_t width, T* row) noexcept {
  const PhiloxKey key = {static_cast<std::uint32_t>(random.seed), static_cast<std::uint32_t>(random.seed >> 32)};
  for (std::int64_t m = 0; m < width; m += 2) {
    const PhiloxCounter words = philox4x32(base::table_counter(n, m / 2), key);
    const Pair pair = random.distribution == Distribution::normal ? normal_pair(words) : uniform_pair(words);
    // Adding zero changes -0 to 0, so that a standard deviation of 0 gives all bits zero.
    row[m] = base::narrow<T>(random.std * pair.first + 0.0);
    if (m + 1 < width) row[m + 1] = base::narrow<T>(random.std * pair.second + 0.0);
  }
}

double largest(DType dtype) noexcept {
  switch (dtype) {
    case DType::f64:
      return std::numeric_limits<double>::max();
    case DType::f16:
      return 65504.0;
    case DType::bf16:
      return 0x1.fep+127;
    default:
      return static_cast<double>(std::numeric_limits<float>::max());
  }
}

void check(const View& out, const Random& random) {
  base::check_view(out, {.shape = {"N", "M"}, .use = base::Use::write}, "fill_random", "out");
  base::require(random.std >= 0.0 && std::isfinite(random.std), "fill_random",
                "std must be finite and at least 0 but got ", random.std);
  const bool normal = random.distribution == Distribution::normal;
  const double limit = largest(out.dtype) / (normal ? kNormalReach : kUniformReach);
  if (random.std > limit) {
    base::refuse("fill_random", "std must be at most ", text::general_text(limit, 4), " for ", to_text(out.dtype),
                 " but got ", random.std, ", with which numbers would overflow");
  }
}

}  // namespace

PhiloxCounter philox4x32(const PhiloxCounter& counter, const PhiloxKey& key) noexcept {
  PhiloxCounter words = counter;
  PhiloxKey k = key;
  for (int round = 0; round < base::kPhiloxRounds; ++round) {
    const std::uint64_t product0 = std::uint64_t{base::kPhiloxMultiplier0} * words[0];
    const std::uint64_t product1 = std::uint64_t{base::kPhiloxMultiplier1} * words[2];
    words = {static_cast<std::uint32_t>(product1 >> 32) ^ words[1] ^ k[0], static_cast<std::uint32_t>(product1),
             static_cast<std::uint32_t>(product0 >> 32) ^ words[3] ^ k[1], static_cast<std::uint32_t>(product0)};
    k[0] += base::kPhiloxWeyl0;
    k[1] += base::kPhiloxWeyl1;
  }
  return words;
}

void fill_random(const View& out, const Random& random) {
  check(out, random);
  if (out.size() == 0) return;
  const std::int64_t width = out.shape[1];
  for (std::int64_t n = 0; n < out.shape[0]; ++n) {
    const View row = out[n];
    switch (out.dtype) {
      case DType::f64:
        fill_row(random, n, width, row.as<double>());
        break;
      case DType::f16:
        fill_row(random, n, width, row.as<f16>());
        break;
      case DType::bf16:
        fill_row(random, n, width, row.as<bf16>());
        break;
      default:
        fill_row(random, n, width, row.as<float>());
    }
  }
}

}  // namespace posenc
