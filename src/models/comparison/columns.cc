#include "models/comparison/columns.h"

#include <algorithm>
#include <map>
#include <numbers>
#include <utility>

#include "posenc/schedule.h"

namespace posenc::comparison {
namespace {

// The number of axes of a row, and the axis that this encoding reads.
struct AxisChoice {
  std::int64_t axes = 1;
  std::int64_t axis = 0;
};

Column sinusoidal_column(const SinusoidalSchedule& schedule, ColumnKind kind, std::int64_t pair,
                         const AxisChoice& place) {
  const double inv_freq = schedule.inv_freq[static_cast<std::size_t>(pair)];
  Column column{.kind = kind, .number = pair};
  column.turn.inv_freq.assign(static_cast<std::size_t>(place.axes), 0.0);
  column.turn.inv_freq[static_cast<std::size_t>(place.axis)] = inv_freq;
  column.turn.offset = static_cast<double>(schedule.first) * inv_freq;
  column.turn.magnitude = schedule.multiplier;
  if (schedule.zero_position) column.zero_position = *schedule.zero_position - schedule.first;
  return column;
}

void place(const Columns& at, std::int64_t begin, std::vector<Column>& row, const auto& column_of_pair) {
  for (std::int64_t j = 0; j < at.count; ++j) {
    const auto c = static_cast<std::size_t>(begin + at.start + j * at.stride);
    if (c < row.size()) row[c] = column_of_pair(j);
  }
}

void append(const SinusoidalSchedule& schedule, const AxisChoice& where, std::vector<Column>& row) {
  const auto begin = static_cast<std::int64_t>(row.size());
  row.resize(row.size() + static_cast<std::size_t>(schedule.width));
  place(schedule.sine, begin, row,
        [&](std::int64_t j) { return sinusoidal_column(schedule, ColumnKind::sine, j, where); });
  place(schedule.cosine, begin, row,
        [&](std::int64_t j) { return sinusoidal_column(schedule, ColumnKind::cosine, j, where); });
}

std::vector<Column> columns_of_kind(const Sinusoidal& spec) {
  std::vector<Column> row;
  append(make_schedule(spec), {}, row);
  return row;
}

std::vector<Column> columns_of_kind(const Fourier& spec) {
  const FourierSchedule schedule = make_fourier_schedule(spec);
  const auto column = [&](ColumnKind kind, std::int64_t j) {
    Column result{.kind = kind, .number = j};
    for (std::int64_t axis = 0; axis < schedule.axes; ++axis) {
      result.turn.inv_freq.push_back(schedule.inv_freq[static_cast<std::size_t>(axis * schedule.pairs() + j)]);
    }
    result.turn.magnitude = schedule.multiplier;
    return result;
  };
  std::vector<Column> row(static_cast<std::size_t>(schedule.width));
  place(schedule.sine, 0, row, [&](std::int64_t j) { return column(ColumnKind::sine, j); });
  place(schedule.cosine, 0, row, [&](std::int64_t j) { return column(ColumnKind::cosine, j); });
  return row;
}

std::vector<Column> columns_of_kind(const Concat& spec) {
  const ConcatSchedule schedules = make_concat_schedule(spec);
  std::vector<Column> row;
  std::int64_t learned = 0;
  for (std::size_t i = 0; i < spec.parts.size(); ++i) {
    if (schedules[i]) {
      append(*schedules[i], {axes_of(Spec(spec)), spec.parts[i].axis}, row);
      continue;
    }
    const std::int64_t width = std::get<Learned>(spec.parts[i].encoding).width;
    for (std::int64_t c = 0; c < std::max<std::int64_t>(width, 1); ++c) {
      row.push_back({.kind = ColumnKind::learned, .number = learned++});
    }
  }
  if (spec.width != 0) row.resize(static_cast<std::size_t>(spec.width));
  return row;
}

template <class Kind>
std::vector<Column> columns_of_kind(const Kind&) {
  return {};
}

// A normal form, so that equal channels compare equal: the first frequency that is not 0 is positive, and a sine whose
// frequencies are all 0 is zero.
Column plain(Column column) {
  const auto& frequencies = column.turn.inv_freq;
  const auto leading = std::find_if(frequencies.begin(), frequencies.end(), [](double f) { return f != 0.0; });
  const bool still = leading == frequencies.end();
  if (still && column.kind == ColumnKind::sine) return {.number = column.number};
  if (still || *leading > 0.0) return column;
  for (double& frequency : column.turn.inv_freq) frequency = -frequency;
  column.turn.offset = -column.turn.offset;
  if (column.kind == ColumnKind::sine) column.turn.magnitude = -column.turn.magnitude;
  return column;
}

}  // namespace

std::vector<Column> columns_of(const Spec& spec) {
  std::vector<Column> row = std::visit([](const auto& kind) { return columns_of_kind(kind); }, spec);
  for (Column& column : row) column = plain(std::move(column));
  return row;
}

bool same_column(const Column& a, const Column& b, const Limits& limits) {
  if (a.kind != b.kind) return false;
  if (a.kind == ColumnKind::zero) return true;
  if (a.kind == ColumnKind::learned) return a.number == b.number;
  const auto shown = [&](const Column& column) {
    const bool inside = column.zero_position && *column.zero_position >= 0 && *column.zero_position < limits.positions;
    return inside ? column.zero_position : std::nullopt;
  };
  return shown(a) == shown(b) && same_turn(a.turn, b.turn, limits);
}

std::optional<std::vector<std::int64_t>> match_columns(const std::vector<Column>& a, const std::vector<Column>& b,
                                                       const Limits& limits) {
  if (a.size() != b.size()) return std::nullopt;
  std::vector<std::int64_t> order(a.size(), -1);
  std::vector<bool> taken(b.size(), false);
  // Try the channels of the same pair first, because rows are long.
  std::map<std::pair<ColumnKind, std::int64_t>, std::vector<std::size_t>> by_pair;
  for (std::size_t c = 0; c < b.size(); ++c) by_pair[{b[c].kind, b[c].number}].push_back(c);
  const auto take = [&](std::size_t c, std::size_t other) {
    if (order[c] >= 0 || taken[other] || !same_column(a[c], b[other], limits)) return;
    order[c] = static_cast<std::int64_t>(other);
    taken[other] = true;
  };
  for (std::size_t c = 0; c < a.size(); ++c) take(c, c);
  for (std::size_t c = 0; c < a.size(); ++c) {
    for (const std::size_t other : by_pair[{a[c].kind, a[c].number}]) take(c, other);
  }
  for (std::size_t c = 0; c < a.size(); ++c) {
    for (std::size_t other = 0; order[c] < 0 && other < b.size(); ++other) take(c, other);
    if (order[c] < 0) return std::nullopt;
  }
  return order;
}

}  // namespace posenc::comparison
