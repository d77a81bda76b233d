#include "core/numbers/double_double.h"

#include <cmath>
#include <limits>

namespace posenc::numbers {
namespace {

// Knuth's exact sum: a + b rounded, and the rounding error.
DoubleDouble exact_sum(double a, double b) noexcept {
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

constexpr DoubleDouble kLn2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

}  // namespace

DoubleDouble operator+(DoubleDouble a, DoubleDouble b) noexcept {
  const DoubleDouble high = exact_sum(a.high, b.high);
  const DoubleDouble low = exact_sum(a.low, b.low);
  const DoubleDouble middle = exact_sum(high.high, high.low + low.high);
  return exact_sum(middle.high, middle.low + low.low);
}

DoubleDouble operator-(DoubleDouble a) noexcept { return {-a.high, -a.low}; }

DoubleDouble operator*(DoubleDouble a, DoubleDouble b) noexcept {
  const DoubleDouble product = exact_product(a.high, b.high);
  return exact_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

DoubleDouble operator/(DoubleDouble a, DoubleDouble b) noexcept {
  const double first = a.high / b.high;
  const DoubleDouble rest = a + -(b * DoubleDouble{first, 0.0});
  const double second = rest.high / b.high;
  const DoubleDouble last = rest + -(b * DoubleDouble{second, 0.0});
  const DoubleDouble quotient = exact_sum(first, second);
  return quotient + DoubleDouble{last.high / b.high, 0.0};
}

DoubleDouble exact_product(double a, double b) noexcept {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

DoubleDouble exp(DoubleDouble value) noexcept {
  constexpr double kLargest = 800.0;  // beyond +-kLargest, the result is infinity or zero
  if (!(value.high < kLargest)) return {std::numeric_limits<double>::infinity(), 0.0};
  if (value.high < -kLargest) return {0.0, 0.0};
  // exp(v) = 2^k exp(r)^512 with |r| < 0.0007, so that a short Taylor series is exact to 2^-110. The squarings work on
  // exp - 1, because adding 1 would lose its low bits.
  const double k = std::nearbyint(value.high / kLn2.high);
  const DoubleDouble reduced = value + -(kLn2 * DoubleDouble{k, 0.0});
  const DoubleDouble r{reduced.high / 512.0, reduced.low / 512.0};
  DoubleDouble sum{0.0, 0.0};
  for (int n = 9; n >= 1; --n) {
    sum = (sum + DoubleDouble{1.0, 0.0}) * r / DoubleDouble{static_cast<double>(n), 0.0};
  }
  for (int squaring = 0; squaring < 9; ++squaring) sum = sum + sum + sum * sum;
  sum = sum + DoubleDouble{1.0, 0.0};
  const int power = static_cast<int>(k);
  return {std::ldexp(sum.high, power), std::ldexp(sum.low, power)};
}

DoubleDouble log(double value) noexcept {
  // One Newton step from libm's logarithm doubles its precision, so that errors in libm's last bits do not matter.
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  const double guess = std::log(mantissa);
  const DoubleDouble residue = DoubleDouble{mantissa, 0.0} * exp({-guess, 0.0}) + DoubleDouble{-1.0, 0.0};
  // log(1 + r) = r - r^2/2 for |r| ~ 1e-16.
  const DoubleDouble correction = residue + DoubleDouble{-0.5 * residue.high * residue.high, 0.0};
  return DoubleDouble{guess, 0.0} + correction + kLn2 * DoubleDouble{static_cast<double>(exponent), 0.0};
}

double exact_power(double base, DoubleDouble exponent) noexcept { return exp(exponent * log(base)).high; }

}  // namespace posenc::numbers
