// Open files by descriptor, with the system's error messages.
#pragma once

#include <cstddef>
#include <string>

namespace posenc::files {

[[noreturn]] void fail_system(const char* what, const std::string& path, int code);

// Calls open(2) with O_CLOEXEC; retries interrupted calls.
int open_retrying(const char* path, int flags, unsigned mode = 0);

// Reads once; retries interrupted calls. Returns the number of bytes, 0 at the end.
std::size_t read_some(int descriptor, char* to, std::size_t size, const std::string& path);

inline constexpr std::size_t kChunk = std::size_t{1} << 30;  // Linux transfers at most 2^31 - 4096 bytes per call

}  // namespace posenc::files
