#include "posenc/resize.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "core/base/check_view.h"
#include "core/base/float_types.h"
#include "core/rows/columns.h"
#include "core/rows/resize_check.h"

namespace posenc {
namespace {

using Numbers = std::vector<double>;

// "1 kept + 14 x 14"
std::string grid_text(const Resize& rule, const std::vector<std::int64_t>& lengths) {
  std::string grid;
  for (const std::int64_t length : lengths) grid += (grid.empty() ? "" : " x ") + std::to_string(length);
  return std::to_string(rule.kept) + " kept + " + grid;
}

void check_views(const base::NamedView& source, const base::NamedView& target, const Resize& rule, bool backward) {
  const std::string_view where = backward ? "resize_table_backward" : "resize_table";
  const auto check = [&](const base::NamedView& named, const std::vector<std::int64_t>& lengths, base::Length width,
                         base::Use use) {
    const std::string reason = grid_text(rule, lengths);
    base::check_view(named.view,
                     {.dtypes = backward ? base::kReals : base::kFloats,
                      .shape = {rows::rows_of(rule, lengths), width},
                      .use = use,
                      .reason = reason},
                     where, named.name);
  };
  check(source, backward ? rule.to : rule.from, "M", base::Use::read);
  check(target, backward ? rule.from : rule.to, source.view.shape[1], base::Use::write);
  base::check_apart(target, source, where);
}

void check_finite(const ConstView& table) {
  Numbers numbers(static_cast<std::size_t>(table.shape[1]));
  for (std::int64_t row = 0; row < table.shape[0]; ++row) {
    base::load_row(table[row], numbers.data());
    const auto bad = std::find_if(numbers.begin(), numbers.end(), [](double number) { return !std::isfinite(number); });
    if (bad == numbers.end()) continue;
    base::refuse_input("resize_table", "table must be finite but row ", row, ", column ", bad - numbers.begin(), " is ",
                       *bad);
  }
}

// Both axes of a resize. A table without a grid is a grid with one column: then the intermediate result is only as long
// as the table, however long the output is.
struct Grid {
  explicit Grid(const Resize& rule)
      : kept(rule.kept), height(rule.from[0]), width(rule.from.size() == 2 ? rule.from[1] : 1) {
    down = resize_taps(rule, 0);
    across = rule.from.size() == 2 ? resize_taps(rule, 1) : std::vector<Taps>{{0, {1.0}}};
  }

  std::int64_t new_width() const { return static_cast<std::int64_t>(across.size()); }
  std::int64_t new_height() const { return static_cast<std::int64_t>(down.size()); }
  // The number of channels per block: the intermediate result must fit in a core's own cache.
  std::int64_t block(std::int64_t channels) const {
    return std::clamp<std::int64_t>((1 << 16) / (height * new_width()), std::min<std::int64_t>(16, channels), channels);
  }

  std::int64_t kept;
  std::int64_t height, width;      // of the table
  std::vector<Taps> down, across;  // one per row and per column of the result
};

// sum[c] = the weighted sum over the taps' rows, which are `stride` numbers apart from each other. It starts with a
// product instead of 0, so that a copy of -0 is -0.
void gather(const Taps& taps, const double* rows, std::int64_t stride, std::int64_t channels, double* sum) noexcept {
  const double* row = rows + taps.first * stride;
  for (std::int64_t c = 0; c < channels; ++c) sum[c] = taps.weights[0] * row[c];
  for (std::size_t k = 1; k < taps.weights.size(); ++k) {
    row += stride;
    const double weight = taps.weights[k];
    for (std::int64_t c = 0; c < channels; ++c) sum[c] += weight * row[c];
  }
}

// The transpose: adds numbers[c], weighted, to each of the taps' rows.
void scatter(const Taps& taps, const double* numbers, std::int64_t channels, double* rows,
             std::int64_t stride) noexcept {
  double* row = rows + taps.first * stride;
  for (const double weight : taps.weights) {
    for (std::int64_t c = 0; c < channels; ++c) row[c] += weight * numbers[c];
    row += stride;
  }
}

// Reads `channels` channels of one line of a grid, starting at row `row` of the view.
void read_line(const ConstView& view, std::int64_t row, std::int64_t columns, std::int64_t first, std::int64_t channels,
               double* line) {
  for (std::int64_t x = 0; x < columns; ++x)
    base::load_row(rows::columns(ConstView(view[row + x]), first, channels), line + x * channels);
}

void resize_block(const ConstView& table, const Grid& grid, const View& out, std::int64_t first,
                  std::int64_t channels) {
  const std::int64_t line_size = grid.new_width() * channels;
  Numbers line(static_cast<std::size_t>(grid.width * channels));
  Numbers lines(static_cast<std::size_t>(grid.height * line_size));  // after resizing across, before resizing down
  for (std::int64_t y = 0; y < grid.height; ++y) {
    read_line(table, grid.kept + y * grid.width, grid.width, first, channels, line.data());
    double* target = lines.data() + y * line_size;
    for (const Taps& taps : grid.across) {
      gather(taps, line.data(), channels, channels, target);
      target += channels;
    }
  }
  Numbers result(static_cast<std::size_t>(line_size));
  std::int64_t row = grid.kept;
  for (const Taps& taps : grid.down) {
    gather(taps, lines.data(), line_size, line_size, result.data());
    for (std::int64_t x = 0; x < grid.new_width(); ++x) {
      base::store_row(result.data() + x * channels, rows::columns(out[row++], first, channels));
    }
  }
}

// row += numbers, rounded once.
void add_numbers(const double* numbers, std::int64_t first, std::int64_t channels, const View& row, Numbers& scratch) {
  scratch.resize(static_cast<std::size_t>(channels));
  base::load_row(rows::columns(ConstView(row), first, channels), scratch.data());
  for (std::int64_t c = 0; c < channels; ++c) scratch[static_cast<std::size_t>(c)] += numbers[c];
  base::store_row(scratch.data(), rows::columns(row, first, channels));
}

void backward_block(const ConstView& grad_out, const Grid& grid, const View& grad_table, std::int64_t first,
                    std::int64_t channels) {
  const std::int64_t line_size = grid.new_width() * channels;
  Numbers line(static_cast<std::size_t>(line_size));
  Numbers lines(static_cast<std::size_t>(grid.height * line_size), 0.0);
  std::int64_t row = grid.kept;
  for (const Taps& taps : grid.down) {
    read_line(grad_out, row, grid.new_width(), first, channels, line.data());
    scatter(taps, line.data(), line_size, lines.data(), line_size);
    row += grid.new_width();
  }
  Numbers result, scratch;
  for (std::int64_t y = 0; y < grid.height; ++y) {
    result.assign(static_cast<std::size_t>(grid.width * channels), 0.0);
    const double* source = lines.data() + y * line_size;
    for (const Taps& taps : grid.across) {
      scatter(taps, source, channels, result.data(), channels);
      source += channels;
    }
    for (std::int64_t x = 0; x < grid.width; ++x) {
      const View target = grad_table[grid.kept + y * grid.width + x];
      add_numbers(result.data() + x * channels, first, channels, target, scratch);
    }
  }
}

template <class Work>
void for_each_block(const Grid& grid, std::int64_t channels, const Work& work) {
  const std::int64_t block = grid.block(channels);
  for (std::int64_t first = 0; first < channels; first += block) work(first, std::min(block, channels - first));
}

// The side of the largest square with at most `cells` cells.
std::int64_t square_side(std::int64_t cells) {
  auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(cells)));
  while (side > cells / side) --side;  // by division, because the square itself may overflow
  while (side + 1 <= cells / (side + 1)) ++side;
  return side;
}

}  // namespace

void resize_table(const ConstView& table, const Resize& rule, const View& out) {
  rows::check_resize(rule, "resize_table");
  check_views({"table", table}, {"out", out}, rule, /*backward=*/false);
  const std::int64_t channels = table.shape[1];
  if (channels == 0) return;  // the views may be null
  check_finite(table);
  const Grid grid(rule);
  Numbers row(static_cast<std::size_t>(channels));
  for (std::int64_t r = 0; r < rule.kept; ++r) {
    base::load_row(table[r], row.data());
    base::store_row(row.data(), out[r]);
  }
  for_each_block(grid, channels, [&](auto first, auto count) { resize_block(table, grid, out, first, count); });
}

void resize_table_backward(const ConstView& grad_out, const Resize& rule, const View& grad_table) {
  rows::check_resize(rule, "resize_table_backward");
  check_views({"grad_out", grad_out}, {"grad_table", grad_table}, rule, /*backward=*/true);
  const std::int64_t channels = grad_out.shape[1];
  if (channels == 0) return;
  const Grid grid(rule);
  Numbers row(static_cast<std::size_t>(channels)), scratch;
  for (std::int64_t r = 0; r < rule.kept; ++r) {
    base::load_row(grad_out[r], row.data());
    add_numbers(row.data(), 0, channels, grad_table[r], scratch);
  }
  for_each_block(grid, channels,
                 [&](auto first, auto count) { backward_block(grad_out, grid, grad_table, first, count); });
}

std::vector<std::int64_t> square_grid(std::int64_t rows, std::int64_t kept) {
  base::require(kept >= 0, "square_grid", "kept must not be negative but got ", kept);
  base::require(rows > kept, "square_grid", "rows must be more than kept, ", kept, ", but got ", rows);
  const std::int64_t cells = rows - kept;
  const std::int64_t side = square_side(cells);
  base::require(side * side == cells, "square_grid", "rows - kept must be a square number but got ", rows, " - ", kept,
                " = ", cells, "; ", side, " x ", side, " is ", side * side);
  return {side, side};
}

}  // namespace posenc
