// Turns rows of angles by a row of small angles: sin(a + b) and cos(a + b) from the sines and cosines of a and b, in
// double, rounded once where they are stored. Nothing is chained from row to row, so no error builds up.
#pragma once

#include <cstdint>

namespace posenc::kernels {

// `rows` anchors, one after the other at `anchor_stride`, and the offset that turns all of them: what is loaded of the
// offset serves every row.
struct Turn {
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

// How a double becomes a float: to the nearest one, or so that rounding it to a 16-bit float afterwards is as if the
// double had been rounded to it at once.
enum class Rounding { nearest, odd };

void turn_rows(const Turn& turn, const PairColumns<double>& out) noexcept;
void turn_rows(const Turn& turn, const PairColumns<float>& out, Rounding rounding) noexcept;

// The same past the caches, where the instruction set can: for outputs that are larger than those, so that no line is
// read before it is written. Rows, columns and turn.pairs elements must be multiples of kStreamAlignment bytes. Other
// threads may see the rows after finish_stream.
constexpr std::int64_t kStreamAlignment = 64;
void stream_rows(const Turn& turn, const PairColumns<double>& out) noexcept;
void stream_rows(const Turn& turn, const PairColumns<float>& out) noexcept;
void finish_stream() noexcept;

// One row of sines and cosines as they are.
void place_row(const double* sine, const double* cosine, std::int64_t pairs, const PairColumns<double>& out) noexcept;
void place_row(const double* sine, const double* cosine, std::int64_t pairs, const PairColumns<float>& out,
               Rounding rounding) noexcept;

}  // namespace posenc::kernels
