#include "cli/arrays.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "core/text/number_text.h"
#include "posenc/error.h"
#include "posenc/files/load.h"

namespace posenc::cli {

bool is_float(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::f16 || dtype == DType::bf16;
}

Array load_heads(const std::string& file, const std::string& what) {
  Array heads = load_array(file);
  const std::size_t rank = heads.shape.size();
  if (rank >= 2 && rank <= 4 && is_float(heads.dtype)) return heads;
  fail(ErrorKind::bad_input,
       fmt::format("{}: expected {}[N, D], [N, H, D] or [B, N, H, D] of floats, but got {}", file, what, heads.text()));
}

Array load_filled(const std::string& file, std::size_t rank, const std::string& what) {
  Array array = load_array(file);
  if (array.shape.size() == rank && array.size() > 0) return array;
  fail(ErrorKind::bad_input, fmt::format("{}: expected {}, but got {}", file, what, array.text()));
}

Array load_rows(const std::string& file, const std::string& what) {
  Array rows = load_array(file);
  const std::string found = rows.text();
  drop_leading_axes(rows, 2);
  if (rows.shape.size() != 2 || rows.size() == 0 || !is_float(rows.dtype)) {
    fail(ErrorKind::bad_input, fmt::format("{}: expected {}, [N, M] of floats, but got {}", file, what, found));
  }
  check_finite(rows, file);
  return rows;
}

void drop_leading_axes(Array& array, std::size_t rank) {
  while (array.shape.size() > rank && array.shape[0] == 1) array.shape.erase(array.shape.begin());
}

void check_finite(const Array& array, const std::string& file) {
  for (std::int64_t i = 0; i < array.size(); ++i) {
    if (std::isfinite(array.number(i))) continue;
    std::vector<std::int64_t> place(array.shape.size());
    std::int64_t left = i;
    for (std::size_t a = place.size(); a-- > 0; left /= array.shape[a]) place[a] = left % array.shape[a];
    fail(ErrorKind::bad_input, fmt::format("{}: element [{}] is {}, but every number must be finite", file,
                                           fmt::join(place, ", "), text::number_text(array.number(i))));
  }
}

Array make_array(DType dtype, std::vector<std::int64_t> shape) {
  Array array{dtype, std::move(shape), {}};
  array.data.resize(static_cast<std::size_t>(array.size() * size_of(dtype)));
  return array;
}

View writable(Array& array) {
  const ConstView view = array.view();
  return {array.data.data(), view.dtype, view.rank, view.shape, view.strides};
}

ConstView heads_of(const Array& array) {
  const ConstView view = array.view();
  return view.rank > 2 ? view : make_view(view.data, view.dtype, {view.shape[0], 1, view.shape[1]});
}

View heads_of(Array& array) {
  const View view = writable(array);
  return view.rank > 2 ? view : make_view(view.data, view.dtype, {view.shape[0], 1, view.shape[1]});
}

View columns_of(const View& block, std::int64_t first, std::int64_t count) {
  View part = block;
  part.data = static_cast<std::byte*>(block.data) + first * size_of(block.dtype);
  part.shape[1] = count;
  return part;
}

double finite_number(const std::string& text, const char* option, const char* expected) {
  const std::optional<double> number = text::parse_number(text);
  if (number && std::isfinite(*number)) return *number;
  fail(ErrorKind::usage, fmt::format("{} must be {} but got '{}'", option, expected, text));
}

}  // namespace posenc::cli
