#include "models/rope.h"

#include <algorithm>

#include "posenc/error.h"

namespace posenc::models {
namespace {

using Labels = std::vector<std::string>;

const Json* rope_rule(const Config& config, std::string_view key) {
  const Json* rope = config.row().find("rope");
  return rope ? rope->find(key) : nullptr;
}

RopeDict dict_of(const Json& object, const std::string& path) {
  RopeDict dict;
  const bool in_table = path.starts_with("default of ");
  for (const auto& [key, value] : object.object()) dict.members.push_back({key, {value, in_table ? path : path + key}});
  return dict;
}

// The dictionary in the file under a name, as it stands there; none where it is missing or null.
std::optional<RopeDict> file_dict(const Config& config, const std::string& name) {
  const Found found = config.in_file(name);
  if (!found.given()) return std::nullopt;
  if (!found.value.is_object()) config.refuse(name, "expected an object or null but got " + value_text(found.value));
  return dict_of(found.value, found.from + ".");
}

// A member that is itself a dictionary.
RopeDict inner_dict(const Config& config, const RopeDict& dict, const std::string& label) {
  const Found found = dict.get(label);
  if (found.value.is_object()) {
    return dict_of(found.value, found.from.starts_with("default of ") ? found.from : found.from + ".");
  }
  config.refuse(found.from, "expected an object or null but got " + value_text(found.value));
}

bool has_member(const RopeDict& dict, std::string_view key) {
  return std::any_of(dict.members.begin(), dict.members.end(), [&](const auto& member) { return member.first == key; });
}

bool is_nested(const RopeDict& dict, const Labels& labels) {
  return std::any_of(labels.begin(), labels.end(), [&](const std::string& label) { return has_member(dict, label); });
}

// A base per type of layer is a member of `theta`.
Found default_theta(const Config& config, const std::string& label) {
  const Json* theta = config.row().find("theta");
  if (theta && theta->is_object()) theta = theta->find(label);
  return {theta ? *theta : Json(10000.0), "default of " + config.model_type()};
}

// What stands in the file both within the dictionary and beside it.
void tell_twice(const Config& config, const RopeDict& dict, const std::string& key, const Found& beside, bool inner) {
  const Found* within = dict.find(key);
  if (!within || !beside.given() || value_text(within->value) == value_text(beside.value)) return;
  if (within->value.is_number() && beside.value.is_number() && within->value.number() == beside.value.number()) return;
  const Found& winner = inner ? *within : beside;
  const Found& loser = inner ? beside : *within;
  config.remarks().warn("the file contradicts itself: " + winner.from + " is " + value_text(winner.value) + " and " +
                        loser.from + " is " + value_text(loser.value) + "; " + winner.from +
                        " wins, as in Hugging Face");
}

// `rope_type`, else the old `type`, through the words that the model type reads as others.
void settle_type(const Config& config, RopeDict& dict) {
  Found type = dict.get("rope_type");
  const Found old = dict.get("type");
  if (!type.given()) type = old;
  if (!type.given()) type = {"default", "no rope_type: default"};
  if (!type.value.is_string()) config.refuse(type.from, "expected a word but got " + value_text(type.value));
  if (old.given() && old.value.is_string() && old.value.string() != type.value.string()) {
    tell_twice(config, dict, "rope_type", old, true);
  }
  const Json* words = rope_rule(config, "words");
  const Json* word = words ? words->find(type.value.string()) : nullptr;
  if (word) type = {*word, type.from + ", " + type.value.string() + " is " + word->string() + " in " + config.model_type()};
  dict.set("rope_type", type);
}

// The trained length: for a flat dictionary a key beside it wins, in Hugging Face.
void settle_original(const Config& config, RopeDict& dict, bool nested) {
  dict.nested = nested;
  const std::string type = dict.type();
  if (type != "llama3" && type != "yarn" && type != "longrope") return;
  const std::string key = "original_max_position_embeddings";
  const Found beside = config.find(key);
  if (beside.given() && !nested) {
    const Found* within = dict.find(key);
    const bool differ = within && value_text(within->value) != value_text(beside.value);
    const std::string sentence = "original_max_position_embeddings stands beside the rope parameters and within them, " +
                                 std::string("with other values: the one beside wins, as in Hugging Face; the other "
                                             "reading takes the one within");
    if (!differ || !config.remarks().other_reading("original_within", sentence)) dict.set(key, beside);
  }
  Found length = config.find("max_position_embeddings");
  length.from += " (no original_max_position_embeddings)";
  if (length.given()) dict.set_default(key, length);
}

void settle_theta(const Config& config, RopeDict& dict, const std::string& label) {
  const Found beside = config.in_file("rope_theta");
  tell_twice(config, dict, "rope_theta", beside, true);
  Found theta = beside.given() && !beside.value.is_array() ? beside : config.find("rope_theta");
  if (!theta.given() || theta.value.is_array()) theta = default_theta(config, label);
  dict.set_default("rope_theta", theta);
}

void settle_partial(const Config& config, RopeDict& dict) {
  const Found beside = config.in_file("partial_rotary_factor");
  tell_twice(config, dict, "partial_rotary_factor", beside, true);
  const Json* rule = config.row().find("partial");
  const Json* formula = rule ? rule->find("default") : nullptr;
  Found partial = beside;
  if (!partial.given() && formula) {
    partial = formula->is_string() ? config.evaluate(Formula(formula->string()))
                                   : Found{*formula, "default of " + config.model_type()};
  }
  if (partial.given()) dict.set_default("partial_rotary_factor", partial);
}

void settle(const Config& config, RopeDict& dict, const std::string& label, bool nested) {
  settle_theta(config, dict, label);
  settle_partial(config, dict);
  settle_type(config, dict);
  settle_original(config, dict, nested);
}

[[noreturn]] void refuse_label(const Config& config, const std::string& label) {
  config.refuse("rope_parameters", "expected rope parameters for every type of layer but there are none for '" + label +
                                       "', which layer_types has");
}

// The dictionary that holds, of the two spellings and the default.
RopeDict flat_source(const Config& config) {
  const std::optional<RopeDict> scaling = file_dict(config, "rope_scaling");
  const std::optional<RopeDict> parameters = file_dict(config, "rope_parameters");
  if (scaling && !scaling->members.empty()) {
    if (parameters && !parameters->members.empty()) {
      config.remarks().warn("the file has rope_scaling and rope_parameters: rope_scaling wins, as in Hugging Face");
    }
    return *scaling;
  }
  if (parameters) return *parameters;
  const Json* fallback = config.row().find("rope_parameters");
  return fallback ? dict_of(*fallback, "default of " + config.model_type()) : RopeDict{};
}

std::vector<LabelledRope> nested_ropes(const Config& config, const RopeDict& source, const Labels& labels,
                                       bool settled_keys) {
  std::vector<LabelledRope> ropes;
  Labels all = labels;
  for (const auto& [key, found] : source.members) {  // those that no layer uses
    if (found.value.is_object() && std::find(all.begin(), all.end(), key) == all.end()) all.push_back(key);
  }
  for (const std::string& label : all) {
    if (!has_member(source, label)) refuse_label(config, label);
    if (!source.find(label)) {
      ropes.push_back({label, std::nullopt});
      continue;
    }
    RopeDict dict = inner_dict(config, source, label);
    if (settled_keys) {
      settle(config, dict, label, true);
    } else {
      dict.set_default("rope_theta", default_theta(config, label));
      settle_type(config, dict);
      settle_original(config, dict, true);
    }
    ropes.push_back({label, std::move(dict)});
  }
  return ropes;
}

std::vector<LabelledRope> flat(const Config& config, const Labels& labels) {
  RopeDict source = flat_source(config);
  if (is_nested(source, labels)) return nested_ropes(config, source, labels, true);
  settle(config, source, "", false);
  std::vector<LabelledRope> ropes;
  for (const std::string& label : labels) ropes.push_back({label, source});
  if (labels.empty()) ropes.push_back({"", source});
  return ropes;
}

// One dictionary per type of layer, into which the old rope_scaling goes where the row says so.
std::vector<LabelledRope> by_layer_type(const Config& config, const Labels& labels) {
  const std::optional<RopeDict> given = file_dict(config, "rope_parameters");
  const std::optional<RopeDict> scaling = file_dict(config, "rope_scaling");
  const Json::Object& types = rope_rule(config, "types")->object();
  bool is_flat = given && !given->members.empty();
  for (const auto& [label, rule] : types) is_flat = is_flat && !has_member(*given, label);
  const bool use_flat =
      is_flat && config.remarks().other_reading(
                     "flat_parameters", "rope_parameters has no dictionaries per type of layer, and Hugging Face's " +
                                            config.model_type() +
                                            " then ignores it; the other reading takes it for the full layers");
  std::vector<LabelledRope> ropes;
  for (const auto& [label, rule] : types) {
    RopeDict dict;
    if (given && given->find(label)) dict = inner_dict(config, *given, label);
    const bool scaled = rule.find("scaled") && is_true(*rule.find("scaled"));
    if (use_flat && scaled) dict = *given;
    if (!given) dict.set("rope_type", {"default", "no rope_parameters: default"});
    if (scaling && scaled) {
      const bool old_word = scaling->find("type") && !scaling->find("rope_type") && dict.find("rope_type");
      for (const auto& [key, found] : scaling->members) dict.set(key, found);
      if (old_word && config.remarks().other_reading(
                          "old_type_word", "rope_scaling has the old word `type`, which Hugging Face's " +
                                               config.model_type() +
                                               " does not read: the scaling is dropped; the other reading applies it")) {
        dict.set("rope_type", dict.get("type"));
      }
    }
    const Json* key = rule.find("theta_key");
    const Found beside = key ? config.in_file(key->string()) : Found{};
    tell_twice(config, dict, "rope_theta", beside, true);
    dict.set_default("rope_theta", beside.given() ? beside : default_theta(config, label));
    settle_type(config, dict);
    settle_original(config, dict, true);
    ropes.push_back({label, std::move(dict)});
  }
  for (const std::string& label : labels) {
    if (!types.empty() && std::none_of(types.begin(), types.end(), [&](const auto& t) { return t.first == label; })) {
      config.refuse("layer_types", "expected types of layers that " + config.model_type() + " has but got " + label);
    }
  }
  return ropes;
}

// The dictionary as it stands, or the default: no old spelling is read.
std::vector<LabelledRope> as_given(const Config& config, const Labels& labels) {
  for (const char* old : {"rope_scaling", "rope_theta", "partial_rotary_factor"}) {
    const Found found = config.in_file(old);
    if (found.given()) config.remarks().warn(found.from + " has no effect: " + config.model_type() + " reads rope_parameters only");
  }
  const std::optional<RopeDict> given = file_dict(config, "rope_parameters");
  const Json* fallback = config.row().find("rope_parameters");
  const RopeDict source = given ? *given : dict_of(*fallback, "default of " + config.model_type());
  return nested_ropes(config, source, labels, false);
}

}  // namespace

const Found* RopeDict::find(std::string_view key) const noexcept {
  for (const auto& [name, found] : members) {
    if (name == key) return found.given() ? &found : nullptr;
  }
  return nullptr;
}

Found RopeDict::get(std::string_view key) const {
  const Found* found = find(key);
  return found ? *found : Found{};
}

void RopeDict::set(const std::string& key, Found found) {
  for (auto& [name, member] : members) {
    if (name == key) {
      member = std::move(found);
      return;
    }
  }
  members.emplace_back(key, std::move(found));
}

void RopeDict::set_default(const std::string& key, Found found) {
  if (!find(key)) set(key, std::move(found));
}

std::string RopeDict::type() const { return get("rope_type").value.string(); }

Json RopeDict::object() const {
  Json object = Json::Object{};
  for (const auto& [key, found] : members) object.set(key, found.value);
  return object;
}

std::vector<LabelledRope> resolve_rope(const Config& config, const Labels& labels) {
  const Json* style = rope_rule(config, "style");
  const std::string word = style ? style->string() : "flat";
  if (word == "by_layer_type") return by_layer_type(config, labels);
  if (word == "as_given") return as_given(config, labels);
  if (word == "flat") return flat(config, labels);
  // fixed: numbers of the row alone
  RopeDict dict;
  settle_theta(config, dict, "");
  settle_partial(config, dict);
  settle_type(config, dict);
  return {{"", dict}};
}

}  // namespace posenc::models
