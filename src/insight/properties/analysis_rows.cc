#include <algorithm>
#include <cmath>
#include <limits>

#include "insight/properties/sinusoidal_rows.h"
#include "insight/properties/walk_rows.h"
#include "posenc/error.h"
#include "posenc/insight/analysis.h"

namespace posenc {
namespace {

// The rows at p + k. Integer positions stay integers: k is added to the schedule's `first` instead.
class MovedRows {
 public:
  MovedRows(const SinusoidalSchedule& schedule, double k, const PositionView& positions)
      : schedule_(schedule),
        moved_(move(k, positions)),
        block_(static_cast<std::size_t>(schedule.width)),
        stream_(StreamedRows{&schedule_}, moved_) {}

  const double* next() {
    stream_.next(make_view(block_.data(), {1, schedule_.width}));
    return block_.data();
  }

 private:
  PositionView move(double k, const PositionView& positions) {
    if (positions.integral() && k == std::floor(k)) {
      schedule_.first += static_cast<std::int64_t>(k);
      return positions;
    }
    for (std::int64_t n = 0; n < positions.count; ++n) reals_.push_back(positions.real(0, n) + k);
    return PositionView::of(reals_.data(), positions.count);
  }

  SinusoidalSchedule schedule_;
  std::vector<double> reals_;
  PositionView moved_;
  std::vector<double> block_;
  RowStream stream_;
};

void check_partners(const SinusoidalSchedule& schedule, std::string_view where) {
  if (properties::has_partners(schedule)) return;
  fail(ErrorKind::usage, "[" + std::string(where) + "] width must be even but got " + std::to_string(schedule.width) +
                             ": the last channel has no partner");
}

}  // namespace

RowBounds row_bounds(const InputRows& rows, const PositionView& positions) {
  properties::check_enough_positions(positions, 1, "row_bounds");
  const std::int64_t width = width_of(rows);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  RowBounds bounds{kInfinity, -kInfinity, 0.0, 0.0, kInfinity, 0.0};
  properties::walk_rows(rows, positions, "row_bounds", [&](std::int64_t n, const double* row) {
    const auto [low, high] = std::minmax_element(row, row + width);
    if (*low < bounds.smallest) bounds.smallest_position = positions.real(0, n);
    if (*high > bounds.largest) bounds.largest_position = positions.real(0, n);
    bounds.smallest = std::min(bounds.smallest, *low);
    bounds.largest = std::max(bounds.largest, *high);
    const double squares = properties::dot(row, row, width);
    bounds.smallest_norm = std::min(bounds.smallest_norm, squares);
    bounds.largest_norm = std::max(bounds.largest_norm, squares);
  });
  bounds.smallest_norm = std::sqrt(bounds.smallest_norm);
  bounds.largest_norm = std::sqrt(bounds.largest_norm);
  return bounds;
}

StepNorms step_norms(const InputRows& rows, const PositionView& positions) {
  properties::check_enough_positions(positions, 2, "step_norms");
  const std::int64_t width = width_of(rows);
  std::vector<double> last(static_cast<std::size_t>(width));
  StepNorms norms{std::numeric_limits<double>::infinity(), 0.0, 0.0};
  properties::walk_rows(rows, positions, "step_norms", [&](std::int64_t n, const double* row) {
    const double step = std::sqrt(properties::squared_distance(row, last.data(), width));
    std::copy_n(row, width, last.data());
    if (n == 0) return;
    norms.smallest = std::min(norms.smallest, step);
    norms.largest = std::max(norms.largest, step);
    norms.mean += step;
  });
  norms.mean /= static_cast<double>(positions.count - 1);
  return norms;
}

std::int64_t first_collision(DType dtype) {
  switch (dtype) {
    case DType::bf16:
      return 257;
    case DType::f16:
      return 2049;
    case DType::f32:
      return (std::int64_t{1} << 24) + 1;
    case DType::f64:
      return (std::int64_t{1} << 53) + 1;
    default:
      fail(ErrorKind::usage,
           "[first_collision] dtype must be f32, f64, f16 or bf16 but got " + std::string(to_text(dtype)));
  }
}

double shift_residual(const SinusoidalSchedule& schedule, double k, const PositionView& positions) {
  properties::check_enough_positions(positions, 1, "shift_residual");
  check_partners(schedule, "shift_residual");
  check_positions(PositionView::of(&k, 1), "shift_residual");
  const properties::Shift shift(schedule, k);
  MovedRows moved(schedule, k, positions);
  double largest = 0.0;
  properties::walk_rows(StreamedRows{&schedule}, positions, "shift_residual", [&](std::int64_t n, const double* row) {
    const double* shifted = moved.next();
    const double position = positions.real(0, n);
    if (properties::is_zero_row(schedule, position) || properties::is_zero_row(schedule, position + k)) return;
    largest = std::max(largest, shift.residual(row, shifted));
  });
  return largest;
}

double shift_composition_residual(const SinusoidalSchedule& schedule, double a, double b) {
  check_partners(schedule, "shift_composition_residual");
  for (const double k : {a, b, a + b}) check_positions(PositionView::of(&k, 1), "shift_composition_residual");
  double largest = 0.0;
  for (const double frequency : schedule.inv_freq) {
    const PhaseStep step = make_phase_step(frequency);
    const SinCos at_a = sin_cos(phase_at(step, a)), at_b = sin_cos(phase_at(step, b));
    const SinCos at_sum = sin_cos(phase_at(step, a + b));
    largest = std::max(largest, std::fabs(at_a.cos * at_b.cos - at_a.sin * at_b.sin - at_sum.cos));
    largest = std::max(largest, std::fabs(at_a.sin * at_b.cos + at_a.cos * at_b.sin - at_sum.sin));
  }
  return largest;
}

}  // namespace posenc
