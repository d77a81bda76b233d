#include "core/attention/score_tiles.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/biases/bias_term.h"
#include "core/kernels/dot_rows.h"
#include "core/kernels/matmul.h"
#include "core/kernels/softmax_row.h"

namespace posenc::attention {

template <class Real>
ScoreTiles<Real>::ScoreTiles(const AttendCall& call, const AttendOperands<Real>& operands, const TermRows<Real>* term)
    : call_(call), operands_(operands), term_(term), ranges_(static_cast<std::size_t>(kQueryBlock)) {
  const auto block = static_cast<std::size_t>(kQueryBlock * call.shape.width);
  content_.resize(block);
  if (term == nullptr) return;
  position_.resize(block);
  query_terms_.resize(static_cast<std::size_t>(kQueryBlock * term->rows()));
  if (term->meets_keys()) key_terms_.resize(static_cast<std::size_t>(kKeyBlock * term->rows()));
}

template <class Real>
void ScoreTiles<Real>::begin(std::int64_t b, std::int64_t h, std::int64_t first_query) {
  b_ = b;
  h_ = h;
  first_query_ = first_query;
  queries_ = std::min(kQueryBlock, call_.shape.queries - first_query);
  first_key_ = call_.shape.keys;
  last_key_ = 0;
  for (std::int64_t i = 0; i < queries_; ++i) {
    const KeyRange range = call_.mask.range(b, first_query + i);
    ranges_[static_cast<std::size_t>(i)] = range;
    if (range.first == range.last) continue;
    first_key_ = std::min(first_key_, range.first);
    last_key_ = std::max(last_key_, range.last);
  }
  first_key_ = std::min(first_key_, last_key_);
  const std::int64_t width = call_.shape.width;
  const HeadRows<Real> rows = operands_.queries(b, h);
  const auto scale = static_cast<Real>(call_.scale);
  const auto load = [&](const Real* bias, Real* to) {
    for (std::int64_t i = 0; i < queries_; ++i) {
      const Real* from = rows.row(first_query + i);
      for (std::int64_t c = 0; c < width; ++c) {
        to[i * width + c] = scale * (bias == nullptr ? from[c] : from[c] + bias[c]);
      }
    }
  };
  load(term_ == nullptr ? nullptr : term_->content_bias(h), content_.data());
  if (term_ == nullptr) return;
  load(term_->position_bias(h), position_.data());
  kernels::multiply_add(kernels::MatrixProduct<Real>{.rows = queries_,
                                                     .columns = term_->rows(),
                                                     .depth = width,
                                                     .a = position_.data(),
                                                     .a_row = width,
                                                     .b = term_->key_columns(h),
                                                     .b_stride = term_->rows(),
                                                     .c = query_terms_.data(),
                                                     .c_stride = term_->rows()});
}

template <class Real>
bool ScoreTiles<Real>::sees(std::int64_t block) const noexcept {
  const std::int64_t first = block * kKeyBlock;
  const std::int64_t last = first + kKeyBlock;
  for (std::int64_t i = 0; i < queries_; ++i) {
    const KeyRange& range = ranges_[static_cast<std::size_t>(i)];
    if ((range.first < last && range.sinks > first) || (range.resume < last && range.last > first)) return true;
  }
  return false;
}

template <class Real>
std::int64_t ScoreTiles<Real>::keys(std::int64_t block) const noexcept {
  return std::min(kKeyBlock, last_key_ - block * kKeyBlock);
}

template <class Real>
void ScoreTiles<Real>::scores(std::int64_t block, Real* tile, Real* capped) {
  const std::int64_t count = keys(block);
  multiply(block, tile);
  if (term_ != nullptr) add_term(block, tile);
  if (call_.options.softcap > 0.0) {
    for (std::int64_t i = 0; i < queries_; ++i) {
      kernels::tanh_row(tile + i * kKeyBlock, count, static_cast<Real>(call_.options.softcap));
    }
  }
  if (capped != nullptr) {
    for (std::int64_t i = 0; i < queries_; ++i) std::copy_n(tile + i * kKeyBlock, count, capped + i * kKeyBlock);
  }
  if (call_.options.bias != nullptr) {
    call_.options.bias->term().add(this->tile(block), call_.query_positions, call_.key_positions, call_.bias_factor(),
                                   tile, kKeyBlock);
  }
  hide(block, tile);
}

template <class Real>
void ScoreTiles<Real>::multiply(std::int64_t block, Real* tile) const {
  const std::int64_t width = call_.shape.width;
  if (operands_.transposed()) {
    kernels::multiply_add(kernels::MatrixProduct<Real>{.rows = queries_,
                                                       .columns = keys(block),
                                                       .depth = width,
                                                       .a = content_.data(),
                                                       .a_row = width,
                                                       .b = operands_.key_columns(b_, key_head(), block),
                                                       .b_stride = kKeyBlock,
                                                       .c = tile,
                                                       .c_stride = kKeyBlock});
    return;
  }
  const HeadRows<Real> rows = operands_.keys(b_, key_head());
  for (std::int64_t i = 0; i < queries_; ++i) {
    kernels::dot_rows(content_.data() + i * width, rows.row(block * kKeyBlock), rows.stride, keys(block), width,
                      tile + i * kKeyBlock);
  }
}

template <class Real>
void ScoreTiles<Real>::add_term(std::int64_t block, Real* tile) {
  const std::int64_t count = keys(block);
  const std::int64_t rows = term_->rows();
  if (term_->meets_keys()) {
    const HeadRows<Real> key_rows = operands_.keys(b_, key_head());
    kernels::multiply_add(kernels::MatrixProduct<Real>{.rows = count,
                                                       .columns = rows,
                                                       .depth = call_.shape.width,
                                                       .a = key_rows.row(block * kKeyBlock),
                                                       .a_row = key_rows.stride,
                                                       .b = term_->key_columns(h_),
                                                       .b_stride = rows,
                                                       .c = key_terms_.data(),
                                                       .c_stride = rows});
  }
  const auto scale = static_cast<Real>(call_.scale);
  for (std::int64_t i = 0; i < queries_; ++i) {
    for (std::int64_t j = 0; j < count; ++j) {
      const std::int64_t row = term_row(i, block * kKeyBlock + j);
      if (row < 0) continue;
      Real sum = query_terms_[static_cast<std::size_t>(i * rows + row)];
      if (term_->meets_keys()) sum += scale * key_terms_[static_cast<std::size_t>(j * rows + row)];
      tile[i * kKeyBlock + j] += sum;
    }
  }
}

template <class Real>
void ScoreTiles<Real>::hide(std::int64_t block, Real* tile) const {
  constexpr Real kHidden = -std::numeric_limits<Real>::infinity();
  const std::int64_t first = block * kKeyBlock;
  const std::int64_t count = keys(block);
  for (std::int64_t i = 0; i < queries_; ++i) {
    const KeyRange& range = ranges_[static_cast<std::size_t>(i)];
    Real* row = tile + i * kKeyBlock;
    const auto fill = [&](std::int64_t from, std::int64_t to) {
      from = std::clamp<std::int64_t>(from - first, 0, count);
      to = std::clamp<std::int64_t>(to - first, 0, count);
      if (from < to) std::fill(row + from, row + to, kHidden);
    };
    fill(first, range.first);
    fill(range.sinks, range.resume);
    fill(range.last, first + count);
    if (!call_.mask.picks()) continue;
    for (std::int64_t j = 0; j < count; ++j) {
      if (!call_.mask.shown(b_, first_query_ + i, first + j)) row[j] = kHidden;
    }
  }
}

template class ScoreTiles<float>;
template class ScoreTiles<double>;

}  // namespace posenc::attention
