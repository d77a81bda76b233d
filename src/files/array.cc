#include "posenc/files/array.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "files/shape.h"
#include "posenc/error.h"
#include "posenc/half.h"

namespace posenc {
namespace {

template <class T>
T element(const std::vector<std::byte>& data, std::int64_t index) noexcept {
  T value;
  std::memcpy(&value, data.data() + static_cast<std::size_t>(index) * sizeof(T), sizeof(T));
  return value;
}

}  // namespace

std::int64_t Array::size() const noexcept {
  std::int64_t count = 1;
  for (std::int64_t length : shape) count *= length;
  return count;
}

double Array::number(std::int64_t index) const {
  switch (dtype) {
    case DType::f32:
      return element<float>(data, index);
    case DType::f64:
      return element<double>(data, index);
    case DType::f16:
      return to_double(element<f16>(data, index));
    case DType::bf16:
      return to_double(element<bf16>(data, index));
    case DType::i32:
      return element<std::int32_t>(data, index);
    case DType::i64:
      return static_cast<double>(element<std::int64_t>(data, index));
    case DType::u8:
      return element<std::uint8_t>(data, index);
  }
  return 0;
}

std::string Array::text() const {
  return files::shape_text(shape) + " " + (stored.empty() ? std::string(to_text(dtype)) : stored);
}

ConstView Array::view() const {
  if (shape.size() > kMaxRank) {
    fail(ErrorKind::unsupported, "[Array] a view must have at most " + std::to_string(kMaxRank) + " axes but got " +
                                     std::to_string(shape.size()));
  }
  ConstView result{data.data(), dtype, static_cast<int>(shape.size()), {}, {}};
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    result.shape[axis] = shape[axis];
    result.strides[axis] = stride;
    stride *= std::max<std::int64_t>(shape[axis], 1);
  }
  return result;
}

}  // namespace posenc
