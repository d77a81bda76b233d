// Turns rows of angles by a row of small angles: sin(a + b) and cos(a + b) from the sines and cosines of a and b, in
// double, rounded once where they are stored. Nothing is chained from row to row, so no error builds up.
#pragma once

#include <cstdint>

namespace posenc::kernels {

// `rows` anchors, one after the other at `anchor_stride`, and the offset that turns all of them.
struct AnchorTurn {
  const double* anchor_sin;
  const double* anchor_cos;
  std::int64_t anchor_stride;
  const double* offset_sin;
  const double* offset_cos;
  std::int64_t pairs;
  std::int64_t rows;
};

// Where pairs go: contiguous sines and contiguous cosines (stride 1), or one beside the other (stride 2, either first).
template <class T>
struct PairColumns {
  T* sine;
  T* cosine;
  std::int64_t stride;
  std::int64_t row_stride;  // between rows
};

// A double becomes the nearest float. The functions that are called odd round so that rounding again, to a 16-bit
// float, is as if the double had been rounded to that at once.

// How the elements of a row are stored. Past the caches, where the instruction set can: for outputs that are larger
// than those, so that no line is read before it is written. Then rows, columns and turn.pairs elements must be
// multiples of kStreamAlignment bytes, and other threads may see the rows after finish_stream.
enum class Stores { cached, past_caches };
constexpr std::int64_t kStreamAlignment = 64;
void finish_stream() noexcept;

void turn_rows(const AnchorTurn& turn, const PairColumns<double>& out, Stores stores) noexcept;
void turn_rows(const AnchorTurn& turn, const PairColumns<float>& out, Stores stores) noexcept;
void turn_rows_odd(const AnchorTurn& turn, const PairColumns<float>& out) noexcept;

// Both ways at once, since most of the work is the same: turned rows go to `out`, rows that are turned back by the
// offset go `to_back` elements further. The bits of turn_rows with that offset, or with its sines negated.
void turn_both(const AnchorTurn& turn, const PairColumns<double>& out, std::int64_t to_back, Stores stores) noexcept;
void turn_both(const AnchorTurn& turn, const PairColumns<float>& out, std::int64_t to_back, Stores stores) noexcept;
void turn_both_odd(const AnchorTurn& turn, const PairColumns<float>& out, std::int64_t to_back) noexcept;

// One row of sines and cosines as they are.
void place_row(const double* sine, const double* cosine, std::int64_t pairs, const PairColumns<double>& out) noexcept;
void place_row(const double* sine, const double* cosine, std::int64_t pairs, const PairColumns<float>& out) noexcept;
void place_row_odd(const double* sine, const double* cosine, std::int64_t pairs,
                   const PairColumns<float>& out) noexcept;

}  // namespace posenc::kernels
