#include "files/gguf_cursor.h"

#include <algorithm>
#include <limits>

#include "files/gguf_format.h"

namespace posenc::files {

void GgufCursor::fail_end(std::uint64_t missing) const {
  refuse("expected ", missing, " more bytes but the file ends: it is cut off");
}

void GgufCursor::need(std::uint64_t bytes, std::uint64_t count, std::string_view what) const {
  if (!file_size()) return;
  const auto left = static_cast<std::uint64_t>(std::max<std::int64_t>(*file_size() - offset(), 0));
  if (bytes <= left) return;
  refuse("expected at least ", bytes, " more bytes, for ", count, " ", what, ", but the file has ", left);
}

void GgufCursor::hold(std::uint64_t bytes) {
  held_ += bytes;
  if (held_ <= kMaxGgufHeld) return;
  refuse("expected at most ", kMaxGgufHeld, " bytes of names and values in total but there are more");
}

std::string GgufCursor::bytes(std::size_t size) {
  std::string result(size, '\0');
  read(result.data(), size);
  return result;
}

std::int64_t GgufCursor::count(std::string_view what) {
  const auto value = number<std::uint64_t>();
  require(value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()), "expected ", what,
          " below 2^63 but got ", value);
  return static_cast<std::int64_t>(value);
}

std::uint64_t GgufCursor::string_size() {
  const auto size = number<std::uint64_t>();
  need(size, size, "bytes of a string");
  return size;
}

std::string GgufCursor::name(std::string_view what) {
  const auto size = number<std::uint64_t>();
  require(size <= kMaxGgufName, "expected ", what, " of at most ", kMaxGgufName, " bytes but got ", size);
  need(size, size, "bytes of a name");
  return bytes(static_cast<std::size_t>(size));
}

}  // namespace posenc::files
