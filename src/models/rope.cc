#include "models/rope.h"

#include <algorithm>

namespace posenc::models {
namespace {

using Labels = std::vector<RopeLabel>;

// Limits the members, each of which may be the dictionary of a layer type. No model has as many types or parameters.
void check_size(const Config& config, const Found& found) {
  constexpr std::size_t kMostRopeMembers = 128;
  const std::size_t members = found.value.object().size();
  if (members <= kMostRopeMembers) return;
  config.refuse_at(found.from, "expected at most ", kMostRopeMembers, " members but got ", members);
}

RopeDict dict_of(const Json& object, const std::string& path) {
  RopeDict dict;
  const bool in_table = path.starts_with("default of ");
  for (const auto& [key, value] : object.object()) dict.members.push_back({key, {value, in_table ? path : path + key}});
  return dict;
}

// The dictionary under a name in the file, unchanged; none if it is missing or null.
std::optional<RopeDict> file_dict(const Config& config, const std::string& name) {
  const Found found = config.in_file(name);
  if (!found.given()) return std::nullopt;
  if (!found.value.is_object()) config.refuse(name, "expected an object or null but got ", value_text(found.value));
  check_size(config, found);
  return dict_of(found.value, found.from + ".");
}

// A member that is itself a dictionary.
RopeDict inner_dict(const Config& config, const RopeDict& dict, const std::string& label) {
  const Found found = dict.get(label);
  if (found.value.is_object()) {
    check_size(config, found);
    return dict_of(found.value, found.from.starts_with("default of ") ? found.from : found.from + ".");
  }
  config.refuse(found.from, "expected an object or null but got ", value_text(found.value));
}

bool has_member(const RopeDict& dict, std::string_view key) {
  return std::any_of(dict.members.begin(), dict.members.end(), [&](const auto& member) { return member.first == key; });
}

bool is_nested(const RopeDict& dict, const Labels& labels) {
  return std::any_of(labels.begin(), labels.end(),
                     [&](const RopeLabel& label) { return has_member(dict, label.name); });
}

// `theta` has a member for each layer type that has its own base.
Found default_theta(const Config& config, const std::string& label) {
  const Json* theta = config.rule("theta");
  if (theta && theta->is_object()) theta = theta->find(label);
  if (theta && theta->is_string()) return config.evaluate(Formula(theta->string()));
  return {theta ? *theta : Json(10000.0), "default of " + config.model_type()};
}

// Warns if the dictionary and the key outside it have different values.
void tell_twice(const Config& config, const RopeDict& dict, const std::string& key, const Found& beside, bool inner) {
  const Found* within = dict.find(key);
  if (!within || !beside.given() || value_text(within->value) == value_text(beside.value)) return;
  if (within->value.is_number() && beside.value.is_number() && within->value.number() == beside.value.number()) return;
  const Found& winner = inner ? *within : beside;
  const Found& loser = inner ? beside : *within;
  config.remarks().warn("the file contradicts itself: " + winner.from + " is " + value_text(winner.value) + " and " +
                        loser.from + " is " + value_text(loser.value) + "; " + winner.from +
                        " is used, as in Hugging Face");
}

// `rope_type`, else the old `type`, with the synonyms of the model type.
void settle_type(const Config& config, RopeDict& dict) {
  Found type = dict.get("rope_type");
  const Found old = dict.get("type");
  if (!type.given()) type = old;
  if (!type.given()) type = {"default", "no rope_type: default"};
  if (!type.value.is_string()) config.refuse(type.from, "expected a word but got ", value_text(type.value));
  const bool in_file = !type.from.starts_with("no rope_parameters");
  if (in_file && old.given() && old.value.is_string() && old.value.string() != type.value.string()) {
    tell_twice(config, dict, "rope_type", old, true);
  }
  const Json* words = config.rope_rule("words");
  const Json* word = words ? words->find(type.value.string()) : nullptr;
  if (word)
    type = {*word, type.from + ", " + type.value.string() + " is " + word->string() + " in " + config.model_type()};
  dict.set("rope_type", type);
}

// The trained length: in Hugging Face, a key outside a flat dictionary takes precedence.
void settle_original(const Config& config, RopeDict& dict, bool nested) {
  dict.nested = nested;
  const std::string type = dict.type();
  if (type != "llama3" && type != "yarn" && type != "longrope") return;
  const std::string key = "original_max_position_embeddings";
  const Found beside = config.find(key);
  if (beside.given() && !nested) {
    const Found* within = dict.find(key);
    const bool differ = within && value_text(within->value) != value_text(beside.value);
    const std::string sentence =
        "original_max_position_embeddings has one value inside the rope parameters and another outside: the one "
        "outside is used, as in Hugging Face; the other reading uses the one inside";
    if (!differ || !config.remarks().other_reading("original_within", sentence)) dict.set(key, beside);
  }
  Found length = config.find("max_position_embeddings");
  length.from += " (no original_max_position_embeddings)";
  if (length.given()) dict.set_default(key, length);
}

void settle_theta(const Config& config, RopeDict& dict, const std::string& label) {
  const Found beside = config.in_file("rope_theta");
  const bool wins = config.rope_rule("beside_wins") && beside.given();
  tell_twice(config, dict, "rope_theta", beside, !wins);
  if (wins) dict.set("rope_theta", beside);
  Found theta = beside.given() ? beside : config.find("rope_theta");
  if (!theta.given()) theta = default_theta(config, label);
  dict.set_default("rope_theta", theta);
}

void settle_partial(const Config& config, RopeDict& dict) {
  const Found beside = config.in_file("partial_rotary_factor");
  tell_twice(config, dict, "partial_rotary_factor", beside, true);
  const Json* rule = config.rule("partial");
  const Json* formula = rule ? rule->find("default") : nullptr;
  if (const Json* forced = rule ? rule->find("forced") : nullptr) {
    const std::string sentence = config.model_type() + " has a fixed rotated share of the head in its code, " +
                                 (forced->is_string() ? forced->string() : value_text(*forced)) +
                                 ", whatever the key outside the rope parameters says; the other reading uses the key";
    const Found own = forced->is_string() ? config.evaluate(Formula(forced->string()))
                                          : Found{*forced, "model type " + config.model_type()};
    const bool take_key = beside.given() && value_text(beside.value) != value_text(own.value) &&
                          config.remarks().other_reading("partial_beside", sentence);
    dict.set_default("partial_rotary_factor", take_key ? beside : own);
    return;
  }
  Found partial = beside;
  if (!partial.given() && formula) {
    partial = formula->is_string() ? config.evaluate(Formula(formula->string()))
                                   : Found{*formula, "default of " + config.model_type()};
  }
  if (partial.given()) dict.set_default("partial_rotary_factor", partial);
}

// For model types that do not move outer keys into the dictionary. A scaling reads the outer keys all the same. The
// type `default` does not, but its code may have its own rotated share.
void settle_given(const Config& config, RopeDict& dict, const std::string& label) {
  const Found theta = config.in_file("rope_theta"), partial = config.in_file("partial_rotary_factor");
  const bool scaled = dict.type() != "default";
  if (scaled && theta.given()) dict.set_default("rope_theta", theta);
  if (scaled && partial.given()) dict.set_default("partial_rotary_factor", partial);
  dict.set_default("rope_theta", default_theta(config, label));
  const Json* rule = config.rule("partial");
  const Json* share = rule ? rule->find("default") : nullptr;
  if (!scaled && share) dict.set_default("partial_rotary_factor", {*share, "default of " + config.model_type()});
}

void settle(const Config& config, RopeDict& dict, const std::string& label, bool nested) {
  settle_theta(config, dict, label);
  settle_partial(config, dict);
  settle_type(config, dict);
  settle_original(config, dict, nested);
}

[[noreturn]] void refuse_label(const Config& config, const std::string& label) {
  config.refuse("rope_parameters", "expected rope parameters for every layer type but there are none for '", label,
                "', which is in layer_types");
}

// The dictionary that is used: one of the two spellings, or the default.
RopeDict flat_source(const Config& config) {
  std::optional<RopeDict> scaling = file_dict(config, "rope_scaling");
  const std::optional<RopeDict> parameters = file_dict(config, "rope_parameters");
  if (scaling && config.rope_rule("ignores_scaling") &&
      !config.remarks().other_reading("rope_scaling_read", "Hugging Face's " + config.model_type() +
                                                               " reads only rope_parameters, not rope_scaling; the "
                                                               "other reading uses it")) {
    scaling.reset();
  }
  if (scaling && !scaling->members.empty()) {
    if (parameters && !parameters->members.empty()) {
      config.remarks().warn(
          "the file has both rope_scaling and rope_parameters: rope_scaling is used, as in Hugging Face");
    }
    return *scaling;
  }
  if (parameters) return *parameters;
  const Json* fallback = config.rule("rope_parameters");
  return fallback ? dict_of(*fallback, "default of " + config.model_type()) : RopeDict{};
}

std::vector<LabelledRope> nested_ropes(const Config& config, const RopeDict& source, const Labels& labels,
                                       bool settled_keys) {
  std::vector<LabelledRope> ropes;
  std::vector<std::string> all;
  for (const RopeLabel& label : labels) all.push_back(label.name);
  for (const auto& [key, found] : source.members) {  // keys that no layer uses
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
      settle_type(config, dict);
      settle_given(config, dict, label);
      settle_original(config, dict, true);
    }
    ropes.push_back({label, std::move(dict)});
  }
  return ropes;
}

std::vector<LabelledRope> flat(const Config& config, const Labels& labels) {
  RopeDict source = flat_source(config);
  const bool none_without_theta = config.rope_rule("null_theta");
  if (is_nested(source, labels)) {
    std::vector<LabelledRope> ropes = nested_ropes(config, source, labels, true);
    for (LabelledRope& rope : ropes) {
      if (none_without_theta) rope.dict.reset();  // the code looks for one base, outside the dictionaries
    }
    return ropes;
  }
  const Json* beside = config.object().find("rope_theta");
  const bool null_beside = beside && beside->is_null() && !source.find("rope_theta");
  const bool no_theta =
      none_without_theta && (null_beside || (has_member(source, "rope_theta") && !source.find("rope_theta")));
  settle(config, source, "", false);
  std::vector<LabelledRope> ropes;
  for (const RopeLabel& label : labels) ropes.push_back({label.name, source});
  if (labels.empty()) ropes.push_back({"", source});
  if (!no_theta) return ropes;
  for (LabelledRope& rope : ropes) rope.dict.reset();
  return ropes;
}

// A key outside the dictionaries may have a value per layer: use that of the first layer of the type.
Found beside_value(const Config& config, const Json& rule, std::string_view name, std::int64_t layer) {
  const Json* key = rule.find(name);
  Found found = key ? config.in_file(key->string()) : Found{};
  if (!found.value.is_array()) return found;
  const Json::Array& list = found.value.array();
  if (layer >= static_cast<std::int64_t>(list.size())) {
    config.refuse_at(found.from, "expected a value for layer ", layer, " but got ", list.size(), " values");
  }
  return {list[static_cast<std::size_t>(layer)], found.from + "[" + std::to_string(layer) + "]"};
}

// One dictionary per layer type; the old rope_scaling is merged into those that the row names.
class ByLayerType {
 public:
  ByLayerType(const Config& config, const Labels& labels)
      : config_(config),
        labels_(labels),
        types_(config.rope_rule("types")->object()),
        given_(file_dict(config, "rope_parameters")),
        scaling_(file_dict(config, "rope_scaling")) {}

  std::vector<LabelledRope> make() {
    check_labels();
    drop_nested_scaling();
    const bool is_flat = given_ && !given_->members.empty() && !has_types(false);
    if (is_flat && config_.rope_rule("flat_scales")) {
      if (!scaling_) scaling_ = given_;
      given_.reset();
    } else if (is_flat && !config_.rope_rule("whole_or_none")) {
      use_flat_ = config_.remarks().other_reading(
          "flat_parameters", "rope_parameters has no dictionary per layer type, and Hugging Face's " +
                                 config_.model_type() +
                                 " then ignores it; the other reading uses it for the full-attention layers");
    }
    if (given_ && config_.rope_rule("whole_or_none") && !has_types(true)) given_.reset();
    std::vector<LabelledRope> ropes;
    for (const auto& [label, rule] : types_) ropes.push_back({label, dict_for(label, rule)});
    return ropes;
  }

 private:
  // Whether the dictionary has any of the layer types, or, with `all`, every type that layers use.
  bool has_types(bool all) const {
    if (all) {
      return std::all_of(labels_.begin(), labels_.end(),
                         [&](const RopeLabel& l) { return has_member(*given_, l.name); });
    }
    return std::any_of(types_.begin(), types_.end(), [&](const auto& type) { return has_member(*given_, type.first); });
  }

  void check_labels() const {
    for (const RopeLabel& label : labels_) {
      const auto same = [&](const auto& type) { return type.first == label.name; };
      if (std::any_of(types_.begin(), types_.end(), same)) continue;
      config_.refuse("layer_types", "expected layer types that ", config_.model_type(), " has but got '", label.name,
                     "'");
    }
  }

  // Old files have a dictionary per layer type in rope_scaling: takes it over, or drops it as Hugging Face does.
  void drop_nested_scaling() {
    if (!scaling_ || given_) return;
    const auto is_type = [&](const auto& member) {
      return std::any_of(types_.begin(), types_.end(), [&](const auto& type) { return type.first == member.first; });
    };
    if (std::none_of(scaling_->members.begin(), scaling_->members.end(), is_type)) return;
    if (config_.remarks().other_reading("nested_scaling",
                                        "rope_scaling has a dictionary per layer type, which Hugging Face's " +
                                            config_.model_type() +
                                            " reads only under rope_parameters; the other reading uses them")) {
      given_ = std::move(scaling_);
      scaling_.reset();
    } else {
      std::erase_if(scaling_->members, is_type);
    }
  }

  void scale(RopeDict& dict) const {
    const bool old_word = scaling_->find("type") && !scaling_->find("rope_type") && dict.find("rope_type");
    for (const auto& [key, found] : scaling_->members) dict.set(key, found);
    const std::string sentence = "rope_scaling has the old key `type`, which Hugging Face's " + config_.model_type() +
                                 " does not read, so it drops the scaling; the other reading applies it";
    if (old_word && (config_.rope_rule("flat_scales") || config_.remarks().other_reading("old_type_word", sentence))) {
      dict.set("rope_type", dict.get("type"));
    }
  }

  RopeDict dict_for(const std::string& label, const Json& rule) {
    RopeDict dict;
    if (given_ && given_->find(label)) dict = inner_dict(config_, *given_, label);
    const bool scaled = rule.find("scaled") && is_true(*rule.find("scaled"));
    if (use_flat_ && scaled) dict = *given_;
    if (!given_) dict.set("rope_type", {"default", "no rope_parameters: default"});
    if (scaling_ && scaled) scale(dict);
    const auto found =
        std::find_if(labels_.begin(), labels_.end(), [&](const RopeLabel& l) { return l.name == label; });
    const std::int64_t layer = found == labels_.end() ? 0 : found->layer;
    const Found theta = beside_value(config_, rule, "theta_key", layer);
    if (rule.find("own_theta") && !given_)
      dict.set("rope_theta", theta.given() ? theta : default_theta(config_, label));
    if (!rule.find("own_theta")) tell_twice(config_, dict, "rope_theta", theta, true);
    dict.set_default("rope_theta", theta.given() ? theta : default_theta(config_, label));
    const Found share = beside_value(config_, rule, "partial_key", layer);
    if (share.given()) dict.set_default("partial_rotary_factor", share);
    const std::string table = "default of " + config_.model_type();
    if (rule.find("own_theta") && !given_) dict.set("partial_rotary_factor", {});
    if (const Json* partial = rule.find("partial")) dict.set_default("partial_rotary_factor", {*partial, table});
    settle_partial(config_, dict);
    settle_type(config_, dict);
    const Json* factor = rule.find("attention_factor");
    if (factor && dict.type() == "yarn") dict.set_default("attention_factor", {*factor, table});
    settle_original(config_, dict, true);
    return dict;
  }

  const Config& config_;
  const Labels& labels_;
  const Json::Object& types_;
  std::optional<RopeDict> given_, scaling_;
  bool use_flat_ = false;
};

// The dictionary unchanged, or the default. Keys outside it are read only if a scaling lacks its own.
std::vector<LabelledRope> as_given(const Config& config, const Labels& labels) {
  for (const char* old : {"rope_theta", "partial_rotary_factor"}) {
    const Found found = config.in_file(old);
    if (!found.given()) continue;
    config.remarks().warn(found.from + " is outside the rope parameters, where " + config.model_type() +
                          " reads it only if a scaling lacks its own");
  }
  const std::optional<RopeDict> scaling = file_dict(config, "rope_scaling"),
                                given = file_dict(config, "rope_parameters");
  const Json* fallback = config.rule("rope_parameters");
  if (scaling) return nested_ropes(config, *scaling, labels, false);
  if (!given && !fallback)
    config.refuse("rope_parameters", "expected rope parameters per layer type, but the key is missing");
  return nested_ropes(config, given ? *given : dict_of(*fallback, "default of " + config.model_type()), labels, false);
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
  const Json* style = config.rope_rule("style");
  const std::string word = style ? style->string() : "flat";
  if (word == "by_layer_type") return ByLayerType(config, labels).make();
  if (word == "as_given") return as_given(config, labels);
  if (word == "flat") return flat(config, labels);
  // fixed: numbers from the row only
  RopeDict dict;
  settle_theta(config, dict, "");
  settle_partial(config, dict);
  settle_type(config, dict);
  return {{"", dict}};
}

}  // namespace posenc::models
