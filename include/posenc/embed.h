// Add or concatenate positions to embeddings, with embedding scale and dropout, and compute the gradients.
//
//     posenc::EmbedOptions options{.scale = std::sqrt(512.0), .dropout = {.p = 0.1, .seed = 7, .step = t}};
//     posenc::add_positions(x, positions, rows, x, options);
//     posenc::add_positions_backward(grad, positions, rows, {.input = grad, .learned = grad_table}, options);
//
// add:     out = drop(scale * x + row(position))          x, out [N, M] or [B, N, M], rows of width M
// concat:  out = drop([scale * x | row(position)])        out [.., M + P], rows of width P
//
// x and out are f32, f64, f16 or bf16 and have the same dtype; rows may be strided; out may be x. Arithmetic is float32
// (double for f64 data): scale * x, the sum and the dropout factor are each rounded, then the result is rounded to the
// dtype. The bits do not depend on the instruction set, strides, split or number of workers. Positions are a range or
// ids, [N] or [B, N]; a position without a row is an error. All arguments are checked before anything is written.
#pragma once

#include <cstdint>
#include <span>

#include "posenc/export.h"
#include "posenc/input_rows.h"
#include "posenc/position.h"
#include "posenc/view.h"
#include "posenc/workers.h"

namespace posenc {

// Inverted dropout: an element becomes 0 with probability p; the others are multiplied by 1 / (1 - p). Element
// (b, n, m) is dropped if number m % 4 of philox4x32({m / 4, n, b, step}, seed) (see posenc/random.h) is below
// p * 2^32, rounded down. So it depends on nothing but seed, step, b, n and m.
struct Dropout {
  double p = 0.0;  // 0 <= p < 1; 0 drops nothing
  std::uint64_t seed = 0;
  std::uint64_t step = 0;        // below 2^32; every step has its own mask
  std::int64_t first_row = 0;    // added to b and n: a batch that is split over calls or machines gets the mask of the
  std::int64_t first_token = 0;  // whole batch; the sums must be below 2^32
};

struct EmbedOptions {
  double scale = 1.0;  // multiplies x: sqrt(M) in the 2017 paper; must be finite in float32 too
  Dropout dropout = {};
  const Workers* workers = nullptr;  // null: the calling thread alone
};

// Adds: out = drop(scale * x + row(position)).
POSENC_API void add_positions(const ConstView& x, const PositionView& positions, const InputRows& rows, const View& out,
                              const EmbedOptions& options = {});

// Concatenates: out = drop([scale * x | row(position)]). To work in place, x must be the first M channels of out.
POSENC_API void concat_positions(const ConstView& x, const PositionView& positions, const InputRows& rows,
                                 const View& out, const EmbedOptions& options = {});

// Where to write the gradients; those omitted are not computed.
struct EmbedGradients {
  View input = {};    // of x, overwritten: shape of x, dtype of grad_out. It may be grad_out itself (for concat:
                      // its first M channels).
  View learned = {};  // of the learned table, accumulated: [R, M], f32 or f64. Each number is summed in double
                      // in token order and rounded once.
  std::span<double> inv_freq = {};  // of the frequencies of streamed rows, one per pair, accumulated: chain_rule in
                                    // posenc/schedule.h turns it into the gradients of base and exponent
};

// Compute the gradients from that of out. Pass the rows and options of the forward call; the dropout mask is computed
// again. The fixed part of a hybrid has no gradient, except inv_freq.
POSENC_API void add_positions_backward(const ConstView& grad_out, const PositionView& positions, const InputRows& rows,
                                       const EmbedGradients& gradients, const EmbedOptions& options = {});
POSENC_API void concat_positions_backward(const ConstView& grad_out, const PositionView& positions,
                                          const InputRows& rows, const EmbedGradients& gradients,
                                          const EmbedOptions& options = {});

}  // namespace posenc
