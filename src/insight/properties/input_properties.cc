#include "insight/properties/input_properties.h"

#include <algorithm>
#include <cmath>

#include "core/base/float_types.h"
#include "insight/properties/expected_mixing.h"
#include "insight/properties/precision_properties.h"
#include "insight/properties/property.h"
#include "insight/properties/walk_rows.h"
#include "posenc/error.h"

namespace posenc::properties {
namespace {

constexpr double kSmallest = 1e-9;  // rows closer than this count as equal

// Whether float32 angles explain all differences from the rows of a sinusoidal encoding.
class Float32Likeness {
 public:
  explicit Float32Likeness(const Encoding& numbers)
      : schedule_(std::holds_alternative<Sinusoidal>(numbers.spec()) ? &*numbers.sinusoidal() : nullptr) {}

  void compare(const double* seen, const double* exact, double position, double tolerance) {
    if (!found()) return;
    compare_columns(schedule_->sine, seen, exact, position, tolerance);
    compare_columns(schedule_->cosine, seen, exact, position, tolerance);
  }
  bool found() const { return schedule_ != nullptr && alike_; }

 private:
  void compare_columns(const Columns& columns, const double* seen, const double* exact, double position,
                       double tolerance) {
    const double counted = position + static_cast<double>(schedule_->first);
    for (std::int64_t j = 0; j < columns.count; ++j) {
      const std::int64_t at = columns.start + j * columns.stride;
      const double angle = counted * schedule_->inv_freq[static_cast<std::size_t>(j)];
      alike_ = alike_ && like_float32_angle((seen[at] - exact[at]) / schedule_->multiplier, angle, tolerance);
    }
  }

  const SinusoidalSchedule* schedule_;
  bool alike_ = true;
};

}  // namespace

InputLook look_at(const Encoding& numbers, const CheckOptions& options) {
  InputLook look{.rows = numbers.rows(), .walk = options.positions, .positions = options.positions};
  look.width = numbers.width();
  check_rows(look.rows, look.positions, "check");
  if (options.observed.rank == 0) return look;
  check_table(options.observed, options.positions.count, look.width, "one per channel");
  look.observed = true;
  look.rows = FixedRows{options.observed, 0};
  look.walk = PositionView::range(0, options.positions.count);
  check_rows(look.rows, look.walk, "check");
  look.tolerance = tolerance_of(options.observed.dtype);
  std::vector<double> row(static_cast<std::size_t>(look.width));
  for (std::int64_t n = 0; n < options.positions.count; ++n) {
    base::load_row(options.observed[n], row.data());
    check_row_finite(row.data(), look.width, options.positions.real(0, n), "check");
  }
  return look;
}

std::string norms_text(double smallest, double largest) {
  const std::string from = short_text(smallest), to = short_text(largest);
  return from == to ? "every row has norm " + from : "row norms " + from + " to " + to;
}

Property bounded(const InputLook& look, const Encoding& numbers, std::optional<double> promised) {
  const RowBounds bounds = row_bounds(look.rows, look.walk);
  const double room = look.tolerance * std::max(promised.value_or(1.0), 1.0);
  const bool within = !promised || std::max(bounds.largest, -bounds.smallest) <= *promised + room;
  const std::string limit = promised ? short_text(*promised) : "";
  return {.name = "bounded",
          .title = promised ? "every value is within [-" + limit + ", " + limit + "]" : "values are bounded",
          .verdict = judge(true, within),
          .finding = "values from " + short_text(bounds.smallest) + " (position " +
                     place_text(look.place(bounds.smallest_position)) + ") to " + short_text(bounds.largest) +
                     " (position " + place_text(look.place(bounds.largest_position)) + "); " +
                     norms_text(bounds.smallest_norm, bounds.largest_norm),
          .numbers = {{"smallest", bounds.smallest},
                      {"largest", bounds.largest},
                      {"smallest_position", look.place(bounds.smallest_position)},
                      {"largest_position", look.place(bounds.largest_position)},
                      {"smallest_norm", bounds.smallest_norm},
                      {"largest_norm", bounds.largest_norm}},
          .command = command_of(numbers, "table", "--positions " + place_text(look.place(bounds.smallest_position)))};
}

Property unique_rows(const InputLook& look, const Encoding& numbers) {
  Property property{.name = "unique", .title = "no two positions have the same row"};
  if (look.walk.count < 2) return needs_positions(std::move(property));
  const NearestRows nearest = nearest_rows(look.rows, look.walk);
  const double first = look.place(nearest.first), second = look.place(nearest.second);
  const std::vector<double> both = {first, second};
  // If the encoding itself has equal rows there, they are not a fault of the engine.
  bool promised = false;
  if (look.observed) {
    const bool whole = look.positions.integral();
    const std::vector<std::int64_t> ids = {static_cast<std::int64_t>(first), static_cast<std::int64_t>(second)};
    const PositionView at = whole ? PositionView::of(ids.data(), 2) : PositionView::of(both.data(), 2);
    promised = first != second && nearest_rows(numbers.rows(), at).distance > kSmallest;
  }
  property.verdict = judge(promised, nearest.distance > kSmallest);
  property.finding = "the closest of " + several(nearest.compared, "pair") + (nearest.sampled ? " (not all)" : "") +
                     ": positions " + place_text(first) + " and " + place_text(second) + ", at distance " +
                     short_text(nearest.distance);
  property.numbers = {{"distance", nearest.distance},
                      {"first", first},
                      {"second", second},
                      {"compared", static_cast<double>(nearest.compared)},
                      {"sampled", nearest.sampled ? 1.0 : 0.0}};
  property.command = command_of(numbers, "table", "--positions " + place_text(first) + "," + place_text(second));
  return property;
}

Property matching_rows(const InputLook& look, const Encoding& numbers) {
  const std::int64_t width = look.width;
  const DType dtype = std::get<FixedRows>(look.rows).table.dtype;
  double largest = 1.0;
  std::vector<double> seen(static_cast<std::size_t>(width));
  const ConstView table = std::get<FixedRows>(look.rows).table;
  Mismatch mismatch;
  Float32Likeness likeness(numbers);
  walk_rows(numbers.rows(), look.positions, "check", [&](std::int64_t n, const double* exact) {
    base::load_row(table[n], seen.data());
    for (std::int64_t i = 0; i < width; ++i) {
      largest = std::max(largest, std::fabs(exact[i]));
      mismatch.compare(seen[static_cast<std::size_t>(i)], exact[i], look.tolerance * largest, look.positions.real(0, n),
                       i);
    }
    likeness.compare(seen.data(), exact, look.positions.real(0, n), look.tolerance * largest);
  });
  Property property = matches(mismatch, look.tolerance * largest, dtype);
  if (mismatch.found && likeness.found()) property.finding += "; float32 angles would explain the differences";
  return property;
}

Property mixing_property(const InputLook& look, double std) {
  std::vector<double> row(static_cast<std::size_t>(look.width));
  fill_rows(look.rows, look.walk.slice(0, 1), make_view(row.data(), {1, look.width}));
  const Mixing mixed = expected_mixing(row, std);
  const double ratio = mixed.position_norm / mixed.token_norm;
  return {.name = "mixing",
          .title = "token and position both show in their sum",
          .verdict = ratio > 0.1 && ratio < 10.0 ? Verdict::holds : Verdict::does_not_hold,
          .finding = "random tokens of std " + short_text(std) + " have norm " + short_text(mixed.token_norm) +
                     ", the row of position " + place_text(look.positions.real(0, 0)) + " has norm " +
                     short_text(mixed.position_norm) + "; adding it changes the direction of a token by " +
                     short_text(mixed.angle) + " degrees",
          .numbers = {{"std", std},
                      {"token_norm", mixed.token_norm},
                      {"position_norm", mixed.position_norm},
                      {"sum_norm", mixed.sum_norm},
                      {"angle", mixed.angle},
                      {"angle_low", mixed.angle_low},
                      {"angle_high", mixed.angle_high}}};
}

}  // namespace posenc::properties
