#include "models/rotary_groups.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "models/layers.h"
#include "models/rope.h"
#include "models/rotary.h"
#include "models/scales.h"
#include "models/scaling.h"
#include "posenc/files/spec_json.h"

namespace posenc::models {
namespace {

std::optional<std::int64_t> window_of(const Config& config, const std::string& layer_type) {
  const Json* formula = config.rule("window");
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
  explicit RotaryGroups(const Config& config) : config_(config), layers_(find_layers(config)) {}

  std::vector<ModelGroup> make() {
    std::vector<ModelGroup> groups = turning();
    merge(groups);
    for (ModelGroup& group : still()) groups.push_back(std::move(group));
    if (groups.size() == 1) groups[0].layer_type.clear();  // all layers are alike
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
    if (const Json* latent = config_.rule("latent")) {
      const Found nope = config_.evaluate(Formula(latent->find("nope")->string()), names);
      const Found rope = config_.evaluate(Formula(latent->find("rope")->string()), names);
      group.latent_head = LatentHead{config_.integer(nope, "qk_nope_head_dim", 0, 8192),
                                     config_.integer(rope, "qk_rope_head_dim", 1, 8192)};
    }
    names.set("head_dim", answer.spec.head_dim).set("magnitude", answer.magnitude).set("rope", dict.object());
    set_scales(config_, names, group);
    group.spec = std::move(answer.spec);
    return group;
  }

  std::vector<ModelGroup> turning() const {
    std::vector<ModelGroup> groups;
    const bool some = std::any_of(layers_.begin(), layers_.end(), [](const LayerFacts& l) { return l.rotates; });
    if (!some && !layers_.empty()) {
      config_.know("partial_rotary_factor");  // without effect, but known
      return groups;
    }
    for (const LabelledRope& rope : resolve_rope(config_, labels())) {
      for (const LayerFacts& variant : variants(rope.label)) groups.push_back(turning_group(rope, variant));
    }
    return groups;
  }

  // The variants among the layers of a label, each once; one without layers if no layer has the label.
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
      group.provenance.push_back({"kind", "rope_parameters has no entry for these layers"});
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
    result.set("rope_type", {"default", "layer is not in rope_scaling_layers"});
    result.set("rope_theta", dict.get("rope_theta"));
    return result;
  }

  // A text that is equal for layers that form one group.
  static std::string sameness(const ModelGroup& group) {
    const std::string query = group.query_scale ? to_text(Spec(*group.query_scale)) : "";
    const std::string scale = group.softmax_scale ? to_text(Json(*group.softmax_scale)) : "";
    const std::string window = group.sliding_window ? std::to_string(*group.sliding_window) : "";
    return to_text(group.spec) + "\n" + scale + "\n" + query + "\n" + window;
  }

  // Layer types with the same encoding form one group.
  static void merge(std::vector<ModelGroup>& groups) {
    std::vector<std::string> texts;
    for (const ModelGroup& group : groups) texts.push_back(sameness(group));
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (std::size_t j = groups.size(); j-- > i + 1;) {
        if (texts[i] != texts[j] || groups[i].layers.empty() || groups[j].layers.empty()) continue;
        groups[i].layers.insert(groups[i].layers.end(), groups[j].layers.begin(), groups[j].layers.end());
        std::sort(groups[i].layers.begin(), groups[i].layers.end());
        groups[i].layer_type.clear();
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(j));
        texts.erase(texts.begin() + static_cast<std::ptrdiff_t>(j));
      }
    }
  }

  void add_scales(ModelGroup& group, Json& names) const {
    const Found dim = config_.evaluate(config_.formula("head_dim", kHeadDim), names);
    names.set("head_dim", dim.value).set("magnitude", magnitude());
    set_scales(config_, names, group);
  }

  // The factor for layers without rotation, which have the softmax scale of rotated layers.
  double magnitude() const {
    if (!config_.rule("latent")) return 1.0;
    const std::vector<LabelledRope> ropes = resolve_rope(config_, labels());
    return ropes.empty() || !ropes[0].dict ? 1.0 : make_scaling({config_, *ropes[0].dict}).magnitude;
  }

  // The groups of layers without rotation, one per type.
  std::vector<ModelGroup> still() const {
    std::vector<ModelGroup> groups;
    std::vector<std::string> seen;
    for (const LayerFacts& layer : layers_) {
      if (layer.rotates || std::find(seen.begin(), seen.end(), layer.type) != seen.end()) continue;
      seen.push_back(layer.type);
      ModelGroup group;
      group.layers = layers_where([&](const LayerFacts& l) { return !l.rotates && l.type == layer.type; });
      group.layer_type = layer.type;
      const Json* rotates = config_.rule("rotates");
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
  std::vector<LayerFacts> layers_;
};

}  // namespace

std::vector<ModelGroup> rotary_groups(const Config& config) { return RotaryGroups(config).make(); }

}  // namespace posenc::models
