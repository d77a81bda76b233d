// Positions into embeddings: added or concatenated, with embedding scale and dropout, and the gradients of all of it.
//
//     posenc::EmbedOptions options{.scale = std::sqrt(512.0), .dropout = {.p = 0.1, .seed = 7, .step = t}};
//     posenc::add_positions(x, positions, rows, x, options);
//     posenc::add_positions_backward(grad, positions, rows, {.input = grad, .learned = grad_table}, options);
//
// add:     out = drop(scale * x + row(position))          x, out [N, M] or [B, N, M], rows of width M
// concat:  out = drop([scale * x | row(position)])        out [.., M + P], rows of width P
//
// x and out are f32, f64, f16 or bf16, of one dtype, rows may be strided; out may be x itself. The arithmetic is
// float32 (double for f64 data): scale * x, the sum and the dropout factor are rounded one after the other, then the
// result to the dtype; the same bits on every instruction set, for every stride, split and number of workers. Positions
// are a range or ids, [N] or [B, N]; a lookup without a row is an error. Everything is checked before anything is
// written.
#pragma once

#include <cstdint>
#include <span>

#include "posenc/export.h"
#include "posenc/input_rows.h"
#include "posenc/position.h"
#include "posenc/view.h"
#include "posenc/workers.h"

namespace posenc {

// Inverted dropout: an element becomes 0 with probability p, others are multiplied by 1 / (1 - p). Whether element (b,
// n, m) is dropped is a function of seed, step, b, n and m alone: number m % 4 of philox4x32({m / 4, n, b, step}, seed)
// (see posenc/random.h) is below p * 2^32, rounded down.
struct Dropout {
  double p = 0.0;  // 0 <= p < 1; 0 drops nothing
  std::uint64_t seed = 0;
  std::uint64_t step = 0;        // below 2^32: another mask for every step
  std::int64_t first_row = 0;    // what b and n count from: a batch that is split over calls or machines gets the
  std::int64_t first_token = 0;  // mask of the whole; together below 2^32
};

struct EmbedOptions {
  double scale = 1.0;  // multiplies x: sqrt(M) in the 2017 paper; finite, also as the float32 that it becomes
  Dropout dropout = {};
  const Workers* workers = nullptr;  // none: the calling thread
};

POSENC_API void add_positions(const ConstView& x, const PositionView& positions, const InputRows& rows, const View& out,
                              const EmbedOptions& options = {});

// In place here means that x is the first M channels of out.
POSENC_API void concat_positions(const ConstView& x, const PositionView& positions, const InputRows& rows,
                                 const View& out, const EmbedOptions& options = {});

// What gradients are wanted; what is left out is not computed.
struct EmbedGradients {
  View input = {};    // of x, written: its shape, the dtype of grad_out. It may be grad_out itself (of a
                      // concat its first channels).
  View learned = {};  // of the learned table, added to: [R, M] f32 or f64. Each number is summed in double
                      // in the order of the tokens, and rounded once.
  std::span<double> inv_freq = {};  // of the frequencies of streamed rows, one per pair, added to: posenc/schedule.h's
                                    // chain_rule makes the gradients of base and exponent of it
};

// The gradients from that of out. Rows and options must be those of the forward call (the dropout mask is made again).
// The fixed part of a hybrid gets no gradient but where inv_freq is asked for.
POSENC_API void add_positions_backward(const ConstView& grad_out, const PositionView& positions, const InputRows& rows,
                                       const EmbedGradients& gradients, const EmbedOptions& options = {});
POSENC_API void concat_positions_backward(const ConstView& grad_out, const PositionView& positions,
                                          const InputRows& rows, const EmbedGradients& gradients,
                                          const EmbedOptions& options = {});

}  // namespace posenc
