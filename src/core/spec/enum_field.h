// Makes the entry of an enum in a field list.
#pragma once

#include <span>
#include <string_view>

#include "core/spec/fields.h"

namespace posenc::spec {

template <class Enum>
EnumField enum_field(Enum& value, std::span<const std::string_view> words, std::span<const OtherWord> others = {}) {
  return {&value, words, [](const void* from) noexcept { return static_cast<int>(*static_cast<const Enum*>(from)); },
          [](void* to, int index) noexcept { *static_cast<Enum*>(to) = static_cast<Enum>(index); }, others};
}

// The words of Order, a field of several kinds.
inline constexpr std::string_view kOrderWords[] = {"interleaved", "cos_interleaved", "halves", "cos_halves"};

}  // namespace posenc::spec
