#include "posenc/view.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "core/base/check_view.h"
#include "core/text/joined.h"

namespace posenc {
namespace {

constexpr std::array<std::string_view, 7> kDTypeWords = {"f32", "f64", "f16", "bf16", "i32", "i64", "u8"};

template <class Void>
BasicView<Void> make(Void* data, DType dtype, std::initializer_list<std::int64_t> shape) {
  base::require(shape.size() <= kMaxRank, "make_view", "rank must be at most 4 but got ", shape.size());
  BasicView<Void> view{data, dtype, static_cast<int>(shape.size()), {}, {}};
  std::copy(shape.begin(), shape.end(), view.shape.begin());
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (view.shape[axis] < 0) {
      base::refuse("make_view", "lengths must not be negative but got ", shape_text(view));
    }
    view.strides[axis] = stride;
    if (__builtin_mul_overflow(stride, std::max<std::int64_t>(view.shape[axis], 1), &stride)) {
      base::refuse("make_view", "the shape ", shape_text(view), " has more than 2^63 elements");
    }
  }
  return view;
}

}  // namespace

std::string_view to_text(DType dtype) noexcept {
  const auto index = static_cast<std::size_t>(dtype);
  return index < kDTypeWords.size() ? kDTypeWords[index] : "unknown";
}

DType parse_dtype(std::string_view text) {
  const auto found = std::find(kDTypeWords.begin(), kDTypeWords.end(), text);
  base::require(found != kDTypeWords.end(), "parse_dtype",
                "dtype must be f32, f64, f16, bf16, i32, i64 or u8 but got '", text, "'");
  return static_cast<DType>(found - kDTypeWords.begin());
}

std::int64_t size_of(DType dtype) noexcept {
  switch (dtype) {
    case DType::f16:
    case DType::bf16:
      return 2;
    case DType::f64:
    case DType::i64:
      return 8;
    case DType::u8:
      return 1;
    case DType::f32:
    case DType::i32:
      break;
  }
  return 4;
}

View make_view(void* data, DType dtype, std::initializer_list<std::int64_t> shape) { return make(data, dtype, shape); }

ConstView make_view(const void* data, DType dtype, std::initializer_list<std::int64_t> shape) {
  return make(data, dtype, shape);
}

std::string shape_text(const ConstView& view) {
  if (view.rank < 0 || view.rank > kMaxRank) return "of " + std::to_string(view.rank) + " axes";
  return "[" + text::joined(std::span(view.shape).first(static_cast<std::size_t>(view.rank)), ", ") + "]";
}

void check_output(const View& view, std::string_view where, std::string_view name) {
  base::check_view(view, {.dtypes = base::kAnyType, .use = base::Use::write}, where, name);
}

}  // namespace posenc
