#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "insight/properties/walk_rows.h"
#include "posenc/error.h"
#include "posenc/insight/analysis.h"
#include "posenc/phase.h"

namespace posenc {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kMostPairs = std::int64_t{1} << 26;
constexpr std::int64_t kMostTerms = std::int64_t{1} << 33;   // of pairs by channels: a few seconds
constexpr std::int64_t kMostValues = std::int64_t{1} << 32;  // of distances by frequencies: a few seconds

std::int64_t pairs_among(std::int64_t count) {
  return count % 2 == 0 ? count / 2 * (count - 1) : (count - 1) / 2 * count;
}

// The rows of a schedule over a range, by their distance: |row(p + k) - row(p)|^2 is the sum over full pairs of
// (2 multiplier sin(k inv_freq / 2))^2, for every p. A sine without its cosine adds a part that depends on p, and
// the distance of a zero row from another is the norm of that one.
class RangeRows {
 public:
  RangeRows(const SinusoidalSchedule& schedule, const PositionView& range) : schedule_(schedule), range_(range) {
    full_ = std::min(schedule.sine.count, schedule.cosine.count);
    const std::int64_t most = std::max<std::int64_t>(kMostValues / std::max<std::int64_t>(full_, 1), 1);
    distances_ = std::min({range.count - 1, most, kMaxPosition / std::abs(range.step)});
    find_zero_row();
    if (schedule.sine.count != schedule.cosine.count) find_lone_column();
  }

  NearestRows nearest() {
    if (zero_) compare_with_zero_row();
    if (lone_.empty()) {
      walk_distances([&](std::int64_t k, double squares) {
        if (squares >= best_) return;
        if (const auto n = first_apart_from_zero(k)) keep(*n, k, squares);
      });
    } else {
      compare_with_lone_column();
    }
    NearestRows result{std::sqrt(best_), range_.real(0, first_), range_.real(0, second_), 0, false};
    result.sampled = distances_ < range_.count - 1 || !exhausted_;
    const std::int64_t left = range_.count - distances_;
    result.compared = pairs_among(range_.count) - pairs_among(left);
    return result;
  }

 private:
  void find_zero_row() {
    if (!schedule_.zero_position) return;
    const std::int64_t from_start = *schedule_.zero_position - schedule_.first - range_.start;
    if (from_start % range_.step != 0) return;
    const std::int64_t n = from_start / range_.step;
    if (n >= 0 && n < range_.count) zero_ = n;
  }

  void find_lone_column() {
    const bool sine = schedule_.sine.count > schedule_.cosine.count;
    SinusoidalSchedule lone = properties::lone_schedule({schedule_.inv_freq.back()}, sine);
    lone.multiplier = schedule_.multiplier;
    lone.first = schedule_.first;
    lone.zero_position = schedule_.zero_position;
    const std::int64_t count = std::min(range_.count, kMostPairs);
    lone_.resize(static_cast<std::size_t>(count));
    fill_table(lone, range_.slice(0, count), make_view(lone_.data(), {count, 1}));
    distances_ = std::min(distances_, count - 1);
  }

  // visit(k, squares) for k = 1 .. distances, counted in steps of the range.
  template <class Visit>
  void walk_distances(const Visit& visit) const {
    if (full_ == 0) {
      for (std::int64_t k = 1; k <= distances_; ++k) visit(k, 0.0);
      return;
    }
    std::vector<double> halves(schedule_.inv_freq.data(), schedule_.inv_freq.data() + full_);
    for (double& frequency : halves) frequency *= 0.5;
    SinusoidalSchedule sines = properties::lone_schedule(std::move(halves), true);
    sines.multiplier = 2.0 * schedule_.multiplier;
    const std::int64_t step = std::abs(range_.step);
    const PositionView positions = PositionView::range(step, distances_, step);
    properties::walk_rows(StreamedRows{&sines}, positions, "nearest_rows", [&](std::int64_t n, const double* row) {
      visit(n + 1, properties::sum_of(full_, [&](std::int64_t i) { return row[i] * row[i]; }));
    });
  }

  std::optional<std::int64_t> first_apart_from_zero(std::int64_t k) const {
    for (std::int64_t n = 0; n + k < range_.count; ++n) {
      if (!zero_ || (n != *zero_ && n + k != *zero_)) return n;
    }
    return std::nullopt;
  }

  void keep(std::int64_t n, std::int64_t k, double squares) {
    best_ = squares;
    first_ = n;
    second_ = n + k;
  }

  void compare_with_zero_row() {
    const double full = schedule_.multiplier * schedule_.multiplier * static_cast<double>(full_);
    const auto known =
        lone_.empty() ? std::min<std::int64_t>(range_.count, 2) : static_cast<std::int64_t>(lone_.size());
    for (std::int64_t n = 0; n < known; ++n) {
      const double lone = lone_.empty() ? 0.0 : lone_[static_cast<std::size_t>(n)];
      if (n == *zero_ || full + lone * lone >= best_) continue;
      keep(std::min(n, *zero_), std::abs(n - *zero_), full + lone * lone);
    }
  }

  // Takes distances in the order of their full parts, and stops at the first full part that is as large as the best
  // distance found.
  void compare_with_lone_column() {
    std::vector<double> squares(static_cast<std::size_t>(distances_));
    walk_distances([&](std::int64_t k, double value) { squares[static_cast<std::size_t>(k - 1)] = value; });
    std::vector<std::int64_t> order(squares.size());
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      const double left = squares[static_cast<std::size_t>(a)], right = squares[static_cast<std::size_t>(b)];
      return left != right ? left < right : a < b;
    });
    std::int64_t looked = 0;
    for (const std::int64_t index : order) {
      const double full = squares[static_cast<std::size_t>(index)];
      if (full >= best_) return;
      if (looked > 8 * kMostPairs) {
        exhausted_ = false;
        return;
      }
      looked += scan_lone_column(index + 1, full);
    }
  }

  std::int64_t scan_lone_column(std::int64_t k, double full) {
    const auto count = static_cast<std::int64_t>(lone_.size());
    for (std::int64_t n = 0; n + k < count; ++n) {
      const double step = lone_[static_cast<std::size_t>(n + k)] - lone_[static_cast<std::size_t>(n)];
      if (full + step * step >= best_ || (zero_ && (n == *zero_ || n + k == *zero_))) continue;
      keep(n, k, full + step * step);
    }
    return count - k;
  }

  const SinusoidalSchedule& schedule_;
  PositionView range_;
  std::int64_t full_ = 0;       // pairs with both a sine and a cosine
  std::int64_t distances_ = 0;  // how many are compared
  std::optional<std::int64_t> zero_;
  std::vector<double> lone_;  // the column without a partner, by index
  bool exhausted_ = true;
  double best_ = kInfinity;
  std::int64_t first_ = 0, second_ = 0;
};

// Rows that are held in memory: all, or evenly spaced ones.
struct HeldRows {
  std::int64_t count = 0, spacing = 1, width = 0;
  std::vector<double> values;

  const double* row(std::int64_t index) const { return values.data() + index * width; }
};

HeldRows held_rows(const InputRows& rows, const PositionView& positions) {
  HeldRows held{.width = width_of(rows)};
  const std::int64_t pairs = std::min(kMostPairs, kMostTerms / std::max<std::int64_t>(held.width, 1));
  const auto most = std::max<std::int64_t>(static_cast<std::int64_t>(std::sqrt(2.0 * static_cast<double>(pairs))), 2);
  held.spacing = positions.count <= most ? 1 : (positions.count - 1) / (most - 1) + 1;
  held.count = (positions.count - 1) / held.spacing + 1;
  held.values.resize(static_cast<std::size_t>(held.count * held.width));
  return held;
}

// The nearest pair so far; of equally near ones, the first.
class NearestPair {
 public:
  explicit NearestPair(std::int64_t width) : width_(width) {}

  void compare(const double* a, const double* b, std::int64_t n, std::int64_t m) {
    const double squares = properties::squared_distance(a, b, width_);
    const std::pair<std::int64_t, std::int64_t> pair = std::minmax(n, m);
    if (squares > squares_ || (squares == squares_ && pair > pair_)) return;
    squares_ = squares;
    pair_ = pair;
  }

  double distance() const { return std::sqrt(squares_); }
  const std::pair<std::int64_t, std::int64_t>& pair() const { return pair_; }

 private:
  std::int64_t width_;
  double squares_ = kInfinity;
  std::pair<std::int64_t, std::int64_t> pair_ = {0, 0};
};

// Compares rows sorted by norm: the distance of two rows is at least the difference of their norms, so most pairs can
// be skipped.
void compare_held(const HeldRows& held, NearestPair& nearest) {
  std::vector<std::pair<double, std::int64_t>> order;
  for (std::int64_t n = 0; n < held.count; ++n) {
    const double* row = held.row(n);
    order.emplace_back(std::sqrt(properties::sum_of(held.width, [&](std::int64_t i) { return row[i] * row[i]; })), n);
  }
  std::sort(order.begin(), order.end());
  for (auto a = order.begin(); a != order.end(); ++a) {
    for (auto b = a + 1; b != order.end(); ++b) {
      const double rounding = 1e-12 * b->first;
      if (b->first - a->first > nearest.distance() + rounding) break;
      nearest.compare(held.row(a->second), held.row(b->second), a->second * held.spacing, b->second * held.spacing);
    }
  }
}

NearestRows nearest_pair_by_pair(const InputRows& rows, const PositionView& positions) {
  HeldRows held = held_rows(rows, positions);
  NearestPair nearest(held.width);
  std::vector<double> last(static_cast<std::size_t>(held.width));
  properties::walk_rows(rows, positions, "nearest_rows", [&](std::int64_t n, const double* row) {
    if (n % held.spacing == 0) std::copy_n(row, held.width, held.values.data() + n / held.spacing * held.width);
    if (n > 0) nearest.compare(last.data(), row, n - 1, n);
    std::copy_n(row, held.width, last.data());
  });
  compare_held(held, nearest);
  const bool sampled = held.spacing > 1;
  return {.distance = nearest.distance(),
          .first = positions.real(0, nearest.pair().first),
          .second = positions.real(0, nearest.pair().second),
          .compared = pairs_among(held.count) + (sampled ? positions.count - 1 : 0),
          .sampled = sampled};
}

}  // namespace

NearestRows nearest_rows(const InputRows& rows, const PositionView& positions) {
  properties::check_enough_positions(positions, 2, "nearest_rows");
  check_rows(rows, positions, "nearest_rows");
  const auto* streamed = std::get_if<StreamedRows>(&rows);
  const bool range = positions.source == PositionView::Source::range && positions.step != 0;
  if (streamed != nullptr && range) return RangeRows(*streamed->schedule, positions).nearest();
  return nearest_pair_by_pair(rows, positions);
}

}  // namespace posenc
