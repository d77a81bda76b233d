// Biases on attention scores, as functions of the query's and the key's position.
//
//     posenc::Bias bias(posenc::Alibi{.heads = 8});
//     posenc::fill_bias(bias, queries, keys, out);                   // the whole matrix, [H, N, S]
//     posenc::add_bias(bias, {.head = 3, .queries = 64, .keys = 64}, queries, keys, scores);   // one tile of it
//     posenc::attend(q, k, v, out, {.bias = &bias});                 // posenc/attend.h: never the whole matrix
//
// A bias is evaluated in double and rounded once. It is immutable, cheap to copy, and may be shared between threads;
// parameters are read when it is made (of a MatrixBias, when it is used: the view must live).
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

// The shapes that biases have, without the names of methods. `offset` is j - i, of the key minus of the query.

// What a slope multiplies.
enum class SlopeOf : int {
  distance,         // -|offset|
  distance_behind,  // -max(-offset, 0): keys ahead get 0
  key,              // the position of the key
};

// slopes[h] * x of what `of` says.
struct LinearBias {
  std::vector<double> slopes;  // [H]
  SlopeOf of = SlopeOf::distance;
  bool bfloat16 = false;  // slope, x and product are rounded to bfloat16
};

// table[rows[clip(offset - first, 0, rows.size() - 1)]][h]: the table is a parameter, [table_rows, H].
struct TableBias {
  std::int64_t first = 0;
  std::vector<std::int32_t> rows;
  std::int64_t table_rows = 0;
};

// Any other function of both positions: add_bias and fill_bias evaluate it.
struct FunctionBias {};

struct BiasSchedule {
  std::int64_t heads = 0;  // H; 0: the same for any number of heads
  Added added = Added::after_scale;
  std::variant<FunctionBias, LinearBias, TableBias> shape;
};

// The schedule of a kind of bias (or of a mask, as a bias of 0 and -inf); other kinds are errors. Throws what
// validate(spec) throws.
POSENC_API BiasSchedule make_bias_schedule(const Spec& spec);

// The slopes of ALiBi for a number of heads, within 1 ulp.
POSENC_API std::vector<double> alibi_slopes(const Alibi& spec);
// The bucket that T5 puts an offset j - i into.
POSENC_API std::int64_t t5_bucket(const T5& spec, std::int64_t offset);

namespace biases {
class BiasTerm;
}

// A function of the caller's: the bias of a head at the positions of a query and a key.
using BiasFunction = std::function<double(std::int64_t head, double query, double key)>;

// A schedule with its parameters, ready to be evaluated.
class POSENC_API Bias {
 public:
  // Throws unless the parameters are those of the spec, of the right shape and without NaN (nor infinite, but for the
  // -inf of a MatrixBias).
  explicit Bias(const Spec& spec, const Parameters& parameters = {});
  // A function of the caller's for `heads` heads (0: any): it must be pure, may be called from several threads, and
  // gives -inf to hide a key.
  Bias(std::int64_t heads, BiasFunction function, Added added = Added::after_scale);

  std::int64_t heads() const noexcept { return schedule().heads; }  // 0: any
  bool has_factor() const noexcept;  // whether scores are also multiplied: a Kerple with factors
  const BiasSchedule& schedule() const noexcept POSENC_LIFETIMEBOUND;
  const biases::BiasTerm& term() const noexcept POSENC_LIFETIMEBOUND { return *term_; }

 private:
  std::shared_ptr<const biases::BiasTerm> term_;
};

// A part of the scores: queries x keys of one head of one batch row.
struct Tile {
  std::int64_t batch = 0;
  std::int64_t head = 0;
  std::int64_t first_query = 0;
  std::int64_t queries = 0;
  std::int64_t first_key = 0;
  std::int64_t keys = 0;
};

// Adds the bias to scores [queries, keys], f32 or f64, rows may be strided. Positions are [N] and [S], or with a batch
// [B, N] and [B, S]; a tile must lie inside them. Where a table or a matrix is read, they must be integers. Scores are
// taken as they are, scaled or not: `added` of the schedule is for who scales them. A Kerple with factors multiplies
// each score by its factor first.
POSENC_API void add_bias(const Bias& bias, const Tile& tile, const PositionView& queries, const PositionView& keys,
                         const View& scores);

// A tile of what add_bias gave: the gradient of the scores, [queries, keys] f32 or f64. Where bias.has_factor(), also
// the scores that it got, of the same type and shape; and if given, grad_before is what the gradient of those becomes.
struct BiasGradientTile {
  Tile tile;
  ConstView grad_scores;
  ConstView scores_before = {};
  View grad_before = {};
};
// Adds what a tile means for the parameters to their gradients.
POSENC_API void add_bias_backward(const Bias& bias, const BiasGradientTile& tile, const PositionView& queries,
                                  const PositionView& keys, const Gradients& gradients);

// Writes the whole matrix, [H, N, S] of any float type, or [B, H, N, S], as it must be where positions have a batch.
// What a Kerple's factors multiply is not in it.
POSENC_API void fill_bias(const Bias& bias, const PositionView& queries, const PositionView& keys, const View& out);

}  // namespace posenc
