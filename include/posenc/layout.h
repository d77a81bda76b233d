// How the channels of a head are paired for rotation.
#pragma once

namespace posenc {

// Which channels of the window form a pair. Pair i of n is (a, b), and rotation by its angle makes it
// (a cos - b sin, b cos + a sin).
enum class Layout : int {
  half,                 // channels i and i + n: Llama, GPT-NeoX and most others
  interleaved,          // channels 2i and 2i + 1: the paper, GPT-J, Cohere
  interleaved_to_half,  // reads 2i and 2i + 1, writes i and i + n: DeepSeek V3, and the shortest tutorials
  half_negative,        // half, rotated by the negative angle: nanochat
  half_per_axis,        // one part of the window per axis, half within each part: Gemma 4's vision tower
  // Two published mistakes with which models were trained. Each channel c has its own angle and becomes
  // x[c] cos(angle_c) -+ x[partner] sin(angle_c). If the angles of partners differ, this is not a rotation.
  full_width_half,  // partners as in half; sections are twice as long and cover the channels once: HunYuan-VL
  interleaved_pairs_with_halves_tiling_per_axis,  // one part per axis; partners 2i and 2i + 1, angles as in half:
                                                  // V-JEPA 2
};

// Whether a layout rotates each pair by one angle.
constexpr bool is_rotation(Layout layout) noexcept { return layout < Layout::full_width_half; }

}  // namespace posenc
