#include "cli/channels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>

#include "cli/integers.h"
#include "posenc/error.h"

namespace posenc::cli {
namespace {

constexpr std::int64_t kScratchBytes = std::int64_t{1} << 20;

[[noreturn]] void refuse_text(const std::string& text, const std::string& item) {
  const std::size_t dash = item.find('-', 1);
  std::int64_t first = 0, last = 0;
  const bool dashed = dash != std::string::npos && parse_integer(item.substr(0, dash), first) &&
                      parse_integer(item.substr(dash + 1), last) && last >= first &&
                      last < std::numeric_limits<std::int64_t>::max();
  fail(ErrorKind::usage,
       dashed ? fmt::format("--channels {}: write {}:{} for channels {} to {}", text, first, last + 1, first, last)
              : fmt::format("--channels must be {}, but got '{}'", kChannelsHelp, text));
}

void append(std::int64_t channel, std::int64_t width, const std::string& text, std::vector<std::int64_t>& channels) {
  if (channel < 0 || channel >= width) {
    fail(ErrorKind::usage, fmt::format("--channels {}: there is no channel {}; the table has {}", text, channel,
                                       width == 1 ? "only channel 0" : fmt::format("channels 0 to {}", width - 1)));
  }
  if (channels.size() == static_cast<std::size_t>(kMaxIntegers)) {
    fail(ErrorKind::usage, fmt::format("--channels names more than {} channels", kMaxIntegers));
  }
  channels.push_back(channel);
}

// One item between commas: 5, 0:8 or 0:64:8.
void append_item(const std::string& item, std::int64_t width, const std::string& text,
                 std::vector<std::int64_t>& channels) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view word : split(item, ':')) {
    std::int64_t number = 0;
    if (!parse_integer(word, number)) refuse_text(text, item);
    numbers.push_back(number);
  }
  if (numbers.size() == 1) return append(numbers[0], width, text, channels);
  const std::int64_t step = numbers.size() == 3 ? numbers[2] : 1;
  if (numbers.size() > 3 || step < 1 || numbers[1] <= numbers[0]) refuse_text(text, item);
  for (std::int64_t channel = numbers[0]; channel < numbers[1]; channel += step) {
    append(channel, width, text, channels);
    if (step > numbers[1] - channel) break;  // the sum might overflow
  }
}

// Copies some columns of every group of `from` to `to`.
void copy_columns(const View& from, const View& to, const std::vector<std::int64_t>& columns) {
  const std::int64_t size = size_of(from.dtype);
  for (std::int64_t n = 0; n < from.shape[0]; ++n) {
    const std::byte* source = from[n].as<std::byte>();
    std::byte* target = to[n].as<std::byte>();
    for (const std::int64_t column : columns) {
      std::memcpy(target, source + column * size, static_cast<std::size_t>(size));
      target += size;
    }
  }
}

void keep_channels(TablePart& part, DType dtype, const std::string& text) {
  const auto groups = static_cast<std::int64_t>(part.groups.size());
  const std::int64_t in_group = part.width / groups, width = part.width;
  part.channels = parse_channels(text, in_group);
  std::vector<std::int64_t> columns;
  for (std::int64_t group = 0; group < groups; ++group) {
    for (const std::int64_t channel : part.channels) columns.push_back(group * in_group + channel);
  }
  part.width = static_cast<std::int64_t>(columns.size());
  // A block of few columns has many rows, and their whole rows would take more memory than the block.
  const std::int64_t at_once = std::max<std::int64_t>(kScratchBytes / (width * size_of(dtype)), 1);
  const auto scratch = std::make_shared<std::vector<std::byte>>();
  part.fill = [fill = part.fill, columns, scratch, at_once, width](const PositionView& positions, const View& block) {
    for (std::int64_t done = 0; done < positions.count; done += at_once) {
      const std::int64_t rows = std::min(at_once, positions.count - done);
      scratch->resize(static_cast<std::size_t>(rows * width * size_of(block.dtype)));
      const View whole = make_view(static_cast<void*>(scratch->data()), block.dtype, {rows, width});
      fill(positions.slice(done, rows), whole);
      View part_of_block = block;
      part_of_block.data = block[done].data;
      part_of_block.shape[0] = rows;
      copy_columns(whole, part_of_block, columns);
    }
  };
}

}  // namespace

std::vector<std::int64_t> parse_channels(const std::string& text, std::int64_t width) {
  std::vector<std::int64_t> channels;
  for (const std::string_view item : split(text, ',')) append_item(std::string(item), width, text, channels);
  return channels;
}

void keep_channels(TableHead& head, const std::string& text) {
  if (text.empty()) return;
  for (TablePart& part : head.parts) keep_channels(part, head.dtype, text);
  const std::vector<std::int64_t>& channels = head.parts.at(0).channels;
  head.members.emplace_back("channels", Json(Json::Array(channels.begin(), channels.end())));
  head.metadata.emplace_back("channels", text);
}

}  // namespace posenc::cli
