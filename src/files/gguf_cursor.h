// Reads numbers and names from a GGUF header, and reports errors with their location.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/refuse.h"
#include "files/byte_stream.h"
#include "files/load_bits.h"

namespace posenc::files {

class GgufCursor {
 public:
  GgufCursor(ByteStream& stream, std::string_view source) : stream_(stream), source_(source) {}

  void set_big_endian() noexcept { big_endian_ = true; }
  // Sets the name of the part that is read next, for messages.
  void at(std::string place) { place_ = std::move(place); }
  std::int64_t offset() const noexcept { return stream_.offset(); }
  std::optional<std::int64_t> file_size() const noexcept { return stream_.size(); }

  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    base::refuse_file(source_, place_, ", before byte ", offset(), ": ", parts...);
  }
  template <class... Parts>
  void require(bool holds, const Parts&... parts) const {
    if (!holds) refuse(parts...);
  }
  // Throws if the file is known to have fewer than `bytes` bytes left; the message says that they are for `count`
  // `what`.
  void need(std::uint64_t bytes, std::uint64_t count, std::string_view what) const;
  // Counts bytes that are kept in memory, and throws if their total is above kMaxGgufHeld.
  void hold(std::uint64_t bytes);

  void read(char* to, std::size_t size) {
    const std::size_t got = stream_.read(to, size);
    if (got < size) fail_end(size - got);
  }
  void skip(std::uint64_t size) {
    const std::uint64_t got = stream_.skip(size);
    if (got < size) fail_end(size - got);
  }
  std::string bytes(std::size_t size);

  template <class Bits>
  Bits number() {
    char from[sizeof(Bits)];
    read(from, sizeof(Bits));
    return big_endian_ ? load_bits<Bits, true>(from) : load_bits<Bits, false>(from);
  }

  // Reads a number from 0 to 2^63 - 1.
  std::int64_t count(std::string_view what);
  // Reads the length of a string, which must be within the file.
  std::uint64_t string_size();
  // Reads a string of at most kMaxGgufName bytes.
  std::string name(std::string_view what);

 private:
  [[noreturn]] void fail_end(std::uint64_t missing) const;

  ByteStream& stream_;
  std::string_view source_;
  std::string place_;
  std::uint64_t held_ = 0;
  bool big_endian_ = false;
};

}  // namespace posenc::files
