// What llama.cpp does with positions, by architecture: what a GGUF file does not say. The rows are those of
// gguf_architectures.jsonl, one JSON object each, as llama.cpp has them in August 2026 (commit b21e4de7): its switch of
// rope types and the constants of its models.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace posenc::models::gguf {

// Which channels turn together; the words of ggml behind each.
enum class Turns : int {
  none,
  interleaved,           // NORMAL: 2i and 2i + 1
  half,                  // NEOX: i and i + n / 2
  sections,              // MROPE: half, the pairs in sections of one axis each, one after the other
  interleaved_sections,  // IMROPE: half, the axes of pairs take turns
};

// What says where tokens are, beside or instead of turning. Learned rows are used wherever the file has them.
enum class OtherEncoding : int { nothing, alibi, learned, t5 };

// Which channels of a head turn.
enum class Part : int {
  first,   // the first rope.dimension_count
  latent,  // the last: multi-head latent attention, [nope | rope]
  last,    // the last, of an ordinary head
  all,     // all, whatever rope.dimension_count says
};

// Where tensors of divisors of the frequencies (rope_freqs, rope_factors_long, rope_factors_short) are used.
enum class Divisors : int {
  unused,
  all,          // in all layers; the two lists where the scaling is longrope
  lists,        // the two lists alone, whatever the scaling's name
  full_layers,  // in layers that see all keys
};

// When there are layers with a window of keys.
enum class Sliding : int {
  never,
  given,   // where attention.sliding_window is above 0
  always,  // in any case
};

// What attention.sliding_window_pattern may be. A list is ignored where a number is read.
enum class Pattern : int {
  number,          // every so manieth layer sees all keys
  number_or_list,  // and without it there must be a list
  list,            // 1 for every layer that slides
  attention,       // no key: all layers that have attention slide
};

enum class WindowShape : int {
  sliding,
  chunked,    // the window begins at multiples of its length
  symmetric,  // half of it to each side
};

// The base of layers that slide.
enum class LocalBase : int {
  shared,              // rope.freq_base
  own,                 // rope.freq_base_swa, else rope.freq_base
  own_or_ten_thousand  // rope.freq_base_swa, else 10000
};

// The scaling of layers that slide.
enum class LocalScaling : int {
  shared,
  factor_one,  // the factor is 1, what is left of YaRN's magnitude stays
  none,
};

// Layers that do not turn though others do.
enum class Still : int {
  none,
  every,          // layer l where l + 1 is a multiple of still_every
  every_or_last,  // likewise; where none slides, the last layer alone
  every_first,    // layer l where l is a multiple of still_every, if layers slide at all
  full_layers,    // those that see all keys, if others slide
  full_sparse,    // likewise, but for the first leading_dense_block_count layers
  pattern,        // those that attention.rope_pattern has 0 for
  not_finetuned   // all, where rope.scaling.finetuned is false
};

// What q.k is multiplied by.
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
  as_given,      // mscale_all_dim, beside an mscale of 1
  tenfold,       // a tenth of it
  tenfold_both,  // a tenth of it, which is mscale too, unless it is 1
};

// What queries are multiplied by.
enum class Temperature : int {
  none,
  still_layers,     // Llama 4: 0.1 and 8192, in layers that do not turn
  key_length,       // attention.temperature_scale and temperature_length
  original_length,  // attention.temperature_scale and rope.scaling.original_context_length
};

struct GgufArchitecture {
  std::string name;
  Turns turns = Turns::none;
  OtherEncoding added = OtherEncoding::nothing;
  bool permuted = false;           // whether the converter reorders q and k, so that config.json says half
  bool sections_if_given = false;  // turns become Turns::sections where the file has some
  Part part = Part::first;
  bool rotary_is_head = false;  // another rope.dimension_count than the head is refused
  Divisors divisors = Divisors::unused;
  bool unscaled = false;  // whether llama.cpp ignores the scaling
  Sliding sliding = Sliding::never;
  std::int64_t sliding_layers = 0;  // slides only with so many layers; 0: with any number
  Pattern pattern = Pattern::number;
  std::int64_t period = 0;  // every so manieth layer sees all keys; 0: none does
  bool full_first = false;  // whether that is the first of each group and not the last
  std::int64_t window = 0;  // where the file does not say; fixed where window_fixed
  bool window_fixed = false;
  WindowShape window_shape = WindowShape::sliding;
  LocalBase local_base = LocalBase::shared;
  LocalScaling local_scaling = LocalScaling::shared;
  Still still = Still::none;
  std::int64_t still_every = 0;
  Softmax softmax = Softmax::head;
  std::int64_t wide_layers = 0;     // with so many layers 1 / sqrt(embedding_length / head_count) instead
  bool alibi_read = false;          // whether attention.max_alibi_bias is read; else the bias is 8
  std::int64_t turning_layers = 0;  // turns only with so many layers; 0: with any number
  std::int64_t alibi_layers = 0;    // has ALiBi only with so many layers
  std::int64_t full_interval = 0;   // every so manieth layer has attention, unless the file says otherwise
  bool reads_betas = false;         // rope.scaling.yarn_beta_fast and _slow
  double beta_fast = 32.0;
  bool reads_extrapolation = false;  // rope.scaling.yarn_ext_factor and yarn_attn_factor
  bool reads_alpha = false;          // rope.scaling.alpha
  LogMultiplier log_multiplier = LogMultiplier::unread;
  bool magnitude_one = false;  // YaRN changes frequencies only
  Temperature temperature = Temperature::none;
  bool halves_rotary = false;  // rope.dimension_count is that of sliding layers, others turn half of it
  bool compresses = false;  // layers of attention.compress_ratios above 0 have compress_rope_freq_base and the scaling
  std::string unsupported = {};  // a key that makes another model of it, unless it is 0
  std::string note = {};
};

// The names of all rows.
std::vector<std::string_view> gguf_architectures();

// Nothing where there is no such row.
std::optional<GgufArchitecture> find_gguf_architecture(std::string_view name);

}  // namespace posenc::models::gguf
