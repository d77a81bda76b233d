// What an attention score of sums is made of: the score of x_i + p_i with x_j + p_j, in four parts.
//
//     posenc::score_parts(x, p, {.heads = 8, .query_weight = wq, .key_weight = wk}, parts);   // [4, H, N, N]
//
// W(x + p) = Wx + Wp, so that the score (W_q x_i + W_q p_i).(W_k x_j + W_k p_j) is the sum of content with content,
// content with position, position with content and position with position. The last is the same for every text; the
// first does not know where its tokens stand; the two between mix what a token is with where the other one is.
#pragma once

#include <cstdint>

#include "posenc/export.h"
#include "posenc/view.h"

namespace posenc {

// The first axis of what score_parts writes; the query's part is named first.
enum class ScorePart : int { content_content, content_position, position_content, position_position };

// As MultiHeadAttention has them: query_weight are the first H D rows of in_proj_weight, key_weight the G D rows behind
// them.
struct ScoreProjections {
  std::int64_t heads = 0;       // H; must be given
  std::int64_t key_heads = 0;   // G, a divisor of H; 0: H
  ConstView query_weight = {};  // [H D, M], any float type and strides
  ConstView key_weight = {};    // [G D, M]
  double softmax_scale = 1.0;   // multiplies every part; 1 / sqrt(D) in attention
};

// Contents x and positions p are [N, M], f32 or f64, out is [4, H, N, N], f32 or f64; computed in double and rounded
// once. Biases of projections are not in it.
POSENC_API void score_parts(const ConstView& x, const ConstView& p, const ScoreProjections& projections,
                            const View& out);

}  // namespace posenc
