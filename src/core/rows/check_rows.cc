#include "core/rows/check_rows.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

#include "core/base/refuse.h"
#include "core/rows/first_refused.h"

namespace posenc::rows {

namespace {

bool is_inside(const Columns& columns, std::int64_t pairs, std::int64_t width) {
  if (columns.count == 0) return true;
  return columns.count > 0 && columns.count <= pairs && columns.start >= 0 && columns.start < width &&
         columns.stride >= 1 && (columns.count - 1) <= (width - 1 - columns.start) / columns.stride;
}

// A schedule is plain data that anyone can fill in. Rows are written through its columns, so they must be in bounds.
template <class Schedule>
void check_columns(const Schedule& schedule, std::int64_t pairs, std::string_view where) {
  if (schedule.width >= 1 && is_inside(schedule.sine, pairs, schedule.width) &&
      is_inside(schedule.cosine, pairs, schedule.width)) {
    return;
  }
  base::refuse(where, "the schedule's columns must be within its width, ", schedule.width,
               ", with one frequency each: use make_schedule");
}

}  // namespace

void check_schedule(const SinusoidalSchedule& schedule, std::string_view where) {
  base::require(schedule.first >= -kMaxPosition && schedule.first <= kMaxPosition, where,
                "the schedule's first must be from -2147483647 to 2147483647 but is ", schedule.first);
  check_columns(schedule, static_cast<std::int64_t>(schedule.inv_freq.size()), where);
}

void check_schedule(const FourierSchedule& schedule, std::string_view where) {
  const auto numbers = static_cast<std::int64_t>(schedule.inv_freq.size());
  base::require(schedule.axes >= 1 && schedule.axes <= 8 && numbers != 0 && numbers % schedule.axes == 0, where,
                "the schedule must have one frequency per axis and pair: use make_schedule");
  check_columns(schedule, numbers / schedule.axes, where);
}

void check_one_axis(const PositionView& positions, std::string_view where) {
  check_positions(positions, where);
  if (positions.axes == 1) return;
  base::refuse(where, "an encoding at the input takes positions on one axis but they have ", positions.axes);
}

// Accuracy is only guaranteed within +-kMaxPosition, for the positions and after adding the schedule's `first`.
void check_counted(const SinusoidalSchedule& schedule, const PositionView& positions, std::string_view where) {
  check_schedule(schedule, where);
  check_one_axis(positions, where);
  const auto counted = [&](double position) { return position + static_cast<double>(schedule.first); };
  const auto refused = first_refused(
      positions, [&](double position) { return std::fabs(counted(position)) <= static_cast<double>(kMaxPosition); });
  if (!refused) return;
  const double position = positions.real(refused->b, refused->n);
  base::refuse_input(where, "position ", position, " counts as ", counted(position), " (first=", schedule.first,
                     "), which must be from -2147483647 to 2147483647");
}

void check_row_output(const PositionView& positions, std::int64_t width, const View& out, std::string_view where,
                      std::string_view name) {
  const bool shared = positions.batch == 1;
  base::check_view(out,
                   {.shape = {shared ? base::Length("B") : base::Length(positions.batch), positions.count, width},
                    .batch = shared ? base::Batch::optional : base::Batch::as_given,
                    .use = base::Use::write},
                   where, name);
  base::check_apart({name, out}, positions, where);
}

void check_apart(const InputRows& rows, const base::NamedView& written, std::string_view where) {
  const auto apart = [&](const ConstView& table, std::string_view name) {
    base::check_apart(written, {name, table}, where);
  };
  const auto fixed = [&](const auto& part) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(part)>, FixedRows>) apart(part.table, "the table");
  };
  std::visit(fixed, rows);
  const auto* hybrid = std::get_if<HybridRows>(&rows);
  const auto* learned = hybrid ? &hybrid->learned : std::get_if<LearnedRows>(&rows);
  if (hybrid) std::visit(fixed, hybrid->fixed);
  if (learned) apart(learned->table, "the learned table");
  const auto* concat = std::get_if<ConcatRows>(&rows);
  if (concat == nullptr) return;
  for (const ConcatRows::Part& part : concat->parts) {
    std::visit(fixed, part.rows);
    const auto* of_part = std::get_if<LearnedRows>(&part.rows);
    if (of_part) apart(of_part->table, "a learned table");
  }
}

}  // namespace posenc::rows
