#include "core/rows/learned_gradient.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>

#include "core/base/float_types.h"
#include "core/rows/learned_read.h"
#include "core/rows/row_source.h"

namespace posenc::rows {
namespace {

// The contribution of one token to a row of the table.
struct Share {
  std::int64_t line;
  double weight;
};

// All contributions, sorted by row and then by token: row r has shares[starts[r]] .. shares[starts[r + 1] - 1].
struct Readers {
  std::vector<std::size_t> starts;
  std::vector<Share> shares;
};

Readers sort_by_row(const LearnedRows& rows, const std::vector<double>& positions) {
  const std::int64_t count = rows.table.shape[0];
  std::vector<RowRead> reads(positions.size());
  Readers result;
  result.starts.assign(static_cast<std::size_t>(count) + 1, 0);
  const auto each_share = [&](std::size_t line, const auto& visit) {
    const RowRead& read = reads[line];
    visit(static_cast<std::size_t>(read.row), 1.0 - read.share);
    if (read.share != 0.0) visit(static_cast<std::size_t>(read.next), read.share);
  };
  for (std::size_t line = 0; line < positions.size(); ++line) {
    reads[line] = read_of(rows.spec, count, positions[line]);
    each_share(line, [&](std::size_t row, double) { ++result.starts[row + 1]; });
  }
  for (std::size_t row = 1; row < result.starts.size(); ++row) result.starts[row] += result.starts[row - 1];
  result.shares.resize(result.starts.back());
  std::vector<std::size_t> next(result.starts.begin(), result.starts.end() - 1);
  for (std::size_t line = 0; line < positions.size(); ++line) {
    each_share(line, [&](std::size_t row, double weight) {
      result.shares[next[row]++] = {static_cast<std::int64_t>(line), weight};
    });
  }
  return result;
}

// The state of one thread that sums rows.
class Summer {
 public:
  Summer(const LearnedRows& rows, const std::vector<double>& positions, GradientReader reader)
      : rows_(rows),
        positions_(positions),
        reader_(std::move(reader)),
        sum_(width()),
        value_(width()),
        next_(width()) {}

  void add_row(std::span<const Share> shares, const View& gradient_row) {
    std::fill(sum_.begin(), sum_.end(), 0.0);
    for (const Share& share : shares) add_share(share);
    base::load_row(gradient_row, value_.data());
    for (std::size_t i = 0; i < sum_.size(); ++i) value_[i] += sum_[i];
    base::store_row(value_.data(), gradient_row);
  }

 private:
  std::size_t width() const { return static_cast<std::size_t>(rows_.table.shape[1]); }

  void add_share(const Share& share) {
    const double* grad = reader_(share.line);
    const double factor = share.weight * rows_.spec.multiplier;
    if (rows_.spec.normalize == Normalize::none) {
      for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += factor * grad[i];
      return;
    }
    // y = v / |v|: remove the part of the gradient along y, and divide the rest by |v|.
    const RowRead read = read_of(rows_.spec, rows_.table.shape[0], positions_[static_cast<std::size_t>(share.line)]);
    read_learned(rows_, read, value_.data(), next_.data());
    const double inverse = inverse_length(value_);
    double along = 0.0;
    for (std::size_t i = 0; i < sum_.size(); ++i) along += grad[i] * value_[i] * inverse;
    if (inverse >= 1e12) along = 0.0;  // a row of length about 0 is divided by a constant
    for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += factor * inverse * (grad[i] - along * value_[i] * inverse);
  }

  const LearnedRows& rows_;
  const std::vector<double>& positions_;
  GradientReader reader_;
  std::vector<double> sum_;
  std::vector<double> value_;
  std::vector<double> next_;
};

}  // namespace

void add_learned_gradient(const LearnedRows& rows, const std::vector<double>& positions,
                          const std::function<GradientReader()>& make_reader, const View& gradient,
                          const Workers* workers) {
  const Readers readers = sort_by_row(rows, positions);
  std::vector<std::int64_t> read_rows;
  for (std::int64_t row = 0; row < rows.table.shape[0]; ++row) {
    const auto r = static_cast<std::size_t>(row);
    if (readers.starts[r] != readers.starts[r + 1] && rows.spec.padding_row != row) read_rows.push_back(row);
  }
  // Several parts per thread, because rows that many tokens read take longer.
  const auto count = static_cast<std::int64_t>(read_rows.size());
  const std::int64_t parts = std::min<std::int64_t>(count, workers ? 4 * workers->count() : 1);
  run_parts(workers, parts, [&](std::int64_t part) {
    Summer summer(rows, positions, make_reader());
    for (std::int64_t i = count * part / parts; i < count * (part + 1) / parts; ++i) {
      const std::int64_t row = read_rows[static_cast<std::size_t>(i)];
      const Share* first = readers.shares.data() + readers.starts[static_cast<std::size_t>(row)];
      const Share* last = readers.shares.data() + readers.starts[static_cast<std::size_t>(row) + 1];
      summer.add_row({first, last}, gradient[row]);
    }
  });
}

}  // namespace posenc::rows
