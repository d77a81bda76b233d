// Learned vectors per offset that meet queries, keys and values inside attention: Shaw, Transformer-XL.
//
//     posenc::ScoreTerm term(posenc::Shaw{.head_dim = 64, .left = 16, .right = 16}, {{"keys", r}, {"values", s}});
//     posenc::attend(q, k, v, out, {.term = &term});
//
// All of them are one shape: score = scale * ((q + u).k + (q + v).r[row]) (and + k.r[row]), output += weight * s[row],
// where row is a function of the offset of the pair of positions. Integer positions only. Immutable, cheap to copy, and
// may be shared between threads; parameters are read when it is made.
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
  // Of a Shaw or a TransformerXl; other kinds are errors. Throws unless the parameters are those of the spec, of the
  // right shape and finite.
  explicit ScoreTerm(const Spec& spec, const Parameters& parameters);

  const Spec& spec() const noexcept POSENC_LIFETIMEBOUND;
  std::int64_t heads() const noexcept;        // 0: any, the vectors are shared by heads
  std::int64_t head_dim() const noexcept;     // D
  std::int64_t value_width() const noexcept;  // Dv of the vectors on values; 0: there are none
  const attention::TermValues& values() const noexcept POSENC_LIFETIMEBOUND { return *values_; }

 private:
  std::shared_ptr<const attention::TermValues> values_;
};

// The row of a pair of positions, or -1 where it has no vector. Throws where PastTable::error refuses it.
POSENC_API std::int64_t shaw_row(const Shaw& spec, std::int64_t query, std::int64_t key);

// The relative shift of Transformer-XL, and the skewing of Music Transformer: column r of by_distance, [N, R] (or with
// axes in front), is what a query has with keys at distance first_distance - r, and out, [N, S], gets it where the keys
// stand: query n at the distance n + S - N - s from key s. 0 where there is no such column. f32 or f64, both of one
// dtype, any strides but for the last axis.
POSENC_API void relative_shift(const ConstView& by_distance, std::int64_t first_distance, const View& out);

}  // namespace posenc
