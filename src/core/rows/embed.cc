#include "posenc/embed.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/float_types.h"
#include "core/kernels/half_row.h"
#include "core/kernels/join_row.h"
#include "core/rows/dropout_rows.h"
#include "core/rows/embed_checks.h"
#include "core/rows/row_source.h"

namespace posenc {
namespace {

using rows::Join;
using rows::TokenGrid;

// Rows used for several batch rows are computed in blocks of about this size, which fits in a core's own cache.
constexpr std::int64_t kBlockBytes = 512 * 1024;
// Rows of a range are computed in blocks of about this size even if each is used once: a block is faster than its rows
// one by one.
constexpr std::int64_t kRangeBytes = 128 * 1024;

struct Work {
  Join join;
  ConstView x;
  const PositionView& positions;
  const InputRows& rows;
  View out;
  const EmbedOptions& options;
};

// The work of one thread, for rows of element type T, with arithmetic in type Real.
template <class T>
class Joiner {
 public:
  using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;

  explicit Joiner(const Work& work)
      : work_(work),
        source_(work.rows),
        x_width_(rows::channels_of(work.x)),
        out_width_(rows::channels_of(work.out)),
        dropout_(work.options.dropout, out_width_),
        scale_(static_cast<Real>(work.options.scale)),
        wide_(static_cast<std::size_t>(std::is_same_v<T, Real> ? 0 : out_width_)) {}

  // Tokens begin to end - 1 of every batch row; all batch rows have the same positions.
  void join_shared(std::int64_t begin, std::int64_t end) {
    const TokenGrid grid = rows::grid_of(work_.out);
    const std::int64_t row_bytes = source_.width() * static_cast<std::int64_t>(sizeof(Real));
    const std::int64_t bytes = grid.batch > 1 ? kBlockBytes : source_.makes_range(work_.positions) ? kRangeBytes : 0;
    const std::int64_t block = std::max<std::int64_t>(bytes / row_bytes, 1);
    std::vector<Real> scratch(static_cast<std::size_t>(std::min(block, end - begin) * source_.width()));
    std::vector<const Real*> rows(static_cast<std::size_t>(std::min(block, end - begin)));
    for (std::int64_t first = begin; first < end; first += block) {
      const std::int64_t last = std::min(first + block, end);
      find_rows(first, last, scratch.data(), rows.data());
      for (std::int64_t b = 0; b < grid.batch; ++b) {
        for (std::int64_t n = first; n < last; ++n) join(b, n, rows[static_cast<std::size_t>(n - first)]);
      }
    }
  }

  // Tokens begin to end - 1, numbered through all batch rows.
  void join_lines(std::int64_t begin, std::int64_t end) {
    const TokenGrid grid = rows::grid_of(work_.out);
    std::vector<Real> scratch(static_cast<std::size_t>(source_.width()));
    for (std::int64_t line = begin; line < end; ++line) {
      const std::int64_t b = line / grid.count;
      const std::int64_t n = line % grid.count;
      join(b, n, source_.get(work_.positions, work_.positions.batch == 1 ? 0 : b, n, scratch.data()));
    }
  }

 private:
  // Sets rows[0], rows[1], ... to the position rows of tokens first to last - 1. Rows that are not in memory as Real
  // are computed in `scratch`.
  void find_rows(std::int64_t first, std::int64_t last, Real* scratch, const Real** rows) {
    const bool range = source_.makes_range(work_.positions);
    if (range) {
      const PositionView positions = work_.positions.slice(first, last - first);
      source_.write_all(positions, make_view(scratch, {last - first, source_.width()}));
    }
    for (std::int64_t n = first; n < last; ++n) {
      Real* place = scratch + (n - first) * source_.width();
      rows[n - first] = range ? place : source_.get(work_.positions, 0, n, place);
    }
  }

  void join(std::int64_t b, std::int64_t n, const Real* row) {
    const T* x = rows::row_at(work_.x, b, n).template as<T>();
    T* out = rows::row_at(work_.out, b, n).template as<T>();
    if constexpr (std::is_same_v<T, Real>) {
      join_real(x, row, out);
      dropout_.apply(b, n, out);
    } else if (work_.join == Join::add && !dropout_.drops()) {
      kernels::add_row(x, row, scale_, x_width_, out);
    } else {
      kernels::widen_row(x, x_width_, wide_.data());
      join_real(wide_.data(), row, wide_.data());
      dropout_.apply(b, n, wide_.data());
      kernels::narrow_row(wide_.data(), out_width_, out);
    }
  }

  void join_real(const Real* x, const Real* row, Real* out) {
    if (work_.join == Join::add) return kernels::add_row(x, row, scale_, x_width_, out);
    if (x != out || scale_ != Real(1)) kernels::scale_row(x, scale_, x_width_, out);
    std::memcpy(out + x_width_, row, static_cast<std::size_t>(source_.width()) * sizeof(Real));
  }

  const Work& work_;
  rows::RowSource source_;
  std::int64_t x_width_;
  std::int64_t out_width_;
  rows::DropoutRows dropout_;
  Real scale_;
  std::vector<Real> wide_;  // a row of 16-bit data, converted to float
};

template <class T>
void join_all(const Work& work) {
  const TokenGrid grid = rows::grid_of(work.out);
  const std::int64_t threads = work.options.workers ? work.options.workers->count() : 1;
  // Each thread takes a range of tokens in all batch rows, unless there are too few tokens.
  const bool shared = rows::is_shared(work.positions) && grid.count >= threads;
  const std::int64_t units = shared ? grid.count : grid.lines();
  const std::int64_t parts = std::min(threads, units);
  run_parts(work.options.workers, parts, [&](std::int64_t part) {
    Joiner<T> joiner(work);
    const std::int64_t begin = units * part / parts;
    const std::int64_t end = units * (part + 1) / parts;
    if (shared) {
      joiner.join_shared(begin, end);
    } else {
      joiner.join_lines(begin, end);
    }
  });
}

void join(const Work& work) {
  rows::check_forward(work.join, work.x, work.positions, work.rows, work.out, work.options);
  if (work.out.size() == 0) return;
  base::with_float_type(work.out.dtype, [&](auto type) { join_all<decltype(type)>(work); });
}

}  // namespace

void add_positions(const ConstView& x, const PositionView& positions, const InputRows& rows, const View& out,
                   const EmbedOptions& options) {
  join({Join::add, x, positions, rows, out, options});
}

void concat_positions(const ConstView& x, const PositionView& positions, const InputRows& rows, const View& out,
                      const EmbedOptions& options) {
  join({Join::concat, x, positions, rows, out, options});
}

}  // namespace posenc
