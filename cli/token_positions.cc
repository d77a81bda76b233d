#include "cli/token_positions.h"

#include <fmt/format.h>

#include <vector>

#include "posenc/error.h"
#include "posenc/files/load.h"

namespace posenc::cli {
namespace {

// Whether a file of this shape has a row of positions per batch row. [N, 1] is N positions on one axis.
bool is_batch(const std::vector<std::int64_t>& shape, std::int64_t axes, TokenCount count) {
  if (shape.size() == 3) return true;
  return shape.size() == 2 && axes == 1 && !(shape[0] == count.tokens && shape[1] == 1);
}

}  // namespace

TokenCount tokens_of(const Array& array, std::size_t batch_rank) {
  if (array.shape.size() == batch_rank) return {array.shape[0], array.shape[1]};
  return {0, array.shape[0]};
}

PositionText::PositionText(const std::string& given) : text(given) {
  if (text.starts_with('@')) file = load_array(text.substr(1));
}

TokenPositions token_positions(const PositionText& given, std::int64_t axes, TokenCount count) {
  if (given.text.empty()) {
    return {fmt::format("0:{}", count.tokens), {}, PositionView::range(0, count.tokens)};
  }
  TokenPositions result{given.text, {}, {}};
  if (!given.text.starts_with('@')) {
    result.numbers = load_positions(given.text);
    result.view = result.numbers.view();
    return result;
  }
  const std::vector<std::int64_t>& shape = given.file.shape;
  const bool batch = is_batch(shape, axes, count) && given.file.size() > 0;
  Array rows = given.file;
  if (batch) rows.shape = {shape[0] * shape[1], shape.size() == 3 ? shape[2] : 1};
  result.numbers = positions_of(rows, given.text.substr(1));
  result.view = result.numbers.view();
  if (!batch) return result;
  result.view.batch = shape[0];
  result.view.count = shape[1];
  result.view.batch_stride = shape[1] * rows.shape[1];
  return result;
}

void TokenPositions::check_count(const std::string& file, TokenCount count) const {
  const std::int64_t batch = count.batch == 0 ? 1 : count.batch;
  if (view.count == count.tokens && (view.batch == 1 || view.batch == batch)) return;
  const std::string rows = view.batch == 1 ? "" : fmt::format("{} x ", view.batch);
  const std::string batches = count.batch == 0 ? "" : fmt::format("{} x ", count.batch);
  const auto ending = [](std::int64_t number) { return number == 1 ? "" : "s"; };
  fail(ErrorKind::usage, fmt::format("'{}' has {}{} position{} but {} has {}{} token{}", text, rows, view.count,
                                     ending(view.count), file, batches, count.tokens, ending(count.tokens)));
}

}  // namespace posenc::cli
