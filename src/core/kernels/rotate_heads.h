// Rotates the heads of some tokens: pairs of channels by the cosines and sines of the token's row, which stays in the
// first-level cache while the heads are rotated.
//
// A product may be fused with the following sum, if the instruction set can. With `stepwise`, every product and sum is
// rounded. This gives the same bits on every instruction set, and those of any engine that computes a * c - b * s from
// the same table.
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

// The windows of the heads of some tokens. T is the element type, Real the type of the arithmetic. `in` and `out` are
// the same or do not overlap.
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
  std::int64_t pairs;       // per part; at most 4096 in total
  std::int64_t parts;       // 1 unless the pairing is half
  Pairing pairing;
  bool negative;  // rotate by the negative angle
  bool stepwise;  // round every product and sum
  bool near;      // the data are probably in cache
  Real scale;     // factor on the result
};

void rotate_heads(const Heads<float, float>& heads) noexcept;
void rotate_heads(const Heads<double, double>& heads) noexcept;
void rotate_heads(const Heads<f16, float>& heads) noexcept;
void rotate_heads(const Heads<bf16, float>& heads) noexcept;

}  // namespace posenc::kernels
