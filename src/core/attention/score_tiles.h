// The scores of one attention, a block of queries and a block of keys at a time: what both directions begin with.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attention/attend_call.h"
#include "core/attention/attend_operands.h"
#include "core/attention/term_values.h"
#include "core/base/aligned_vector.h"

namespace posenc::attention {

// One thread's work space.
template <class Real>
class ScoreTiles {
 public:
  // `term` is null where there is none.
  ScoreTiles(const AttendCall& call, const AttendOperands<Real>& operands, const TermRows<Real>* term);

  // Takes queries first .. first + kQueryBlock - 1 of a head, or as many as there are.
  void begin(std::int64_t b, std::int64_t h, std::int64_t first_query);

  std::int64_t queries() const noexcept { return queries_; }
  std::int64_t first_query() const noexcept { return first_query_; }
  // Blocks of keys that may be seen: from first_block() to before last_block().
  std::int64_t first_block() const noexcept { return first_key_ / kKeyBlock; }
  std::int64_t last_block() const noexcept { return (last_key_ + kKeyBlock - 1) / kKeyBlock; }
  // Whether a query sees a key of the block, and how many keys of it are looked at.
  bool sees(std::int64_t block) const noexcept;
  std::int64_t keys(std::int64_t block) const noexcept;
  std::int64_t key_head() const noexcept { return h_ / call_.shape.group(); }
  Tile tile(std::int64_t block) const noexcept {
    return {b_, h_, first_query_, queries_, block * kKeyBlock, keys(block)};
  }

  // Scores of the block, [queries()][kKeyBlock], -inf where a key is hidden; what stands behind keys(block) is not
  // written. Where `capped` is given, it gets the scores as they are before the bias.
  void scores(std::int64_t block, Real* tile, Real* capped = nullptr);

  // Scaled queries as they meet keys, and as they meet the rows of the term: [queries()][D].
  const Real* content_queries() const noexcept { return content_.data(); }
  const Real* position_queries() const noexcept { return term_ == nullptr ? nullptr : position_.data(); }
  // The row of the term for query i of the block and key s, or -1.
  std::int64_t term_row(std::int64_t i, std::int64_t s) const noexcept {
    return term_->row(call_.query_positions.integer(b_, first_query_ + i), call_.key_positions.integer(b_, s));
  }

 private:
  void multiply(std::int64_t block, Real* tile) const;
  void add_term(std::int64_t block, Real* tile);
  void hide(std::int64_t block, Real* tile) const;

  const AttendCall& call_;
  const AttendOperands<Real>& operands_;
  const TermRows<Real>* term_;
  std::int64_t b_ = 0, h_ = 0, first_query_ = 0, queries_ = 0;
  std::int64_t first_key_ = 0, last_key_ = 0;
  std::vector<KeyRange> ranges_;           // of the queries of the block
  base::AlignedVector<Real> content_;      // [kQueryBlock][D]
  base::AlignedVector<Real> position_;     // [kQueryBlock][D]
  base::AlignedVector<Real> query_terms_;  // [kQueryBlock][rows]: queries times the rows of the term
  base::AlignedVector<Real> key_terms_;    // [kKeyBlock][rows]: keys times them, where they meet
};

}  // namespace posenc::attention
