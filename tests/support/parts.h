// Parts of a batch of tokens, to check that an operation does the same with a part as with the whole.
#pragma once

#include <algorithm>
#include <cstdint>

#include "posenc/position.h"
#include "posenc/rotate.h"
#include "posenc/view.h"

// Batch rows b to b + batch - 1 and their tokens n to n + count - 1 of [B, N, ..].
inline posenc::View part(posenc::View view, std::int64_t b, std::int64_t batch, std::int64_t n, std::int64_t count) {
  view.data = view[b][n].data;
  view.shape[0] = batch;
  view.shape[1] = count;
  return view;
}

// The same for positions that are int32 or a range.
inline posenc::PositionView part(posenc::PositionView positions, std::int64_t b, std::int64_t batch, std::int64_t n,
                                 std::int64_t count) {
  posenc::PositionView result = positions.slice(n, count);
  if (positions.batch == 1) return result;
  result.data = static_cast<const std::int32_t*>(result.data) + b * positions.batch_stride;
  result.batch = batch;
  return result;
}

// Rotates x, [N, H, D], at positions 0 to N - 1, a hundred tokens at a time.
inline void rotate_in_parts(const posenc::View& x, const posenc::RotaryTable& table) {
  for (std::int64_t n = 0; n < x.shape[0]; n += 100) {
    posenc::View tokens = x;
    tokens.data = x[n].data;
    tokens.shape[0] = std::min<std::int64_t>(100, x.shape[0] - n);
    posenc::rotate(tokens, posenc::PositionView::range(n, tokens.shape[0]), table);
  }
}
