#include "insight/teaching/assets.h"

#include <algorithm>
#include <span>

namespace posenc::teaching {

std::string_view asset(std::string_view name) noexcept {
  const std::span assets(kAssets, kAssetCount);
  const auto found = std::find_if(assets.begin(), assets.end(), [&](const Asset& one) { return one.name == name; });
  return found == assets.end() ? std::string_view() : found->text;
}

std::string fill(std::string_view rest, const Values& values) {
  std::string text;
  while (true) {
    const std::size_t open = rest.find("{{");
    const std::size_t close = rest.find("}}", open);
    text += rest.substr(0, open);
    if (close == std::string_view::npos) return text;
    const auto value = values.find(rest.substr(open + 2, close - open - 2));
    text += value == values.end() ? rest.substr(open, close + 2 - open) : std::string_view(value->second);
    rest.remove_prefix(close + 2);
    if (value != values.end() && value->second.ends_with('\n') && rest.starts_with('\n')) rest.remove_prefix(1);
  }
}

}  // namespace posenc::teaching
