// Turns the heads of some tokens: pairs of channels by the cosines and sines of the token's row, which stays in the
// nearest cache while its heads are turned.
//
// A product may be fused with the sum that follows, where the instruction set can; stepwise, every product and sum is
// rounded: the bits of any engine that writes a * c - b * s with the same table, on every instruction set.
#pragma once

#include <cstdint>

#include "posenc/view.h"

namespace posenc::kernels {

enum class Pairing {
  half,            // channel i with i + pairs, in each part
  interleaved,     // 2i with 2i + 1
  to_half,         // reads 2i and 2i + 1, writes i and i + pairs
  to_interleaved,  // reads i and i + pairs, writes 2i and 2i + 1
};

// The windows of the heads of some tokens: T is the element, Real the arithmetic. in and out are the same or apart.
template <class T, class Real>
struct Heads {
  const T* in;
  T* out;
  std::int64_t tokens;
  std::int64_t in_token;  // elements from token to token
  std::int64_t out_token;
  std::int64_t heads;
  std::int64_t in_head;  // elements from head to head
  std::int64_t out_head;
  const Real* const* rows;  // [tokens]: the cosines of all pairs, then their sines
  std::int64_t pairs;       // of a part; at most 4096 in all
  std::int64_t parts;       // 1 unless the pairing is half
  Pairing pairing;
  bool negative;  // by the negative angle
  bool stepwise;  // nothing fused
  bool near;      // in a cache, probably
  Real scale;     // multiplies the result
};

void rotate_heads(const Heads<float, float>& heads) noexcept;
void rotate_heads(const Heads<double, double>& heads) noexcept;
void rotate_heads(const Heads<f16, float>& heads) noexcept;
void rotate_heads(const Heads<bf16, float>& heads) noexcept;

}  // namespace posenc::kernels
