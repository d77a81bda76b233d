// Whole files: read at once, written whole or not at all.
//
//     std::string text = posenc::read_file("spec.json");
//     posenc::FileWriter file("table.npy");   // writes beside it, under a temporary name
//     file.write(bytes.data(), bytes.size());
//     file.commit();                          // renames; without it nothing is left behind
//
// "Whole or not at all" covers errors and interruptions, not a power cut: nothing waits for the disk. Every message
// names the path and the system's reason. ErrorKind::io, but bad_input for a file that is too large.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "posenc/error.h"
#include "posenc/export.h"

namespace posenc {

// The bytes of a regular file, a pipe or a device. More than `limit` bytes is an error, before or while reading.
POSENC_API std::string read_file(const std::string& path, std::int64_t limit = std::int64_t{1} << 36);

// Writes to a temporary file in the same folder and renames it over `path` in commit(). What was at `path` stays until
// then, and stays if anything fails. A symbolic link is followed. A path that exists and is no regular file (a device,
// a pipe) is written to directly, and so is one of the process's own descriptors (/dev/stdout, wherever it leads). The
// mode of an existing file is kept; a file that may not be written to is an error. A write that failed or came after
// commit() cannot be continued.
class POSENC_API FileWriter {
 public:
  explicit FileWriter(std::string path);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter();  // removes the temporary file if commit() was not reached

  void write(const void* data, std::size_t size);
  void commit();

  bool is_direct() const noexcept;    // whether it writes to a device or pipe, without a temporary file
  bool is_terminal() const noexcept;  // whether that is a terminal

 private:
  void create_temporary();
  void discard() noexcept;

  std::string path_;       // as given, for messages
  std::string target_;     // where its symbolic links lead
  std::string temporary_;  // empty when writing directly
  int descriptor_ = -1;
};

// FileWriter, write, commit in one.
POSENC_API void write_file(const std::string& path, const std::string& bytes);

}  // namespace posenc
