// Limits, names and element types that the reader and the writer of safetensors files share.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "posenc/files/safetensors.h"
#include "posenc/view.h"

namespace posenc::files {

inline constexpr std::int64_t kSafetensorsStart = 8;  // size of the header's length field
inline constexpr std::int64_t kMaxSafetensorsHeader = 100'000'000;
inline constexpr std::string_view kMetadataKey = "__metadata__";

struct SafetensorsDType {
  std::string_view name;
  int bits;                           // per element
  std::optional<DType> read_as = {};  // empty: posenc does not read this type
  bool converted = false;             // true if the bits in memory differ from those in the file
};

// In the order of the original library, which sorts tensors in files by type, from last to first.
inline constexpr std::array<SafetensorsDType, 22> kSafetensorsDTypes = {{
    {"BOOL", 8, DType::u8, true},
    {"F4", 4},
    {"F6_E2M3", 6},
    {"F6_E3M2", 6},
    {"U8", 8, DType::u8},
    {"I8", 8, DType::i32, true},
    {"F8_E5M2", 8},
    {"F8_E4M3", 8},
    {"F8_E8M0", 8},
    {"F8_E4M3FNUZ", 8},
    {"F8_E5M2FNUZ", 8},
    {"I16", 16, DType::i32, true},
    {"U16", 16, DType::i32, true},
    {"F16", 16, DType::f16},
    {"BF16", 16, DType::bf16},
    {"I32", 32, DType::i32},
    {"U32", 32, DType::i64, true},
    {"F32", 32, DType::f32},
    {"C64", 64},
    {"F64", 64, DType::f64},
    {"I64", 64, DType::i64},
    {"U64", 64, DType::i64, true},
}};

// Returns the type spelled `name`, or null.
constexpr const SafetensorsDType* find_safetensors_dtype(std::string_view name) noexcept {
  for (const SafetensorsDType& dtype : kSafetensorsDTypes) {
    if (dtype.name == name) return &dtype;
  }
  return nullptr;
}

// "'a', 'b' and 3 more", for messages.
std::string names_text(const std::vector<TensorInfo>& tensors);

}  // namespace posenc::files
