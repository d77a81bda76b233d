// The answers that likely mistakes lead to, for questions whose answer comes from sines and cosines.
//
//     row_mistakes(spec, [&](const RowValue& row) { return Values{row(p, 0), row(p, 1)}; });
//
// The answer is a function of the numbers of rows; each mistake is a row that is worked out wrongly.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "posenc/insight/exercises.h"
#include "posenc/spec.h"

namespace posenc::teaching {

// The number of a channel in the row of a position, channels in the order sine, cosine, sine, ...
using RowValue = std::function<double(double position, std::int64_t channel)>;
using RowAnswer = std::function<std::vector<double>(const RowValue& row)>;

// The mistakes: degrees, other exponents (i, 2i + 1 or the channel for 2i), sine and cosine swapped, all sines before
// all cosines, a position one too large or too small, numbers rounded too early. `unswapped` says where sine and cosine
// belong, for an answer that is not a row itself; empty: which of them comes first in the order of the spec.
std::vector<Mistake> row_mistakes(const Sinusoidal& spec, const RowAnswer& answer, const std::string& unswapped = "");
// The same for a single pair of frequency 1, whose exponent is 0: row(angle, 0) is its sine, row(angle, 1) its cosine.
std::vector<Mistake> angle_mistakes(const RowAnswer& answer, const std::string& unswapped = "");

// Neighbouring numbers of a row, sine and cosine in turn: the sines first, then the cosines. None for a single pair.
std::vector<Mistake> order_mistakes(const std::vector<double>& values);

// The mistakes about a wavelength 2 pi base^(2i/width): degrees, no 2 pi, other exponents, the frequency, the next or
// the previous pair.
std::vector<Mistake> wavelength_mistakes(double base, double width, double pair);

// A number that depends on a distance: distances that are one too large or too small.
std::vector<Mistake> distance_mistakes(const std::function<double(double distance)>& value, double distance);

// A whole number that is one too large or too small because positions were counted from 1.
std::vector<Mistake> counting_mistakes(double value);

}  // namespace posenc::teaching
