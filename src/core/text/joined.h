// Lists as text.
//
//     posenc::text::joined(std::vector<std::int64_t>{2, 3}, ", ");  // "2, 3"
//     posenc::text::joined(fields, "|", &Field::name);              // "base|width"
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/text/number_text.h"

namespace posenc::text {

// Joins part(member) for every member of `list`, with `separator` in between. Numbers have all their digits.
template <class List, class Part = std::identity>
std::string joined(const List& list, std::string_view separator, const Part& part = {}) {
  std::string result;
  bool first = true;
  for (const auto& member : list) {
    if (!first) result += separator;
    first = false;
    using Value = std::remove_cvref_t<std::invoke_result_t<const Part&, decltype(member)>>;
    if constexpr (std::is_integral_v<Value>) {
      result += std::to_string(std::invoke(part, member));
    } else if constexpr (std::is_floating_point_v<Value>) {
      result += number_text(std::invoke(part, member));
    } else {
      result += std::invoke(part, member);
    }
  }
  return result;
}

}  // namespace posenc::text
