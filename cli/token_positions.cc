#include "cli/token_positions.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "posenc/error.h"
#include "posenc/files/array.h"
#include "posenc/files/load.h"

namespace posenc::cli {
namespace {

// Whether a file of this shape has a row of positions per batch row. [N, 1] is N positions on one axis.
bool is_batch(const std::vector<std::int64_t>& shape, std::int64_t axes, TokenCount count) {
  if (shape.size() == 3) return true;
  return shape.size() == 2 && axes == 1 && !(shape[0] == count.tokens && shape[1] == 1);
}

Positions positions_of(const Array& array, const std::string& file, std::int64_t axes) {
  std::vector<double> numbers(static_cast<std::size_t>(array.size()));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = array.number(static_cast<std::int64_t>(i));
  // Checked as doubles: an int64 that is in range is exact there, and one that is not stays out of range.
  check_positions(PositionView::of(numbers.data(), array.size()), file);
  const bool integral = array.dtype == DType::i32 || array.dtype == DType::i64 || array.dtype == DType::u8;
  if (!integral) return Positions::reals(std::move(numbers), axes);
  return Positions::integers({numbers.begin(), numbers.end()}, axes);
}

}  // namespace

TokenPositions load_token_positions(const std::string& text, std::int64_t axes, TokenCount count) {
  if (text.empty()) {
    return {fmt::format("0:{}", count.tokens), {}, PositionView::range(0, count.tokens)};
  }
  TokenPositions result{text, {}, {}};
  Array file;
  if (text.starts_with('@')) file = load_array(text.substr(1));
  const std::vector<std::int64_t>& shape = file.shape;
  if (!is_batch(shape, axes, count) || file.size() == 0) {
    result.numbers = load_positions(text);
    result.view = result.numbers.view();
    return result;
  }
  const std::int64_t file_axes = shape.size() == 3 ? shape[2] : 1;
  result.numbers = positions_of(file, text.substr(1), file_axes);
  result.view = result.numbers.view();
  result.view.batch = shape[0];
  result.view.count = shape[1];
  result.view.batch_stride = shape[1] * file_axes;
  return result;
}

void TokenPositions::check_count(const std::string& file, TokenCount count) const {
  const std::int64_t batch = count.batch == 0 ? 1 : count.batch;
  if (view.count == count.tokens && (view.batch == 1 || view.batch == batch)) return;
  const std::string rows = view.batch == 1 ? "" : fmt::format("{} x ", view.batch);
  const std::string batches = count.batch == 0 ? "" : fmt::format("{} x ", count.batch);
  fail(ErrorKind::usage, fmt::format("'{}' has {}{} positions but {} has {}{} tokens", text, rows, view.count, file,
                                     batches, count.tokens));
}

}  // namespace posenc::cli
