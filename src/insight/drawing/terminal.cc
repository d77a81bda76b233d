#include "posenc/insight/terminal.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/number_text.h"
#include "insight/drawing/terminal_color.h"
#include "posenc/error.h"

namespace posenc {
namespace {

constexpr std::string_view kRamp = " .:-=+*#%@";
constexpr const char* kUpperHalf = "\xe2\x96\x80";  // U+2580: the foreground above, the background below
constexpr const char* kNan = "?";
constexpr std::int64_t kColumnTick = 16;    // characters from one column number to the next
constexpr std::int64_t kRowTick = 4;        // lines from one row number to the next ...
constexpr std::int64_t kAllRowsBelow = 9;   // ... but every line where there are fewer than this
constexpr std::int64_t kLegendColors = 21;  // odd, so that the middle of the map is one of them
constexpr int kLabelDigits = 10;            // enough for every integer position

// What is drawn: the means of the data, one per cell, row-major.
struct Grid {
  std::int64_t rows;
  std::int64_t columns;
  std::vector<double> values;

  double* row(std::int64_t index) { return values.data() + index * columns; }
  const double* row(std::int64_t index) const { return values.data() + index * columns; }
};

// How much of a cell's length one of the data's rows (or columns) takes.
struct Share {
  std::int64_t source;
  std::int64_t cell;
  double weight;
};

// The shares of `count` rows laid evenly along cells <= count. In integers: a row is `cells` units long and a cell is
// `count` units, so no row is missed and none is counted twice. A share of nothing is left out: 0 * inf is NaN.
std::vector<Share> make_shares(std::int64_t count, std::int64_t cells) {
  std::vector<Share> shares;
  shares.reserve(static_cast<std::size_t>(count + cells));
  for (std::int64_t source = 0; source < count; ++source) {
    const std::int64_t begin = source * cells;
    const std::int64_t end = begin + cells;
    for (std::int64_t cell = begin / count; cell * count < end; ++cell) {
      const std::int64_t overlap = std::min(end, (cell + 1) * count) - std::max(begin, cell * count);
      shares.push_back({source, cell, static_cast<double>(overlap) / static_cast<double>(count)});
    }
  }
  return shares;
}

template <class T>
Grid average(const ConstView& values, std::int64_t rows, std::int64_t columns) {
  Grid grid{rows, columns, std::vector<double>(static_cast<std::size_t>(rows * columns), 0.0)};
  const std::vector<Share> column_shares = make_shares(values.shape[1], columns);
  for (const Share& row : make_shares(values.shape[0], rows)) {
    const T* source = values.as<T>() + row.source * values.strides[0];
    double* cells = grid.row(row.cell);
    for (const Share& column : column_shares) {
      cells[column.cell] += row.weight * column.weight * static_cast<double>(source[column.source * values.strides[1]]);
    }
  }
  return grid;
}

void check(const ConstView& values, const HeatmapOptions& options) {
  const auto refuse = [](const std::string& what) { fail(ErrorKind::usage, "[terminal_heatmap] " + what); };
  if (values.rank != 2) refuse("values must be [rows, columns] but got " + shape_text(values));
  if (values.dtype != DType::f32 && values.dtype != DType::f64) {
    refuse("values must be f32 or f64 but got " + std::string(to_text(values.dtype)));
  }
  if (values.shape[0] < 1 || values.shape[1] < 1) refuse("values must not be empty but got " + shape_text(values));
  if (values.data == nullptr) refuse("values must have data but got a null pointer");
  if (options.columns < 1) refuse("columns must be at least 1 but got " + std::to_string(options.columns));
  if (options.lines < 1) refuse("lines must be at least 1 but got " + std::to_string(options.lines));
  if (!(options.low < options.high) || !std::isfinite(options.high - options.low)) {
    refuse("low must be below high, both finite, but got " + text::number_text(options.low) + " and " +
           text::number_text(options.high));
  }
}

double fraction(double value, const HeatmapOptions& options) {
  return std::clamp((value - options.low) / (options.high - options.low), 0.0, 1.0);
}

std::string ascii_line(const double* cells, std::int64_t columns, const HeatmapOptions& options) {
  std::string line;
  for (std::int64_t column = 0; column < columns; ++column) {
    if (std::isnan(cells[column])) {
      line += kNan;
      continue;
    }
    const double level = fraction(cells[column], options) * static_cast<double>(kRamp.size());
    line += kRamp[std::min(static_cast<std::size_t>(level), kRamp.size() - 1)];
  }
  return line;
}

// `lower` is null below the last row of an odd number of rows: there the terminal's own background shows.
std::string color_line(const double* upper, const double* lower, std::int64_t columns, const HeatmapOptions& options) {
  drawing::ColorLine line;
  const auto color = [&options](double value) { return drawing::diverging_color(fraction(value, options)); };
  for (std::int64_t column = 0; column < columns; ++column) {
    if (std::isnan(upper[column]) || (lower != nullptr && std::isnan(lower[column]))) {
      line.put(drawing::kPlainForeground, drawing::kPlainBackground, kNan);
      continue;
    }
    line.put(
        drawing::foreground_code(color(upper[column]), options.style),
        lower == nullptr ? drawing::kPlainBackground : drawing::background_code(color(lower[column]), options.style),
        kUpperHalf);
  }
  return line.finish();
}

std::int64_t rows_per_line(const HeatmapOptions& options) { return options.style == TerminalStyle::ascii ? 1 : 2; }

std::string cells_line(const Grid& grid, std::int64_t line, const HeatmapOptions& options) {
  if (options.style == TerminalStyle::ascii) return ascii_line(grid.row(line), grid.columns, options);
  const std::int64_t upper = 2 * line;
  const double* lower = upper + 1 < grid.rows ? grid.row(upper + 1) : nullptr;
  return color_line(grid.row(upper), lower, grid.columns, options);
}

std::string aligned_right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

// The number of the first row of the data in each line; empty where a line has none.
std::vector<std::string> row_numbers(std::int64_t lines, std::int64_t cells, std::int64_t rows,
                                     const HeatmapOptions& options) {
  std::vector<std::string> numbers(static_cast<std::size_t>(lines));
  const std::int64_t tick = lines < kAllRowsBelow ? 1 : kRowTick;
  for (std::int64_t line = 0; line < lines; ++line) {
    if (line % tick != 0 && line != lines - 1) continue;
    const std::int64_t row = line * rows_per_line(options) * rows / cells;
    const double number = options.first_row + options.row_step * static_cast<double>(row);
    numbers[static_cast<std::size_t>(line)] = text::general_text(number, kLabelDigits);
  }
  return numbers;
}

// The first column over the first cell, the last one ending over the last cell, and what fits between.
std::string column_numbers(std::int64_t cells, std::int64_t columns) {
  const std::string last = std::to_string(columns - 1);
  const std::int64_t last_begin = cells - static_cast<std::int64_t>(last.size());
  std::string text;
  for (std::int64_t cell = 0; cell < cells; cell += kColumnTick) {
    const std::string number = std::to_string(cell * columns / cells);
    const bool fits = cell + static_cast<std::int64_t>(number.size()) < last_begin;
    if (cell > 0 && !fits) break;
    text.resize(static_cast<std::size_t>(cell), ' ');
    text += number;
  }
  if (last_begin <= static_cast<std::int64_t>(text.size())) return text;  // no room, or it is the first one
  return text + std::string(static_cast<std::size_t>(last_begin) - text.size(), ' ') + last;
}

std::string legend_scale(const HeatmapOptions& options) {
  if (options.style == TerminalStyle::ascii) return "[" + std::string(kRamp) + "]";
  std::vector<double> ramp;
  for (std::int64_t index = 0; index < kLegendColors; ++index) {
    const double share = static_cast<double>(index) / static_cast<double>(kLegendColors - 1);
    ramp.push_back(options.low + (options.high - options.low) * share);
  }
  return color_line(ramp.data(), ramp.data(), kLegendColors, options);
}

std::string legend(const ConstView& values, const Grid& grid, const HeatmapOptions& options) {
  std::string text = text::general_text(options.low, kLabelDigits) + " " + legend_scale(options) + " " +
                     text::general_text(options.high, kLabelDigits);
  const auto ratio = [](std::int64_t a, std::int64_t b) {
    return text::general_text(static_cast<double>(a) / static_cast<double>(b), 3);
  };
  if (grid.rows < values.shape[0] || grid.columns < values.shape[1]) {
    text += ", each cell the mean of " + ratio(values.shape[0], grid.rows) + " x " +
            ratio(values.shape[1], grid.columns) + " values";
  }
  const auto is_nan = [](double value) { return std::isnan(value); };
  if (std::any_of(grid.values.begin(), grid.values.end(), is_nan)) text += ", ? is NaN";
  return text;
}

}  // namespace

std::string terminal_heatmap(const ConstView& values, const HeatmapOptions& options) {
  check(values, options);
  const std::int64_t per_line = rows_per_line(options);
  const std::int64_t rows =
      options.lines < values.shape[0] ? std::min(values.shape[0], options.lines * per_line) : values.shape[0];
  const std::int64_t columns = std::min(values.shape[1], options.columns);
  const Grid grid =
      values.dtype == DType::f32 ? average<float>(values, rows, columns) : average<double>(values, rows, columns);

  const std::int64_t lines = (rows + per_line - 1) / per_line;
  const std::vector<std::string> numbers = row_numbers(lines, rows, values.shape[0], options);
  std::size_t gutter = options.row_label.size();
  for (const std::string& number : numbers) gutter = std::max(gutter, number.size());

  std::string picture;
  if (!options.column_label.empty()) picture += std::string(gutter + 1, ' ') + options.column_label + "\n";
  picture += aligned_right(options.row_label, gutter) + " " + column_numbers(columns, values.shape[1]) + "\n";
  for (std::int64_t line = 0; line < lines; ++line) {
    picture +=
        aligned_right(numbers[static_cast<std::size_t>(line)], gutter) + " " + cells_line(grid, line, options) + "\n";
  }
  return picture + std::string(gutter + 1, ' ') + legend(values, grid, options) + "\n";
}

}  // namespace posenc
