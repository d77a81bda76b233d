#include "core/biases/bias_blocks.h"

#include <algorithm>
#include <cmath>

namespace posenc::biases {
namespace {

template <class T>
void read_ids(const PositionView& positions, std::int64_t batch, std::int64_t first, std::span<double> out) noexcept {
  const T* ids =
      static_cast<const T*>(positions.data) + batch * positions.batch_stride + first * positions.token_stride;
  for (std::size_t n = 0; n < out.size(); ++n) {
    out[n] = static_cast<double>(ids[static_cast<std::int64_t>(n) * positions.token_stride]);
  }
}

// A view with one batch row serves all rows of the batch.
void read_positions(const PositionView& positions, std::int64_t batch, std::int64_t first, std::span<double> out) {
  const std::int64_t b = positions.batch == 1 ? 0 : batch;
  switch (positions.source) {
    case PositionView::Source::i32:
      return read_ids<std::int32_t>(positions, b, first, out);
    case PositionView::Source::i64:
      return read_ids<std::int64_t>(positions, b, first, out);
    case PositionView::Source::f64:
      return read_ids<double>(positions, b, first, out);
    case PositionView::Source::range:
      break;
  }
  // Exact, because positions are checked to be within +-(2^31 - 1).
  const auto start = static_cast<double>(positions.start + first * positions.step);
  const auto step = static_cast<double>(positions.step);
  for (std::size_t n = 0; n < out.size(); ++n) out[n] = start + static_cast<double>(n) * step;
}

bool is_even(std::span<const double> positions, double step) noexcept {
  for (std::size_t n = 1; n < positions.size(); ++n) {
    if (positions[n] - positions[n - 1] != step) return false;
  }
  return true;
}

}  // namespace

BiasBlock::BiasBlock(const BiasTerm& term, const Tile& block, const PositionView& queries, const PositionView& keys)
    : queries_(static_cast<std::size_t>(block.queries)), keys_(static_cast<std::size_t>(block.keys)) {
  double query_positions[kQueries];
  const std::span<double> places(query_positions, queries_);
  read_positions(queries, block.batch, block.first_query, places);
  read_positions(keys, block.batch, block.first_key, {key_positions_, keys_});
  if (term.by_key()) {
    by_row(0.0);
    return;
  }
  const bool integral = queries.integral() && keys.integral();  // the offsets of real numbers would be rounded
  if (queries_ > 1 && integral && term.by_offset(*std::max_element(places.begin(), places.end()))) {
    if (by_diagonal(places) || by_offset(places)) return;
  }
  queries_ = std::min<std::size_t>(queries_, 1);
  by_row(query_positions[0]);
}

void BiasBlock::by_row(double query) noexcept {
  query_ = query;
  points_ = {key_positions_, keys_};
  std::fill_n(rows_, queries_, std::size_t{0});
}

bool BiasBlock::by_diagonal(std::span<const double> queries) noexcept {
  const double step = queries[1] - queries[0];
  if (!is_even(queries, step) || !is_even({key_positions_, keys_}, step)) return false;
  points_ = {offsets_, queries_ + keys_ - 1};
  const double first = key_positions_[0] - queries[queries_ - 1];
  for (std::size_t t = 0; t < points_.size(); ++t) offsets_[t] = first + static_cast<double>(t) * step;
  for (std::size_t r = 0; r < queries_; ++r) rows_[r] = queries_ - 1 - r;
  return true;
}

// Evaluates all offsets between the smallest and the largest, if that is less work than all pairs.
bool BiasBlock::by_offset(std::span<const double> queries) noexcept {
  const auto [low_query, high_query] = std::minmax_element(queries.begin(), queries.end());
  const auto [low_key, high_key] = std::minmax_element(key_positions_, key_positions_ + keys_);
  const double first = *low_key - *high_query;
  const double span = *high_key - *low_query - first + 1.0;
  if (span > static_cast<double>(std::min(kPoints, queries_ * keys_ / 2))) return false;
  contiguous_ = false;
  points_ = {offsets_, static_cast<std::size_t>(span)};
  for (std::size_t t = 0; t < points_.size(); ++t) offsets_[t] = first + static_cast<double>(t);
  for (std::size_t r = 0; r < queries_; ++r) rows_[r] = static_cast<std::size_t>(*high_query - queries[r]);
  for (std::size_t k = 0; k < keys_; ++k) columns_[k] = static_cast<std::size_t>(key_positions_[k] - *low_key);
  return true;
}

}  // namespace posenc::biases
