// Scalings of rotary encodings: how the ladder of frequencies is changed for contexts longer than the trained one.
//
//     const posenc::Yarn yarn{.factor = 4.0, .original_positions = 32768};
//     const posenc::Rotary spec{.head_dim = 128, .base = 1e6, .scaling = yarn};  // for tables, rotate, attend
//     const posenc::ScaledLadder scaled = posenc::scale_ladder(yarn, {.base = 1e6, .dim = 128, .pairs = 64});
//     scaled.inv_freq;          // radians per position, one per pair
//     scaled.attention_factor;  // 1.1386...: 0.1 ln 4 + 1
//
// The plain ladder is f_i = base^(-2i / dim). Every scaling is plain data and a pure function of it; none keeps state.
// docs/encodings/scalings.md has each with its formula, source, users, and when not to use it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "posenc/error.h"
#include "posenc/export.h"

namespace posenc {

namespace scalings {
struct ScalingRow;  // what posenc's own sources know about a scaling
}

struct NoScaling {
  static constexpr std::string_view kind = "none";
  static constexpr std::string_view summary = "unchanged frequencies";
  static const scalings::ScalingRow row;
};

// Position interpolation (Chen et al., 2023): f_i / factor, as if every position were divided by the factor.
struct LinearScaling {
  static constexpr std::string_view kind = "linear";
  static constexpr std::string_view summary = "position interpolation: every frequency divided by the factor";
  static const scalings::ScalingRow row;
  double factor = 1.0;  // > 0, as every factor here
};

// NTK-aware (bloc97, 2023): the base becomes base * factor^(dim / (dim - 2)): the slowest pair is divided by the
// factor, the fastest is kept.
struct Ntk {
  static constexpr std::string_view kind = "ntk";
  static constexpr std::string_view summary =
      "NTK-aware: a larger base, which slows the slow pairs and keeps the fast ones";
  static const scalings::ScalingRow row;
  double factor = 1.0;
};

// Dynamic NTK (emozilla, 2023): the base becomes base * (factor * s / L - (factor - 1))^(dim / (dim - 2)) for a
// sequence of s tokens that is longer than L = original_positions; for shorter sequences nothing changes. Needs the
// sequence length.
struct DynamicNtk {
  static constexpr std::string_view kind = "dynamic";
  static constexpr std::string_view summary = "dynamic NTK: a base that grows with the length of the sequence";
  static const scalings::ScalingRow row;
  double factor = 1.0;
  std::int64_t original_positions = 0;  // the trained length; must be given, as in every struct below that has it
};

// A fixed NTK step (Hunyuan's `alpha`): the base becomes base * alpha^(head_dim / (head_dim - 2)). It uses the whole
// head_dim even if only a part of the head rotates.
struct NtkAlpha {
  static constexpr std::string_view kind = "ntk_alpha";
  static constexpr std::string_view summary = "a fixed NTK step by alpha";
  static const scalings::ScalingRow row;
  double alpha = 1.0;
};

// NTK-by-parts (bloc97, 2023): with r = L / wavelength turns within the trained length, f_i is kept if r is at least
// beta_fast, divided by the factor if r is at most beta_slow, and mixed linearly in r between them.
struct NtkByParts {
  static constexpr std::string_view kind = "ntk_by_parts";
  static constexpr std::string_view summary =
      "NTK-by-parts: pairs kept or slowed by their turns within the trained length";
  static const scalings::ScalingRow row;
  double factor = 1.0;
  std::int64_t original_positions = 0;
  double beta_fast = 32.0;
  double beta_slow = 1.0;
};

// YaRN (Peng et al., 2024) as it is implemented: the mixture is linear in the pair's number, between the (fractional)
// pairs with beta_fast and beta_slow turns within the trained length, and cos and sin are multiplied by a factor. That
// factor is Rotary::attention_factor if given. Else, with g(m) = 0.1 m ln(factor) + 1 (1 if the factor is at most 1),
// it is g(mscale) / g(mscale_all_dim) if neither is 0, else g(1).
struct Yarn {
  static constexpr std::string_view kind = "yarn";
  static constexpr std::string_view summary = "YaRN: pairs kept or slowed by their index, and a factor on cos and sin";
  static const scalings::ScalingRow row;
  std::optional<double> factor = {};  // none: max_positions / original_positions
  std::int64_t original_positions = 0;
  std::int64_t max_positions = 0;  // the extended length; read if factor is none
  double beta_fast = 32.0;
  double beta_slow = 1.0;
  bool truncate = true;  // the two pairs are rounded outwards to whole numbers; not in GPT-OSS
  double mscale = 0.0;
  double mscale_all_dim = 0.0;
};

// Which list LongRoPE uses.
enum class LongRopeList : int {
  by_length,     // long_factor for sequences longer than original_positions
  short_factor,  // always the short one: Phi-3.5-MoE in Hugging Face, whatever the length
  long_factor,   // always the long one: engines that choose by the configured context
};

// LongRoPE (Ding et al., 2024): f_i / list_i, with the list chosen by the sequence length. The factor on cos and sin is
// Rotary::attention_factor if given; else short_mscale or long_mscale, by the length, if given; else
// sqrt(1 + ln(factor) / ln(original_positions)), or 1 if the factor is at most 1, the same for both lists.
struct LongRope {
  static constexpr std::string_view kind = "longrope";
  static constexpr std::string_view summary =
      "LongRoPE: a divisor per pair, with one list for short and one for long sequences";
  static const scalings::ScalingRow row;
  std::vector<double> short_factor = {};  // one per pair, > 0
  std::vector<double> long_factor = {};
  std::int64_t original_positions = 0;
  std::optional<double> factor = {};  // none: max_positions / original_positions
  std::int64_t max_positions = 0;
  std::optional<double> short_mscale = {};
  std::optional<double> long_mscale = {};
  LongRopeList list = LongRopeList::by_length;
};

// Llama 3.1: wavelengths below L / high_freq_factor are kept, above L / low_freq_factor divided by the factor; between
// them the frequency is mixed with s = (L / wavelength - low_freq_factor) / (high_freq_factor - low_freq_factor).
struct Llama3 {
  static constexpr std::string_view kind = "llama3";
  static constexpr std::string_view summary =
      "Llama 3.1: pairs kept or slowed by their wavelength, with a smooth band between";
  static const scalings::ScalingRow row;
  double factor = 8.0;
  std::int64_t original_positions = 0;
  double low_freq_factor = 1.0;
  double high_freq_factor = 4.0;  // at least low_freq_factor; the same in Llama 4 Scout: a step
};

// Gemma 4: the first floor(share * head_dim / 2) pairs rotate, by f_i / factor, the others never: the exponents are
// spaced over the whole head, unlike those of a partial width.
struct Proportional {
  static constexpr std::string_view kind = "proportional";
  static constexpr std::string_view summary =
      "Gemma 4: only the fastest pairs rotate, with frequencies spaced over the whole head";
  static const scalings::ScalingRow row;
  double factor = 1.0;
  double share = 1.0;  // above 0 to 1: partial_rotary_factor in config.json
};

// p-RoPE (Barbero et al., 2025): the first floor(share * pairs) pairs are kept, the slower ones never rotate. Like
// Proportional with factor 1, but also for a part of the head.
struct PRope {
  static constexpr std::string_view kind = "p_rope";
  static constexpr std::string_view summary = "p-RoPE: the slowest pairs do not rotate";
  static const scalings::ScalingRow row;
  double share = 0.75;
};

// Learned multipliers: f_i * exp(log_multipliers_i), from a checkpoint (Mistral Large 4).
struct LearnedMultipliers {
  static constexpr std::string_view kind = "learned_multipliers";
  static constexpr std::string_view summary = "every frequency multiplied by the exponential of a learned number";
  static const scalings::ScalingRow row;
  std::vector<double> log_multipliers = {};  // one per pair
};

// Resonance RoPE (Wang et al., 2024): every wavelength is rounded to a whole number of positions, at least 1.
struct Resonance {
  static constexpr std::string_view kind = "resonance";
  static constexpr std::string_view summary = "every wavelength rounded to a whole number of positions";
  static const scalings::ScalingRow row;
};

// A std::variant of all scalings: std::visit, std::get_if and std::variant_size_v work. It is a struct so that copying
// it is compiled once, in the library.
struct POSENC_API Scaling : std::variant<NoScaling, LinearScaling, Ntk, DynamicNtk, NtkAlpha, NtkByParts, Yarn,
                                         LongRope, Llama3, Proportional, PRope, LearnedMultipliers, Resonance> {
  using variant::variant;
  Scaling() noexcept = default;
  Scaling(const Scaling& other);
  Scaling(Scaling&& other) noexcept;
  Scaling& operator=(const Scaling& other);
  Scaling& operator=(Scaling&& other) noexcept;
};

// "none", "linear", ...: the word in text and JSON.
POSENC_API std::string_view kind_of(const Scaling& scaling) noexcept;

// Whether the numbers depend on the length of the sequence.
POSENC_API bool needs_length(const Scaling& scaling) noexcept;

// The length that it extends: its original_positions, if it has them.
POSENC_API std::optional<std::int64_t> trained_length(const Scaling& scaling) noexcept;

// The scaling during training: none for a scaling that stretches a trained context; p_rope,
// learned_multipliers and resonance are trained as they are, and proportional without its factor.
POSENC_API Scaling trained_scaling(const Scaling& scaling);

// The ladder that is scaled.
struct Ladder {
  double base = 10000.0;
  std::int64_t dim = 0;       // what the exponents 2i are divided by
  std::int64_t pairs = 0;     // how many frequencies
  std::int64_t head_dim = 0;  // of the whole head; 0: dim
  std::optional<std::int64_t> sequence_length = {};
};

struct ScaledLadder {
  std::vector<double> inv_freq;   // within 1 ulp of the formula
  double attention_factor = 1.0;  // on cos and sin, unless the spec says otherwise
};

// Throws if the scaling needs a sequence length and none is given, or if its lists do not have `pairs` numbers.
POSENC_API ScaledLadder scale_ladder(const Scaling& scaling, const Ladder& ladder);

// YaRN's magnitude g(m) = 0.1 m ln(factor) + 1, or 1 if the factor is at most 1. Models with multi-head latent
// attention (DeepSeek) also multiply the softmax scale by the square of g(mscale_all_dim), in addition to the factor on
// cos and sin.
POSENC_API double yarn_magnitude(double factor, double mscale) noexcept;

// The pairs (fractional unless truncated) between which YaRN mixes, clipped to 0 .. dim - 1.
struct YarnRange {
  double low = 0.0;   // pairs up to here are kept
  double high = 0.0;  // pairs from here on are divided by the factor
};
POSENC_API YarnRange yarn_range(const Yarn& scaling, const Ladder& ladder);

// The length for which Hugging Face's dynamic scaling has computed its frequencies after a call of `call_length`
// tokens, if it was `built_for` before the call (original_positions at first). It grows with the longest call so far,
// and returns to original_positions only if a call is shorter than that. So Hugging Face's result depends on earlier
// calls; here it is a function.
POSENC_API std::int64_t dynamic_length_after(std::int64_t built_for, std::int64_t call_length,
                                             std::int64_t original_positions) noexcept;

}  // namespace posenc

template <>
struct std::variant_size<posenc::Scaling> : std::variant_size<posenc::Scaling::variant> {};
template <std::size_t index>
struct std::variant_alternative<index, posenc::Scaling> : std::variant_alternative<index, posenc::Scaling::variant> {};
