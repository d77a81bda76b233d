// Recognises the format of a file by its first bytes.
#pragma once

#include <string_view>

#include "posenc/export.h"

namespace posenc::files {

bool is_npy(std::string_view start) noexcept;
// Whether the bytes begin with a plausible header length and '{'.
bool is_safetensors(std::string_view start) noexcept;

// Returns "a GGUF model", "an .npy array", ...; empty for any other format.
POSENC_INTERNAL std::string_view format_name(std::string_view start) noexcept;

}  // namespace posenc::files
