// Read whole files, and write them completely or not at all.
//
//     std::string text = posenc::read_file("spec.json");
//     posenc::FileWriter file("table.npy");   // writes to a temporary file in the same folder
//     file.write(bytes.data(), bytes.size());
//     file.commit();                          // renames it; without commit() no file is left
//
// "Completely or not at all" covers errors and interruptions, but not power failures: nothing calls fsync. Every
// message names the path and the system's reason. Errors are ErrorKind::io; a file that is too large is bad_input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "posenc/error.h"
#include "posenc/export.h"

namespace posenc {

// Returns the bytes of a regular file, a pipe or a device. More than `limit` bytes is an error.
POSENC_API std::string read_file(const std::string& path, std::int64_t limit = std::int64_t{1} << 36);

// Writes to a temporary file in the same folder, which commit() renames to `path`. An existing file at `path` stays
// until then, and stays if anything fails. Symbolic links are followed. A path that exists and is not a regular file (a
// device, a pipe) is written directly; so is one of the process's own descriptors (/dev/stdout, wherever it leads). The
// mode of an existing file is kept; a file without write permission is an error. After a failed write, or after
// commit(), nothing more can be written.
class POSENC_API FileWriter {
 public:
  explicit FileWriter(std::string path);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter();  // removes the temporary file if commit() was not called

  void write(const void* data, std::size_t size);
  void commit();

  bool is_direct() const noexcept;    // true if it writes directly to a device or pipe
  bool is_terminal() const noexcept;  // true if that is a terminal

 private:
  void create_temporary();
  void discard() noexcept;

  std::string path_;       // as given, for messages
  std::string target_;     // path_ with its symbolic links resolved
  std::string temporary_;  // empty if it writes directly
  int descriptor_ = -1;
};

// Writes a whole file: FileWriter, write and commit in one call.
POSENC_API void write_file(const std::string& path, const std::string& bytes);

}  // namespace posenc
