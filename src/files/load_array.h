// Loads arrays from an open file, and posenc::load_array with a limit.
#pragma once

#include <cstdint>
#include <string>

#include "files/read_file.h"
#include "posenc/files/array.h"

namespace posenc::files {

// Like posenc::load_array, but throws if the array has more than `limit` bytes.
Array load_array(const std::string& text, std::int64_t limit);

// Like posenc::load_npy.
Array load_npy(const FileReader& file, std::int64_t limit);

}  // namespace posenc::files
