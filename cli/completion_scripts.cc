#include "cli/completion_scripts.h"

#include <algorithm>
#include <span>
#include <vector>

namespace posenc::cli {
namespace {

// Fills in the placeholders of a text. Names are looked up in `scope`, the innermost tree last.
class Filling {
 public:
  explicit Filling(const Json& values) : scope_{&values} {}

  std::string fill(std::string_view text) {
    std::string result;
    for (std::size_t open = text.find("{{"); open != std::string_view::npos; open = text.find("{{")) {
      const std::size_t close = text.find("}}", open) + 2;
      const std::string_view tag = text.substr(open + 2, close - open - 4);
      const bool section = tag[0] == '#' || tag[0] == '^';
      const bool own = (section || tag[0] == '!') && has_own_line(text, open, close);
      result += text.substr(0, open);
      text.remove_prefix(own ? close + 1 : close);
      if (section) {
        result += fill_section(text, tag);
      } else if (tag[0] != '!') {
        result += value(tag)->string();
      }
    }
    return result += text;
  }

 private:
  static bool has_own_line(std::string_view text, std::size_t open, std::size_t close) {
    return (open == 0 || text[open - 1] == '\n') && close < text.size() && text[close] == '\n';
  }

  // Removes the section and its end from the text. Sections of the same name are not nested.
  std::string fill_section(std::string_view& text, std::string_view tag) {
    const std::string name(tag.substr(1)), end_tag = "{{/" + name + "}}";
    const std::size_t end = text.find(end_tag);
    const std::string_view inner = text.substr(0, end);
    const std::size_t close = end + end_tag.size();
    text.remove_prefix(has_own_line(text, end, close) ? close + 1 : close);
    const Json& found = *value(name);
    const auto* list = std::get_if<Json::Array>(&found.value);
    const bool there = list != nullptr ? !list->empty() : found.is_string() ? !found.string().empty() : found.boolean();
    if (there == (tag[0] == '^')) return "";
    if (list == nullptr || tag[0] == '^') return fill(inner);
    std::string result;
    for (const Json& item : *list) {
      scope_.push_back(&item);
      result += fill(inner);
      scope_.pop_back();
    }
    return result;
  }

  const Json* value(std::string_view name) const {
    const auto has = [&](const Json* tree) { return tree->find(name) != nullptr; };
    return (*std::find_if(scope_.rbegin(), scope_.rend(), has))->find(name);
  }

  std::vector<const Json*> scope_;
};

}  // namespace

std::string completion_script(std::string_view shell, const Json& values) {
  const std::span scripts(kCompletionScripts, kCompletionScriptCount);
  const auto found = std::find_if(scripts.begin(), scripts.end(),
                                  [&](const CompletionScript& one) { return one.name.ends_with(shell); });
  return Filling(values).fill(found->text);
}

}  // namespace posenc::cli
