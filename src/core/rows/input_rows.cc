#include "posenc/input_rows.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/check_view.h"
#include "core/rows/check_rows.h"
#include "core/rows/first_refused.h"
#include "core/rows/learned_read.h"
#include "core/rows/row_source.h"

namespace posenc {
namespace {

using base::refuse;

void check_table(const ConstView& table, std::string_view where, std::string_view name) {
  base::check_view(table, {.shape = {"R", "M"}}, where, name);
  if (table.shape[1] < 1) refuse(where, name, " must have at least 1 channel but is ", shape_text(table));
}

void check_source(const FixedRows& rows, std::string_view where) {
  check_table(rows.table, where, "the table");
  if (rows.start >= -kMaxPosition && rows.start <= kMaxPosition) return;
  refuse(where, "the table's start must be from -2147483647 to 2147483647 but is ", rows.start);
}

void check_source(const StreamedRows& rows, std::string_view where) {
  base::require(rows.schedule != nullptr, where, "streamed rows need a schedule but it is null");
  rows::check_schedule(*rows.schedule, where);
}

void check_source(const LearnedRows& rows, std::string_view where) {
  validate(rows.spec);
  check_table(rows.table, where, "the learned table");
  const auto check = [&](std::int64_t wanted, std::int64_t has, const char* what) {
    if (wanted == 0 || wanted == has) return;
    refuse(where, "the learned table must have ", wanted, " ", what, " as in its spec but has ", has);
  };
  check(rows.spec.rows, rows.table.shape[0], "rows");
  check(rows.spec.width, rows.table.shape[1], "channels");
  if (rows.spec.padding_row && *rows.spec.padding_row >= rows.table.shape[0]) {
    refuse(where, "padding_row must be below the table's ", rows.table.shape[0], " rows but is ",
           *rows.spec.padding_row);
  }
}

std::int64_t width_of_source(const FixedRows& rows) { return rows.table.shape[1]; }
std::int64_t width_of_source(const StreamedRows& rows) { return rows.schedule->width; }
std::int64_t width_of_source(const LearnedRows& rows) { return rows.table.shape[1]; }
std::int64_t width_of_source(const HybridRows& rows) { return width_of_source(rows.learned); }

void check_source(const HybridRows& rows, std::string_view where) {
  std::visit([&](const auto& fixed) { check_source(fixed, where); }, rows.fixed);
  check_source(rows.learned, where);
  const std::int64_t fixed = std::visit([](const auto& part) { return width_of_source(part); }, rows.fixed);
  if (fixed == width_of_source(rows.learned)) return;
  refuse(where, "fixed and learned rows must have the same width but have ", fixed, " and ",
         width_of_source(rows.learned));
}

std::int64_t width_of_source(const FourierRows& rows) { return rows.schedule->width; }
std::int64_t width_of_source(const ConcatRows& rows) {
  if (rows.width != 0) return rows.width;
  std::int64_t width = 0;
  for (const ConcatRows::Part& part : rows.parts) {
    width += std::visit([](const auto& source) { return width_of_source(source); }, part.rows);
  }
  return width;
}

void check_source(const FourierRows& rows, std::string_view where) {
  base::require(rows.schedule != nullptr, where, "Fourier rows need a schedule but it is null");
  rows::check_schedule(*rows.schedule, where);
}

void check_source(const ConcatRows& rows, std::string_view where) {
  base::require(!rows.parts.empty(), where, "concat rows must have at least one part");
  base::require(rows.width >= 0, where, "width must be at least 0 but is ", rows.width);
  for (std::size_t i = 0; i < rows.parts.size(); ++i) {
    std::visit([&](const auto& source) { check_source(source, where); }, rows.parts[i].rows);
    const std::int64_t axis = rows.parts[i].axis;
    if (axis >= 0 && axis < axes_of(rows)) continue;
    refuse(where, "the axis of part ", i, " must be 0 to ", axes_of(rows) - 1, " but is ", axis);
  }
}

// refusal(position) returns why a position has no row, or an empty string if it has one.
template <class Refusal>
void check_each(const PositionView& positions, std::string_view where, const Refusal& refusal) {
  const auto refused = rows::first_refused(positions, [&](double position) { return refusal(position).empty(); });
  if (!refused) return;
  const double position = positions.real(refused->b, refused->n);
  const std::string token = (positions.batch > 1 ? std::to_string(refused->b) + ", " : "") + std::to_string(refused->n);
  base::refuse_input(where, "position ", position, " of token [", token, "] ", refusal(position));
}

std::string fixed_refusal(const FixedRows& rows, double position) {
  if (position != std::floor(position)) return "must be a whole number because it selects a row of the table";
  const double row = position - static_cast<double>(rows.start);
  if (row >= 0.0 && row < static_cast<double>(rows.table.shape[0])) return {};
  if (rows.table.shape[0] == 0) return "is not in the table, which is empty";
  return "is not in the table, which has positions " + std::to_string(rows.start) + " to " +
         std::to_string(rows.start + rows.table.shape[0] - 1);
}

void check_at(const FixedRows& rows, const PositionView& positions, std::string_view where) {
  rows::check_one_axis(positions, where);
  check_each(positions, where, [&](double position) { return fixed_refusal(rows, position); });
}

void check_at(const StreamedRows& rows, const PositionView& positions, std::string_view where) {
  rows::check_counted(*rows.schedule, positions, where);
}

void check_at(const LearnedRows& rows, const PositionView& positions, std::string_view where) {
  rows::check_one_axis(positions, where);
  const std::int64_t count = rows.table.shape[0];
  check_each(positions, where, [&](double position) { return rows::read_refusal(rows.spec, count, position); });
}

void check_at(const HybridRows& rows, const PositionView& positions, std::string_view where) {
  std::visit([&](const auto& fixed) { check_at(fixed, positions, where); }, rows.fixed);
  check_at(rows.learned, positions, where);
}

void check_axes(std::int64_t axes, const PositionView& positions, std::string_view where) {
  check_positions(positions, where);
  if (positions.axes == axes) return;
  refuse(where, "the encoding takes positions on ", axes, (axes == 1 ? " axis" : " axes"), " but they have ",
         positions.axes);
}

void check_at(const ConcatRows& rows, const PositionView& positions, std::string_view where) {
  check_axes(axes_of(rows), positions, where);
  for (const ConcatRows::Part& part : rows.parts) {
    std::visit([&](const auto& source) { check_at(source, positions.axis(part.axis), where); }, part.rows);
  }
}

void check_at(const FourierRows& rows, const PositionView& positions, std::string_view where) {
  check_axes(rows.schedule->axes, positions, where);
}

}  // namespace

ConcatRows concat_rows(const Concat& spec, const ConcatSchedule& schedule, std::span<const ConstView> tables) {
  validate(spec);
  base::require(schedule.size() == spec.parts.size(), "concat_rows", "the schedule must be made from the spec");
  ConcatRows rows{.parts = {}, .axes = axes_of(Spec(spec)), .width = spec.width};
  std::size_t next = 0;
  for (std::size_t i = 0; i < spec.parts.size(); ++i) {
    const auto* learned = std::get_if<Learned>(&spec.parts[i].encoding);
    base::require((learned == nullptr) == schedule[i].has_value(), "concat_rows",
                  "the schedule must be made from the spec");
    if (learned == nullptr) {
      rows.parts.push_back({spec.parts[i].axis, StreamedRows{&*schedule[i]}});
    } else if (next < tables.size()) {
      rows.parts.push_back({spec.parts[i].axis, LearnedRows{*learned, tables[next]}});
    }
    next += learned == nullptr ? 0 : 1;
  }
  if (next == tables.size()) return rows;
  refuse("concat_rows", "there must be one table per learned part, ", next, ", but there are ", tables.size());
}

ConcatRows concat_rows(const Concat& spec, ConcatSchedule&& schedule, std::span<const ConstView> tables) {
  auto kept = std::make_shared<const ConcatSchedule>(std::move(schedule));
  ConcatRows rows = concat_rows(spec, *kept, tables);
  rows.schedule = std::move(kept);
  return rows;
}

std::int64_t axes_of(const InputRows& rows) {
  if (const auto* fourier = std::get_if<FourierRows>(&rows)) return fourier->schedule ? fourier->schedule->axes : 1;
  const auto* concat = std::get_if<ConcatRows>(&rows);
  if (concat == nullptr) return 1;
  if (concat->axes != 0) return concat->axes;
  std::int64_t axes = 1;
  for (const ConcatRows::Part& part : concat->parts) axes = std::max(axes, part.axis + 1);
  return axes;
}

std::int64_t width_of(const InputRows& rows) {
  return std::visit(
      [](const auto& source) {
        check_source(source, "width_of");
        return width_of_source(source);
      },
      rows);
}

void check_rows(const InputRows& rows, const PositionView& positions, std::string_view where) {
  std::visit(
      [&](const auto& source) {
        check_source(source, where);
        check_at(source, positions, where);
      },
      rows);
}

void fill_rows(const InputRows& rows, const PositionView& positions, const View& out) {
  check_rows(rows, positions, "fill_rows");
  rows::check_row_output(positions, width_of(rows), out, "fill_rows");
  rows::check_apart(rows, {"out", out}, "fill_rows");
  rows::RowSource(rows).write_all(positions, out);
}

}  // namespace posenc
