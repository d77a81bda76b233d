#include "core/attention/attend_gradient.h"

#include <algorithm>
#include <cmath>

#include "core/attention/score_tiles.h"
#include "core/biases/bias_term.h"
#include "core/kernels/matmul.h"
#include "core/kernels/softmax_row.h"
#include "core/kernels/transpose_block.h"
#include "core/rows/dropout_rows.h"

namespace posenc::attention {
namespace {

using kernels::Into;

// Processes all heads that read one key head, batch row after batch row, so that every sum is computed by one thread
// and in one order.
template <class Real>
class KeyHead {
 public:
  KeyHead(const AttendCall& call, const AttendOperands<Real>& operands, const TermRows<Real>* term,
          const AttendSaved<Real>& saved, AttendSums<Real>& sums)
      : call_(call),
        shape_(call.shape),
        operands_(operands),
        term_(term),
        saved_(saved),
        sums_(sums),
        tiles_(call, operands, term),
        dropout_(call.weight_dropout(), kKeyBlock),
        weights_(at(kQueryBlock * kKeyBlock)),
        dropped_(weights_.size()),
        capped_(weights_.size()),
        grad_scores_(weights_.size()),
        grad_queries_(at(kQueryBlock * shape_.width)),
        value_columns_(at((shape_.keys + kKeyBlock - 1) / kKeyBlock * kKeyBlock * shape_.value_width)) {
    if (term == nullptr) return;
    grad_terms_.resize(at(kQueryBlock * term->rows()));
    grad_position_.resize(grad_queries_.size());
    if (!term->has_values()) return;
    row_weights_.resize(grad_terms_.size());
    grad_rows_.resize(grad_terms_.size());
  }

  void run(std::int64_t g) {
    for (std::int64_t b = 0; b < shape_.batch; ++b) {
      transpose_values(b, g);
      for (std::int64_t h = g * shape_.group(); h < (g + 1) * shape_.group(); ++h) {
        for (std::int64_t first = 0; first < shape_.queries; first += kQueryBlock) run(b, h, first);
      }
    }
  }

 private:
  static std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

  void transpose_values(std::int64_t b, std::int64_t g) {
    const HeadRows<Real> values = operands_.values(b, g);
    for (std::int64_t first = 0; first < shape_.keys; first += kKeyBlock) {
      kernels::transpose_block(
          kernels::TransposedBlock<Real, Real>{.rows = std::min(kKeyBlock, shape_.keys - first),
                                               .columns = shape_.value_width,
                                               .from = values.row(first),
                                               .from_stride = values.stride,
                                               .to = value_columns_.data() + first * shape_.value_width,
                                               .to_stride = kKeyBlock});
    }
  }

  // The index of row n of head h in [B, N, H, channels].
  std::int64_t row_at(std::int64_t n, std::int64_t channels) const {
    return ((b_ * shape_.queries + n) * shape_.heads + h_) * channels;
  }
  std::int64_t key_row_at(std::int64_t s, std::int64_t channels) const {
    return ((b_ * shape_.keys + s) * shape_.key_heads + tiles_.key_head()) * channels;
  }

  void run(std::int64_t b, std::int64_t h, std::int64_t first_query) {
    b_ = b;
    h_ = h;
    tiles_.begin(b, h, first_query);
    for (base::AlignedVector<Real>* block : {&grad_queries_, &grad_terms_, &row_weights_}) {
      std::fill(block->begin(), block->end(), Real(0));
    }
    grad_out_ = saved_.grad_out.data() + row_at(first_query, shape_.value_width);
    out_stride_ = shape_.heads * shape_.value_width;
    for (std::int64_t i = 0; i < tiles_.queries(); ++i) {
      const std::int64_t n = first_query + i;
      const Real* out = saved_.out.data() + row_at(n, shape_.value_width);
      const Real* grad = grad_out_ + i * out_stride_;
      Real sum = 0;
      for (std::int64_t c = 0; c < shape_.value_width; ++c) sum += grad[c] * out[c];
      weighted_[at(i)] = sum;
      log_sum_[at(i)] = saved_.log_sum_exp[at((b * shape_.heads + h) * shape_.queries + n)];
    }
    add_sinks();
    if (!grad_rows_.empty()) {
      // The gradient of the weight of every row of the term's vectors for values.
      product({.rows = tiles_.queries(),
               .columns = term_->rows(),
               .depth = shape_.value_width,
               .a = grad_out_,
               .a_row = out_stride_,
               .b = term_->value_columns(h),
               .b_stride = term_->rows(),
               .c = grad_rows_.data(),
               .c_stride = term_->rows()});
    }
    for (std::int64_t block = tiles_.first_block(); block < tiles_.last_block(); ++block) {
      if (tiles_.sees(block)) take(block);
    }
    if (term_ != nullptr) finish_term();
    const auto scale = static_cast<Real>(call_.scale);
    for (std::int64_t i = 0; i < tiles_.queries(); ++i) {
      Real* to = sums_.q.data() + row_at(first_query + i, shape_.width);
      const Real* from = grad_queries_.data() + i * shape_.width;
      for (std::int64_t c = 0; c < shape_.width; ++c) to[c] = scale * from[c];
    }
  }

  static void product(const kernels::MatrixProduct<Real>& product) { kernels::multiply_add(product); }

  void add_sinks() {
    const double sink = call_.sink(h_);
    if (sink == -HUGE_VAL) return;
    for (std::int64_t i = 0; i < tiles_.queries(); ++i) {
      const double weight = std::exp(sink - static_cast<double>(log_sum_[at(i)]));
      sums_.sinks[at(h_)] -= weight * static_cast<double>(weighted_[at(i)]);
    }
  }

  void take(std::int64_t block) {
    const std::int64_t count = tiles_.keys(block);
    const std::int64_t first = block * kKeyBlock;
    tiles_.scores(block, weights_.data(), capped_.data());
    product({.rows = tiles_.queries(),
             .columns = count,
             .depth = shape_.value_width,
             .a = grad_out_,
             .a_row = out_stride_,
             .b = value_columns_.data() + first * shape_.value_width,
             .b_stride = kKeyBlock,
             .c = grad_scores_.data(),
             .c_stride = kKeyBlock});
    for (std::int64_t i = 0; i < tiles_.queries(); ++i) {
      Real* weights = weights_.data() + i * kKeyBlock;
      Real* dropped = dropped_.data() + i * kKeyBlock;
      Real* grad = grad_scores_.data() + i * kKeyBlock;
      if (!grad_rows_.empty()) add_row_gradients(i, block, grad);
      const Real log_sum = log_sum_[at(i)];
      kernels::exp_row(weights, count, log_sum > -HUGE_VAL ? log_sum : Real(0));
      std::copy_n(weights, count, dropped);
      const std::int64_t n = tiles_.first_query() + i;
      dropout_.apply(b_ * shape_.heads + h_, n, first, count, dropped);
      dropout_.apply(b_ * shape_.heads + h_, n, first, count, grad);
      for (std::int64_t j = 0; j < count; ++j) grad[j] = weights[j] * (grad[j] - weighted_[at(i)]);
    }
    add_values(block);
    if (call_.options.bias != nullptr) {
      double* own = sums_.bias.data() + h_ * call_.options.bias->term().gradient_size();
      call_.options.bias->term().add_gradient(tiles_.tile(block), call_.query_positions, call_.key_positions,
                                              call_.bias_factor(), capped_.data(), grad_scores_.data(), kKeyBlock, own);
    }
    if (call_.options.softcap > 0.0) {
      for (std::int64_t i = 0; i < tiles_.queries(); ++i) {
        kernels::tanh_backward_row(grad_scores_.data() + i * kKeyBlock, capped_.data() + i * kKeyBlock, count,
                                   static_cast<Real>(call_.options.softcap));
      }
    }
    add_keys(block);
    if (term_ != nullptr) add_term(block);
  }

  void add_row_gradients(std::int64_t i, std::int64_t block, Real* grad) const {
    for (std::int64_t j = 0; j < tiles_.keys(block); ++j) {
      const std::int64_t row = tiles_.term_row(i, block * kKeyBlock + j);
      if (row >= 0) grad[j] += grad_rows_[at(i * term_->rows() + row)];
    }
  }

  void add_values(std::int64_t block) {
    product({.rows = tiles_.keys(block),
             .columns = shape_.value_width,
             .depth = tiles_.queries(),
             .a = dropped_.data(),
             .a_row = 1,
             .a_column = kKeyBlock,
             .b = grad_out_,
             .b_stride = out_stride_,
             .c = sums_.v.data() + key_row_at(block * kKeyBlock, shape_.value_width),
             .c_stride = shape_.key_heads * shape_.value_width,
             .into = Into::add});
    if (row_weights_.empty()) return;
    for (std::int64_t i = 0; i < tiles_.queries(); ++i) {
      for (std::int64_t j = 0; j < tiles_.keys(block); ++j) {
        const std::int64_t row = tiles_.term_row(i, block * kKeyBlock + j);
        if (row >= 0) row_weights_[at(i * term_->rows() + row)] += dropped_[at(i * kKeyBlock + j)];
      }
    }
  }

  void add_keys(std::int64_t block) {
    const HeadRows<Real> keys = operands_.keys(b_, tiles_.key_head());
    product({.rows = tiles_.queries(),
             .columns = shape_.width,
             .depth = tiles_.keys(block),
             .a = grad_scores_.data(),
             .a_row = kKeyBlock,
             .b = keys.row(block * kKeyBlock),
             .b_stride = keys.stride,
             .c = grad_queries_.data(),
             .c_stride = shape_.width,
             .into = Into::add});
    product({.rows = tiles_.keys(block),
             .columns = shape_.width,
             .depth = tiles_.queries(),
             .a = grad_scores_.data(),
             .a_row = 1,
             .a_column = kKeyBlock,
             .b = tiles_.content_queries(),
             .b_stride = shape_.width,
             .c = sums_.k.data() + key_row_at(block * kKeyBlock, shape_.width),
             .c_stride = shape_.key_heads * shape_.width,
             .into = Into::add});
  }

  void add_term(std::int64_t block) {
    const HeadRows<Real> keys = operands_.keys(b_, tiles_.key_head());
    TermSums& own = sums_.terms[at(h_)];
    const auto scale = static_cast<Real>(call_.scale);
    for (std::int64_t i = 0; i < tiles_.queries(); ++i) {
      for (std::int64_t j = 0; j < tiles_.keys(block); ++j) {
        const std::int64_t s = block * kKeyBlock + j;
        const std::int64_t row = tiles_.term_row(i, s);
        if (row < 0) continue;
        const Real grad = grad_scores_[at(i * kKeyBlock + j)];
        grad_terms_[at(i * term_->rows() + row)] += grad;
        if (!term_->meets_keys()) continue;
        const Real* vector = term_->key_rows(h_) + row * shape_.width;
        Real* grad_key = sums_.k.data() + key_row_at(s, shape_.width);
        for (std::int64_t c = 0; c < shape_.width; ++c) {
          grad_key[c] += scale * grad * vector[c];
          own.keys[at(row * shape_.width + c)] +=
              static_cast<double>(scale * grad) * static_cast<double>(keys.row(s)[c]);
        }
      }
    }
  }

  void finish_term() {
    const std::int64_t rows = term_->rows();
    const std::int64_t width = shape_.width;
    TermSums& own = sums_.terms[at(h_)];
    product({.rows = tiles_.queries(),
             .columns = width,
             .depth = rows,
             .a = grad_terms_.data(),
             .a_row = rows,
             .b = term_->key_rows(h_),
             .b_stride = width,
             .c = grad_position_.data(),
             .c_stride = width});
    for (std::int64_t i = 0; i < tiles_.queries(); ++i) {
      const Real* query = tiles_.position_queries() + i * width;
      for (std::int64_t row = 0; row < rows; ++row) {
        const auto grad = static_cast<double>(grad_terms_[at(i * rows + row)]);
        if (grad == 0.0) continue;
        for (std::int64_t c = 0; c < width; ++c) {
          own.keys[at(row * width + c)] += grad * static_cast<double>(query[c]);
        }
      }
      for (std::int64_t c = 0; c < width && !own.u.empty(); ++c) {
        own.u[at(c)] += call_.scale * static_cast<double>(grad_queries_[at(i * width + c)]);
        own.v[at(c)] += call_.scale * static_cast<double>(grad_position_[at(i * width + c)]);
      }
      for (std::int64_t c = 0; c < width; ++c) grad_queries_[at(i * width + c)] += grad_position_[at(i * width + c)];
    }
    if (row_weights_.empty()) return;
    for (std::int64_t i = 0; i < tiles_.queries(); ++i) {
      for (std::int64_t row = 0; row < rows; ++row) {
        const auto weight = static_cast<double>(row_weights_[at(i * rows + row)]);
        if (weight == 0.0) continue;
        const Real* grad = grad_out_ + i * out_stride_;
        for (std::int64_t c = 0; c < shape_.value_width; ++c) {
          own.values[at(row * shape_.value_width + c)] += weight * static_cast<double>(grad[c]);
        }
      }
    }
  }

  const AttendCall& call_;
  const AttendShape& shape_;
  const AttendOperands<Real>& operands_;
  const TermRows<Real>* term_;
  const AttendSaved<Real>& saved_;
  AttendSums<Real>& sums_;
  ScoreTiles<Real> tiles_;
  rows::DropoutRows dropout_;
  std::int64_t b_ = 0;
  std::int64_t h_ = 0;
  const Real* grad_out_ = nullptr;  // for the first query of the block
  std::int64_t out_stride_ = 0;
  Real weighted_[kQueryBlock] = {};  // grad_out . out
  Real log_sum_[kQueryBlock] = {};
  base::AlignedVector<Real> weights_, dropped_, capped_, grad_scores_;  // [kQueryBlock][kKeyBlock]
  base::AlignedVector<Real> grad_queries_;                              // [kQueryBlock][D], before the scale
  base::AlignedVector<Real> value_columns_;                             // [blocks][Dv][kKeyBlock]
  base::AlignedVector<Real> grad_terms_;                                // [kQueryBlock][rows]
  base::AlignedVector<Real> grad_position_;                             // [kQueryBlock][D]
  base::AlignedVector<Real> row_weights_, grad_rows_;                   // [kQueryBlock][rows], if values have vectors
};

template <class Real>
AttendSums<Real> empty_sums(const AttendCall& call, const TermRows<Real>* term) {
  const AttendShape& shape = call.shape;
  const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
  AttendSums<Real> sums;
  sums.q.resize(size(shape.batch * shape.queries * shape.heads * shape.width));
  sums.k.resize(size(shape.batch * shape.keys * shape.key_heads * shape.width));
  sums.v.resize(size(shape.batch * shape.keys * shape.key_heads * shape.value_width));
  sums.sinks.resize(size(shape.heads));
  if (call.options.bias != nullptr) {
    sums.bias.resize(size(shape.heads * call.options.bias->term().gradient_size()));
  }
  if (term == nullptr) return sums;
  sums.terms.resize(size(shape.heads));
  for (TermSums& own : sums.terms) {
    own.keys.resize(size(term->rows() * shape.width));
    if (term->has_values()) own.values.resize(size(term->rows() * shape.value_width));
    if (term->content_bias(0) == nullptr) continue;
    own.u.resize(size(shape.width));
    own.v.resize(size(shape.width));
  }
  return sums;
}

}  // namespace

template <class Real>
AttendSums<Real> attend_gradient(const AttendCall& call, const AttendOperands<Real>& operands,
                                 const TermRows<Real>* term, const AttendSaved<Real>& saved) {
  AttendSums<Real> sums = empty_sums(call, term);
  run_parts(call.options.workers, call.shape.key_heads,
            [&](std::int64_t g) { KeyHead<Real>(call, operands, term, saved, sums).run(g); });
  return sums;
}

template AttendSums<float> attend_gradient(const AttendCall&, const AttendOperands<float>&, const TermRows<float>*,
                                           const AttendSaved<float>&);
template AttendSums<double> attend_gradient(const AttendCall&, const AttendOperands<double>&, const TermRows<double>*,
                                            const AttendSaved<double>&);

}  // namespace posenc::attention
