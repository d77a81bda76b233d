// Learned vectors per offset that act inside attention on queries, keys and values: Shaw, Transformer-XL.
//
//     posenc::ScoreTerm term(posenc::Shaw{.head_dim = 64, .left = 16, .right = 16}, {{"keys", r}, {"values", s}});
//     posenc::attend(q, k, v, out, {.term = &term});
//
// All have one form: score = scale * ((q + u).k + (q + v).r[row]) (optionally + k.r[row]) and output += weight *
// s[row], where row is a function of the offset between key and query. Integer positions only. Immutable, cheap to
// copy, and may be shared between threads; parameters are read when the term is made.
#pragma once

#include <cstdint>
#include <memory>

#include "posenc/export.h"
#include "posenc/parameters.h"
#include "posenc/spec.h"
#include "posenc/view.h"

namespace posenc {
namespace attention {
class TermValues;
}

class POSENC_API ScoreTerm {
 public:
  // For a Shaw or a TransformerXl; other kinds are errors. Throws if a parameter is missing, unknown, of the wrong
  // shape or not finite.
  explicit ScoreTerm(const Spec& spec, const Parameters& parameters);

  const Spec& spec() const noexcept POSENC_LIFETIMEBOUND;
  std::int64_t heads() const noexcept;        // 0: any number, all heads share the vectors
  std::int64_t head_dim() const noexcept;     // D
  std::int64_t value_width() const noexcept;  // Dv of the vectors on values; 0: no such vectors
  const attention::TermValues& values() const noexcept POSENC_LIFETIMEBOUND { return *values_; }

 private:
  std::shared_ptr<const attention::TermValues> values_;
};

// Returns the row for a pair of positions, or -1 if it has no vector. Throws if PastTable::error excludes the offset.
POSENC_API std::int64_t shaw_row(const Shaw& spec, std::int64_t query, std::int64_t key);

// The relative shift of Transformer-XL, also called skewing (Music Transformer). Column r of by_distance, [N, R] (or
// with leading axes), holds a query's number for keys at distance first_distance - r. out, [N, S], gets it in the
// column of the key: the distance of query n and key s is n + S - N - s. Out is 0 if by_distance has no such column.
// f32 or f64, both of one dtype; the last axis must be contiguous, other strides are free.
POSENC_API void relative_shift(const ConstView& by_distance, std::int64_t first_distance, const View& out);

}  // namespace posenc
