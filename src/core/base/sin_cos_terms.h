// The constants of sin and cos of a phase. The plain function and the kernel share them because their bits must agree.
#pragma once

#include <array>

namespace posenc::base {

// 2 pi = kTwoPiHigh + kTwoPiLow. The first has 21 bits, so that its product with 31 bits of phase is exact.
constexpr double kTwoPiHigh = 0x1.921fbp+2;
constexpr double kTwoPiLow = 0x1.5110b4611a626p-20;
constexpr double kTwoPi = 0x1.921fb54442d18p+2;

// Taylor series for |x| <= pi/4, the smallest term first: sin from 1/17! to -1/3!, and cos from 1/16! to 1/4!. The
// first omitted terms are below 1e-19 and 3e-18.
constexpr std::array<double, 8> kSineTerms = {
    1.0 / 355687428096000.0, -1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0,
    1.0 / 362880.0,          -1.0 / 5040.0,          1.0 / 120.0,        -1.0 / 6.0};
constexpr std::array<double, 7> kCosineTerms = {
    1.0 / 20922789888000.0, -1.0 / 87178291200.0, 1.0 / 479001600.0, -1.0 / 3628800.0,
    1.0 / 40320.0,          -1.0 / 720.0,         1.0 / 24.0};

}  // namespace posenc::base
