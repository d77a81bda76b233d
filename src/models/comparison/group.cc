// Groups of models: an encoding with the scales, the head and the window of its layers.
#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/text/joined.h"
#include "models/comparison/rule.h"

namespace posenc {
namespace {

using namespace comparison;

Limits limits_of_groups(const ModelGroup& a, const ModelGroup& b, const CompareOptions& options) {
  return limits_of(options,
                   std::max({a.trained_positions, b.trained_positions, trained_of(a.spec), trained_of(b.spec)}));
}

// The terms of a set, which configs give as "p2c|c2p" or as a list, in alphabetical order.
std::optional<std::string> set_text(const Json& value) {
  std::vector<std::string> words;
  if (value.is_string()) {
    std::istringstream text(value.string());
    for (std::string word; std::getline(text, word, '|');) words.push_back(word);
  } else if (value.is_array()) {
    for (const Json& item : value.array()) {
      if (!item.is_string()) return std::nullopt;
      words.push_back(item.string());
    }
  } else {
    return std::nullopt;
  }
  std::sort(words.begin(), words.end());
  return text::joined(words, "|");
}

// A parameter as the sentence of a comparison has it: lists and flags as text, null if there is none.
Json value_of(const Json& parameters, const std::string& name) {
  const Json* value = parameters.find(name);
  if (value == nullptr || value->is_number()) return value == nullptr ? Json() : *value;
  if (const std::optional<std::string> set = set_text(*value)) return *set;
  std::string text = to_text(*value);
  text.erase(text.find_last_not_of('\n') + 1);
  return text;
}

// The first parameter, in the order of A and then of B, whose values differ.
std::optional<Difference> first_parameter(const Json& a, const Json& b) {
  for (const Json* names : {&a, &b}) {
    if (!names->is_object()) continue;
    for (const auto& [name, value] : names->object()) {
      const Json one = value_of(a, name), other = value_of(b, name);
      if (to_text(one) != to_text(other)) return Difference{name, "", 0, one, other};
    }
  }
  return std::nullopt;
}

Comparison compare_other_kinds(const ModelGroup& a, const ModelGroup& b, const Limits& limits) {
  const auto kind = [](const ModelGroup& group) {
    return group.other_kind.empty() ? Json(kind_of(group.spec)) : Json(group.other_kind);
  };
  if (a.other_kind != b.other_kind) return different(limits, 0, {"kind", "", 0, kind(a), kind(b)});
  if (const std::optional<Difference> found = first_parameter(a.parameters, b.parameters)) {
    return different(limits, 0, *found);
  }
  return same(Agreement::equal, limits, a.other_kind + " with the same parameters");
}

// The scale is compared only if it is known for both.
Side side_of(const ModelGroup& group, const ModelGroup& other) {
  const bool known = group.softmax_scale && other.softmax_scale;
  return {group.spec, known ? *group.softmax_scale : 1.0, group.latent_head ? group.latent_head->nope : 0};
}

void keep_worse(Comparison& result, const Comparison& other) {
  if (other.verdict > result.verdict ||
      (other.verdict == Agreement::different && other.first_position < result.first_position)) {
    std::vector<std::string> notes = result.notes;
    notes.insert(notes.end(), other.notes.begin(), other.notes.end());
    result = other;
    result.notes = std::move(notes);
  }
}

void compare_query_scales(const ModelGroup& a, const ModelGroup& b, const Limits& limits, Comparison& result) {
  if (!a.query_scale && !b.query_scale) return;
  const QueryTemperature none{.scale = 0.0};
  Comparison scales = compare_temperature(a.query_scale.value_or(none), b.query_scale.value_or(none), limits);
  if (scales.differs) scales.differs->what = "query_scale";
  keep_worse(result, scales);
}

void compare_sliding_windows(const ModelGroup& a, const ModelGroup& b, const Limits& limits, Comparison& result) {
  if (a.sliding_window == b.sliding_window) return;
  const std::int64_t shorter =
      std::min(a.sliding_window.value_or(limits.positions), b.sliding_window.value_or(limits.positions));
  const auto value = [](const auto& window) { return window ? Json(*window) : Json(); };
  const Difference what{"sliding_window", "", 0, value(a.sliding_window), value(b.sliding_window)};
  if (shorter < limits.positions) return keep_worse(result, different(limits, shorter, what));
  result.notes.push_back(difference_text(what) + ": no difference at the compared positions");
}

void compare_latent_heads(const ModelGroup& a, const ModelGroup& b, const Limits& limits, Comparison& result) {
  // The comparison of rotary encodings already includes both parts of the head.
  if (std::holds_alternative<Rotary>(a.spec) && std::holds_alternative<Rotary>(b.spec)) return;
  const auto width = [](const ModelGroup& group) {
    return group.latent_head ? Json(group.latent_head->nope + group.latent_head->rope) : Json();
  };
  if (to_text(width(a)) == to_text(width(b))) return;
  keep_worse(result, different(limits, 0, {"latent_head", "", 0, width(a), width(b)}));
}

}  // namespace

Comparison compare(const ModelGroup& a, const ModelGroup& b, const CompareOptions& options) {
  const Limits limits = limits_of_groups(a, b, options);
  if (!a.other_kind.empty() || !b.other_kind.empty()) return compare_other_kinds(a, b, limits);
  validate(a.spec);
  validate(b.spec);
  CompareOptions settled = options;
  settled.positions = limits.positions;
  Comparison result = compare_open(side_of(a, b), side_of(b, a), settled);
  if (a.softmax_scale.has_value() != b.softmax_scale.has_value()) {
    result.notes.push_back("the softmax scale is not compared, because it is not known for both");
  }
  compare_query_scales(a, b, limits, result);
  compare_sliding_windows(a, b, limits, result);
  compare_latent_heads(a, b, limits, result);
  return result;
}

}  // namespace posenc
