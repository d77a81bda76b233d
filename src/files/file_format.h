// What a file is, by its first bytes.
#pragma once

#include <string_view>

#include "posenc/export.h"

namespace posenc::files {

bool is_npy(std::string_view start) noexcept;
// A length that a header may have, and the header's '{'.
bool is_safetensors(std::string_view start) noexcept;

// "a GGUF model", "an .npy array", ...; empty for everything else.
POSENC_INTERNAL std::string_view format_name(std::string_view start) noexcept;

}  // namespace posenc::files
