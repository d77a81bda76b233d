#include "files/file_format.h"

#include <cstdint>

#include "files/load_bits.h"
#include "files/safetensors_format.h"

namespace posenc::files {

bool is_npy(std::string_view start) noexcept { return start.starts_with("\x93NUMPY"); }

bool is_safetensors(std::string_view start) noexcept {
  constexpr auto kAt = static_cast<std::size_t>(kSafetensorsStart);
  return start.size() > kAt && start[kAt] == '{' &&
         load_bits<std::uint64_t, false>(start.data()) <= static_cast<std::uint64_t>(kMaxSafetensorsHeader);
}

std::string_view format_name(std::string_view start) noexcept {
  if (start.starts_with("GGUF")) return "a GGUF model";
  if (start.starts_with("PK\x03\x04")) return "a zip archive, like .npz and PyTorch's own files";
  if (is_npy(start)) return "an .npy array";
  if (is_safetensors(start)) return "a safetensors file";
  return {};
}

}  // namespace posenc::files
