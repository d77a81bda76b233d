#include "files/gguf_cursor.h"

#include <algorithm>
#include <limits>

#include "files/gguf_format.h"
#include "posenc/error.h"

namespace posenc::files {

void GgufCursor::refuse(const std::string& why) const {
  fail(ErrorKind::bad_input,
       std::string(source_) + ": " + place_ + ", before byte " + std::to_string(offset()) + ": " + why);
}

void GgufCursor::fail_end(std::uint64_t missing) const {
  refuse("expected " + std::to_string(missing) + " bytes more but the file ends: it is cut off");
}

void GgufCursor::need(std::uint64_t bytes, std::uint64_t count, std::string_view what) const {
  if (!file_size()) return;
  const auto left = static_cast<std::uint64_t>(std::max<std::int64_t>(*file_size() - offset(), 0));
  if (bytes <= left) return;
  refuse("expected at least " + std::to_string(bytes) + " bytes more, for " + std::to_string(count) + " " +
         std::string(what) + ", but the file has " + std::to_string(left));
}

void GgufCursor::hold(std::uint64_t bytes) {
  held_ += bytes;
  if (held_ <= kMaxGgufHeld) return;
  refuse("expected names and values of at most " + std::to_string(kMaxGgufHeld) + " bytes in all but there are more");
}

std::string GgufCursor::bytes(std::size_t size) {
  std::string result(size, '\0');
  read(result.data(), size);
  return result;
}

std::int64_t GgufCursor::count(std::string_view what) {
  const auto value = number<std::uint64_t>();
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    refuse("expected " + std::string(what) + " below 2^63 but got " + std::to_string(value));
  }
  return static_cast<std::int64_t>(value);
}

std::uint64_t GgufCursor::string_size() {
  const auto size = number<std::uint64_t>();
  need(size, size, "bytes of a string");
  return size;
}

std::string GgufCursor::name(std::string_view what) {
  const auto size = number<std::uint64_t>();
  if (size > kMaxGgufName) {
    refuse("expected " + std::string(what) + " of at most " + std::to_string(kMaxGgufName) + " bytes but got " +
           std::to_string(size));
  }
  need(size, size, "bytes of a name");
  return bytes(static_cast<std::size_t>(size));
}

}  // namespace posenc::files
