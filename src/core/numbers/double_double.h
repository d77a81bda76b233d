// Numbers of about 106 bits as the unevaluated sum of two doubles, with what closed forms of frequencies need. Slow and
// exact: for schedules, which are computed once, never for tables.
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

// a * b exactly, unless it underflows.
DoubleDouble exact_product(double a, double b) noexcept;

// Natural logarithm of a positive finite number, and the exponential; relative error below 2^-90.
DoubleDouble log(double value) noexcept;
DoubleDouble exp(DoubleDouble value) noexcept;

// base^exponent for a positive finite base, within 1 ulp; a plain pow is off by the rounding of its exponent.
double exact_power(double base, DoubleDouble exponent) noexcept;

}  // namespace posenc::numbers
