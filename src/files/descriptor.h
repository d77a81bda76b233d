// Open files by their descriptors, and the system's words where it refuses.
#pragma once

#include <cstddef>
#include <string>

namespace posenc::files {

[[noreturn]] void fail_system(const char* what, const std::string& path, int code);

// As open(2) with O_CLOEXEC, retrying interrupted calls.
int open_retrying(const char* path, int flags, unsigned mode = 0);

// Reads once, retrying interrupted calls: bytes, 0 at the end.
std::size_t read_some(int descriptor, char* to, std::size_t size, const std::string& path);

inline constexpr std::size_t kChunk = std::size_t{1} << 30;  // Linux moves at most 2^31 - 4096 bytes per call

}  // namespace posenc::files
