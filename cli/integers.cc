#include "cli/integers.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "cli/arrays.h"
#include "posenc/error.h"
#include "posenc/files/load.h"

namespace posenc::cli {
namespace {

template <class Void>
BasicView<Void> view_of(Void* data, const std::vector<std::int64_t>& shape) {
  BasicView<Void> view{data, DType::i64, static_cast<int>(shape.size()), {}, {}};
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0; stride *= shape[axis]) {
    view.shape[axis] = shape[axis];
    view.strides[axis] = stride;
  }
  return view;
}

Integers parse_rows(const std::string& text, const std::string& option) {
  Integers result;
  const std::vector<std::string_view> rows = split(text, '/');
  std::int64_t columns = 0;
  for (std::size_t b = 0; b < rows.size(); ++b) {
    const std::vector<std::string_view> cells = split(rows[b], ',');
    for (std::size_t n = 0; n < cells.size(); ++n) {
      std::int64_t number = 0;
      if (!parse_integer(cells[n], number)) {
        fail(ErrorKind::bad_input, fmt::format("{}: expected whole numbers, separated by commas, rows by slashes, or "
                                               "@file, but row {}, column {} is '{}'",
                                               option, b, n, cells[n]));
      }
      result.numbers.push_back(number);
    }
    if (b == 0) columns = static_cast<std::int64_t>(cells.size());
    if (static_cast<std::int64_t>(cells.size()) == columns) continue;
    fail(ErrorKind::bad_input,
         fmt::format("{} must have rows of equal length, but row 0 has {} numbers and row {} has {}", option, columns,
                     b, cells.size()));
  }
  result.shape = rows.size() == 1 ? std::vector<std::int64_t>{columns}
                                  : std::vector<std::int64_t>{static_cast<std::int64_t>(rows.size()), columns};
  return result;
}

Integers load_rows(const std::string& path) {
  const Array array = load_array(path);
  if (array.dtype != DType::i32 && array.dtype != DType::i64 && array.dtype != DType::u8) {
    fail(ErrorKind::bad_input, fmt::format("{}: expected integers, [N] or [B, N], but got {}", path, array.text()));
  }
  if (array.shape.empty() || array.shape.size() > 2) {
    fail(ErrorKind::bad_input, fmt::format("{}: expected [N] or [B, N] but got {}", path, array.text()));
  }
  Integers result{{}, array.shape};
  result.numbers.reserve(static_cast<std::size_t>(array.size()));
  // A double would round integers beyond 2^53.
  const ConstView view = array.view();
  for (std::int64_t i = 0; i < array.size(); ++i) {
    result.numbers.push_back(view.dtype == DType::i64   ? view.as<std::int64_t>()[i]
                             : view.dtype == DType::i32 ? view.as<std::int32_t>()[i]
                                                        : view.as<std::uint8_t>()[i]);
  }
  return result;
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool parse_integer(std::string_view text, std::int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

ConstView Integers::view() const { return view_of<const void>(numbers.data(), shape); }
View Integers::view() { return view_of<void>(numbers.data(), shape); }

Integers Integers::as_rows() && {
  if (shape.size() == 1) shape.insert(shape.begin(), 1);
  return std::move(*this);
}

Integers read_integers(const std::string& text, const std::string& option) {
  return text.starts_with('@') ? load_rows(text.substr(1)) : parse_rows(text, option);
}

std::vector<std::int64_t> read_list(const std::string& text, const std::string& option) {
  Integers list = read_integers(text, option);
  if (list.shape.size() == 1 || list.shape[0] == 1) return std::move(list.numbers);
  fail(ErrorKind::bad_input, fmt::format("{} must be one row but has {}", option, list.shape[0]));
}

std::vector<std::int64_t> read_grid(const std::string& text, const std::string& option, std::int64_t most) {
  std::vector<std::int64_t> lengths;
  for (const std::string_view part : split(text, 'x')) {
    std::int64_t length = 0;
    if (!parse_integer(part, length) || length < 1 || length > most) {
      fail(ErrorKind::bad_input,
           fmt::format("{} must be a length such as 7, or a grid such as 3x5, each 1 to {}, but got '{}'", option, most,
                       text));
    }
    lengths.push_back(length);
  }
  return lengths;
}

std::uint64_t whole_number(const std::string& text, const std::string& option) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && rest == end) return value;
  fail(ErrorKind::usage,
       fmt::format("{} must be a whole number from 0 to 18446744073709551615 but got '{}'", option, text));
}

Integers make_integers(std::vector<std::int64_t> shape) {
  double size = 1;
  for (const std::int64_t length : shape) size *= static_cast<double>(length);
  if (size > static_cast<double>(kMaxIntegers)) {
    fail(ErrorKind::usage,
         fmt::format("the result would have {:.3g} numbers, more than the limit of {}", size, kMaxIntegers));
  }
  return {std::vector<std::int64_t>(static_cast<std::size_t>(size)), std::move(shape)};
}

}  // namespace posenc::cli
