#include "files/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "posenc/error.h"

namespace posenc::files {

void fail_system(const char* what, const std::string& path, int code) {
  fail(ErrorKind::io, std::string(what) + " " + path + ": " + std::generic_category().message(code));
}

int open_retrying(const char* path, int flags, unsigned mode) {
  for (;;) {
    int descriptor = ::open(path, flags | O_CLOEXEC, static_cast<mode_t>(mode));
    if (descriptor >= 0 || errno != EINTR) return descriptor;
  }
}

std::size_t read_some(int descriptor, char* to, std::size_t size, const std::string& path) {
  for (;;) {
    ssize_t got = ::read(descriptor, to, std::min(size, kChunk));
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail_system("cannot read", path, errno);
  }
}

}  // namespace posenc::files
