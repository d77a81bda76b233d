// Reading a file that says at its start how long it should be, and reading one in pieces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace posenc::files {

// As posenc::read_file. Once the first `enough` bytes are there, or all, whole_size(start) is asked for the limit from
// then on; it may throw instead.
std::string read_file(const std::string& path, std::int64_t limit, std::size_t enough,
                      const std::function<std::int64_t(std::string_view start)>& whole_size);

// A regular file of any size, read in pieces.
class FileReader {
 public:
  // Device, inode, size and time of the last change: what tells a file from another that has its name later.
  using Identity = std::array<std::int64_t, 4>;

  // A pipe or device, which has no pieces to go back to, is an error.
  explicit FileReader(const std::string& path);
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;
  ~FileReader();

  std::int64_t size() const noexcept { return identity_[2]; }
  const Identity& identity() const noexcept { return identity_; }

  // `size` bytes from `offset` on; a file that ends before is an error, also if it was longer a moment ago.
  void read(std::int64_t offset, char* to, std::size_t size) const;
  std::string read(std::int64_t offset, std::size_t size) const;

 private:
  std::string path_;
  int descriptor_;
  Identity identity_{};
};

}  // namespace posenc::files
