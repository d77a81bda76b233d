// The formula of every kind, with the numbers of its spec: facts, worked examples and exercises print it.
#pragma once

#include <vector>

#include "insight/properties/formula.h"
#include "posenc/spec.h"

namespace posenc::properties {

KindFormula formula_of(const Spec& spec);

// Parts of formulas, for symbols or numbers.
Formula sinusoidal_denominator(const Sinusoidal& spec, const Formula& i);  // 10000^(2i/64)
// The sine and the cosine of pair `index`, in the columns that an order gives them: PE(p, 2i) = sin(angle), ...
std::vector<Formula> pair_equations(Order order, std::int64_t pairs, const char* index, const Formula& value_factor,
                                    const Formula& angle);
inline bool cosine_first(Order order) { return order == Order::cos_interleaved || order == Order::cos_halves; }
inline bool in_halves(Order order) { return order == Order::halves || order == Order::cos_halves; }
Formula pope_magnitude(Magnitude magnitude, const Formula& x);  // ln(1 + e^x)
Formula temperature_factor(const QueryTemperature& spec, const Formula& p);
Formula distance_of(DistanceRule rule);  // d = |i - j|
const Formula& bias_of_pair();           // bias_h(i, j)

}  // namespace posenc::properties
