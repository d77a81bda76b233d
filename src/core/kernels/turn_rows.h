// Rotates rows of angles by a row of small angles: sin(a + b) and cos(a + b) from the sines and cosines of a and b, in
// double, rounded once when stored. Rows do not depend on each other, so errors do not accumulate.
#pragma once

#include <cstdint>

namespace posenc::kernels {

// `rows` anchors at intervals of `anchor_stride`, and the offset by which all of them are rotated.
struct AnchorTurn {
  const double* anchor_sin;
  const double* anchor_cos;
  std::int64_t anchor_stride;
  const double* offset_sin;
  const double* offset_cos;
  std::int64_t pairs;
  std::int64_t rows;
};

// The columns of pairs: contiguous sines and contiguous cosines (stride 1), or alternating (stride 2, either first).
template <class T>
struct PairColumns {
  T* sine;
  T* cosine;
  std::int64_t stride;
  std::int64_t row_stride;  // between rows
};

// A double is rounded to the nearest float. Functions called `odd` round in such a way that rounding again, to a 16-bit
// float, gives the same as rounding the double once.

// How the elements of a row are stored. past_caches is for outputs larger than the caches: if the instruction set can,
// lines are not read before they are written. Rows and columns must then start at multiples of kStreamAlignment bytes,
// the size of turn.pairs elements must be such a multiple, and other threads may read the rows only after
// finish_stream.
enum class Stores { cached, past_caches };
constexpr std::int64_t kStreamAlignment = 64;
void finish_stream() noexcept;

void turn_rows(const AnchorTurn& turn, const PairColumns<double>& out, Stores stores) noexcept;
void turn_rows(const AnchorTurn& turn, const PairColumns<float>& out, Stores stores) noexcept;
void turn_rows_odd(const AnchorTurn& turn, const PairColumns<float>& out) noexcept;

// Rotates forward and back at once, because most of the work is shared: rows rotated forward are written to `out`, rows
// rotated back by the offset `to_back` elements further. The bits are those of turn_rows with the offset, and with its
// sines negated.
void turn_both(const AnchorTurn& turn, const PairColumns<double>& out, std::int64_t to_back, Stores stores) noexcept;
void turn_both(const AnchorTurn& turn, const PairColumns<float>& out, std::int64_t to_back, Stores stores) noexcept;
void turn_both_odd(const AnchorTurn& turn, const PairColumns<float>& out, std::int64_t to_back) noexcept;

// Stores one row of sines and cosines without rotation.
void place_row(const double* sine, const double* cosine, std::int64_t pairs, const PairColumns<double>& out) noexcept;
void place_row(const double* sine, const double* cosine, std::int64_t pairs, const PairColumns<float>& out) noexcept;
void place_row_odd(const double* sine, const double* cosine, std::int64_t pairs,
                   const PairColumns<float>& out) noexcept;

}  // namespace posenc::kernels
