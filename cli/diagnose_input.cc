#include "cli/diagnose_input.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/arrays.h"
#include "posenc/error.h"
#include "posenc/files/load.h"

namespace posenc::cli {
namespace {

constexpr double kEqual = 1e-6;

// Whether column c and the column that `twin` names are equal in every row, for the first half of the columns.
template <class Twins>
bool repeats(const Array& table, const Twins& twins) {
  const std::int64_t width = table.shape.back();
  for (std::int64_t row = 0; row < table.size(); row += width) {
    for (std::int64_t c = 0; c < width / 2; ++c) {
      const auto [a, b] = twins(c);
      if (!(std::abs(table.number(row + a) - table.number(row + b)) <= kEqual)) return false;
    }
  }
  return true;
}

}  // namespace

Array load_observed(const std::string& file, const std::string& help, std::size_t least_rank) {
  Array array = load_array(file);
  const std::size_t rank = array.shape.size();
  if (rank >= least_rank && rank <= kMaxRank && array.size() > 0 && is_float(array.dtype)) return array;
  fail(ErrorKind::bad_input,
       fmt::format("{}: expected {}, as floats, but got {}", file, help.substr(0, help.find(';')), array.text()));
}

SizeInFile heads_of_table(const Array& cos) {
  const std::int64_t width = cos.shape.back(), half = width / 2;
  using Twins = std::pair<std::int64_t, std::int64_t>;
  const bool twice = width % 2 == 0 && (repeats(cos,
                                                [half](std::int64_t c) {
                                                  return Twins{c, c + half};
                                                }) ||
                                        repeats(cos, [](std::int64_t c) {
                                          return Twins{2 * c, 2 * c + 1};
                                        }));
  if (twice) return {width, "the width of", ", which has every column twice"};
  return {2 * width, "twice the width of", ", which has one column per pair"};
}

TokenPositions load_ids(const char* name, const std::string& text, std::int64_t axes, const Array& array,
                        std::size_t axis, Loaded& loaded) {
  loaded.option = fmt::format("--{}", name);
  loaded.names.emplace_back(name, text.empty() ? loaded.option : fmt::format("{} {}", loaded.option, text));
  const std::int64_t count = axis < array.shape.size() ? array.shape[axis] : 0;
  if (text.empty() && count < 1) fail(ErrorKind::bad_input, "the array has no tokens");
  TokenPositions ids = load_token_positions(text, axes, {.batch = 0, .tokens = count});
  PositionView& view = ids.view;
  // Position ids of Hugging Face have the axis first: [A, N] or [A, 1, N].
  const bool two = axes > 1 && view.batch == 1 && view.count == axes && view.axes == count && count != axes;
  const bool three = axes > 1 && view.batch == axes && view.count == 1 && view.axes == count;
  if (two || three) {
    view.axis_stride = three ? view.batch_stride : view.token_stride;
    view.token_stride = 1;
    view.batch = 1;
    view.count = count;
    view.axes = axes;
  }
  return ids;
}

std::size_t token_axis(const Array& array) {
  std::size_t axis = 0;
  while (array.shape.size() - axis > 2 && array.shape[axis] == 1) ++axis;
  return axis;
}

std::string with_file_name(std::string message, const Loaded& loaded, const std::string& option) {
  bool named = false;
  for (const auto& [name, file] : loaded.names) {
    if (message.starts_with(name + ":")) {
      message = file + message.substr(name.size());
      named = true;
    }
    // Messages may also name other inputs of the same call: "the shape of cos, [16, 3]".
    for (const char* end : {",", " and ", " but"}) {
      const std::string other = fmt::format(" of {}{}", name, end);
      const std::size_t at = message.find(other);
      if (at != std::string::npos) message.replace(at, other.size(), fmt::format(" of {}{}", file, end));
    }
    named = named || message.find(file) != std::string::npos;
  }
  return named || message.find("--") != std::string::npos ? message : fmt::format("{}: {}", option, message);
}

}  // namespace posenc::cli
