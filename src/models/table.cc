#include "models/table.h"

#include <string>

#include "models/embedded.h"
#include "posenc/error.h"

namespace posenc::models {
namespace {

constexpr std::string_view kPrefix = R"({"model_type": ")";

constexpr std::string_view kAll = "*";

std::string_view type_of(std::string_view line) {
  if (!line.starts_with(kPrefix)) return {};
  line.remove_prefix(kPrefix.size());
  return line.substr(0, line.find('"'));
}

// Members of `row` take precedence; objects on both sides are merged, and a null removes a member.
void inherit(Json& row, const Json& parent) {
  for (const auto& [key, value] : parent.object()) {
    const Json* own = row.find(key);
    if (!own) {
      row.set(key, value);
    } else if (own->is_object() && value.is_object()) {
      Json joined = *own;
      inherit(joined, value);
      row.set(key, std::move(joined));
    }
  }
}

Json plain_row(std::string_view model_type) {
  for (const std::string_view line : table_lines()) {
    if (type_of(line) == model_type) return parse_json(line, "model_types.jsonl");
  }
  return {};
}

}  // namespace

std::span<const std::string_view> table_lines() { return {kModelTypeLines, kModelTypeLinesCount}; }

std::vector<std::string_view> table_model_types() {
  std::vector<std::string_view> types;
  for (const std::string_view line : table_lines()) {
    if (!type_of(line).empty() && type_of(line) != kAll) types.push_back(type_of(line));
  }
  return types;
}

Json row_of_all() { return plain_row(kAll); }

Json row_of(std::string_view model_type) {
  if (model_type == kAll) return {};
  Json row = plain_row(model_type);
  for (const Json* like = row.find("like"); like;) {
    const std::string name = like->string();
    const Json parent = plain_row(name);
    if (!parent.is_object()) fail(ErrorKind::unsupported, "[model_types] there is no row " + name);
    const Json* next = parent.find("like");
    inherit(row, parent);
    row.set("like", next ? *next : Json());
    like = next ? row.find("like") : nullptr;
  }
  return row;
}

}  // namespace posenc::models
