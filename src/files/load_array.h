// Arrays of a file that is open, and posenc::load_array with a limit.
#pragma once

#include <cstdint>
#include <string>

#include "files/read_file.h"
#include "posenc/files/array.h"

namespace posenc::files {

// As posenc::load_array; a file of one array, or a tensor, of more than `limit` bytes is an error.
Array load_array(const std::string& text, std::int64_t limit);

// As posenc::load_npy.
Array load_npy(const FileReader& file, std::int64_t limit);

}  // namespace posenc::files
