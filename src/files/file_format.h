// What a file is, by its first bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "posenc/export.h"

namespace posenc::files {

// The first bytes of a regular file, as many as the functions below look at. Nothing for a pipe or device, where
// reading would take them away, and for what is not there.
POSENC_INTERNAL std::optional<std::string> file_start(const std::string& path);

bool is_npy(std::string_view start) noexcept;
// A length that a header may have, and the header's '{'.
bool is_safetensors(std::string_view start) noexcept;

// "a GGUF model", "an .npy array", ...; empty for everything else.
POSENC_INTERNAL std::string_view format_name(std::string_view start) noexcept;

}  // namespace posenc::files
