// A file, pipe or device from its first byte on, through a small buffer: what is passed over is never held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "files/read_file.h"

namespace posenc::files {

class ByteStream {
 public:
  // The file must live as long as this.
  explicit ByteStream(const FileReader& file);
  // Bytes in memory, the first of `size`.
  ByteStream(std::string_view bytes, std::int64_t size) : size_(size), from_(bytes.data()), end_(bytes.size()) {}

  // The byte that comes next, counted from 0.
  std::int64_t offset() const noexcept { return before_ + static_cast<std::int64_t>(at_); }
  // Of the whole; none of a pipe or device.
  std::optional<std::int64_t> size() const noexcept { return size_; }

  // How many bytes there were: fewer than `size` only at the end.
  std::size_t read(char* to, std::size_t size) {
    if (size > end_ - at_) return read_over(to, size);
    std::memcpy(to, from_ + at_, size);
    at_ += size;
    return size;
  }
  std::uint64_t skip(std::uint64_t size) {
    if (size > end_ - at_) return skip_over(size);
    at_ += static_cast<std::size_t>(size);
    return size;
  }

 private:
  // Beyond the bytes at hand: headers are made of small pieces, which rarely get here.
  std::size_t read_over(char* to, std::size_t size);
  std::uint64_t skip_over(std::uint64_t size);
  bool refill();

  const FileReader* file_ = nullptr;  // none: in memory
  std::vector<char> buffer_;
  std::optional<std::int64_t> size_;
  std::int64_t before_ = 0;  // bytes before those at hand
  const char* from_ = nullptr;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

}  // namespace posenc::files
