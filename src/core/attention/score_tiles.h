// Computes the scores of an attention call, one block of queries and keys at a time; the first step of both passes.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attention/attend_call.h"
#include "core/attention/attend_operands.h"
#include "core/attention/term_values.h"
#include "core/base/aligned_vector.h"

namespace posenc::attention {

// The work space of one thread.
template <class Real>
class ScoreTiles {
 public:
  // `term` is null without a score term.
  ScoreTiles(const AttendCall& call, const AttendOperands<Real>& operands, const TermRows<Real>* term);

  // Selects kQueryBlock queries of a head, starting at first_query, or fewer at the end.
  void begin(std::int64_t b, std::int64_t h, std::int64_t first_query);

  std::int64_t queries() const noexcept { return queries_; }
  std::int64_t first_query() const noexcept { return first_query_; }
  // The selected queries see keys only in blocks first_block() to last_block() - 1.
  std::int64_t first_block() const noexcept { return first_key_ / kKeyBlock; }
  std::int64_t last_block() const noexcept { return (last_key_ + kKeyBlock - 1) / kKeyBlock; }
  // Whether any query sees a key of the block, and the number of its keys to compute.
  bool sees(std::int64_t block) const noexcept;
  std::int64_t keys(std::int64_t block) const noexcept;
  std::int64_t key_head() const noexcept { return h_ / call_.shape.group(); }
  Tile tile(std::int64_t block) const noexcept {
    return {b_, h_, first_query_, queries_, block * kKeyBlock, keys(block)};
  }

  // Writes the scores of the block, [queries()][kKeyBlock]; -inf for hidden keys; columns from keys(block) on are not
  // written. `capped`, if given, receives the scores before the bias.
  void scores(std::int64_t block, Real* tile, Real* capped = nullptr);

  // The scaled queries, [queries()][D]: as they are multiplied with keys, and as they are multiplied with rows of the
  // term.
  const Real* content_queries() const noexcept { return content_.data(); }
  const Real* position_queries() const noexcept { return term_ == nullptr ? nullptr : position_.data(); }
  // The row of the term for query i of the block and key s, or -1 for none.
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
  base::AlignedVector<Real> query_terms_;  // [kQueryBlock][rows]: products of queries with the rows of the term
  base::AlignedVector<Real> key_terms_;    // [kKeyBlock][rows]: products of keys with these rows, if meets_keys()
};

}  // namespace posenc::attention
