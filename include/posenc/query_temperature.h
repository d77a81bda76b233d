// A factor on queries that grows with the position, as Llama 4 has it in its layers without positions.
//
//     posenc::QueryTemperature llama4{.scale = 0.1, .length = 8192, .first = 1};
//     posenc::query_factor(llama4, 8191);                          // 1 + 0.1 ln 2 = 1.0693...
//     posenc::scale_queries(q, positions, llama4, q);              // q: [N, H, D], in place or into another view
//
// It multiplies whole queries, after any rotation: with all scores of a query it sharpens its softmax. Views and
// positions (one axis) are those of posenc/rotate.h; f64 factors, rounded once to the arithmetic of the view.
#pragma once

#include "posenc/export.h"
#include "posenc/position.h"
#include "posenc/spec.h"
#include "posenc/view.h"
#include "posenc/workers.h"

namespace posenc {

// The factor at a position. Throws where the position counts as less than 0: below -first.
POSENC_API double query_factor(const QueryTemperature& temperature, double position);

struct ScaleQueriesOptions {
  const Workers* workers = nullptr;  // null: the calling thread alone
};

// Multiplies every channel of every token by its factor. It is its own gradient: apply it to that of its output.
POSENC_API void scale_queries(const ConstView& q, const PositionView& positions, const QueryTemperature& temperature,
                              const View& out, const ScaleQueriesOptions& options = {});

}  // namespace posenc
