#include "posenc/files/spec_json.h"
#include "posenc/models/compare.h"

namespace posenc {
namespace {

template <class Value>
Json optional(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json integers(const std::vector<std::int64_t>& list) { return Json(Json::Array(list.begin(), list.end())); }
Json permutation(const std::vector<std::int64_t>& list) { return list.empty() ? Json() : integers(list); }

Json difference_json(const Difference& difference) {
  Json json;
  json.set("what", difference.what);
  json.set("place", difference.place.empty() ? Json() : Json(difference.place));
  json.set("index", difference.place.empty() ? Json() : Json(difference.index));
  return json.set("a", difference.a).set("b", difference.b);
}

void set_members(const Comparison& comparison, Json& json) {
  json.set("verdict", to_text(comparison.verdict));
  json.set("condition", comparison.condition.empty() ? Json() : Json(comparison.condition));
  json.set("first_position", optional(comparison.first_position));
  json.set("differs", comparison.differs ? difference_json(*comparison.differs) : Json());
  json.set("difference", comparison.difference).set("positions", comparison.positions);
  json.set("permutation", permutation(comparison.permutation));
  json.set("output_permutation", permutation(comparison.output_permutation));
  Json::Array lengths;
  for (const LengthRange& range : comparison.lengths) {
    Json item;
    item.set("first", range.first).set("last", range.last == 0 ? Json() : Json(range.last));
    lengths.push_back(item.set("verdict", to_text(range.verdict)));
  }
  json.set("lengths", Json(lengths)).set("sentence", comparison.sentence);
  json.set("notes", Json(Json::Array(comparison.notes.begin(), comparison.notes.end())));
}

}  // namespace

Json to_json(const Comparison& comparison) {
  Json json;
  json.set("schema", kSchema);
  set_members(comparison, json);
  return json;
}

Json to_json(const ModelComparison& comparison) {
  Json::Array entries;
  for (const ModelComparisonEntry& entry : comparison.entries) {
    Json item;
    item.set("part", entry.part).set("layers", integers(entry.layers));
    item.set("group_a", optional(entry.group_a)).set("group_b", optional(entry.group_b));
    set_members(entry.comparison, item);
    entries.push_back(item);
  }
  Json json;
  json.set("schema", kSchema).set("verdict", to_text(comparison.verdict)).set("sentence", comparison.sentence);
  return json.set("entries", Json(entries));
}

}  // namespace posenc
