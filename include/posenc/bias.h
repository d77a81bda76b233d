// Biases on attention scores, as functions of the query's and the key's position.
//
//     posenc::Bias bias(posenc::Alibi{.heads = 8});
//     posenc::fill_bias(bias, queries, keys, out);                   // the whole matrix, [H, N, S]
//     posenc::add_bias(bias, {.head = 3, .queries = 64, .keys = 64}, queries, keys, scores);   // one tile of it
//     posenc::attend(q, k, v, out, {.bias = &bias});                 // posenc/attend.h: never the whole matrix
//
// A bias is evaluated in double and rounded once. It is immutable, cheap to copy, and may be shared between threads.
// Parameters are read when the bias is made; only a MatrixBias reads its view whenever it is used, so that view must
// outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "posenc/export.h"
#include "posenc/parameters.h"
#include "posenc/position.h"
#include "posenc/spec.h"
#include "posenc/view.h"

namespace posenc {

// The shapes that biases take, independent of method names. `offset` is j - i: the key's position minus the query's.

// What a slope multiplies.
enum class SlopeOf : int {
  distance,         // -|offset|
  distance_behind,  // -max(-offset, 0): 0 for keys to the right of the query
  key,              // the position of the key
};

// slopes[h] * x, where `of` selects x.
struct LinearBias {
  std::vector<double> slopes;  // [H]
  SlopeOf of = SlopeOf::distance;
  bool bfloat16 = false;  // round slope, x and their product to bfloat16
};

// table[rows[clip(offset - first, 0, rows.size() - 1)]][h]: the table is a parameter, [table_rows, H].
struct TableBias {
  std::int64_t first = 0;
  std::vector<std::int32_t> rows;
  std::int64_t table_rows = 0;
};

// Any other function of both positions; only add_bias and fill_bias can evaluate it.
struct FunctionBias {};

struct BiasSchedule {
  std::int64_t heads = 0;  // H; 0: works for any number of heads
  Added added = Added::after_scale;
  std::variant<FunctionBias, LinearBias, TableBias> shape;
};

// Returns the schedule of a bias, or of a mask as a bias of 0 and -inf. Other kinds are errors. Throws what
// validate(spec) throws.
POSENC_API BiasSchedule make_bias_schedule(const Spec& spec);

// Returns the slopes of ALiBi, one per head, within 1 ulp.
POSENC_API std::vector<double> alibi_slopes(const Alibi& spec);
// Returns the bucket in which T5 puts the offset j - i.
POSENC_API std::int64_t t5_bucket(const T5& spec, std::int64_t offset);

namespace biases {
class BiasTerm;
}

// A user-defined bias: its value for a head and the positions of a query and a key.
using BiasFunction = std::function<double(std::int64_t head, double query, double key)>;

// A schedule with its parameters, ready to be evaluated.
class POSENC_API Bias {
 public:
  // Throws if a parameter is missing, unknown, of the wrong shape, or not finite (a MatrixBias may hold -inf).
  explicit Bias(const Spec& spec, const Parameters& parameters = {});
  // A user-defined bias for `heads` heads (0: any number). The function must be pure, may be called from several
  // threads, and returns -inf to hide a key.
  Bias(std::int64_t heads, BiasFunction function, Added added = Added::after_scale);

  std::int64_t heads() const noexcept { return schedule().heads; }  // 0: any
  bool has_factor() const noexcept;  // true if it also multiplies scores: a Kerple with factors
  const BiasSchedule& schedule() const noexcept POSENC_LIFETIMEBOUND;
  const biases::BiasTerm& term() const noexcept POSENC_LIFETIMEBOUND { return *term_; }

 private:
  std::shared_ptr<const biases::BiasTerm> term_;
};

// A block of the scores: some queries and keys of one head of one batch row.
struct Tile {
  std::int64_t batch = 0;
  std::int64_t head = 0;
  std::int64_t first_query = 0;
  std::int64_t queries = 0;
  std::int64_t first_key = 0;
  std::int64_t keys = 0;
};

// Adds the bias to scores [queries, keys], f32 or f64; rows may be strided. Positions are [N] and [S], or [B, N] and
// [B, S]; the tile must be inside them. A table or a matrix needs integer positions. Whether the scores are already
// scaled is up to the caller: see `added` in the schedule. A Kerple with factors first multiplies each score by its
// factor.
POSENC_API void add_bias(const Bias& bias, const Tile& tile, const PositionView& queries, const PositionView& keys,
                         const View& scores);

// The gradient for a tile that add_bias has computed: grad_scores is the gradient of its result, [queries, keys], f32
// or f64. If bias.has_factor(), also pass the scores before add_bias (same dtype and shape); grad_before, if given,
// receives their gradient.
struct BiasGradientTile {
  Tile tile;
  ConstView grad_scores;
  ConstView scores_before = {};
  View grad_before = {};
};
// Adds the tile's contribution to the gradients of the parameters.
POSENC_API void add_bias_backward(const Bias& bias, const BiasGradientTile& tile, const PositionView& queries,
                                  const PositionView& keys, const Gradients& gradients);

// Writes the whole bias matrix: [H, N, S], or [B, H, N, S] if positions have a batch axis; any float dtype. A Kerple's
// factors multiply scores, so they are not included.
POSENC_API void fill_bias(const Bias& bias, const PositionView& queries, const PositionView& keys, const View& out);

}  // namespace posenc
