// The formula of every kind, with the numbers of its spec: facts, worked examples and exercises print it.
#pragma once

#include "insight/properties/formula.h"
#include "posenc/spec.h"

namespace posenc::properties {

KindFormula formula_of(const Sinusoidal& spec);
KindFormula formula_of(const Learned& spec);
KindFormula formula_of(const Hybrid& spec);
KindFormula formula_of(const Concat& spec);
KindFormula formula_of(const Fourier& spec);
KindFormula formula_of(const Rotary& spec);
KindFormula formula_of(const NoPosition& spec);
KindFormula formula_of(const Clipped& spec);
KindFormula formula_of(const T5& spec);
KindFormula formula_of(const Alibi& spec);
KindFormula formula_of(const Kerple& spec);
KindFormula formula_of(const Fire& spec);
KindFormula formula_of(const Sandwich& spec);
KindFormula formula_of(const MatrixBias& spec);
KindFormula formula_of(const Shaw& spec);
KindFormula formula_of(const TransformerXl& spec);
KindFormula formula_of(const Window& spec);
KindFormula formula_of(const Chunked& spec);
KindFormula formula_of(const Pope& spec);
KindFormula formula_of(const Xpos& spec);
KindFormula formula_of(const QueryTemperature& spec);
KindFormula formula_of(const Spec& spec);

// Parts of them, with any symbols or numbers in their places.
Formula sinusoidal_denominator(const Sinusoidal& spec, const Formula& i);      // 10000^(2i/64)
Formula alibi_slope(double bias_max, const Formula& h, const Formula& heads);  // 2^(-8h/12)
Formula kerple_bias(const Kerple& spec, const Formula& p, const Formula& a, const Formula& d);
Formula sandwich_bias(const Sandwich& spec, const Formula& d, const Formula& h);
Formula fire_log(const Formula& c, const Formula& x);                               // ln(|c x| + 1)
Formula xpos_decay(const Formula& i, std::int64_t channels, const Formula& gamma);  // zeta_i
Formula pope_magnitude(Magnitude magnitude, const Formula& x);                      // ln(1 + e^x)
Formula temperature_factor(const QueryTemperature& spec, const Formula& p);
// The buckets of T5 for one direction, and the distances that have one each.
struct T5Side {
  std::int64_t buckets;
  std::int64_t near;
};
T5Side t5_side(const T5& spec);
// Which bucket a distance has from the first that shares one on: 8 + floor(8 ln(d / 8) / ln(128 / 8)).
Formula t5_far_bucket(const T5& spec, const Formula& d);

}  // namespace posenc::properties
