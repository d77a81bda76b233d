#include "insight/diagnosis/numbers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/float_types.h"
#include "core/base/refuse.h"
#include "core/text/number_text.h"
#include "posenc/error.h"

namespace posenc::diagnosis {
namespace {

// The elements in C order.
void read_values(const ConstView& view, std::vector<double>& values) {
  std::vector<std::int64_t> index(static_cast<std::size_t>(view.rank), 0);
  const std::int64_t size = view.size();
  values.reserve(static_cast<std::size_t>(size));
  for (std::int64_t n = 0; n < size; ++n) {
    std::int64_t element = 0;
    for (std::size_t a = 0; a < index.size(); ++a) element += index[a] * view.strides[a];
    values.push_back(base::with_float_type(view.dtype, [&](auto type) {
      return base::widen(view.as<decltype(type)>()[static_cast<std::ptrdiff_t>(element)]);
    }));
    for (std::size_t a = index.size(); a-- > 0;) {
      if (++index[a] < view.shape[a]) break;
      index[a] = 0;
    }
  }
}

Rounding coarsest(const std::vector<double>& values, Rounding stored) {
  for (const Rounding type : {Rounding::bf16, Rounding::f16, Rounding::f32}) {
    if (half_unit(type) < half_unit(stored)) break;
    const auto held = [type](double v) { return !std::isfinite(v) || rounded(v, type) == v; };
    if (std::all_of(values.begin(), values.end(), held)) return type;
  }
  return stored;
}

// "[3, 5]" for element 197 of [100, 64]; "197" of a list.
std::string place_text(std::size_t element, const std::vector<std::int64_t>& shape) {
  if (shape.size() < 2) return std::to_string(element);
  std::vector<std::int64_t> place(shape.size());
  auto left = static_cast<std::int64_t>(element);
  for (std::size_t a = shape.size(); a-- > 0; left /= shape[a]) place[a] = left % shape[a];
  return bracketed(place);
}

void check_values(const ObservedNumbers& numbers, std::string_view name, const Allowed& allowed) {
  bool zeros = true;
  for (std::size_t i = 0; i < numbers.values.size(); ++i) {
    const double v = numbers.values[i];
    zeros = zeros && v == 0.0;
    if (std::isfinite(v) || (allowed.minus_infinity && v == -INFINITY)) continue;
    base::refuse_file(name, "element ", place_text(i, numbers.shape), " is ", v, ", but every number must be finite");
  }
  if (zeros && !allowed.zeros) base::refuse_file(name, "every number is zero: nothing was written there");
}

double keep_bits(double value, int bits) {
  if (value == 0.0 || !std::isfinite(value)) return value;
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, bits)), exponent - bits);
}

}  // namespace

double rounded(double value, Rounding to) noexcept {
  switch (to) {
    case Rounding::none:
      return value;
    case Rounding::f32:
      return static_cast<double>(static_cast<float>(value));
    case Rounding::tf32:
      return keep_bits(value, 11);
    case Rounding::f16:
      return to_double(to_f16(value));
    case Rounding::bf16:
      return to_double(to_bf16(value));
  }
  return value;
}

double half_unit(Rounding type) noexcept {
  switch (type) {
    case Rounding::none:
      return std::ldexp(1.0, -53);
    case Rounding::f32:
      return std::ldexp(1.0, -24);
    case Rounding::tf32:
    case Rounding::f16:
      return std::ldexp(1.0, -11);
    case Rounding::bf16:
      return std::ldexp(1.0, -8);
  }
  return 0.0;
}

double unit_of(const double* values, std::size_t count) noexcept {
  double largest = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isfinite(values[i])) largest = std::max(largest, std::abs(values[i]));
  }
  return largest > 0.0 ? std::ldexp(1.0, std::ilogb(largest)) : 1.0;
}

std::string bracketed(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t a = 0; a < shape.size(); ++a) text += (a > 0 ? ", " : "") + std::to_string(shape[a]);
  return text + "]";
}

std::vector<std::int64_t> counted(std::int64_t count) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return all;
}

std::string_view words_of(Rounding type) noexcept {
  switch (type) {
    case Rounding::none:
      return "float64";
    case Rounding::f32:
      return "float32";
    case Rounding::tf32:
      return "TF32";
    case Rounding::f16:
      return "float16";
    case Rounding::bf16:
      return "bfloat16";
  }
  return "";
}

Rounding stored_type(const ConstView& view) noexcept {
  if (view.dtype == DType::f32) return Rounding::f32;
  if (view.dtype == DType::f16) return Rounding::f16;
  return view.dtype == DType::bf16 ? Rounding::bf16 : Rounding::none;
}

ObservedNumbers read_numbers(const ConstView& view, std::string_view name, const Allowed& allowed) {
  ObservedNumbers numbers;
  numbers.name = name;
  if (!base::is_float(view.dtype)) {
    base::refuse_file(name, "expected floating-point numbers but got ", to_text(view.dtype));
  }
  for (int a = 0; a < view.rank; ++a) {
    const std::int64_t length = view.shape[static_cast<std::size_t>(a)];
    if (length == 1 && numbers.shape.empty() && view.rank - a > allowed.min_rank) continue;
    numbers.shape.push_back(length);
  }
  const int rank = static_cast<int>(numbers.shape.size());
  if (rank < allowed.min_rank || rank > allowed.max_rank) {
    const std::string range = allowed.min_rank == allowed.max_rank
                                  ? std::to_string(allowed.min_rank)
                                  : std::to_string(allowed.min_rank) + " to " + std::to_string(allowed.max_rank);
    base::refuse_file(name, "expected ", range, " axes but got ", shape_text(view));
  }
  if (view.size() == 0) base::refuse_file(name, "the array is empty: ", shape_text(view));
  read_values(view, numbers.values);
  check_values(numbers, name, allowed);
  numbers.stored = stored_type(view);
  numbers.actual = coarsest(numbers.values, numbers.stored);
  return numbers;
}

ObservedNumbers read_vectors(const ConstView& view, std::string_view name, std::int64_t tokens) {
  const int least = view.rank >= 3 && tokens == 1 ? 3 : 2;
  return read_numbers(view, name, {.min_rank = least, .max_rank = 3});
}

std::string Ids::text(std::int64_t n) const {
  std::string result = text::number_text(at(n, 0));
  for (std::int64_t a = 1; a < axes && !repeated; ++a) result += "/" + text::number_text(at(n, a));
  return result;
}

Ids read_ids(const PositionView& positions, std::int64_t count, std::int64_t axes, std::string_view name) {
  check_positions(positions, "diagnose");
  if (positions.batch != 1) base::refuse_file(name, "expected one row of positions but got ", positions.batch);
  if (positions.count != count) {
    base::refuse_file(name, "expected ", count, " positions, one per token, but got ", positions.count);
  }
  if (positions.axes != axes && positions.axes != 1) {
    base::refuse_file(name, "expected positions on ", axes, (axes == 1 ? " axis" : " axes"), " but got ",
                      positions.axes);
  }
  Ids ids{count, axes, positions.axes != axes, {}};
  for (std::int64_t n = 0; n < count; ++n) {
    for (std::int64_t a = 0; a < axes; ++a) ids.values.push_back(positions.real(0, n, ids.repeated ? 0 : a));
  }
  return ids;
}

}  // namespace posenc::diagnosis
