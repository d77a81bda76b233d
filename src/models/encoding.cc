#include "models/encoding.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "detail/fields.h"
#include "models/layers.h"
#include "models/rope.h"
#include "models/rotary.h"
#include "models/scaling.h"
#include "models/table.h"
#include "posenc/error.h"
#include "posenc/spec_json.h"

namespace posenc::models {
namespace {

const Json* rule(const Config& config, std::string_view key) {
  const Json* found = config.row().find(key);
  return found && !found->is_null() ? found : nullptr;
}

// A formula, or numbers and formulas in lists and objects.
Found entry_value(const Config& config, const Json& entry, const Json& names) {
  if (entry.is_string()) return config.evaluate(Formula(entry.string()), names);
  Found found{entry, "model type " + config.model_type()};
  if (entry.is_array()) {
    Json::Array list;
    for (const Json& item : entry.array()) list.push_back(entry_value(config, item, names).value);
    found.value = std::move(list);
  } else if (entry.is_object()) {
    Json object = Json::Object{};
    for (const auto& [key, item] : entry.object()) {
      Json value = entry_value(config, item, names).value;
      if (!value.is_null()) object.set(key, std::move(value));
    }
    found.value = std::move(object);
  }
  return found;
}

void add_notes(const Config& config, ModelGroup& group) {
  const Json* notes = rule(config, "notes");
  if (!notes) return;
  for (const Json& note : notes->array()) group.notes.push_back(note.string());
}

std::int64_t trained_positions(const Config& config) {
  const Found found = config.find("max_position_embeddings");
  return found.given() ? config.integer_at(found, 0, std::int64_t{1} << 52) : 0;
}

// An encoding whose fields are formulas of the row: everything but a rotary one of text.
ModelGroup plain_group(const Config& config, const std::string& kind) {
  ModelGroup group;
  Json fields = Json::Object{};
  if (const Json* rules = rule(config, "fields")) {
    for (const auto& [field, entry] : rules->object()) {
      const Found found = entry_value(config, entry, {});
      if (!found.given()) continue;
      fields.set(field, found.value);
      group.provenance.push_back({field, found.from});
    }
  }
  if (detail::default_spec(kind)) {
    Json spec = Json::Object{};
    spec.set("kind", kind);
    for (const auto& [field, value] : fields.object()) spec.set(field, value);
    group.spec = spec_from_json(spec, config.source());
  } else {
    group.other_kind = kind;
    group.parameters = std::move(fields);
  }
  return group;
}

// What multiplies q.k and the queries of one group of layers.
class Scales {
 public:
  Scales(const Config& config, const Json& names) : config_(config), names_(names) {}

  void set(ModelGroup& group) const {
    const Json* formula = rule(config_, "softmax_scale");
    const Found scale = config_.evaluate(Formula(formula ? formula->string() : "head_dim^-0.5"), names_);
    if (scale.given() && scale.value.is_number()) {
      if (!std::isfinite(scale.value.number())) {
        config_.refuse_at(scale.from, "expected numbers that give a finite softmax scale but it is infinite");
      }
      group.softmax_scale = scale.value.number();
      group.provenance.push_back({"softmax_scale", scale.from});
    }
    if (const Json* rules = rule(config_, "query_scale")) query(group, *rules);
  }

 private:
  Found of(const Json& rules, std::string_view key) const {
    const Json* entry = rules.find(key);
    return entry ? entry_value(config_, *entry, names_) : Found{};
  }

  void query(ModelGroup& group, const Json& rules) const {
    if (const Json* when = rules.find("when")) {
      if (!is_true(config_.evaluate(Formula(when->string()), names_).value)) return;
    }
    const Found scale = of(rules, "scale"), length = of(rules, "length"), first = of(rules, "first");
    if (!scale.given() || !length.given()) return;
    QueryTemperature temperature;
    temperature.scale = config_.positive_at(scale);
    temperature.length = config_.integer_at(length, 1, std::int64_t{1} << 52);
    temperature.first = first.given() ? config_.integer_at(first, 0, 1) : 0;
    const Json* form = rules.find("form");
    if (form && form->string() == "power") temperature.form = TemperatureForm::power;
    group.query_scale = temperature;
    group.provenance.push_back({"query_scale.scale", scale.from});
    group.provenance.push_back({"query_scale.length", length.from});
  }

  const Config& config_;
  const Json& names_;
};

std::optional<std::int64_t> window_of(const Config& config, const std::string& layer_type) {
  const Json* formula = rule(config, "window");
  const bool local = layer_type == "sliding_attention";
  const bool chunked = layer_type == "chunked_attention";
  if (!formula && !local && !chunked) return std::nullopt;
  const Found found = formula ? config.evaluate(Formula(formula->string()), layer_names(0, 0, layer_type))
                              : config.find(local ? "sliding_window" : "attention_chunk_size");
  if (!found.given() || !found.value.is_number() || found.value.number() < 1.0) return std::nullopt;
  return config.integer_at(found, 1, std::int64_t{1} << 52);
}

class RotaryGroups {
 public:
  RotaryGroups(const Config& config, std::string part)
      : config_(config), part_(std::move(part)), layers_(find_layers(config)) {}

  std::vector<ModelGroup> make() {
    std::vector<ModelGroup> groups = turning();
    merge(groups);
    for (ModelGroup& group : still()) groups.push_back(std::move(group));
    return groups;
  }

 private:
  std::vector<RopeLabel> labels() const {
    std::vector<RopeLabel> labels;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const std::string& name = layers_[i].label;
      const auto same = [&](const RopeLabel& label) { return label.name == name; };
      if (!layers_[i].rotates || name.empty() || std::any_of(labels.begin(), labels.end(), same)) continue;
      labels.push_back({name, static_cast<std::int64_t>(i)});
    }
    return labels;
  }

  std::vector<std::int64_t> layers_where(const auto& holds) const {
    std::vector<std::int64_t> indices;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      if (holds(layers_[i])) indices.push_back(static_cast<std::int64_t>(i));
    }
    return indices;
  }

  Json names_of(const std::string& label, bool rotates) const {
    const auto uses = [&](const LayerFacts& layer) { return layer.label == label; };
    const auto first = std::find_if(layers_.begin(), layers_.end(), uses);
    const std::int64_t i = first == layers_.end() ? 0 : first - layers_.begin();
    Json names = layer_names(i, static_cast<std::int64_t>(layers_.size()), label);
    names.set("rotates", rotates);
    return names;
  }

  ModelGroup turning_group(const RopeDict& dict, const std::string& label) const {
    Json names = names_of(label, true);
    RotaryAnswer answer = make_rotary(config_, dict, names);
    ModelGroup group;
    group.provenance = std::move(answer.provenance);
    group.notes = std::move(answer.notes);
    if (const Json* latent = rule(config_, "latent")) {
      const Found nope = config_.evaluate(Formula(latent->find("nope")->string()), names);
      const Found rope = config_.evaluate(Formula(latent->find("rope")->string()), names);
      group.latent_head = LatentHead{config_.integer(nope, "qk_nope_head_dim", 0, 8192),
                                     config_.integer(rope, "qk_rope_head_dim", 1, 8192)};
    }
    names.set("head_dim", answer.spec.head_dim).set("magnitude", answer.magnitude).set("rope", dict.object());
    Scales(config_, names).set(group);
    group.spec = std::move(answer.spec);
    return group;
  }

  std::vector<ModelGroup> turning() const {
    std::vector<ModelGroup> groups;
    const bool some = std::any_of(layers_.begin(), layers_.end(), [](const LayerFacts& l) { return l.rotates; });
    if (!some && !layers_.empty()) {
      config_.know("partial_rotary_factor");  // to no effect, but known
      return groups;
    }
    for (const LabelledRope& rope : resolve_rope(config_, labels())) {
      for (const LayerFacts& variant : variants(rope.label)) groups.push_back(turning_group(rope, variant));
    }
    return groups;
  }

  // What layers of one label still differ in: each once; one without layers where none has the label.
  std::vector<LayerFacts> variants(const std::string& label) const {
    std::vector<LayerFacts> found;
    for (const LayerFacts& layer : layers_) {
      if (!layer.rotates || (!label.empty() && layer.label != label)) continue;
      const auto same = [&](const LayerFacts& other) { return alike(layer, other); };
      if (std::none_of(found.begin(), found.end(), same)) found.push_back(layer);
    }
    if (found.empty()) found.push_back({label, label, true, false, {}});
    return found;
  }

  static bool alike(const LayerFacts& a, const LayerFacts& b) { return a.theta == b.theta && a.plain == b.plain; }

  ModelGroup turning_group(const LabelledRope& rope, const LayerFacts& variant) const {
    ModelGroup group;
    if (rope.dict) {
      RopeDict dict = *rope.dict;
      if (variant.theta) dict.set("rope_theta", {*variant.theta, config_.path() + "layer_rope_theta"});
      if (variant.plain) dict = plain(dict);
      group = turning_group(dict, rope.label);
    } else {
      group.provenance.push_back({"kind", "rope_parameters has none for these layers"});
      Json names = names_of(rope.label, false);
      add_scales(group, names);
    }
    group.layers = layers_where([&](const LayerFacts& layer) {
      return layer.rotates && (rope.label.empty() || layer.label == rope.label) && alike(layer, variant);
    });
    group.layer_type = rope.label;
    group.sliding_window = window_of(config_, rope.label);
    return group;
  }

  static RopeDict plain(const RopeDict& dict) {
    RopeDict result;
    result.set("rope_type", {"default", "not among rope_scaling_layers"});
    result.set("rope_theta", dict.get("rope_theta"));
    return result;
  }

  // All in which groups must agree to be one.
  static std::string sameness(const ModelGroup& group) {
    const std::string query = group.query_scale ? to_text(Spec(*group.query_scale)) : "";
    const std::string scale = group.softmax_scale ? to_text(Json(*group.softmax_scale)) : "";
    return to_text(group.spec) + "\n" + scale + "\n" + query;
  }

  // Types of layers that encode alike are one group.
  static void merge(std::vector<ModelGroup>& groups) {
    std::vector<std::string> texts;
    for (const ModelGroup& group : groups) texts.push_back(sameness(group));
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (std::size_t j = groups.size(); j-- > i + 1;) {
        if (texts[i] != texts[j] || groups[i].layers.empty() || groups[j].layers.empty()) continue;
        groups[i].layers.insert(groups[i].layers.end(), groups[j].layers.begin(), groups[j].layers.end());
        std::sort(groups[i].layers.begin(), groups[i].layers.end());
        if (groups[i].sliding_window != groups[j].sliding_window) groups[i].sliding_window.reset();
        groups[i].layer_type.clear();
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(j));
        texts.erase(texts.begin() + static_cast<std::ptrdiff_t>(j));
      }
    }
  }

  void add_scales(ModelGroup& group, Json& names) const {
    const Json* head = rule(config_, "head_dim");
    const Found dim =
        config_.evaluate(Formula(head ? head->string() : "head_dim ?? hidden_size // num_attention_heads"), names);
    names.set("head_dim", dim.value).set("magnitude", magnitude());
    Scales(config_, names).set(group);
  }

  // Layers that do not turn have the softmax scale of those that do.
  double magnitude() const {
    if (!rule(config_, "latent")) return 1.0;
    const std::vector<LabelledRope> ropes = resolve_rope(config_, labels());
    return ropes.empty() || !ropes[0].dict ? 1.0 : make_scaling({config_, *ropes[0].dict}).magnitude;
  }

  // Layers without a rotation, by their type.
  std::vector<ModelGroup> still() const {
    std::vector<ModelGroup> groups;
    std::vector<std::string> seen;
    for (const LayerFacts& layer : layers_) {
      if (layer.rotates || std::find(seen.begin(), seen.end(), layer.type) != seen.end()) continue;
      seen.push_back(layer.type);
      ModelGroup group;
      group.layers = layers_where([&](const LayerFacts& l) { return !l.rotates && l.type == layer.type; });
      group.layer_type = layer.type;
      const Json* rotates = rule(config_, "rotates");
      group.provenance.push_back({"kind", rotates ? rotates->string() : "model type " + config_.model_type()});
      const bool attends = layer.type.empty() || layer.type == "hybrid" ||
                           (layer.type.find("attention") != std::string::npos && layer.type != "linear_attention");
      if (attends) {
        Json names = names_of(layer.type, false);
        add_scales(group, names);
        group.sliding_window = window_of(config_, layer.type);
      }
      groups.push_back(std::move(group));
    }
    return groups;
  }

  const Config& config_;
  std::string part_;
  std::vector<LayerFacts> layers_;
};

std::vector<ModelGroup> groups_of(const Config& config, const std::string& part) {
  const Json* kind = rule(config, "kind");
  if (!kind || kind->string() == "rotary") return RotaryGroups(config, part).make();
  ModelGroup group = plain_group(config, kind->string());
  const Json* count_rule = rule(config, "layers");
  const Found count = config.evaluate(Formula(count_rule ? count_rule->string() : "num_hidden_layers"));
  if (count.given())
    group.layers.resize(static_cast<std::size_t>(config.integer(count, "num_hidden_layers", 0, kMostLayers)));
  std::iota(group.layers.begin(), group.layers.end(), 0);
  const Json* softmax = rule(config, "softmax_scale");
  if (softmax) {
    Json names = layer_names(0, 0, "");
    const Found head = config.evaluate(Formula("head_dim ?? hidden_size // num_attention_heads"));
    names.set("head_dim", head.value);
    Scales(config, names).set(group);
  }
  return {std::move(group)};
}

// One of several encodings of a row: what it says itself goes before what the row says.
Json encoding_row(const Json& row, const Json& encoding) {
  Json result = encoding;
  for (const auto& [key, value] : row.object()) {
    if (key != "encodings" && !encoding.find(key)) result.set(key, value);
  }
  return result;
}

// The row after its readings: where the file has what one is about, and the other way is wanted, it says what changes.
Config with_readings(const Config& config) {
  Json row = config.row();
  const Json* readings = rule(config, "readings");
  if (!readings) return Config(config, std::move(row));
  for (const Json& reading : readings->array()) {
    if (!is_true(config.evaluate(Formula(reading.find("when")->string())).value)) continue;
    if (!config.remarks().other_reading(reading.find("name")->string(), reading.find("sentence")->string())) continue;
    for (const auto& [key, value] : reading.find("other")->object()) row.set(key, value);
  }
  Config result(config, std::move(row));
  result.know_as(config);
  return result;
}

// Numbers that make no encoding together: what no check of a key alone can tell.
void check_spec(const Config& config, const Spec& spec) {
  detail::check_spec(spec, config.source() + ": " + config.path() + std::string(kind_of(spec)));
}

void add_groups(const Config& config, const std::string& part) {
  for (ModelGroup& group : groups_of(config, part)) {
    check_spec(config, group.spec);
    if (group.query_scale) check_spec(config, *group.query_scale);
    group.part = part;
    group.trained_positions = trained_positions(config);
    add_notes(config, group);
    config.remarks().model.groups.push_back(std::move(group));
  }
}

}  // namespace

void know_row(const Config& config) {
  const Json everywhere = row_of_all();
  for (const Json* row : {&everywhere, &config.row()}) {
    const Json* known = row->find("known");
    if (!known) continue;
    for (const Json& key : known->array()) config.know(key.string());
  }
}

void resolve_part(const Config& given, const std::string& part) {
  const Config config = with_readings(given);
  const Json* encodings = rule(config, "encodings");
  if (!encodings) {
    add_groups(config, part);
  } else {
    const Json* usual = rule(config, "part");
    const std::string row_part = usual ? usual->string() : "text";
    for (const Json& encoding : encodings->array()) {
      const Json* when = encoding.find("when");
      if (when && !is_true(config.evaluate(Formula(when->string())).value)) continue;
      const Json* name = encoding.find("part");
      const Config own(config, encoding_row(config.row(), encoding));
      // Within another model the part's own name comes first: its decoder is not the whole's.
      const bool whole = part == "text" || part == row_part;
      add_groups(own, !name ? part : whole ? name->string() : part + "." + name->string());
      config.know_as(own);
    }
  }
  know_row(config);
  config.refuse_unknown();
}

}  // namespace posenc::models
