// The plain double definition of each operation: what the fast ones must agree with, and the place to read what they
// compute. One position and one row at a time, std::pow, std::sin and std::cos; nothing is shared with the fast path.
//
//     double row[4];
//     posenc::reference::sinusoidal_row({.width = 4}, 1.0, row);   // 0.84147, 0.54030, 0.01000, 0.99995
//
// The angle is formed in double: off by up to position * inv_freq * 2^-53, plus the error of pow.
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

// The inverse frequency of pair j, radians per position.
POSENC_API double sinusoidal_inv_freq(const Sinusoidal& spec, std::int64_t j);

// row[0 .. width): the encoding of `position`, and its derivative by the position.
POSENC_API void sinusoidal_row(const Sinusoidal& spec, double position, double* row);
POSENC_API void sinusoidal_derivative_row(const Sinusoidal& spec, double position, double* row);

// matrix[width][width], row-major: row(p + k) = matrix * row(p). Even widths only.
POSENC_API void sinusoidal_shift_matrix(const Sinusoidal& spec, double k, double* matrix);

// out[0 .. width): row `row` of the table [kept + product of from, width] resized by `rule`. The formula of
// interpolation evaluated at the row's coordinate, with reads beyond the edge clamped to it. The rule is not checked.
POSENC_API void resize_row(const Resize& rule, const double* table, std::int64_t width, std::int64_t row, double* out);

// row[0 .. width): what `position` reads of a learned table, [R][width]; the position must have a row.
POSENC_API void learned_row(const Learned& spec, std::span<const double> table, std::int64_t width, double position,
                            double* row);

// Which channels dropout keeps, 1 or 0 for each of the output; empty: all. Those that stay are divided by 1 - p.
struct KeepMask {
  std::span<const std::uint8_t> keep = {};
  double p = 0.0;
};

// One token: scale * x + row, and [scale * x | row].
POSENC_API void add_row(std::span<const double> x, std::span<const double> row, double scale, const KeepMask& mask,
                        double* out);
POSENC_API void concat_row(std::span<const double> x, std::span<const double> row, double scale, const KeepMask& mask,
                           double* out);

// Which channels of a head pair i of a rotary encoding reads and writes, counted from the start of the head.
struct RotaryPair {
  std::int64_t read_first, read_second;
  std::int64_t write_first, write_second;
};
POSENC_API RotaryPair rotary_pair(const Rotary& spec, std::int64_t i);

// The inverse frequency of pair i on an axis, radians per position; exact precision only. With a layout that is no
// rotation, i is a channel of the window.
POSENC_API double rotary_inv_freq(const Rotary& spec, std::int64_t axis, std::int64_t i);
// Number i of the ladder that a scaling makes of base^(-2i / dim), and the factor on cos and sin that comes with it.
POSENC_API double scaled_inv_freq(const Scaling& scaling, const Ladder& ladder, std::int64_t i);
POSENC_API double scaling_factor(const Scaling& scaling, const Ladder& ladder);

// out[0 .. head_dim): one head turned by a position with one coordinate per axis. x and out must not overlap.
POSENC_API void rotate_head(const Rotary& spec, std::span<const double> position, const double* x, double* out);

// One attention, without a batch; q [queries][heads][width], k [keys][key_heads][width], v
// [keys][key_heads][value_width]. Functions take the head h, the query n and the key s, by their indices; an empty one
// is nothing.
struct Attention {
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::int64_t heads = 1;
  std::int64_t key_heads = 1;
  std::int64_t width = 1;
  std::int64_t value_width = 1;
  double softmax_scale = 1.0;
  double softcap = 0.0;            // 0: none
  std::vector<double> sinks = {};  // [heads], or none

  using OfPair = std::function<double(std::int64_t h, std::int64_t n, std::int64_t s)>;
  std::function<bool(std::int64_t n, std::int64_t s)> sees = {};
  OfPair term = {};    // beside q.k, inside softmax_scale
  OfPair factor = {};  // of the score, before the bias
  OfPair bias = {};
  OfPair keep = {};  // what dropout makes of a weight: multiplied by this
  std::function<double(std::int64_t h, std::int64_t n, std::int64_t s, std::int64_t c)> value_term = {};
};

// out [queries][heads][value_width]; weights [heads][queries][keys], before dropout, and log_sum_exp [heads][queries]
// where they are not null.
POSENC_API void attend(const Attention& problem, const double* q, const double* k, const double* v, double* out,
                       double* weights = nullptr, double* log_sum_exp = nullptr);

// out[0 .. O) = W x + b of one row: W is [O][I], I what x has; the bias is [O] or empty.
POSENC_API void linear(std::span<const double> x, std::span<const double> weight, std::span<const double> bias,
                       double* out);

// One row to mean 0 and variance 1, times the weight, plus the bias; each may be empty.
struct LayerNormNumbers {
  std::span<const double> weight = {};
  std::span<const double> bias = {};
  double eps = 1e-5;
};
POSENC_API void layer_norm(std::span<const double> x, const LayerNormNumbers& norm, double* out);

// PyTorch's packing: rows of queries, keys and values in one weight, [(H + 2 G) D][M], and [M][H D] back.
struct MultiHeadNumbers {
  std::int64_t width = 0;  // M
  std::span<const double> in_weight = {};
  std::span<const double> in_bias = {};
  std::span<const double> out_weight = {};
  std::span<const double> out_bias = {};
};
// x [queries][M] and context [keys][M], which may be x, to out [queries][M]. The problem's value_width is its width.
POSENC_API void multi_head(const Attention& problem, const MultiHeadNumbers& numbers, const double* x,
                           const double* context, double* out, double* weights = nullptr);

// norm1, linear1 and so on as PyTorch's TransformerEncoderLayer names them; without linear1 nothing follows attention.
struct LayerNumbers {
  MultiHeadNumbers attention;
  LayerNormNumbers norm1 = {}, norm2 = {};
  std::span<const double> linear1_weight = {}, linear1_bias = {}, linear2_weight = {}, linear2_bias = {};
  bool norm_first = false;
  bool gelu = false;  // else relu
  // What channel m of token n is multiplied by, after attention (0), in (1) and after (2) the feed-forward part.
  std::function<double(int place, std::int64_t n, std::int64_t m)> keep = {};
};
// `encoded` is what attention reads and `residual` what its result is added to, both [N][M].
POSENC_API void layer(const Attention& problem, const LayerNumbers& numbers, const double* encoded,
                      const double* residual, double* out, double* weights = nullptr);

// A parameter of a bias by its name (posenc/parameters.h), in C order.
struct Numbers {
  std::string_view name;
  std::vector<std::int64_t> shape;
  std::span<const double> values;
};

// What a kind of bias adds to the score of a head's query at i and key at j: -inf hides the key. Without rounding to
// bfloat16. The spec and the parameters are not checked; other kinds give 0.
POSENC_API double bias(const Spec& spec, const std::vector<Numbers>& parameters, std::int64_t head, double i, double j);
// What the score is multiplied by before: 1 but for a Kerple with factors.
POSENC_API double score_factor(const Spec& spec, const std::vector<Numbers>& parameters, std::int64_t head, double i,
                               double j);

}  // namespace posenc::reference
