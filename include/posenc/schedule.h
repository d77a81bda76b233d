// Schedules: the frequencies and columns that a spec stands for, in double, from pure functions.
//
//     posenc::SinusoidalSchedule schedule = posenc::make_schedule(posenc::Sinusoidal{.width = 4});
//     schedule.inv_freq;                        // {1.0, 0.01}: radians per position, one per pair
//     posenc::wavelengths(schedule.inv_freq);   // {6.283..., 628.3...}: positions per turn
//
// inv_freq is within 1 ulp of its formula. Everything later uses it as the exact definition:
// angle = position * inv_freq.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "posenc/export.h"
#include "posenc/spec.h"

namespace posenc {

// `count` columns of a row: start, start + stride, ...
struct Columns {
  std::int64_t start = 0;
  std::int64_t stride = 1;
  std::int64_t count = 0;
};

// A sinusoidal encoding in numbers. Column `sine.start + j * sine.stride` holds multiplier * sin(angle of pair j), and
// likewise for `cosine`; all other columns are zero.
struct SinusoidalSchedule {
  std::int64_t width = 0;
  std::vector<double> inv_freq;  // radians per position, one per pair
  Columns sine;
  Columns cosine;
  double multiplier = 1.0;
  std::int64_t first = 0;                     // added to every position
  std::optional<std::int64_t> zero_position;  // the position (after adding `first`) whose row is zero
};

// Throws what validate(spec) throws.
POSENC_API SinusoidalSchedule make_schedule(const Sinusoidal& spec);

// Fourier features in numbers. Columns are as in SinusoidalSchedule.
struct FourierSchedule {
  std::int64_t width = 0;
  std::int64_t axes = 1;
  std::vector<double> inv_freq;  // [axes][pairs], radians per position
  Columns sine;
  Columns cosine;
  double multiplier = 1.0;

  std::int64_t pairs() const noexcept { return static_cast<std::int64_t>(inv_freq.size()) / axes; }
};

// Throws what validate(spec) throws.
POSENC_API FourierSchedule make_fourier_schedule(const Fourier& spec);

// The sinusoidal parts of a concat in numbers: one entry per part, empty for a learned part.
using ConcatSchedule = std::vector<std::optional<SinusoidalSchedule>>;

// Throws what validate(spec) throws.
POSENC_API ConcatSchedule make_concat_schedule(const Concat& spec);

// A rotary encoding in numbers: every field of the spec resolved.
struct RotarySchedule {
  std::int64_t head_dim = 0;       // D
  std::int64_t rotary_dim = 0;     // R, even; channels first_channel to first_channel + R - 1 are rotated
  std::int64_t first_channel = 0;  // from the start of the head
  std::int64_t exponent_dim = 0;   // divisor of the exponents; 0 if inv_freq was given or axes differ
  Layout layout = Layout::half;
  std::int64_t axes = 1;
  std::vector<double> inv_freq;  // [axes][columns], radians per position; mostly zero if there are several axes
  double attention_factor = 1.0;
  FactorIn attention_factor_in = FactorIn::table;
  Precision precision = Precision::exact;            // reference: inv_freq are rounded to float32
  std::optional<std::int64_t> sequence_length = {};  // the length it was built for; empty if the length has no effect

  std::int64_t pairs() const noexcept { return rotary_dim / 2; }
  // Angles per token: one per pair, or one per channel if the layout is not a rotation.
  std::int64_t columns() const noexcept { return is_rotation(layout) ? pairs() : rotary_dim; }
  // The factors on cos and sin, on queries, and on scores: one of them is the attention factor, the others are 1.
  double table_factor() const noexcept { return factor_in(FactorIn::table); }
  double query_factor() const noexcept { return factor_in(FactorIn::query); }
  double softmax_factor() const noexcept { return factor_in(FactorIn::softmax); }

 private:
  double factor_in(FactorIn place) const noexcept { return attention_factor_in == place ? attention_factor : 1.0; }
};

// Throws what validate(spec) throws, and also if a scaling depends on the sequence length (dynamic, longrope) or on the
// layer (local_base) and the spec does not give it.
POSENC_API RotarySchedule make_schedule(const Rotary& spec);
// The same for the given sequence length, at least 1, which replaces the one of the spec.
POSENC_API RotarySchedule make_schedule(const Rotary& spec, std::int64_t sequence_length);

// The gradients of the parameters of a sinusoidal encoding, derived from those of its inverse frequencies.
struct SinusoidalGradients {
  double base = 0.0;  // base and exponent_factor: 0 if the spec lists its frequencies one by one
  double exponent_factor = 0.0;
  double frequency_scale = 0.0;
};
// `inv_freq_gradient` has one number per pair, as the backward functions of posenc/embed.h accumulate it.
POSENC_API SinusoidalGradients chain_rule(const Sinusoidal& spec, std::span<const double> inv_freq_gradient);

// Returns 2 pi / |inv_freq| for each: the number of positions of one turn; infinite for a frequency of zero.
POSENC_API std::vector<double> wavelengths(const std::vector<double>& inv_freq);

}  // namespace posenc
