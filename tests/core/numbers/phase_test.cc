#include "posenc/phase.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "support/expect_error.h"
#include "support/mpfr_oracle.h"

namespace posenc::phase_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> frequencies() {
  std::vector<double> result = {0.0,
                                1.0,
                                0.01,
                                1e-4,
                                6.5,
                                1e3,
                                1e10,
                                1e300,
                                1e-300,
                                5e-324,
                                1e-310,
                                std::numeric_limits<double>::max(),
                                1e-17,
                                1e-20,
                                6.283185307179586,
                                3.141592653589793,
                                0.5,
                                2.0};
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-320.0, 308.0);
  std::uniform_real_distribution<double> usual(-6.0, 2.0);
  for (int i = 0; i < 2000; ++i) {
    result.push_back(std::pow(10.0, exponent(random)));
    result.push_back(std::pow(10.0, usual(random)));
  }
  const std::size_t positive = result.size();
  for (std::size_t i = 0; i < positive; ++i) result.push_back(-result[i]);
  return result;
}

// The distance of two numbers of steps on the circle of 2^64.
double circular(double difference) { return std::min(difference, std::fabs(0x1p64 - difference)); }

// |step - exact| modulo 2^64, without rounding the 64-bit number to a double.
double step_error(std::uint64_t step, const oracle::Big& exact) {
  oracle::Big difference(exact);
  mpfr_sub_ui(difference.get(), difference.get(), step, MPFR_RNDN);
  return circular(std::fabs(difference.rounded()));
}

TEST(MakePhaseStep, IsTheNearestStep) {
  double worst = 0.0;
  for (const double inv_freq : frequencies()) {
    const double error = step_error(make_phase_step(inv_freq).step, oracle::phase_step(inv_freq));
    worst = std::max(worst, error);
    ASSERT_LE(error, 0.5 + 1e-9) << inv_freq;
  }
  EXPECT_GT(worst, 0.49) << "2000 random steps must come close to the middle";
}

TEST(MakePhaseStep, KeepsTurnsToAboutAHundredBits) {
  for (const double inv_freq : frequencies()) {
    if (std::fabs(inv_freq) < 1e-260 || std::fabs(inv_freq) > 1e300) continue;  // the low part underflows
    const PhaseStep step = make_phase_step(inv_freq);
    oracle::Big turns(inv_freq);
    oracle::Big turn;
    mpfr_const_pi(turn.get(), MPFR_RNDN);
    mpfr_mul_ui(turn.get(), turn.get(), 2, MPFR_RNDN);
    mpfr_div(turns.get(), turns.get(), turn.get(), MPFR_RNDN);
    mpfr_sub_d(turns.get(), turns.get(), step.turns, MPFR_RNDN);
    EXPECT_LE(oracle::distance(step.turns_low, turns), std::ldexp(std::fabs(step.turns), -100)) << inv_freq;
  }
}

TEST(MakePhaseStep, ZeroAndSymmetry) {
  EXPECT_EQ(make_phase_step(0.0).step, 0u);
  EXPECT_EQ(make_phase_step(-0.0).step, 0u);
  for (const double inv_freq : {1.0, 0.01, 1e300}) {
    EXPECT_EQ(make_phase_step(-inv_freq).step, 0 - make_phase_step(inv_freq).step);
    EXPECT_EQ(make_phase_step(-inv_freq).turns, -make_phase_step(inv_freq).turns);
  }
}

TEST(MakePhaseStep, RefusesWhatIsNotFinite) {
  expect_error(ErrorKind::usage, "[make_phase_step] inv_freq must be finite but got nan",
               [] { make_phase_step(std::nan("")); });
  expect_error(ErrorKind::usage, "inv_freq must be finite but got inf", [] { make_phase_step(kInfinity); });
  expect_error(ErrorKind::usage, "inv_freq must be finite but got -inf", [] { make_phase_step(-kInfinity); });
}

void expect_sin_cos(std::uint64_t phase) {
  const SinCos value = sin_cos(phase);
  ASSERT_LE(oracle::distance(value.sin, oracle::phase_sin(phase)), 1.2e-16) << phase;
  ASSERT_LE(oracle::distance(value.cos, oracle::phase_cos(phase)), 1.2e-16) << phase;
}

TEST(SinCosOfPhase, IsWithin12e17OfExact) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 30000; ++i) expect_sin_cos(random());
  for (int i = 0; i < 5000; ++i) expect_sin_cos(random() >> (random() % 64));
}

TEST(SinCosOfPhase, IsExactAroundEveryEighthOfATurn) {
  for (std::uint64_t eighth = 0; eighth < 8; ++eighth) {
    for (int bit = 0; bit < 62; ++bit) {
      for (const std::uint64_t offset : {std::uint64_t{1} << bit, (std::uint64_t{1} << bit) - 1}) {
        expect_sin_cos((eighth << 61) + offset);
        expect_sin_cos((eighth << 61) - offset);
      }
    }
  }
}

TEST(SinCosOfPhase, IsPlainAtTheQuarters) {
  const std::uint64_t quarter = std::uint64_t{1} << 62;
  const double expected[4][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
  for (std::uint64_t q = 0; q < 4; ++q) {
    EXPECT_EQ(sin_cos(q * quarter).sin, expected[q][0]);
    EXPECT_EQ(sin_cos(q * quarter).cos, expected[q][1]);
  }
}

// |phase - position * inv_freq / 2pi * 2^64| on the circle, in steps.
double phase_error(std::uint64_t phase, double position, double inv_freq) {
  oracle::Big exact = oracle::product(position, inv_freq);
  oracle::Big turn;
  mpfr_const_pi(turn.get(), MPFR_RNDN);
  mpfr_mul_ui(turn.get(), turn.get(), 2, MPFR_RNDN);
  mpfr_div(exact.get(), exact.get(), turn.get(), MPFR_RNDN);
  oracle::Big whole;
  mpfr_floor(whole.get(), exact.get());
  mpfr_sub(exact.get(), exact.get(), whole.get(), MPFR_RNDN);
  mpfr_mul_2si(exact.get(), exact.get(), 64, MPFR_RNDN);
  return step_error(phase, exact);
}

TEST(PhaseAt, IntegersAreOffByHalfAStepPerPosition) {
  std::mt19937_64 random(3);
  std::uniform_int_distribution<std::int64_t> any(-2147483647, 2147483647);
  for (const double inv_freq : {1.0, 0.01, 1e-4, 6.5, -0.3, 1e10}) {
    const PhaseStep step = make_phase_step(inv_freq);
    for (int i = 0; i < 200; ++i) {
      const std::int64_t position = any(random);
      EXPECT_LE(phase_error(phase_at(step, position), static_cast<double>(position), inv_freq),
                0.5 * std::fabs(static_cast<double>(position)) + 1)
          << position << " * " << inv_freq;
    }
  }
}

TEST(PhaseAt, RealsAddAFewStepsOnly) {
  std::mt19937_64 random(4);
  for (const double inv_freq : {1.0, 0.01, 1e-4, 6.5, -0.3, 1e3, -1e6, 1e-12}) {
    const PhaseStep step = make_phase_step(inv_freq);
    for (const double reach : {1.0, 1000.0, 2147483647.0}) {
      std::uniform_real_distribution<double> any(-reach, reach);
      for (int i = 0; i < 200; ++i) {
        const double position = any(random);
        EXPECT_LE(phase_error(phase_at(step, position), position, inv_freq), 0.5 * std::fabs(position) + 4)
            << position << " * " << inv_freq;
      }
    }
  }
}

TEST(PhaseAt, WholeRealsAreTheIntegers) {
  const PhaseStep step = make_phase_step(0.37);
  for (const std::int64_t position :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{499}, std::int64_t{-2147483647}}) {
    EXPECT_EQ(phase_at(step, static_cast<double>(position)), phase_at(step, position));
  }
}

}  // namespace
}  // namespace posenc::phase_test
