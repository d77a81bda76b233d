// Which channels of a head turn together.
#pragma once

namespace posenc {

// Which channels of the window turn together. Of n pairs, pair i is (a, b), and (a, b) becomes (a c - b s, b c + a s)
// with the cosine and sine of its angle.
enum class Layout : int {
  half,                 // channels i and i + n: Llama, GPT-NeoX and most others
  interleaved,          // 2i and 2i + 1: the paper, GPT-J, Cohere
  interleaved_to_half,  // reads 2i and 2i + 1, writes i and i + n: DeepSeek V3, and the shortest tutorials
  half_negative,        // half, by the negative angle: nanochat
  half_per_axis,        // the window is cut in one part per axis, half within each: Gemma 4's vision tower
  // Two published mistakes that checkpoints were trained with. A channel c has its own angle, and becomes
  // x[c] cos(angle_c) -+ x[partner] sin(angle_c): where the angles of partners differ, that is no rotation.
  full_width_half,  // partners as in half; sections, twice as long, lie once over the channels: HunYuan-VL
  interleaved_pairs_with_halves_tiling_per_axis,  // one part per axis; partners 2i and 2i + 1, angles as in half:
                                                  // V-JEPA 2
};

// Whether a layout turns pairs as wholes, by one angle each.
constexpr bool is_rotation(Layout layout) noexcept { return layout < Layout::full_width_half; }

}  // namespace posenc
