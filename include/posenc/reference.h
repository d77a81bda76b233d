// Each operation in plain double: what the fast implementations are tested against, and the place to read what they
// compute. It works on one position and one row at a time with std::pow, std::sin and std::cos, and shares no code with
// the fast path.
//
//     double row[4];
//     posenc::reference::sinusoidal_row({.width = 4}, 1.0, row);   // 0.84147, 0.54030, 0.01000, 0.99995
//
// The angle is computed in double, with an error of up to position * inv_freq * 2^-53 plus the error of pow.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "posenc/export.h"
#include "posenc/resize_rule.h"
#include "posenc/spec.h"

namespace posenc::reference {

// Returns the inverse frequency of pair j, in radians per position.
POSENC_API double sinusoidal_inv_freq(const Sinusoidal& spec, std::int64_t j);

// Write row[0 .. width): the encoding of `position`, or its derivative with respect to the position.
POSENC_API void sinusoidal_row(const Sinusoidal& spec, double position, double* row);
POSENC_API void sinusoidal_derivative_row(const Sinusoidal& spec, double position, double* row);

// Writes matrix[width][width], row-major, with row(p + k) = matrix * row(p). Even widths only.
POSENC_API void sinusoidal_shift_matrix(const Sinusoidal& spec, double k, double* matrix);

// Writes out[0 .. width): row `row` of the table [kept + product of from, width] resized by `rule`. It evaluates the
// interpolation formula at the row's coordinate and clamps reads beyond the edge. The rule is not checked.
POSENC_API void resize_row(const Resize& rule, const double* table, std::int64_t width, std::int64_t row, double* out);

// Writes row[0 .. width): what `position` reads from a learned table, [R][width]. The position must have a row.
POSENC_API void learned_row(const Learned& spec, std::span<const double> table, std::int64_t width, double position,
                            double* row);

// Which output channels dropout keeps: 1 or 0 for each; empty: all. Kept channels are divided by 1 - p.
struct KeepMask {
  std::span<const std::uint8_t> keep = {};
  double p = 0.0;
};

// One token: scale * x + row, or [scale * x | row].
POSENC_API void add_row(std::span<const double> x, std::span<const double> row, double scale, const KeepMask& mask,
                        double* out);
POSENC_API void concat_row(std::span<const double> x, std::span<const double> row, double scale, const KeepMask& mask,
                           double* out);

// The channels that pair i of a rotary encoding reads and writes, counted from the start of the head.
struct RotaryPair {
  std::int64_t read_first, read_second;
  std::int64_t write_first, write_second;
};
POSENC_API RotaryPair rotary_pair(const Rotary& spec, std::int64_t i);

// Returns the inverse frequency of pair i on an axis, in radians per position; exact precision only. With a layout that
// is not a rotation, i is a channel of the window.
POSENC_API double rotary_inv_freq(const Rotary& spec, std::int64_t axis, std::int64_t i);
// Returns inverse frequency i, base^(-2i / dim) after scaling; scaling_factor returns the factor on cos and sin.
POSENC_API double scaled_inv_freq(const Scaling& scaling, const Ladder& ladder, std::int64_t i);
POSENC_API double scaling_factor(const Scaling& scaling, const Ladder& ladder);

// Writes out[0 .. head_dim): one head, rotated by a position with one coordinate per axis. x and out must not overlap.
POSENC_API void rotate_head(const Rotary& spec, std::span<const double> position, const double* x, double* out);

// The description of an attention call without a batch: q [queries][heads][width], k [keys][key_heads][width],
// v [keys][key_heads][value_width]. The functions take the indices of head h, query n and key s; an empty function has
// no effect.
struct Attention {
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::int64_t heads = 1;
  std::int64_t key_heads = 1;
  std::int64_t width = 1;
  std::int64_t value_width = 1;
  double softmax_scale = 1.0;
  double softcap = 0.0;            // 0: no softcap
  std::vector<double> sinks = {};  // [heads], or none

  using OfPair = std::function<double(std::int64_t h, std::int64_t n, std::int64_t s)>;
  std::function<bool(std::int64_t n, std::int64_t s)> sees = {};
  OfPair term = {};    // added to q.k, inside softmax_scale
  OfPair factor = {};  // multiplies the score before the bias
  OfPair bias = {};
  OfPair keep = {};  // multiplies the weight: the effect of dropout
  std::function<double(std::int64_t h, std::int64_t n, std::int64_t s, std::int64_t c)> value_term = {};
};

// Writes out [queries][heads][value_width]; also weights [heads][queries][keys], before dropout, and
// log_sum_exp [heads][queries], unless null.
POSENC_API void attend(const Attention& problem, const double* q, const double* k, const double* v, double* out,
                       double* weights = nullptr, double* log_sum_exp = nullptr);

// Writes out[0 .. O) = W x + b for one row: W is [O][I] with I the size of x; the bias is [O] or empty.
POSENC_API void linear(std::span<const double> x, std::span<const double> weight, std::span<const double> bias,
                       double* out);

// Normalises one row to mean 0 and variance 1, then multiplies by the weight and adds the bias; each may be empty.
struct LayerNormNumbers {
  std::span<const double> weight = {};
  std::span<const double> bias = {};
  double eps = 1e-5;
};
POSENC_API void layer_norm(std::span<const double> x, const LayerNormNumbers& norm, double* out);

// Weights packed as in PyTorch: queries, keys and values in one weight, [(H + 2 G) D][M]; output projection [M][H D].
struct MultiHeadNumbers {
  std::int64_t width = 0;  // M
  std::span<const double> in_weight = {};
  std::span<const double> in_bias = {};
  std::span<const double> out_weight = {};
  std::span<const double> out_bias = {};
};
// Maps x [queries][M] and context [keys][M], which may be x, to out [queries][M]. problem.value_width must equal
// problem.width.
POSENC_API void multi_head(const Attention& problem, const MultiHeadNumbers& numbers, const double* x,
                           const double* context, double* out, double* weights = nullptr);

// Named as in PyTorch's TransformerEncoderLayer. If linear1_weight is empty, the layer ends after attention.
struct LayerNumbers {
  MultiHeadNumbers attention;
  LayerNormNumbers norm1 = {}, norm2 = {};
  std::span<const double> linear1_weight = {}, linear1_bias = {}, linear2_weight = {}, linear2_bias = {};
  bool norm_first = false;
  bool gelu = false;  // else relu
  // The factor on channel m of token n from dropout: place 0 after attention, 1 inside and 2 after the feed-forward
  // part.
  std::function<double(int place, std::int64_t n, std::int64_t m)> keep = {};
};
// `encoded` is the input of attention, and `residual` is added to its output; both are [N][M].
POSENC_API void layer(const Attention& problem, const LayerNumbers& numbers, const double* encoded,
                      const double* residual, double* out, double* weights = nullptr);

// A parameter of a bias by name (posenc/parameters.h), in C order.
struct Numbers {
  std::string_view name;
  std::vector<std::int64_t> shape;
  std::span<const double> values;
};

// Returns the bias on the score of a head's query at i and key at j; -inf hides the key. Does not round to bfloat16.
// The spec and the parameters are not checked; kinds that are not biases give 0.
POSENC_API double bias(const Spec& spec, const std::vector<Numbers>& parameters, std::int64_t head, double i, double j);
// Returns the factor that multiplies the score before the bias: 1, except for a Kerple with factors.
POSENC_API double score_factor(const Spec& spec, const std::vector<Numbers>& parameters, std::int64_t head, double i,
                               double j);

}  // namespace posenc::reference
