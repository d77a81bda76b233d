// Exact results from MPFR, with which every number of the library is compared.
//
//     Big exact = oracle::sin(oracle::product(1048575.0, 0.01));
//     EXPECT_LE(oracle::distance(value, exact), 3.02e-8);
#pragma once

#include <mpfr.h>

#include <cstdint>

#include "posenc/schedule.h"
#include "posenc/spec.h"

namespace oracle {

// A binary number that holds the exact product of two doubles, and anything else to 200 bits.
class Big {
 public:
  static constexpr mpfr_prec_t kBits = 320;

  explicit Big(double value = 0.0, mpfr_prec_t bits = kBits) {
    mpfr_init2(value_, bits);
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  Big(const Big& other) {
    mpfr_init2(value_, mpfr_get_prec(other.value_));
    mpfr_set(value_, other.value_, MPFR_RNDN);
  }
  Big& operator=(const Big&) = delete;
  ~Big() { mpfr_clear(value_); }

  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }
  double rounded() const { return mpfr_get_d(value_, MPFR_RNDN); }

 private:
  mpfr_t value_;
};

// position * inv_freq without any rounding.
Big product(double position, double inv_freq);
Big sin(const Big& angle);
Big cos(const Big& angle);

// |value - exact|, and the same in units of the last place of the double nearest to `exact`.
double distance(double value, const Big& exact);
double ulps(double value, const Big& exact);

// The frequency of pair j, scale * base^(-exponent_factor * exponent), to more than 200 bits. Written from the
// formula's text, independently of the library.
Big inv_freq(const posenc::Sinusoidal& spec, std::int64_t j);

// Entry `column` of the row, or of the derivative row, at `position`.
Big entry(const posenc::SinusoidalSchedule& schedule, double position, std::int64_t column);
Big derivative_entry(const posenc::SinusoidalSchedule& schedule, double position, std::int64_t column);

// The frequency of a column, 0 for a column of zeros.
double column_inv_freq(const posenc::SinusoidalSchedule& schedule, std::int64_t column);

// inv_freq / 2pi * 2^64 modulo 2^64, a number from 0 to 2^64 with a fraction.
Big phase_step(double inv_freq);
// sin and cos of 2 pi phase / 2^64.
Big phase_sin(std::uint64_t phase);
Big phase_cos(std::uint64_t phase);

// A 16-bit format by its significant bits (hidden one included) and the power of two of its smallest subnormal.
struct Narrow {
  int bits;
  int smallest;
};
inline constexpr Narrow kF16{11, -24};
inline constexpr Narrow kBf16{8, -133};

// Rounds `exact` to a narrow format, to nearest, ties to even. It must not overflow.
double round_to(const Big& exact, const Narrow& format);
// Whether `exact` is so close to the middle between two numbers of the format (1e-12 of its size) that double precision
// cannot decide how to round.
bool near_tie(const Big& exact, const Narrow& format);

}  // namespace oracle
