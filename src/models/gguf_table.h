// The use of positions in each architecture of llama.cpp, as far as a GGUF file does not state it. The rows are in
// gguf_architectures.jsonl, one JSON object each, taken from llama.cpp (commit b21e4de7): its switch of rope types and
// the constants of its models.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace posenc::models::gguf {

// How channels are paired, with the name in ggml.
enum class Pairing : int {
  none,
  interleaved,           // NORMAL: 2i and 2i + 1
  half,                  // NEOX: i and i + n / 2
  sections,              // MROPE: half, with consecutive sections of pairs, one per axis
  interleaved_sections,  // IMROPE: half, with axes alternating from pair to pair
};

// The encoding in addition to or instead of a rotation. Learned rows are used whenever the file has them.
enum class OtherEncoding : int { nothing, alibi, learned, t5 };

// Which channels of a head are rotated.
enum class Part : int {
  first,   // the first rope.dimension_count
  latent,  // the last: multi-head latent attention, [nope | rope]
  last,    // the last, of an ordinary head
  all,     // all, whatever rope.dimension_count says
};

// Which layers use the tensors of divisors of the frequencies (rope_freqs, rope_factors_long, rope_factors_short).
enum class Divisors : int {
  unused,
  all,          // in all layers; the two lists if the scaling is longrope
  lists,        // only the two lists, whatever the scaling is called
  full_layers,  // in layers that see all keys
};

// Whether layers have a sliding window.
enum class Sliding : int {
  never,
  given,   // if attention.sliding_window is above 0
  always,  // in any case
};

// The form of attention.sliding_window_pattern. A list is ignored if a number is expected.
enum class Pattern : int {
  number,          // every Nth layer sees all keys
  number_or_list,  // a number, or else a list
  list,            // 1 for every layer with a window
  attention,       // no key: all layers with attention have a window
};

enum class WindowShape : int {
  sliding,
  chunked,    // windows start at multiples of their length
  symmetric,  // half of it to each side
};

// The base of layers with a window.
enum class LocalBase : int {
  shared,              // rope.freq_base
  own,                 // rope.freq_base_swa, else rope.freq_base
  own_or_ten_thousand  // rope.freq_base_swa, else 10000
};

// The scaling of layers with a window.
enum class LocalScaling : int {
  shared,
  factor_one,  // the factor is 1, but YaRN's factor on cos and sin remains
  none,
};

// Layers without rotation in a model that has rotations.
enum class Still : int {
  none,
  every,          // layer l where l + 1 is a multiple of still_every
  every_or_last,  // likewise; if no layer has a window, only the last layer
  every_first,    // layer l where l is a multiple of still_every, if layers have windows
  full_layers,    // those that see all keys, if others have windows
  full_sparse,    // likewise, except the first leading_dense_block_count layers
  pattern,        // those with 0 in attention.rope_pattern
  not_finetuned   // all, if rope.scaling.finetuned is false
};

// The factor on q.k.
enum class Softmax : int {
  head,        // 1 / sqrt(head)
  key,         // attention.scale, else 1 / sqrt(head)
  one,         // 1
  rotary,      // 1 / sqrt(rope.dimension_count)
  value,       // 1 / sqrt(attention.value_length)
  head_whole,  // 1 / head
  latent,      // YaRN's magnitude squared / sqrt(attention.key_length_mla)
  output_key,  // attention.output_scale, else 0.08838834764831845
};

// rope.scaling.yarn_log_multiplier.
enum class LogMultiplier : int {
  unread,
  as_given,      // it is mscale_all_dim, with mscale 1
  tenfold,       // a tenth of it
  tenfold_both,  // a tenth of it, and mscale is the same unless it is 1
};

// The factor on queries.
enum class Temperature : int {
  none,
  still_layers,     // Llama 4: 0.1 and 8192, in layers without rotation
  key_length,       // attention.temperature_scale and temperature_length
  original_length,  // attention.temperature_scale and rope.scaling.original_context_length
};

struct GgufArchitecture {
  std::string name;
  Pairing rotation = Pairing::none;
  OtherEncoding added = OtherEncoding::nothing;
  bool permuted = false;           // whether the converter reorders q and k, so that config.json says half
  bool sections_if_given = false;  // `rotation` becomes Pairing::sections if the file has sections
  Part part = Part::first;
  bool rotary_is_head = false;  // refuse a rope.dimension_count other than the width of the head
  Divisors divisors = Divisors::unused;
  bool unscaled = false;  // whether llama.cpp ignores the scaling
  Sliding sliding = Sliding::never;
  std::int64_t sliding_layers = 0;  // has windows only with this number of layers; 0: with any
  Pattern pattern = Pattern::number;
  std::int64_t period = 0;  // every Nth layer sees all keys; 0: none does
  bool full_first = false;  // whether it is the first of each group instead of the last
  std::int64_t window = 0;  // if the file has none; always, if window_fixed
  bool window_fixed = false;
  WindowShape window_shape = WindowShape::sliding;
  LocalBase local_base = LocalBase::shared;
  LocalScaling local_scaling = LocalScaling::shared;
  Still still = Still::none;
  std::int64_t still_every = 0;
  Softmax softmax = Softmax::head;
  std::int64_t wide_layers = 0;      // with this number of layers, 1 / sqrt(embedding_length / head_count) instead
  bool alibi_read = false;           // whether attention.max_alibi_bias is read; else the bias is 8
  std::int64_t rotating_layers = 0;  // rotates only with this number of layers; 0: with any
  std::int64_t alibi_layers = 0;     // has ALiBi only with this number of layers
  std::int64_t full_interval = 0;    // every Nth layer has attention, unless the file says otherwise
  bool reads_betas = false;          // rope.scaling.yarn_beta_fast and _slow
  double beta_fast = 32.0;
  bool reads_extrapolation = false;  // rope.scaling.yarn_ext_factor and yarn_attn_factor
  bool reads_alpha = false;          // rope.scaling.alpha
  LogMultiplier log_multiplier = LogMultiplier::unread;
  bool magnitude_one = false;  // YaRN changes only the frequencies
  Temperature temperature = Temperature::none;
  bool halves_rotary = false;  // rope.dimension_count is that of sliding layers; the others rotate half of it
  bool compresses = false;  // layers of attention.compress_ratios above 0 have compress_rope_freq_base and the scaling
  std::string unsupported = {};  // a key that makes it an unsupported model, unless it is 0
  std::string note = {};
};

// The names of all rows.
std::vector<std::string_view> gguf_architectures();

// Empty if there is no such row.
std::optional<GgufArchitecture> find_gguf_architecture(std::string_view name);

}  // namespace posenc::models::gguf
