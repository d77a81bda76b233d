// Parts of a batch of tokens: what an operation does with all of them, it must do with each part.
#pragma once

#include <algorithm>
#include <cstdint>

#include "posenc/position.h"
#include "posenc/rotate.h"
#include "posenc/view.h"

// Batch rows b .. b + batch and their tokens n .. n + count of [B, N, ..].
inline posenc::View part(posenc::View view, std::int64_t b, std::int64_t batch, std::int64_t n, std::int64_t count) {
  view.data = view[b][n].data;
  view.shape[0] = batch;
  view.shape[1] = count;
  return view;
}

// The same of positions in int32 or of a range.
inline posenc::PositionView part(posenc::PositionView positions, std::int64_t b, std::int64_t batch, std::int64_t n,
                                 std::int64_t count) {
  posenc::PositionView result = positions.slice(n, count);
  if (positions.batch == 1) return result;
  result.data = static_cast<const std::int32_t*>(result.data) + b * positions.batch_stride;
  result.batch = batch;
  return result;
}

// x, [N, H, D], at positions 0 to N, a hundred tokens at a time.
inline void rotate_in_parts(const posenc::View& x, const posenc::RotaryTable& table) {
  for (std::int64_t n = 0; n < x.shape[0]; n += 100) {
    posenc::View tokens = x;
    tokens.data = x[n].data;
    tokens.shape[0] = std::min<std::int64_t>(100, x.shape[0] - n);
    posenc::rotate(tokens, posenc::PositionView::range(n, tokens.shape[0]), table);
  }
}
