// Reads a file in pieces, or whole with a check of the size that its header gives.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "posenc/export.h"

namespace posenc::files {

// A file that is opened only once, for reads of any parts in any order.
class POSENC_INTERNAL FileReader {
 public:
  // Device, inode, size and time of the last change: these identify a file even if another one gets its name.
  using Identity = std::array<std::int64_t, 4>;

  enum class Of { regular, anything };
  // Of::regular refuses pipes and devices, which cannot seek, without waiting for a writer.
  explicit FileReader(const std::string& path, Of of = Of::regular);
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;
  ~FileReader();

  const std::string& path() const noexcept { return path_; }
  bool regular() const noexcept { return regular_; }
  // Only for a regular file.
  std::int64_t size() const noexcept { return identity_[2]; }
  const Identity& identity() const noexcept { return identity_; }
  // Throws if the file has changed, or its name now refers to another file.
  void check_unchanged() const;

  // Returns the first bytes, as many as file_format.h needs; none for a pipe or device, where reading consumes them.
  std::string start() const;

  // Reads `size` bytes at `offset`. Throws if the file is shorter, even if it was longer before.
  void read(std::int64_t offset, char* to, std::size_t size) const;
  std::string read(std::int64_t offset, std::size_t size) const;

  // Returns all bytes; more than `limit` is an error. When the first `enough` bytes (or all) have been read, the limit
  // becomes whole_size(start), which may also throw.
  std::string read_all(std::int64_t limit, std::size_t enough = 0,
                       const std::function<std::int64_t(std::string_view start)>& whole_size = {}) const;
  // Reads the next bytes in order. Returns how many, 0 at the end.
  std::size_t read_next(char* to, std::size_t size) const;

 private:
  std::string path_;
  int descriptor_;
  bool regular_ = false;
  Identity identity_{};
};

}  // namespace posenc::files
