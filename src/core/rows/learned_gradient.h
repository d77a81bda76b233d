// The gradient of a learned table: what the rows that tokens read got back.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "posenc/input_rows.h"
#include "posenc/workers.h"

namespace posenc::rows {

// The gradient of the row that token `line` got, [M] in double; valid until the next call.
using GradientReader = std::function<const double*(std::int64_t line)>;

// Adds to `gradient` ([R, M], f32 or f64). Each number is summed over the tokens in their order, in double, and rounded
// once: threads take rows of the table, not tokens, so their number changes nothing. A reader is made per thread.
void add_learned_gradient(const LearnedRows& rows, const std::vector<double>& positions,
                          const std::function<GradientReader()>& make_reader, const View& gradient,
                          const Workers* workers);

}  // namespace posenc::rows
