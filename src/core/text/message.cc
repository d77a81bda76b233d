#include "core/text/message.h"

#include "core/text/number_text.h"

namespace posenc::text {

void Part::append_to(std::string& text) const {
  if (const auto* words = std::get_if<std::string_view>(&value_)) {
    text += *words;
  } else if (const auto* number = std::get_if<double>(&value_)) {
    text += number_text(*number);
  } else if (const auto* count = std::get_if<std::uint64_t>(&value_)) {
    text += std::to_string(*count);
  } else {
    text += std::to_string(std::get<std::int64_t>(value_));
  }
}

std::string joined_parts(std::span<const Part> parts) {
  std::string text;
  for (const Part& part : parts) part.append_to(text);
  return text;
}

}  // namespace posenc::text
