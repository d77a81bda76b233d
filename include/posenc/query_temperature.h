// A factor on queries that grows with the position, as in Llama 4's layers without rotation.
//
//     posenc::QueryTemperature llama4{.scale = 0.1, .length = 8192, .first = 1};
//     posenc::query_factor(llama4, 8191);                          // 1 + 0.1 ln 2 = 1.0693...
//     posenc::scale_queries(q, positions, llama4, q);              // q: [N, H, D], in place or into another view
//
// It multiplies every score of a query, after any rotation, and so sharpens the query's softmax. Views and positions
// (one axis) are as in posenc/rotate.h. Factors are computed in double and rounded once to the arithmetic of the view.
#pragma once

#include "posenc/export.h"
#include "posenc/position.h"
#include "posenc/spec.h"
#include "posenc/view.h"
#include "posenc/workers.h"

namespace posenc {

// Returns the factor at a position. Throws if the position is below -first.
POSENC_API double query_factor(const QueryTemperature& temperature, double position);

struct ScaleQueriesOptions {
  const Workers* workers = nullptr;  // null: the calling thread alone
};

// Multiplies every channel of every token by its factor. To get the gradient of q, apply it to the gradient of out.
POSENC_API void scale_queries(const ConstView& q, const PositionView& positions, const QueryTemperature& temperature,
                              const View& out, const ScaleQueriesOptions& options = {});

}  // namespace posenc
