#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/base/float_types.h"
#include "core/kernels/half_row.h"
#include "core/kernels/join_row.h"
#include "core/rows/dropout_rows.h"
#include "core/rows/embed_checks.h"
#include "core/rows/learned_gradient.h"
#include "core/rows/row_maker.h"
#include "posenc/embed.h"

namespace posenc {
namespace {

using rows::Join;
using rows::TokenGrid;

struct GradientWork {
  Join join;
  const ConstView& grad_out;
  const PositionView& positions;
  const InputRows& rows;
  const EmbedGradients& gradients;
  const EmbedOptions& options;

  TokenGrid grid() const { return rows::grid_of(grad_out); }
};

// The rows of grad_out times the dropout mask of the forward pass, in double: the gradient of scale * x and of the
// position rows.
class MaskedRows {
 public:
  explicit MaskedRows(const GradientWork& work)
      : work_(work),
        dropout_(work.options.dropout, rows::channels_of(work.grad_out)),
        row_(static_cast<std::size_t>(rows::channels_of(work.grad_out))),
        first_(work.join == Join::add ? 0 : row_.size() - static_cast<std::size_t>(width_of(work.rows))) {}

  const std::vector<double>& at(std::int64_t line) {
    const std::int64_t count = work_.grid().count;
    base::load_row(rows::row_at(work_.grad_out, line / count, line % count), row_.data());
    dropout_.apply(line / count, line % count, row_.data());
    return row_;
  }

  // The part that is the gradient of the position rows.
  const double* positions_at(std::int64_t line) { return at(line).data() + first_; }

 private:
  const GradientWork& work_;
  rows::DropoutRows dropout_;
  std::vector<double> row_;
  std::size_t first_;  // the first channel of the position rows
};

double position_of(const GradientWork& work, std::int64_t line) {
  const std::int64_t count = work.grid().count;
  return work.positions.real(work.positions.batch == 1 ? 0 : line / count, line % count);
}

void learned_gradient(const GradientWork& work) {
  const LearnedRows& learned = *rows::learned_of(work.rows);
  std::vector<double> positions(static_cast<std::size_t>(work.grid().lines()));
  for (std::size_t line = 0; line < positions.size(); ++line) {
    positions[line] = position_of(work, static_cast<std::int64_t>(line));
  }
  const auto make_reader = [&work]() -> rows::GradientReader {
    return [masked = MaskedRows(work)](std::int64_t line) mutable { return masked.positions_at(line); };
  };
  rows::add_learned_gradient(learned, positions, make_reader, work.gradients.learned, work.options.workers);
}

// Adds the contribution of tokens begin to end - 1 to the gradients of frequencies: d/dw sin(p w) = p cos(p w).
void add_frequencies(const GradientWork& work, std::int64_t begin, std::int64_t end, double* sums) {
  const SinusoidalSchedule& schedule = *rows::schedule_of(work.rows);
  rows::RowMaker maker(schedule);
  MaskedRows masked(work);
  for (std::int64_t line = begin; line < end; ++line) {
    const double position = position_of(work, line);
    const rows::AngleRow* angles = maker.angles(position);
    if (angles == nullptr) continue;  // this row is zero whatever the frequencies are
    const double counted = position + static_cast<double>(schedule.first);
    const double* grad = masked.positions_at(line);
    for (std::int64_t j = 0; j < schedule.sine.count; ++j) {
      sums[j] +=
          counted * grad[schedule.sine.start + j * schedule.sine.stride] * angles->cos[static_cast<std::size_t>(j)];
    }
    for (std::int64_t j = 0; j < schedule.cosine.count; ++j) {
      sums[j] -=
          counted * grad[schedule.cosine.start + j * schedule.cosine.stride] * angles->sin[static_cast<std::size_t>(j)];
    }
  }
}

// The tokens are divided into the same pieces for any number of threads, and the sums of the pieces are added in order,
// so that the result does not depend on the threads.
void frequency_gradient(const GradientWork& work) {
  constexpr std::int64_t kPieces = 64;
  const std::int64_t lines = work.grid().lines();
  const std::int64_t pieces = std::min(kPieces, lines);
  const std::size_t pairs = work.gradients.inv_freq.size();
  std::vector<double> sums(static_cast<std::size_t>(pieces) * pairs, 0.0);
  run_parts(work.options.workers, pieces, [&](std::int64_t piece) {
    add_frequencies(work, lines * piece / pieces, lines * (piece + 1) / pieces,
                    sums.data() + static_cast<std::size_t>(piece) * pairs);
  });
  for (std::size_t i = 0; i < sums.size(); ++i) work.gradients.inv_freq[i % pairs] += sums[i];
}

template <class T>
void input_lines(const GradientWork& work, std::int64_t begin, std::int64_t end) {
  using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const std::int64_t count = work.grid().count;
  const std::int64_t width = rows::channels_of(work.grad_out);
  const std::int64_t x_width = rows::channels_of(work.gradients.input);
  rows::DropoutRows dropout(work.options.dropout, width);
  std::vector<Real> row(static_cast<std::size_t>(width));
  for (std::int64_t line = begin; line < end; ++line) {
    const T* grad = rows::row_at(work.grad_out, line / count, line % count).template as<T>();
    T* out = rows::row_at(work.gradients.input, line / count, line % count).template as<T>();
    if constexpr (std::is_same_v<T, Real>) {
      std::memcpy(row.data(), grad, row.size() * sizeof(Real));
    } else {
      kernels::widen_row(grad, width, row.data());
    }
    dropout.apply(line / count, line % count, row.data());
    const auto scale = static_cast<Real>(work.options.scale);
    if constexpr (std::is_same_v<T, Real>) {
      kernels::scale_row(row.data(), scale, x_width, out);
    } else {
      kernels::scale_row(row.data(), scale, x_width, row.data());
      kernels::narrow_row(row.data(), x_width, out);
    }
  }
}

void input_gradient(const GradientWork& work) {
  const std::int64_t lines = work.grid().lines();
  const std::int64_t parts = std::min<std::int64_t>(work.options.workers ? work.options.workers->count() : 1, lines);
  run_parts(work.options.workers, parts, [&](std::int64_t part) {
    base::with_float_type(work.grad_out.dtype, [&](auto type) {
      input_lines<decltype(type)>(work, lines * part / parts, lines * (part + 1) / parts);
    });
  });
}

void backward(const GradientWork& work) {
  rows::check_backward(work.join, work.grad_out, work.positions, work.rows, work.gradients, work.options);
  if (work.grad_out.size() == 0) return;
  // The gradient of the input comes last, because it may overwrite grad_out.
  if (work.gradients.learned.rank > 0) learned_gradient(work);
  if (!work.gradients.inv_freq.empty()) frequency_gradient(work);
  if (work.gradients.input.rank > 0) input_gradient(work);
}

}  // namespace

void add_positions_backward(const ConstView& grad_out, const PositionView& positions, const InputRows& rows,
                            const EmbedGradients& gradients, const EmbedOptions& options) {
  backward({Join::add, grad_out, positions, rows, gradients, options});
}

void concat_positions_backward(const ConstView& grad_out, const PositionView& positions, const InputRows& rows,
                               const EmbedGradients& gradients, const EmbedOptions& options) {
  backward({Join::concat, grad_out, positions, rows, gradients, options});
}

}  // namespace posenc
