#include "posenc/input_rows.h"

#include <cmath>
#include <string>

#include "detail/check_rows.h"
#include "detail/float_types.h"
#include "detail/learned_read.h"
#include "detail/number_text.h"
#include "detail/row_source.h"
#include "posenc/error.h"

namespace posenc {
namespace {

[[noreturn]] void refuse(std::string_view where, const std::string& message) {
  fail(ErrorKind::usage, "[" + std::string(where) + "] " + message);
}

void check_table(const ConstView& table, std::string_view where, const std::string& what) {
  const bool shaped = table.rank == 2 && table.shape[0] >= 0 && table.shape[1] >= 1;
  if (!shaped || !detail::is_float(table.dtype)) {
    refuse(where, what + " must be [rows, width] of f32, f64, f16 or bf16 but is " + shape_text(table) + " " +
                      std::string(to_text(table.dtype)));
  }
  if (table.data == nullptr && table.shape[0] > 0)
    refuse(where, what + " must not be null but is " + shape_text(table));
  if (table.shape[1] > 1 && table.strides[1] != 1) {
    refuse(where, what + " must have contiguous channels but the stride of its last axis is " +
                      std::to_string(table.strides[1]));
  }
}

void check_source(const FixedRows& rows, std::string_view where) {
  check_table(rows.table, where, "the table");
  if (rows.start >= -kMaxPosition && rows.start <= kMaxPosition) return;
  refuse(where, "the table's start must lie within +-2147483647 but is " + std::to_string(rows.start));
}

void check_source(const StreamedRows& rows, std::string_view where) {
  if (rows.schedule == nullptr) refuse(where, "streamed rows need a schedule but it is null");
  detail::check_schedule(*rows.schedule, where);
}

void check_source(const LearnedRows& rows, std::string_view where) {
  validate(rows.spec);
  check_table(rows.table, where, "the learned table");
  const auto check = [&](std::int64_t wanted, std::int64_t has, const char* what) {
    if (wanted == 0 || wanted == has) return;
    refuse(where, "the learned table must have " + std::to_string(wanted) + " " + what +
                      ", as its spec says, but has " + std::to_string(has));
  };
  check(rows.spec.rows, rows.table.shape[0], "rows");
  check(rows.spec.width, rows.table.shape[1], "channels");
  if (rows.spec.padding_row && *rows.spec.padding_row >= rows.table.shape[0]) {
    refuse(where, "padding_row must be below the table's " + std::to_string(rows.table.shape[0]) + " rows but is " +
                      std::to_string(*rows.spec.padding_row));
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
  refuse(where, "fixed and learned rows must have the same width but have " + std::to_string(fixed) + " and " +
                    std::to_string(width_of_source(rows.learned)));
}

// Calls check(position) -> why it has no row, for every position; of a range the ends are enough.
template <class Check>
void check_each(const PositionView& positions, std::string_view where, const Check& check) {
  const bool range = positions.source == PositionView::Source::range;
  const std::int64_t batch = range ? 1 : positions.batch;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t n = 0; n < positions.count; ++n) {
      if (range && n == 1) n = positions.count - 1;
      const double position = positions.real(b, n);
      const std::string refusal = check(position);
      if (refusal.empty()) continue;
      const std::string token = positions.batch > 1 ? std::to_string(b) + ", " + std::to_string(n) : std::to_string(n);
      fail(ErrorKind::bad_input, "[" + std::string(where) + "] position " + detail::number_text(position) +
                                     " of token [" + token + "] " + refusal);
    }
  }
}

std::string fixed_refusal(const FixedRows& rows, double position) {
  if (position != std::floor(position)) return "must be a whole number: a table has no rows between its rows";
  const double row = position - static_cast<double>(rows.start);
  if (row >= 0.0 && row < static_cast<double>(rows.table.shape[0])) return {};
  if (rows.table.shape[0] == 0) return "is not in the table, which is empty";
  return "is not in the table, which has positions " + std::to_string(rows.start) + " to " +
         std::to_string(rows.start + rows.table.shape[0] - 1);
}

void check_at(const FixedRows& rows, const PositionView& positions, std::string_view where) {
  detail::check_one_axis(positions, where);
  check_each(positions, where, [&](double position) { return fixed_refusal(rows, position); });
}

void check_at(const StreamedRows& rows, const PositionView& positions, std::string_view where) {
  detail::check_counted(*rows.schedule, positions, where);
}

void check_at(const LearnedRows& rows, const PositionView& positions, std::string_view where) {
  detail::check_one_axis(positions, where);
  const std::int64_t count = rows.table.shape[0];
  check_each(positions, where, [&](double position) { return detail::read_refusal(rows.spec, count, position); });
}

void check_at(const HybridRows& rows, const PositionView& positions, std::string_view where) {
  std::visit([&](const auto& fixed) { check_at(fixed, positions, where); }, rows.fixed);
  check_at(rows.learned, positions, where);
}

}  // namespace

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
  detail::check_row_output(positions, width_of(rows), out, "fill_rows");
  detail::check_apart(rows, out, "out", "fill_rows");
  detail::RowSource(rows).write_all(positions, out);
}

}  // namespace posenc
