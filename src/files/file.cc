#include "posenc/files/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <functional>
#include <optional>
#include <utility>

#include "core/base/refuse.h"
#include "core/text/number_text.h"
#include "files/descriptor.h"
#include "files/read_file.h"
#include "posenc/error.h"

namespace posenc {
namespace {

using files::fail_system;
using files::kChunk;
using files::open_retrying;
using files::read_some;

#if defined(__wasi__)
// WASI has no processes, no permissions and no way to duplicate a descriptor.
int process_id() { return 0; }
int set_mode(int, mode_t) { return 0; }
int duplicate(int) {
  errno = ENOTSUP;
  return -1;
}
#else
int process_id() { return ::getpid(); }
int set_mode(int descriptor, mode_t mode) { return ::fchmod(descriptor, mode & 07777); }
int duplicate(int descriptor) { return ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0); }
#endif

[[noreturn]] void fail_too_large(const std::string& path, std::int64_t limit) {
  base::refuse_file(path, "expected at most ", limit, " bytes but the file has more");
}

files::FileReader::Identity identity_of(const struct stat& status) {
  const std::int64_t changed = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  return {static_cast<std::int64_t>(status.st_dev), static_cast<std::int64_t>(status.st_ino), status.st_size, changed};
}

// "folder/" of "folder/name"; empty if the path has no folder.
std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

std::optional<std::string> link_target(const std::string& path) {
  std::array<char, PATH_MAX> buffer{};
  ssize_t length = ::readlink(path.c_str(), buffer.data(), buffer.size());
  if (length < 0) return std::nullopt;
  std::string target(buffer.data(), static_cast<std::size_t>(length));
  return target.starts_with('/') ? target : folder_of(path) + target;
}

// Returns the open descriptor that a path such as /dev/fd/3 names. /dev/stdout is a link to such a path.
std::optional<int> descriptor_named_by(const std::string& path) {
  for (const std::string prefix : {"/proc/self/fd/", "/dev/fd/"}) {
    if (!path.starts_with(prefix)) continue;
    std::optional<std::int64_t> number = text::parse_integer(path.substr(prefix.size()));
    if (number && *number >= 0 && *number <= INT_MAX) return static_cast<int>(*number);
  }
  return std::nullopt;
}

// The end of a chain of symbolic links: a path that may not exist yet, or one of this process's descriptors. realpath()
// cannot be used because it refuses links to files that do not exist yet.
struct Destination {
  std::string path;
  std::optional<int> descriptor;
};

Destination follow_links(const std::string& path) {
  constexpr int kMaxLinks = 40;  // the kernel's own limit
  Destination end{path, descriptor_named_by(path)};
  for (int count = 0; !end.descriptor; ++count) {
    std::optional<std::string> next = link_target(end.path);
    if (!next) break;
    if (count == kMaxLinks) fail_system("cannot write", path, ELOOP);
    end = {*next, descriptor_named_by(*next)};
  }
  return end;
}

// Returns a name in the same folder, because rename does not cross file systems. Time, process id and attempt make its
// letters different; they need not be random, because O_EXCL detects clashes.
std::string temporary_name(const std::string& target, std::uint64_t attempt) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  constexpr std::size_t kLongestName = 200;  // file systems allow 255 bytes, including prefix and suffix
  auto now = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  std::uint64_t mixed = (now + (static_cast<std::uint64_t>(process_id()) << 32) + attempt) * 0x9E3779B97F4A7C15u;
  std::string folder = folder_of(target);
  std::string name = folder + "." + target.substr(folder.size(), kLongestName) + ".";
  for (int letter = 0; letter < 6; ++letter) {
    mixed ^= mixed >> 29;
    name += kLetters[mixed % kLetters.size()];
    mixed = mixed / kLetters.size() * 0x9E3779B97F4A7C15u;
  }
  return name;
}

}  // namespace

std::string read_file(const std::string& path, std::int64_t limit) {
  return files::FileReader(path, files::FileReader::Of::anything).read_all(limit);
}

std::string files::FileReader::read_all(std::int64_t limit, std::size_t enough,
                                        const std::function<std::int64_t(std::string_view)>& whole_size) const {
  if (regular_ && size() > limit) fail_too_large(path_, limit);
  // The size is only a hint: pipes have no size, files under /proc report 0, and a file may grow while it is read.
  constexpr std::size_t kLeast = 65536;
  std::string bytes(std::max(enough, kLeast), '\0');
  std::size_t done = 0;
  bool asked = false;
  while (true) {
    const std::size_t got = read_next(bytes.data() + done, bytes.size() - done);
    done += got;
    if (!asked && (got == 0 || done >= enough)) {
      asked = true;
      if (whole_size) limit = whole_size(std::string_view(bytes).substr(0, done));
      if (regular_ && size() > limit) fail_too_large(path_, limit);
      if (regular_) bytes.resize(std::max(bytes.size(), static_cast<std::size_t>(size()) + 1));
    }
    if (got == 0) break;
    if (done > static_cast<std::size_t>(std::max<std::int64_t>(limit, 0))) fail_too_large(path_, limit);
    if (done == bytes.size()) bytes.resize(bytes.size() * 2);
  }
  bytes.resize(done);
  return bytes;
}

std::size_t files::FileReader::read_next(char* to, std::size_t size) const {
  return read_some(descriptor_, to, size, path_);
}

// Without O_NONBLOCK, opening a pipe would wait for its writer. For regular files the flag has no effect.
files::FileReader::FileReader(const std::string& path, Of of)
    : path_(path), descriptor_(open_retrying(path.c_str(), O_RDONLY | (of == Of::regular ? O_NONBLOCK : 0))) {
  if (descriptor_ < 0) fail_system("cannot open", path_, errno);
  struct stat status {};
  int code = ::fstat(descriptor_, &status) == 0 ? 0 : errno;
  if (code == 0 && S_ISDIR(status.st_mode)) code = EISDIR;
  regular_ = code == 0 && S_ISREG(status.st_mode);
  if (regular_) identity_ = identity_of(status);
  if (regular_ || (code == 0 && of == Of::anything)) return;
  ::close(descriptor_);  // a failing constructor does not run the destructor
  if (code != 0) fail_system("cannot read", path_, code);
  base::refuse_file(path_, "expected a regular file, which can be read in pieces, but it is a pipe or a device");
}

files::FileReader::~FileReader() { ::close(descriptor_); }

void files::FileReader::check_unchanged() const {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) fail_system("cannot open", path_, errno);
  if (identity_of(status) == identity_) return;
  base::refuse_file(path_, "the file has changed since its header was read");
}

std::string files::FileReader::start() const {
  constexpr std::int64_t kBytes = 16;
  return regular_ ? read(0, static_cast<std::size_t>(std::min(size(), kBytes))) : std::string();
}

void files::FileReader::read(std::int64_t offset, char* to, std::size_t size) const {
  while (size > 0) {
    const ssize_t got = ::pread(descriptor_, to, std::min(size, kChunk), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_system("cannot read", path_, errno);
    base::require_file(got != 0, path_, "expected ", size, " bytes after byte ", offset, " but the file ends there");
    to += got;
    offset += got;
    size -= static_cast<std::size_t>(got);
  }
}

std::string files::FileReader::read(std::int64_t offset, std::size_t size) const {
  std::string bytes(size, '\0');
  read(offset, bytes.data(), size);
  return bytes;
}

FileWriter::FileWriter(std::string path) : path_(std::move(path)) {
  if (path_.empty()) fail(ErrorKind::io, "cannot write a file without a name");
  Destination end = follow_links(path_);
  if (end.descriptor) {
    descriptor_ = duplicate(*end.descriptor);
    if (descriptor_ < 0) fail_system("cannot write", path_, errno);
    return;
  }
  target_ = std::move(end.path);
  struct stat status {};
  bool exists = ::stat(target_.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail_system("cannot write", path_, errno);
  if (exists && S_ISDIR(status.st_mode)) fail_system("cannot write", path_, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = open_retrying(target_.c_str(), O_WRONLY);
    if (descriptor_ < 0) fail_system("cannot write", path_, errno);
    return;
  }
  // Renaming only needs permission for the folder: without this check a read-only file would be replaced.
  if (exists && ::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) {
    fail_system("cannot write", path_, errno);
  }
  create_temporary();
  if (exists && set_mode(descriptor_, status.st_mode) != 0) {
    int code = errno;
    discard();  // a failing constructor does not run the destructor
    fail_system("cannot write", path_, code);
  }
}

bool FileWriter::is_direct() const noexcept { return temporary_.empty(); }

bool FileWriter::is_terminal() const noexcept { return ::isatty(descriptor_) == 1; }

void FileWriter::create_temporary() {
  constexpr std::uint64_t kAttempts = 100;
  for (std::uint64_t attempt = 0;; ++attempt) {
    std::string name = temporary_name(target_, attempt);
    // 0666 minus the process's umask, as for any new file.
    descriptor_ = open_retrying(name.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (descriptor_ >= 0) {
      temporary_ = std::move(name);
      return;
    }
    if (errno != EEXIST || attempt == kAttempts) fail_system("cannot write", path_, errno);
  }
}

void FileWriter::discard() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  descriptor_ = -1;
  temporary_.clear();
}

FileWriter::~FileWriter() { discard(); }

void FileWriter::write(const void* data, std::size_t size) {
  base::require(descriptor_ >= 0, "FileWriter", "write must come before commit: ", path_);
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    ssize_t done = ::write(descriptor_, next, std::min(size, kChunk));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) {
      int code = errno;
      discard();  // so that no later commit() renames an incomplete file
      fail_system("cannot write", path_, code);
    }
    next += done;
    size -= static_cast<std::size_t>(done);
  }
}

void FileWriter::commit() {
  base::require(descriptor_ >= 0, "FileWriter", "commit must be called only once: ", path_);
  // Network file systems report a full disk here. Linux closes the descriptor even if the call is interrupted.
  int closed = ::close(std::exchange(descriptor_, -1));
  if (closed != 0 && errno != EINTR) fail_system("cannot write", path_, errno);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail_system("cannot write", path_, errno);
  temporary_.clear();
}

void write_file(const std::string& path, const std::string& bytes) {
  FileWriter file(path);
  file.write(bytes.data(), bytes.size());
  file.commit();
}

}  // namespace posenc
