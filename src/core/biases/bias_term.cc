#include "core/biases/bias_term.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check_view.h"
#include "core/biases/bias_blocks.h"

namespace posenc::biases {
namespace {

using base::refuse;

// values[t] = scale * doubles[t], rounded once.
template <class Real>
void narrow_row(const double* doubles, std::size_t count, double scale, Real* values) noexcept {
  for (std::size_t t = 0; t < count; ++t) values[t] = static_cast<Real>(scale * doubles[t]);
}

template <class Real>
void add_block(const BiasBlock& block, const Real* values, Real* scores, std::int64_t stride) noexcept {
  for (std::size_t r = 0; r < block.queries(); ++r) {
    Real* row = scores + static_cast<std::int64_t>(r) * stride;
    const Real* from = values + block.row(r);
    if (block.is_contiguous()) {
      for (std::size_t k = 0; k < block.keys(); ++k) row[k] += from[k];
    } else {
      for (std::size_t k = 0; k < block.keys(); ++k) row[k] += from[block.column(k)];
    }
  }
}

template <class Real>
void multiply_block(const BiasBlock& block, const Real* values, Real* scores, std::int64_t stride) noexcept {
  for (std::size_t r = 0; r < block.queries(); ++r) {
    Real* row = scores + static_cast<std::int64_t>(r) * stride;
    const Real* from = values + block.row(r);
    for (std::size_t k = 0; k < block.keys(); ++k) row[k] *= from[block.is_contiguous() ? k : block.column(k)];
  }
}

// sums[t] = the sum of grad_scores over all pairs that use point t, each times its score if `scores` is given.
template <class Real>
void sum_block(const BiasBlock& block, const Real* grad_scores, const Real* scores, std::int64_t stride, double* sums) {
  std::fill_n(sums, block.points().size(), 0.0);
  for (std::size_t r = 0; r < block.queries(); ++r) {
    const std::int64_t first = static_cast<std::int64_t>(r) * stride;
    double* into = sums + block.row(r);
    for (std::size_t k = 0; k < block.keys(); ++k) {
      const auto at = first + static_cast<std::int64_t>(k);
      const double grad = static_cast<double>(grad_scores[at]);
      into[block.is_contiguous() ? k : block.column(k)] += scores ? grad * static_cast<double>(scores[at]) : grad;
    }
  }
}

}  // namespace

void BiasTerm::check(std::int64_t heads, const PositionView& queries, const PositionView& keys,
                     std::string_view where) const {
  base::require(schedule_.heads == 0 || heads == schedule_.heads, where, "the bias is for ", schedule_.heads,
                " heads but there are ", heads);
  const std::pair<const PositionView*, const char*> both[] = {{&queries, "queries"}, {&keys, "keys"}};
  for (const auto& [positions, name] : both) {
    check_positions(*positions, where);
    if (positions->axes != 1) {
      refuse(where, "the positions of ", name, " must have one axis but have ", positions->axes);
    }
    if (needs_integers() && !positions->integral()) {
      refuse(where, "the positions of ", name, " must be integers because they index table rows, but are f64");
    }
  }
  check_pairs(queries, keys, where);
}

template <class Real>
void BiasTerm::add(const Tile& tile, const PositionView& queries, const PositionView& keys, double scale, Real* scores,
                   std::int64_t stride) const {
  for_each_block(*this, tile, queries, keys, [&](const BiasBlock& block, std::int64_t q, std::int64_t k) {
    double doubles[BiasBlock::kPoints];
    Real values[BiasBlock::kPoints];
    Real* first = scores + q * stride + k;
    if (has_factor()) {
      fill_factor(tile.head, block.query(), block.points(), doubles);
      narrow_row(doubles, block.points().size(), 1.0, values);
      multiply_block(block, values, first, stride);
    }
    fill(tile.head, block.query(), block.points(), doubles);
    narrow_row(doubles, block.points().size(), scale, values);
    add_block(block, values, first, stride);
  });
}

template <class Real>
void BiasTerm::add_gradient(const Tile& tile, const PositionView& queries, const PositionView& keys, double scale,
                            const Real* scores_before, Real* grad_scores, std::int64_t stride,
                            double* head_sums) const {
  if (gradient_size() == 0 && !has_factor()) return;
  for_each_block(*this, tile, queries, keys, [&](const BiasBlock& block, std::int64_t q, std::int64_t k) {
    double sums[BiasBlock::kPoints];
    Real* grads = grad_scores + q * stride + k;
    sum_block<Real>(block, grads, nullptr, stride, sums);
    for (std::size_t t = 0; t < block.points().size(); ++t) sums[t] *= scale;
    sum_gradient(tile.head, block.query(), block.points(), sums, head_sums);
    if (!has_factor()) return;
    sum_block<Real>(block, grads, scores_before + q * stride + k, stride, sums);
    sum_factor_gradient(tile.head, block.query(), block.points(), sums, head_sums);
    Real values[BiasBlock::kPoints];
    fill_factor(tile.head, block.query(), block.points(), sums);
    narrow_row(sums, block.points().size(), 1.0, values);
    multiply_block(block, values, grads, stride);
  });
}

void BiasTerm::check_gradients(const Gradients& gradients, std::string_view where) const {
  parameters_.check_gradients(gradients, where);
}

void BiasTerm::store_gradients(std::span<const double> sums, std::int64_t heads, const Gradients& gradients) const {
  for (const Gradient& gradient : gradients) {
    spec::add_to_gradient(gradient_of(gradient.name, sums, heads), gradient.value);
  }
}

template void BiasTerm::add(const Tile&, const PositionView&, const PositionView&, double, float*, std::int64_t) const;
template void BiasTerm::add(const Tile&, const PositionView&, const PositionView&, double, double*, std::int64_t) const;
template void BiasTerm::add_gradient(const Tile&, const PositionView&, const PositionView&, double, const float*,
                                     float*, std::int64_t, double*) const;
template void BiasTerm::add_gradient(const Tile&, const PositionView&, const PositionView&, double, const double*,
                                     double*, std::int64_t, double*) const;

}  // namespace posenc::biases
