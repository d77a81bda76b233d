// Properties of encodings as functions that return numbers; posenc/insight/check.h turns them into verdicts.
//
//     auto schedule = posenc::make_schedule(posenc::Sinusoidal{.width = 64});
//     posenc::row_bounds(rows, positions);                    // {-1, 1} and where
//     posenc::distance_curve(schedule, 50)[5];                // 23.504: PE(p).PE(p + 5), the same for every p
//     posenc::turns_within(schedule.inv_freq, 2048);          // which pairs complete a turn, which meet new angles
//
// All in double. Pure functions, safe to call from several threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "posenc/bias.h"
#include "posenc/export.h"
#include "posenc/input_rows.h"
#include "posenc/position.h"
#include "posenc/schedule.h"
#include "posenc/spec.h"
#include "posenc/view.h"

namespace posenc {

// --- Rows of an encoding at the input. Positions are [N] on one axis and not empty; rows are streamed. Numbers of a
// table that are not finite are errors.

struct RowBounds {
  double smallest = 0.0, largest = 0.0;
  double smallest_position = 0.0, largest_position = 0.0;  // the first position of each
  double smallest_norm = 0.0, largest_norm = 0.0;          // Euclidean, of rows
};
POSENC_API RowBounds row_bounds(const InputRows& rows, const PositionView& positions);

struct NearestRows {
  double distance = 0.0;             // Euclidean
  double first = 0.0, second = 0.0;  // the two positions
  std::int64_t compared = 0;         // pairs that were compared
  bool sampled = false;              // not all pairs: evenly spaced ones and neighbours
};
// The two rows closest to each other; at least two positions. Rows of a schedule over a range are compared exactly, by
// distance (up to 2^32 distances times pairs, small distances first); other rows pair by pair, up to 2^26 pairs and
// 2^33 pairs times channels.
POSENC_API NearestRows nearest_rows(const InputRows& rows, const PositionView& positions);

// The first whole number that a type cannot hold, so that it collides with a neighbour: 257 for bf16, 2049 for f16,
// 2^24 + 1 for f32, 2^53 + 1 for f64.
POSENC_API std::int64_t first_collision(DType dtype);

struct StepNorms {
  double smallest = 0.0, largest = 0.0, mean = 0.0;  // of |row(p + 1) - row(p)|
};
// For neighbours in `positions`; at least two positions.
POSENC_API StepNorms step_norms(const InputRows& rows, const PositionView& positions);

// The largest |row(p + k) - M_k row(p)| over positions and channels, and the largest |M_a M_b - M_(a+b)| over cells. A
// zero row is skipped because M_k does not describe it; a sine without its cosine is an error, as in fill_shift_matrix.
POSENC_API double shift_residual(const SinusoidalSchedule& schedule, double k, const PositionView& positions);
POSENC_API double shift_composition_residual(const SinusoidalSchedule& schedule, double a, double b);

// --- Distance.

// PE(p).PE(p + k) for k = 0 to distances - 1: multiplier^2 sum_j cos(k inv_freq_j), for every p. With an odd width and
// a sine without its cosine it depends on p: an error.
POSENC_API std::vector<double> distance_curve(const SinusoidalSchedule& schedule, std::int64_t distances);
// The score kernel of a rotary encoding with one axis: the mean over all D / 2 pairs of channels of cos(k inv_freq),
// times table_factor^2: the share of its size that q.k keeps if q and k are equal and have equal pairs. Channels that
// are not rotated count as 1, without the factor. 1 at distance 0, apart from the factor.
POSENC_API std::vector<double> score_kernel(const RotarySchedule& schedule, std::int64_t distances);
// The smallest k with curve[k] > curve[k - 1] (by more than 1e-12 of curve[0]); none if it never rises.
POSENC_API std::optional<std::int64_t> first_rise(std::span<const double> curve);
// upper[k] = the largest value at k or beyond, within the curve: the smallest falling curve above it.
POSENC_API std::vector<double> falling_envelope(std::span<const double> curve);

struct ScoreBand {
  std::vector<double> mean, low, high;  // by distance: the mean and the middle 95 % of draws
};
struct ScoreBandOptions {
  std::int64_t distances = 64;
  std::int64_t draws = 1000;  // at most 100,000
  bool same_content = true;   // the key is the query's own vector; else drawn separately, with mean 0
  std::uint64_t seed = 0;
};
// q.k after rotation by distance, for vectors with normal channels (variance 1 / D), including the factors in the table
// and in the query. One axis.
POSENC_API ScoreBand rotated_score_band(const Rotary& spec, const ScoreBandOptions& options);

// A bias by distance: for the query at `query` and keys at query - k, k = 0 to distances - 1; -inf if hidden. Keys may
// be at negative positions, which a matrix refuses.
POSENC_API std::vector<double> bias_curve(const Bias& bias, std::int64_t head, double query, std::int64_t distances);

// The entropy, in nats, of the weights of the last query over n keys, and the weight of the 16 nearest keys, for each n
// of `lengths` (ascending, 1 to 65536). Scores are normal with standard deviation 1, with the encoding applied; means
// over `draws` draws.
struct EntropyPoint {
  std::int64_t length = 0;
  double entropy = 0.0;
  double uniform = 0.0;  // ln(length): for equal weights
  double near_share = 0.0;
};
struct EntropyOptions {
  std::vector<std::int64_t> lengths = {16, 32, 64, 128, 256, 512, 1024};
  std::int64_t draws = 16;
  std::int64_t head = 0;
  std::uint64_t seed = 0;
};
// `encoding` is none, a bias, a mask or a rotary encoding with one axis (for q and k with head_dim normal channels,
// times 1 / sqrt(head_dim) and its factors). A bias is added after the scale. At most 4096 draws.
POSENC_API std::vector<EntropyPoint> attention_entropy(const Spec& encoding, const Parameters& parameters,
                                                       const EntropyOptions& options);

// --- Length.

struct PairTurns {
  double inv_freq = 0.0;
  double wavelength = 0.0;  // positions per turn; infinite if the frequency is 0
  double turns = 0.0;       // within the length: (length - 1) / wavelength
  bool complete = false;    // at least one turn: every angle occurred, up to the step size
  // If not complete: positions from `first_unseen` to before `seen_again` have angles that never occurred in training.
  std::optional<std::int64_t> first_unseen = {};
  std::optional<double> seen_again = {};  // rounded up; none if the frequency is 0
};
struct TurnsWithin {
  std::int64_t length = 0;
  std::int64_t complete = 0;  // pairs that complete a turn
  std::vector<PairTurns> pairs;
};
// For positions 0 to length - 1. Pairs with frequency 0 never get a new angle.
POSENC_API TurnsWithin turns_within(std::span<const double> inv_freq, std::int64_t length);

// --- Into the model.

struct Mixing {
  double token_norm = 0.0, position_norm = 0.0, sum_norm = 0.0;  // means over the draws
  double angle = 0.0;                                            // degrees between token and sum: mean ...
  double angle_low = 0.0, angle_high = 0.0;                      // ... and the middle 95 %
  std::vector<double> angles = {};                               // of every draw, in their order
};
struct MixingOptions {
  double std = 1.0;            // of token embeddings, normal; 1e-70 to 1e70
  double scale = 1.0;          // multiplies them first: sqrt(M); its size is 1e-70 to 1e70
  std::int64_t tokens = 2000;  // draws, 1 to 1,000,000
  std::uint64_t seed = 0;
};
// Random tokens with one row of an encoding added, [M] doubles.
POSENC_API Mixing mixing(std::span<const double> position_row, const MixingOptions& options);

struct Cost {
  std::int64_t table_bytes = 0;   // a table of `positions` positions
  std::int64_t stream_bytes = 0;  // what a RowStream holds, including a learned table
  std::int64_t parameters = 0;    // learned numbers
  double flops_per_token = 0.0;  // multiplications and additions per token: adding rows, rotating a head, biasing a row
};
// For a bias or a score term, the table is the matrix of all heads and pairs of positions, the stream is what it is
// computed from, and a row belongs to one head and `positions` keys. Optional parameters are not counted; a learned
// spec must have its width.
POSENC_API Cost cost_of(const Spec& spec, std::int64_t positions, DType dtype);

// --- Precision: the error of a cosine in common implementations.

enum class Pipeline : int {
  posenc_f32,  // this library's float32 table
  f32,         // inv_freq and the product rounded to float32, its cosine and sine in float32: PyTorch's usual way
  bf16,        // positions, inv_freq, product and result held in bfloat16
  f16,
  bf16_table,  // exact angles, the table rounded to bfloat16
};
// The larger error of cos and sin at a whole position, |position| <= 2^31 - 1. Infinite if f16 overflows and gives NaN.
POSENC_API double pipeline_error(Pipeline pipeline, double inv_freq, std::int64_t position);
// The first of the ascending positions where the error exceeds a bound; none if there is none.
POSENC_API std::optional<std::int64_t> first_beyond(Pipeline pipeline, double inv_freq,
                                                    std::span<const std::int64_t> positions, double bound);
// The first position from 1 to before `end` (at most 2^24) where the error of any pair of Pipeline::f32 exceeds a bound
// of at least 1e-6; none if there is none. Tries every position: some milliseconds per pair and million.
POSENC_API std::optional<std::int64_t> first_beyond_f32(std::span<const double> inv_freq, std::int64_t end,
                                                        double bound);

}  // namespace posenc
