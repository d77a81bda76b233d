// The formula of every kind, with the numbers of its spec: facts, worked examples and exercises print it.
#pragma once

#include "insight/properties/formula.h"
#include "posenc/spec.h"

namespace posenc::properties {

KindFormula formula_of(const Spec& spec);

// Parts of formulas, for symbols or numbers.
Formula sinusoidal_denominator(const Sinusoidal& spec, const Formula& i);  // 10000^(2i/64)
Formula pope_magnitude(Magnitude magnitude, const Formula& x);             // ln(1 + e^x)
Formula temperature_factor(const QueryTemperature& spec, const Formula& p);
Formula distance_of(DistanceRule rule);  // d = |i - j|
const Formula& bias_of_pair();           // bias_h(i, j)

}  // namespace posenc::properties
