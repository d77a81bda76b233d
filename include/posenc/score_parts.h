// Split an attention score into its four parts: content and position of the query with content and position of the key.
//
//     posenc::score_parts(x, p, {.heads = 8, .query_weight = wq, .key_weight = wk}, parts);   // [4, H, N, N]
//
// W(x + p) = Wx + Wp, so the score (W_q x_i + W_q p_i).(W_k x_j + W_k p_j) is the sum of content-content,
// content-position, position-content and position-position. The last part is the same for every text. The first does
// not depend on positions. The two in between mix the content of one token with the position of the other.
#pragma once

#include <cstdint>

#include "posenc/export.h"
#include "posenc/view.h"

namespace posenc {

// The index on the first axis of the output of score_parts; the query's part is named first.
enum class ScorePart : int { content_content, content_position, position_content, position_position };

// As in MultiHeadAttention: query_weight is the first H D rows of in_proj_weight, key_weight the next G D rows.
struct ScoreProjections {
  std::int64_t heads = 0;       // H; must be given
  std::int64_t key_heads = 0;   // G, a divisor of H; 0: H
  ConstView query_weight = {};  // [H D, M], any float dtype and strides
  ConstView key_weight = {};    // [G D, M]
  double softmax_scale = 1.0;   // multiplies every part; 1 / sqrt(D) in attention
};

// Contents x and positions p are [N, M], out is [4, H, N, N]; each f32 or f64. Computed in double and rounded once. The
// biases of projections are not included.
POSENC_API void score_parts(const ConstView& x, const ConstView& p, const ScoreProjections& projections,
                            const View& out);

}  // namespace posenc
