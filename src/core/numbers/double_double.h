// Numbers of about 106 bits, stored as the sum of two doubles, with the operations that closed forms of frequencies
// need. Slow: used for schedules, which are computed once, but never for tables.
#pragma once

namespace posenc::numbers {

struct DoubleDouble {
  double high = 0.0;  // the value rounded to double
  double low = 0.0;   // the rest, at most half an ulp of `high`
};

DoubleDouble operator+(DoubleDouble a, DoubleDouble b) noexcept;
DoubleDouble operator-(DoubleDouble a) noexcept;
DoubleDouble operator*(DoubleDouble a, DoubleDouble b) noexcept;
DoubleDouble operator/(DoubleDouble a, DoubleDouble b) noexcept;

// a * b, exact unless it underflows.
DoubleDouble exact_product(double a, double b) noexcept;

// Natural logarithm of a positive finite number, and the exponential; relative error below 2^-90.
DoubleDouble log(double value) noexcept;
DoubleDouble exp(DoubleDouble value) noexcept;

// base^exponent for a positive finite base, within 1 ulp. std::pow would add the rounding error of the exponent.
double exact_power(double base, DoubleDouble exponent) noexcept;

}  // namespace posenc::numbers
