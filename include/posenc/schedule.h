// Schedules: the numbers that a spec stands for, in double, from pure functions.
//
//     posenc::SinusoidalSchedule schedule = posenc::make_schedule(posenc::Sinusoidal{.width = 4});
//     schedule.inv_freq;                        // {1.0, 0.01}: radians per position, one per pair
//     posenc::wavelengths(schedule.inv_freq);   // {6.283..., 628.3...}: positions per turn
//
// inv_freq is within 1 ulp of its formula, and it is the definition of everything after it:
// angle = position * inv_freq, exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "posenc/export.h"
#include "posenc/spec.h"

namespace posenc {

// Columns start, start + stride, ... of a row, `count` of them.
struct Columns {
  std::int64_t start = 0;
  std::int64_t stride = 1;
  std::int64_t count = 0;
};

// A sinusoidal encoding in numbers. Column `sine.start + j * sine.stride` holds multiplier * sin(angle of pair j),
// `cosine` likewise; a column that neither names is zero.
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

// Fourier features in numbers. Columns as in a SinusoidalSchedule.
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

// The sinusoidal parts of a concat in numbers: one schedule per part, none for a learned one.
using ConcatSchedule = std::vector<std::optional<SinusoidalSchedule>>;

// Throws what validate(spec) throws.
POSENC_API ConcatSchedule make_concat_schedule(const Concat& spec);

// A rotary encoding in numbers: every field of the spec settled.
struct RotarySchedule {
  std::int64_t head_dim = 0;       // D
  std::int64_t rotary_dim = 0;     // R, even; channels first_channel .. first_channel + R turn
  std::int64_t first_channel = 0;  // from the start of the head
  std::int64_t exponent_dim = 0;   // what the exponents were divided by; 0 where inv_freq was given, or axes differ
  Layout layout = Layout::half;
  std::int64_t axes = 1;
  std::vector<double> inv_freq;  // [axes][columns], radians per position; mostly zero where there are several axes
  double attention_factor = 1.0;
  FactorIn attention_factor_in = FactorIn::table;
  Precision precision = Precision::exact;            // reference: inv_freq are float32 numbers
  std::optional<std::int64_t> sequence_length = {};  // what it was built for; none where that makes no difference

  std::int64_t pairs() const noexcept { return rotary_dim / 2; }
  // Angles of a token: one per pair, or one per channel with a layout that is no rotation.
  std::int64_t columns() const noexcept { return is_rotation(layout) ? pairs() : rotary_dim; }
  // What multiplies cos and sin, the query, and the scores: the attention factor in one of them, 1 in the others.
  double table_factor() const noexcept { return factor_in(FactorIn::table); }
  double query_factor() const noexcept { return factor_in(FactorIn::query); }
  double softmax_factor() const noexcept { return factor_in(FactorIn::softmax); }

 private:
  double factor_in(FactorIn place) const noexcept { return attention_factor_in == place ? attention_factor : 1.0; }
};

// Throws what validate(spec) throws, and where a scaling depends on the length of the sequence (dynamic, longrope) or
// layers differ (local_base) and the spec does not say which.
POSENC_API RotarySchedule make_schedule(const Rotary& spec);
// The same for a sequence of this length, at least 1, whatever the spec's own is.
POSENC_API RotarySchedule make_schedule(const Rotary& spec, std::int64_t sequence_length);

// Learnable numbers of a sinusoidal encoding: what the gradient of its inverse frequencies means for them.
struct SinusoidalGradients {
  double base = 0.0;  // 0, as exponent_factor, where the spec's frequencies are given one by one
  double exponent_factor = 0.0;
  double frequency_scale = 0.0;
};
// `inv_freq_gradient` has one number per pair: what posenc/embed.h's backward functions add up.
POSENC_API SinusoidalGradients chain_rule(const Sinusoidal& spec, std::span<const double> inv_freq_gradient);

// 2 pi / |inv_freq| of each: how many positions one turn takes; infinite for a frequency of zero.
POSENC_API std::vector<double> wavelengths(const std::vector<double>& inv_freq);

}  // namespace posenc
