#include "cli/sized_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/encoding.h"
#include "cli/random_input.h"
#include "posenc/spec.h"

namespace posenc::cli {
namespace {

// "learned.rows" of a hybrid is "rows".
std::string_view last_word(std::string_view field) { return field.substr(field.rfind('.') + 1); }

bool has_table(const KindInfo& kind) {
  const auto is_rule = [](const FieldInfo& field) { return last_word(field.name) == "past_end"; };
  return std::any_of(kind.fields.begin(), kind.fields.end(), is_rule);
}

std::string size_text(std::int64_t size) { return size > 0 ? fmt::format("{}", size) : ""; }

// The value of a field; empty: none.
std::string value_of(const KindInfo& kind, const FieldInfo& field, const InputSizes& sizes) {
  const bool required = field.fallback.empty();
  if (has_table(kind)) {
    const std::string_view word = last_word(field.name);
    if (word == "past_end" && required) return "error";
    if (word == "rows") return size_text(sizes.rows);
    if (word == "width" && (required || (field.name == word && sizes.rows > 0))) return size_text(sizes.width);
    return "";
  }
  if (!required) return "";
  if (field.name == "width") return size_text(sizes.width);
  if (field.name == "heads") return size_text(sizes.heads);
  return field.name == "head_dim" ? size_text(sizes.head_dim) : "";
}

std::string said(SizedSpec spec) {
  if (!spec.assumed.empty()) say_assumed(spec.assumed, spec.text);
  return std::move(spec.text);
}

}  // namespace

SizedSpec sized_spec(const std::string& text, const InputSizes& sizes) {
  const std::optional<std::string> name = kind_called(text);
  const std::vector<KindInfo> all = kinds();
  const auto kind = std::find_if(all.begin(), all.end(), [&](const KindInfo& each) { return name == each.name; });
  if (kind == all.end()) return {text, "", false};
  SizedSpec sized{"", "", has_table(*kind)};
  for (const FieldInfo& field : kind->fields) {
    const std::string value = value_of(*kind, field, sizes);
    if (!value.empty()) sized.assumed += fmt::format("{}{}={}", sized.assumed.empty() ? "" : ",", field.name, value);
  }
  sized.text = sized.assumed.empty() ? text : *name + ":" + sized.assumed;
  return sized;
}

std::string spec_for_embeddings(const std::string& text, const std::string& shape) {
  if (shape.empty()) return text;
  const std::vector<std::int64_t> sizes = parse_shape(shape);
  const std::int64_t tokens = sizes.size() < 2 ? 0 : sizes[sizes.size() - 2];
  return said(sized_spec(text, {.width = sizes.back(), .rows = tokens}));
}

std::string spec_for_heads(const std::string& text, const std::string& shape) {
  if (shape.empty()) return text;
  const std::vector<std::int64_t> sizes = parse_shape(shape);
  const std::int64_t heads = sizes.size() < 3 ? 1 : sizes[sizes.size() - 2];
  return said(sized_spec(text, {.heads = heads, .head_dim = sizes.back()}));
}

}  // namespace posenc::cli
