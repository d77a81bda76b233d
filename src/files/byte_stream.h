// Reads a file, pipe or device from its first byte through a small buffer; skipped bytes are never stored.
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
  // The file must outlive this.
  explicit ByteStream(const FileReader& file);
  // Reads bytes in memory, which are the first bytes of a file of `size` bytes.
  ByteStream(std::string_view bytes, std::int64_t size) : size_(size), from_(bytes.data()), end_(bytes.size()) {}

  // The offset of the next byte, counted from 0.
  std::int64_t offset() const noexcept { return before_ + static_cast<std::int64_t>(at_); }
  // The size of the file; empty for a pipe or device.
  std::optional<std::int64_t> size() const noexcept { return size_; }

  // Returns how many bytes were read: fewer than `size` only at the end.
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
  // Reads beyond the buffer. Headers consist of small pieces, so this is rarely called.
  std::size_t read_over(char* to, std::size_t size);
  std::uint64_t skip_over(std::uint64_t size);
  bool refill();

  const FileReader* file_ = nullptr;  // null: in memory
  std::vector<char> buffer_;
  std::optional<std::int64_t> size_;
  std::int64_t before_ = 0;  // bytes before the buffer
  const char* from_ = nullptr;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

}  // namespace posenc::files
