// Divides a tile of scores into blocks and finds the few points at which each block's bias must be evaluated: if the
// bias depends on the offset alone and positions are evenly spaced, one point per diagonal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/biases/bias_term.h"

namespace posenc::biases {

class BiasBlock {
 public:
  static constexpr std::size_t kQueries = 64;
  static constexpr std::size_t kKeys = 512;
  static constexpr std::size_t kPoints = 1024;

  // Reads the positions of `queries` x `keys`, at most kQueries x kKeys, and finds the points. If the queries cannot
  // share points, the block takes only the first query: queries() is then less than requested, and the caller makes
  // further blocks for the rest.
  BiasBlock(const BiasTerm& term, const Tile& block, const PositionView& queries, const PositionView& keys);

  BiasBlock(const BiasBlock&) = delete;  // has pointers into itself
  BiasBlock& operator=(const BiasBlock&) = delete;

  std::size_t queries() const noexcept { return queries_; }
  std::size_t keys() const noexcept { return keys_; }
  // The points to evaluate: this query with these keys.
  double query() const noexcept { return query_; }
  std::span<const double> points() const noexcept { return points_; }

  // The value for query r and key k is at point row(r) + column(k); if is_contiguous(), column(k) is k.
  bool is_contiguous() const noexcept { return contiguous_; }
  std::size_t row(std::size_t r) const noexcept { return rows_[r]; }
  std::size_t column(std::size_t k) const noexcept { return columns_[k]; }

 private:
  void by_row(double query) noexcept;
  bool by_diagonal(std::span<const double> queries) noexcept;
  bool by_offset(std::span<const double> queries) noexcept;

  std::size_t queries_;
  std::size_t keys_;
  std::span<const double> points_;  // key_positions_, or a part of offsets_
  double query_ = 0.0;
  bool contiguous_ = true;
  double key_positions_[kKeys];
  double offsets_[kPoints];
  std::size_t rows_[kQueries];
  std::size_t columns_[kKeys];
};

// Calls visit(block, first query, first key) for all blocks of a tile; indices are counted within the tile.
template <class Visit>
void for_each_block(const BiasTerm& term, const Tile& tile, const PositionView& queries, const PositionView& keys,
                    const Visit& visit) {
  for (std::int64_t k = 0; k < tile.keys;) {
    const auto width = std::min(tile.keys - k, static_cast<std::int64_t>(BiasBlock::kKeys));
    for (std::int64_t q = 0; q < tile.queries;) {
      Tile part = tile;
      part.first_query += q;
      part.queries = std::min(tile.queries - q, static_cast<std::int64_t>(BiasBlock::kQueries));
      part.first_key += k;
      part.keys = width;
      const BiasBlock block(term, part, queries, keys);
      visit(block, q, k);
      q += static_cast<std::int64_t>(block.queries());
    }
    k += width;
  }
}

}  // namespace posenc::biases
