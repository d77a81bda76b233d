// Reading a file in pieces, or whole where it says at its start how long it should be.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "posenc/export.h"

namespace posenc::files {

// A file that is opened once, however much of it is looked at, and in whatever order.
class POSENC_INTERNAL FileReader {
 public:
  // Device, inode, size and time of the last change: what tells a file from another that has its name later.
  using Identity = std::array<std::int64_t, 4>;

  enum class Of { regular, anything };
  // Of::regular refuses a pipe or device, which has no pieces to go back to, without waiting for its writer.
  explicit FileReader(const std::string& path, Of of = Of::regular);
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;
  ~FileReader();

  const std::string& path() const noexcept { return path_; }
  bool regular() const noexcept { return regular_; }
  // Of a regular file.
  std::int64_t size() const noexcept { return identity_[2]; }
  const Identity& identity() const noexcept { return identity_; }
  // Throws if another file has its name by now, or it has changed.
  void check_unchanged() const;

  // The first bytes, as many as file_format.h looks at; none of a pipe or device, where that would take them away.
  std::string start() const;

  // `size` bytes from `offset` on; a file that ends before is an error, also if it was longer a moment ago.
  void read(std::int64_t offset, char* to, std::size_t size) const;
  std::string read(std::int64_t offset, std::size_t size) const;

  // All bytes; more than `limit` is an error. Once the first `enough` are there, or all, whole_size(start) is asked for
  // the limit from then on; it may throw instead.
  std::string read_all(std::int64_t limit, std::size_t enough = 0,
                       const std::function<std::int64_t(std::string_view start)>& whole_size = {}) const;
  // What comes next, in order: how many bytes there were, 0 at the end.
  std::size_t read_next(char* to, std::size_t size) const;

 private:
  std::string path_;
  int descriptor_;
  bool regular_ = false;
  Identity identity_{};
};

}  // namespace posenc::files
