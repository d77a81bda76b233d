// The gradient of a learned table, from the gradients of the rows that tokens read.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "posenc/input_rows.h"
#include "posenc/workers.h"

namespace posenc::rows {

// Returns the gradient of the row of token `line`, [M] in double; valid until the next call.
using GradientReader = std::function<const double*(std::int64_t line)>;

// Accumulates into `gradient` ([R, M], f32 or f64). Each number is summed over the tokens in their order, in double,
// and rounded once. Threads divide the rows of the table, not the tokens, so their number does not change the result.
// One reader is made per thread.
void add_learned_gradient(const LearnedRows& rows, const std::vector<double>& positions,
                          const std::function<GradientReader()>& make_reader, const View& gradient,
                          const Workers* workers);

}  // namespace posenc::rows
