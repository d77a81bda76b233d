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
};

}  // namespace posenc
