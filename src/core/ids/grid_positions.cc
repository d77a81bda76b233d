// Grids: flat ids as coordinates, the rows that an image reads from a square table, and mixtures of text and images.
#include <algorithm>
#include <cmath>

#include "core/base/id_view.h"
#include "core/text/joined.h"
#include "posenc/error.h"
#include "posenc/position_ids.h"

namespace posenc {
namespace {

using base::id_at;
using base::set_id;

std::string list_text(std::span<const std::int64_t> numbers) { return "{" + text::joined(numbers, ", ") + "}"; }

// The number of places of a grid, at most 2^31: one more than the largest id.
std::int64_t places_of(std::span<const std::int64_t> grid, std::int64_t least, std::string_view where,
                       std::string_view name) {
  const base::Refusal refuse{where, ErrorKind::usage, name};
  if (grid.empty()) refuse(" must have at least one axis but has none");
  const std::int64_t shortest = *std::min_element(grid.begin(), grid.end());
  if (shortest < least) refuse(" must have lengths of at least ", least, " but is ", list_text(grid));
  if (shortest == 0) return 0;
  std::int64_t places = 1;
  for (const std::int64_t length : grid) {
    if (length > (kMaxPosition + 1) / places) refuse(" must have at most 2147483648 places but is ", list_text(grid));
    places *= length;
  }
  return places;
}

// Returns torch.arange(1 / side, 1, 1 / side) in float32 with the rounding of torch's x86 kernel, which decides the row
// of a fraction that is exactly on a border. The kernel takes two vectors of 8 numbers at a time. It rounds the first
// number of a vector to float32 and counts the other 7 from it in double. The remaining numbers are computed one by
// one.
std::vector<float> borders_of(std::int64_t side) {
  constexpr std::int64_t kLanes = 8;
  const double step = 1.0 / static_cast<double>(side);
  const auto count = static_cast<std::int64_t>(std::ceil((1.0 - step) / step));
  const std::int64_t in_vectors = count - count % (2 * kLanes);
  std::vector<float> borders(static_cast<std::size_t>(count));
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t lane = k < in_vectors ? k % kLanes : 0;
    const auto base = static_cast<float>(step + step * static_cast<double>(k - lane));
    borders[static_cast<std::size_t>(k)] =
        static_cast<float>(static_cast<double>(base) + static_cast<double>(lane) * step);
  }
  return borders;
}

float fraction_of(std::int64_t i, std::int64_t length, Fraction fraction) {
  const auto place = static_cast<float>(i), whole = static_cast<float>(length);
  constexpr auto kBelowOne = static_cast<float>(1.0 - 1e-6);
  if (fraction == Fraction::product) return std::min(place * (1.0f / whole), kBelowOne);
  if (fraction == Fraction::shrunk) return place / whole * kBelowOne;
  return place / whole;
}

// The table row or column for each of `length` image rows or columns.
std::vector<std::int64_t> nearest_rows(std::int64_t length, std::int64_t side, Fraction fraction) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(length));
  const std::vector<float> borders = fraction == Fraction::exact ? std::vector<float>{} : borders_of(side);
  for (std::int64_t i = 0; i < length; ++i) {
    std::int64_t row = i * side / length;
    if (fraction != Fraction::exact) {
      const auto above = std::upper_bound(borders.begin(), borders.end(), fraction_of(i, length, fraction));
      row = std::min<std::int64_t>(above - borders.begin(), side - 1);
    }
    rows[static_cast<std::size_t>(i)] = row;
  }
  return rows;
}

void check_image(std::int64_t height, std::int64_t width, std::int64_t side, Fraction fraction, const View& out) {
  constexpr std::string_view kWhere = "rows_by_fraction";
  const std::int64_t image[] = {height, width}, table[] = {side, side};
  const std::int64_t places = places_of(image, 0, kWhere, "the image");
  places_of(table, 1, kWhere, "the table");
  base::require(fraction >= Fraction::exact && fraction <= Fraction::shrunk, "rows_by_fraction",
                "fraction must be exact, product, quotient or shrunk but is number ", static_cast<int>(fraction));
  base::check_view(out, base::ids_to_write(out.rank == 1 ? base::Shape{places} : base::Shape{height, width}), kWhere,
                   "out");
}

void check_start(std::int64_t start, std::int64_t count, std::string_view where) {
  base::check_id(start, where, "start");
  if (count <= kMaxPosition - start) return;  // the returned id after the last one must be valid too
  base::refuse_input(where, "ids must be from -2147483647 to 2147483647 but ", count, " ids from ", start,
                     " exceed this range");
}

// Throws unless `ids` holds complete tuples of `axes` numbers.
void check_tuples(const std::vector<std::int64_t>& ids, std::int64_t axes, std::string_view where) {
  if (static_cast<std::int64_t>(ids.size()) % axes == 0) return;
  base::refuse(where, "ids must hold complete tuples of ", axes, " numbers but has ", ids.size(), " numbers");
}

}  // namespace

void places_in_grid(const ConstView& ids, std::span<const std::int64_t> grid, const View& places) {
  constexpr std::string_view kWhere = "places_in_grid";
  const std::int64_t count = places_of(grid, 1, kWhere, "grid");
  const auto axes = static_cast<std::int64_t>(grid.size());
  base::check_view(ids, base::ids_to_read({"N"}), kWhere, "ids");
  base::check_view(places, base::ids_to_write({ids.shape[0], axes}), kWhere, "places");
  base::check_apart({"places", places}, {"ids", ids}, kWhere);
  for (std::int64_t n = 0; n < ids.shape[0]; ++n) {
    const std::int64_t id = id_at(ids, n);
    if (id >= 0 && id < count) continue;
    base::refuse_input("places_in_grid", "ids must be 0 to ", count - 1, " for the grid ", list_text(grid),
                       ", but token ", n, " is ", id);
  }
  for (std::int64_t n = 0; n < ids.shape[0]; ++n) {
    std::int64_t rest = id_at(ids, n);
    for (std::int64_t a = axes; a-- > 0; rest /= grid[static_cast<std::size_t>(a)]) {
      set_id(places, n, a, rest % grid[static_cast<std::size_t>(a)]);
    }
  }
}

void rows_by_fraction(std::int64_t height, std::int64_t width, std::int64_t side, const View& out, Fraction fraction) {
  check_image(height, width, side, fraction, out);
  const std::vector<std::int64_t> rows = nearest_rows(height, side, fraction);
  const std::vector<std::int64_t> columns = nearest_rows(width, side, fraction);
  for (std::int64_t i = 0; i < height; ++i) {
    for (std::int64_t j = 0; j < width; ++j) {
      const std::int64_t id = rows[static_cast<std::size_t>(i)] * side + columns[static_cast<std::size_t>(j)];
      out.rank == 2 ? set_id(out, i, j, id) : set_id(out, i * width + j, id);
    }
  }
}

std::int64_t append_text(std::vector<std::int64_t>& ids, std::int64_t axes, std::int64_t start, std::int64_t count) {
  constexpr std::string_view kWhere = "append_text";
  base::require(axes >= 1 && count >= 0, "append_text", "axes must be at least 1 and count at least 0 but got ", axes,
                " and ", count);
  check_start(start, count, kWhere);
  check_tuples(ids, axes, kWhere);
  for (std::int64_t n = 0; n < count; ++n) ids.insert(ids.end(), static_cast<std::size_t>(axes), start + n);
  return start + count;
}

std::int64_t append_grid(std::vector<std::int64_t>& ids, std::span<const std::int64_t> shape, std::int64_t start) {
  constexpr std::string_view kWhere = "append_grid";
  const std::int64_t places = places_of(shape, 0, kWhere, "shape");
  const std::int64_t longest = places == 0 ? 0 : *std::max_element(shape.begin(), shape.end());
  check_start(start, longest, kWhere);
  check_tuples(ids, static_cast<std::int64_t>(shape.size()), kWhere);
  for (std::int64_t place = 0; place < places; ++place) {
    ids.insert(ids.end(), shape.size(), start);
    std::int64_t rest = place;
    for (std::size_t a = shape.size(); a-- > 0; rest /= shape[a])
      *(ids.end() - static_cast<std::ptrdiff_t>(shape.size() - a)) += rest % shape[a];
  }
  return start + longest;
}

}  // namespace posenc
