// Vectors per offset with their parameters: evaluated once per attention call, then used tile by tile.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/aligned_vector.h"
#include "core/spec/bound_parameters.h"
#include "posenc/position.h"
#include "posenc/score_term.h"

namespace posenc::attention {

// The sizes of an attention call that a term must fit.
struct TermShape {
  std::int64_t heads = 0;
  std::int64_t width = 0;
  std::int64_t value_width = 0;
};

class TermValues {
 public:
  TermValues(const Spec& spec, const Parameters& parameters);

  const Spec& spec() const noexcept { return spec_; }
  std::int64_t heads() const noexcept;        // 0: any number
  std::int64_t head_dim() const noexcept;     // D
  std::int64_t value_width() const noexcept;  // 0: no vectors for values
  const spec::BoundParameters& parameters() const noexcept { return parameters_; }

  // Throws unless the term fits an attention call of this shape and has a row for every pair of these positions.
  void check(const TermShape& shape, const PositionView& queries, const PositionView& keys,
             std::string_view where) const;

 private:
  Spec spec_;
  spec::BoundParameters parameters_;
};

// A term at the positions of one attention call: a row of numbers for every offset that occurs.
template <class Real>
class TermRows {
 public:
  // The values must outlive it, and must have passed check for these positions.
  TermRows(const TermValues& values, const PositionView& queries, const PositionView& keys);

  std::int64_t rows() const noexcept { return rows_; }
  bool has_values() const noexcept { return !values_.empty(); }
  bool meets_keys() const noexcept { return meets_keys_; }

  // The row of a pair, or -1 for none.
  std::int64_t row(std::int64_t query, std::int64_t key) const noexcept;

  // The rows of a head: [rows][D], transposed [D][rows], and those for values, [rows][Dv] and [Dv][rows].
  const Real* key_rows(std::int64_t head) const noexcept { return keys_.data() + keys_at(head); }
  const Real* key_columns(std::int64_t head) const noexcept { return columns_.data() + keys_at(head); }
  const Real* value_rows(std::int64_t head) const noexcept { return values_.data() + values_at(head); }
  const Real* value_columns(std::int64_t head) const noexcept { return value_columns_.data() + values_at(head); }
  // The vectors added to the query before its products with keys and with rows: [D], or null for none.
  const Real* content_bias(std::int64_t head) const noexcept { return u_.empty() ? nullptr : &u_[bias_at(head)]; }
  const Real* position_bias(std::int64_t head) const noexcept { return v_.empty() ? nullptr : &v_[bias_at(head)]; }

 private:
  std::int64_t keys_at(std::int64_t head) const noexcept { return keys_per_head_ ? head * rows_ * width_ : 0; }
  std::int64_t values_at(std::int64_t head) const noexcept {
    return values_per_head_ ? head * rows_ * value_width_ : 0;
  }
  std::size_t bias_at(std::int64_t head) const noexcept { return static_cast<std::size_t>(head * width_); }

  std::int64_t first_ = 0;  // the offset of row 0, times the sign below
  std::int64_t rows_ = 0;
  std::int64_t sign_ = 1;  // the sign of key - query
  bool zero_past_ = false;
  bool meets_keys_ = false;
  std::int64_t width_ = 0;
  std::int64_t value_width_ = 0;
  bool keys_per_head_ = false;
  bool values_per_head_ = false;
  base::AlignedVector<Real> keys_;
  base::AlignedVector<Real> columns_;
  base::AlignedVector<Real> values_;
  base::AlignedVector<Real> value_columns_;
  std::vector<Real> u_;
  std::vector<Real> v_;
};

// The summed gradients of one head, in double.
struct TermSums {
  std::vector<double> keys;    // [rows][D]
  std::vector<double> values;  // [rows][Dv]
  std::vector<double> u;       // [D]
  std::vector<double> v;       // [D]
};

// Adds the sums, one entry per head, to the caller's gradients. `queries` and `keys` are the positions for which the
// TermRows were made.
void store_term_gradients(const TermValues& values, const PositionView& queries, const PositionView& keys,
                          const std::vector<TermSums>& heads, const Gradients& gradients);

}  // namespace posenc::attention
