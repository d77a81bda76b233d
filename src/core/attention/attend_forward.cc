#include "core/attention/attend_forward.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/attention/score_tiles.h"
#include "core/base/float_types.h"
#include "core/kernels/join_row.h"
#include "core/kernels/matmul.h"
#include "core/kernels/softmax_row.h"
#include "core/rows/convert_row.h"
#include "core/rows/dropout_rows.h"

namespace posenc::attention {
namespace {

// The softmax of a block of queries, computed one block of keys at a time: sums are relative to the largest score so
// far, and are scaled down when a larger score appears.
template <class Real>
class QueryBlock {
 public:
  QueryBlock(const AttendCall& call, const AttendOperands<Real>& operands, const TermRows<Real>* term,
             const AttendOutputs& outputs)
      : call_(call),
        operands_(operands),
        term_(term),
        outputs_(outputs),
        tiles_(call, operands, term),
        dropout_(call.weight_dropout(), kKeyBlock),
        scores_(static_cast<std::size_t>(kQueryBlock * kKeyBlock)),
        sums_(static_cast<std::size_t>(kQueryBlock * call.shape.value_width)),
        largest_(static_cast<std::size_t>(kQueryBlock)),
        total_(static_cast<std::size_t>(kQueryBlock)) {
    if (term != nullptr && term->has_values()) {
      row_weights_.resize(static_cast<std::size_t>(kQueryBlock * term->rows()));
    }
  }

  void run(std::int64_t b, std::int64_t h, std::int64_t first_query) {
    tiles_.begin(b, h, first_query);
    start(h);
    if (outputs_.weights.data != nullptr) clear_weights(b, h);
    for (std::int64_t block = tiles_.first_block(); block < tiles_.last_block(); ++block) {
      if (tiles_.sees(block)) take(b, h, block);
    }
    finish(b, h);
  }

 private:
  void start(std::int64_t h) {
    const double sink = call_.sink(h);
    const bool has_sink = sink > -HUGE_VAL;
    std::fill(largest_.begin(), largest_.end(), static_cast<Real>(sink));
    std::fill(total_.begin(), total_.end(), has_sink ? Real(1) : Real(0));
    std::fill(sums_.begin(), sums_.end(), Real(0));
    std::fill(row_weights_.begin(), row_weights_.end(), Real(0));
  }

  void take(std::int64_t b, std::int64_t h, std::int64_t block) {
    const std::int64_t count = tiles_.keys(block);
    const std::int64_t width = call_.shape.value_width;
    tiles_.scores(block, scores_.data());
    if (outputs_.weights.data != nullptr) store_scores(b, h, block);
    for (std::int64_t i = 0; i < tiles_.queries(); ++i) {
      Real* row = scores_.data() + i * kKeyBlock;
      shrink(i, std::max(largest_[at(i)], kernels::max_of(row, count)));
      // If all keys so far are hidden, any number works, because all exponentials are zero.
      const Real largest = largest_[at(i)];
      total_[at(i)] += kernels::exp_row(row, count, largest > -HUGE_VAL ? largest : Real(0));
      dropout_.apply(b * call_.shape.heads + h, tiles_.first_query() + i, block * kKeyBlock, count, row);
    }
    const HeadRows<Real> values = operands_.values(b, tiles_.key_head());
    kernels::multiply_add(kernels::MatrixProduct<Real>{.rows = tiles_.queries(),
                                                       .columns = width,
                                                       .depth = count,
                                                       .a = scores_.data(),
                                                       .a_row = kKeyBlock,
                                                       .b = values.row(block * kKeyBlock),
                                                       .b_stride = values.stride,
                                                       .c = sums_.data(),
                                                       .c_stride = width,
                                                       .into = kernels::Into::add});
    if (!row_weights_.empty()) add_row_weights(block);
  }

  // Makes the sums of query i relative to `largest`.
  void shrink(std::int64_t i, Real largest) {
    const Real before = largest_[at(i)];
    if (before == largest) return;
    largest_[at(i)] = largest;
    if (before == -HUGE_VAL) return;  // the sums are still empty
    const Real factor = std::exp(before - largest);
    const std::int64_t width = call_.shape.value_width;
    total_[at(i)] *= factor;
    kernels::scale_row(sums_.data() + i * width, factor, width, sums_.data() + i * width);
    if (row_weights_.empty()) return;
    Real* row = row_weights_.data() + i * term_->rows();
    kernels::scale_row(row, factor, term_->rows(), row);
  }

  // If the term has vectors for values, it is enough to sum the weights per row here and to add the vectors at the end.
  void add_row_weights(std::int64_t block) {
    for (std::int64_t i = 0; i < tiles_.queries(); ++i) {
      Real* weights = row_weights_.data() + i * term_->rows();
      for (std::int64_t j = 0; j < tiles_.keys(block); ++j) {
        const std::int64_t row = tiles_.term_row(i, block * kKeyBlock + j);
        if (row >= 0) weights[row] += scores_[at(i * kKeyBlock + j)];
      }
    }
  }

  void finish(std::int64_t b, std::int64_t h) {
    const std::int64_t width = call_.shape.value_width;
    if (!row_weights_.empty()) {
      kernels::multiply_add(kernels::MatrixProduct<Real>{.rows = tiles_.queries(),
                                                         .columns = width,
                                                         .depth = term_->rows(),
                                                         .a = row_weights_.data(),
                                                         .a_row = term_->rows(),
                                                         .b = term_->value_rows(h),
                                                         .b_stride = width,
                                                         .c = sums_.data(),
                                                         .c_stride = width,
                                                         .into = kernels::Into::add});
    }
    for (std::int64_t i = 0; i < tiles_.queries(); ++i) {
      const std::int64_t n = tiles_.first_query() + i;
      const Real total = total_[at(i)];
      const Real sum_log = total == 0 ? -std::numeric_limits<Real>::infinity() : largest_[at(i)] + std::log(total);
      Real* row = sums_.data() + i * width;
      if (total != 0) {
        for (std::int64_t c = 0; c < width; ++c) row[c] /= total;
      }
      store(row, outputs_.out[b][n][h]);
      if (outputs_.log_sum_exp.data != nullptr) {
        const View& sums = outputs_.log_sum_exp;
        sums.as<Real>()[b * sums.strides[0] + h * sums.strides[1] + n * sums.strides[2]] = sum_log;
      }
      if (outputs_.weights.data != nullptr) finish_weights(b, h, n, sum_log);
    }
  }

  void store(const Real* row, const View& out) const {
    base::with_float_type(out.dtype,
                          [&](auto type) { rows::convert_row(row, out.shape[0], out.as<decltype(type)>()); });
  }

  // The weights first hold scores, because the divisor is only known at the end.
  Real* weight_row(std::int64_t b, std::int64_t h, std::int64_t n) const {
    return outputs_.weights[b][h][n].as<Real>();
  }

  void clear_weights(std::int64_t b, std::int64_t h) const {
    for (std::int64_t i = 0; i < tiles_.queries(); ++i) {
      std::fill_n(weight_row(b, h, tiles_.first_query() + i), call_.shape.keys, -std::numeric_limits<Real>::infinity());
    }
  }

  void store_scores(std::int64_t b, std::int64_t h, std::int64_t block) const {
    for (std::int64_t i = 0; i < tiles_.queries(); ++i) {
      std::copy_n(scores_.data() + i * kKeyBlock, tiles_.keys(block),
                  weight_row(b, h, tiles_.first_query() + i) + block * kKeyBlock);
    }
  }

  void finish_weights(std::int64_t b, std::int64_t h, std::int64_t n, Real sum_log) const {
    kernels::exp_row(weight_row(b, h, n), call_.shape.keys, sum_log > -HUGE_VAL ? sum_log : Real(0));
  }

  static std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

  const AttendCall& call_;
  const AttendOperands<Real>& operands_;
  const TermRows<Real>* term_;
  const AttendOutputs& outputs_;
  ScoreTiles<Real> tiles_;
  rows::DropoutRows dropout_;
  base::AlignedVector<Real> scores_;       // [kQueryBlock][kKeyBlock]
  base::AlignedVector<Real> sums_;         // [kQueryBlock][Dv]: values times exp(score - largest)
  base::AlignedVector<Real> row_weights_;  // [kQueryBlock][rows]: the same weights by row of the term
  std::vector<Real> largest_;
  std::vector<Real> total_;
};

}  // namespace

template <class Real>
void attend_forward(const AttendCall& call, const AttendOperands<Real>& operands, const TermRows<Real>* term,
                    const AttendOutputs& outputs) {
  const std::int64_t blocks = (call.shape.queries + kQueryBlock - 1) / kQueryBlock;
  run_parts(call.options.workers, call.shape.batch * call.shape.heads * blocks, [&](std::int64_t part) {
    const std::int64_t h = part / blocks % call.shape.heads;
    QueryBlock<Real> block(call, operands, term, outputs);
    block.run(part / blocks / call.shape.heads, h, part % blocks * kQueryBlock);
  });
}

template void attend_forward(const AttendCall&, const AttendOperands<float>&, const TermRows<float>*,
                             const AttendOutputs&);
template void attend_forward(const AttendCall&, const AttendOperands<double>&, const TermRows<double>*,
                             const AttendOutputs&);

}  // namespace posenc::attention
