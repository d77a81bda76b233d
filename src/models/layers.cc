#include "models/layers.h"

#include <set>
#include <tuple>
#include <utility>

namespace posenc::models {
namespace {

std::vector<std::string> given_types(const Config& config, const Found& found, std::int64_t count) {
  if (!found.value.is_array())
    config.refuse_at(found.from, "expected a list of words but got ", value_text(found.value));
  const Json* words = config.rule("layer_words");
  std::vector<std::string> types;
  for (const Json& entry : found.value.array()) {
    if (!entry.is_string()) config.refuse_at(found.from, "expected words but got ", value_text(entry));
    const Json* word = words ? words->find(entry.string()) : nullptr;
    types.push_back(word ? word->string() : entry.string());
  }
  if (static_cast<std::int64_t>(types.size()) < count) {
    config.refuse_at(found.from, "expected a word for each of the ", count, " layers but got ", types.size());
  }
  if (static_cast<std::int64_t>(types.size()) > count) {
    config.remarks().warn(found.from + " has " + std::to_string(types.size()) + " words for " + std::to_string(count) +
                          " layers: the first ones are used");
  }
  return types;
}

// Finds the type of a layer by the rules of the row, [type, condition]: the first whose condition holds.
class TypeRules {
 public:
  explicit TypeRules(const Config& config) : config_(config) {
    const Json* rules = config.rule("layer_types");
    if (!rules) return;
    for (const Json& entry : rules->array()) {
      rules_.emplace_back(entry.array()[0].string(), Formula(entry.array()[1].string()));
    }
  }

  std::string of(const Json& names) const {
    for (const auto& [type, condition] : rules_) {
      if (is_true(config_.value_of(condition, names))) return type;
    }
    return {};
  }

 private:
  const Config& config_;
  std::vector<std::pair<std::string, Formula>> rules_;
};

std::optional<Formula> formula_of(const Config& config, std::string_view key) {
  const Json* text = config.rule(key);
  return text ? std::optional<Formula>(Formula(text->string())) : std::nullopt;
}

void check_kinds(const Config& config, const std::vector<LayerFacts>& layers, const char* key) {
  std::set<std::tuple<std::string, std::string, bool, bool, std::optional<double>>> kinds;
  for (const LayerFacts& l : layers) kinds.emplace(l.type, l.label, l.rotates, l.plain, l.theta);
  if (kinds.size() <= kMostKindsOfLayers) return;
  config.refuse(key, "expected at most ", kMostKindsOfLayers, " kinds of layers but got ", kinds.size());
}

}  // namespace

Json layer_names(std::int64_t layer, std::int64_t layers, const std::string& type) {
  Json names = Json::Object{};
  names.set("i", layer).set("L", layers).set("layer_type", type.empty() ? Json() : Json(type));
  return names;
}

std::vector<LayerFacts> find_layers(const Config& config) {
  const Found found = config.evaluate(config.formula("layers", "num_hidden_layers"));
  const std::int64_t count = config.integer(found, "num_hidden_layers", 0, kMostLayers);
  for (const char* key : {"no_rope_layers", "layer_rope_theta", "attention_windows", "compress_ratios"}) {
    const Json* list = config.object().find(key);
    if (!list || !list->is_array() || list->array().empty()) continue;
    const auto size = static_cast<std::int64_t>(list->array().size());
    if (size < count) {
      config.refuse(key, "expected a value for each of the ", count, " layers but got ", size);
    }
  }
  const Found given = config.find("layer_types");
  std::vector<std::string> types;
  if (given.given()) types = given_types(config, given, count);
  const TypeRules rules(config);
  const std::optional<Formula> rotates = formula_of(config, "rotates"), label = formula_of(config, "rope_label");
  const std::optional<Formula> last = formula_of(config, "last_layer"), plain = formula_of(config, "plain");
  const std::optional<Formula> theta = formula_of(config, "theta_of_layer");
  std::vector<LayerFacts> layers;
  for (std::int64_t i = 0; i < count; ++i) {
    LayerFacts layer;
    layer.type = types.empty() ? rules.of(layer_names(i, count, "")) : types[static_cast<std::size_t>(i)];
    if (last && i + 1 == count) layer.type = last->evaluate([](const std::string&) { return nullptr; }).string();
    const Json names = layer_names(i, count, layer.type);
    if (rotates) layer.rotates = is_true(config.value_of(*rotates, names));
    if (plain) layer.plain = is_true(config.value_of(*plain, names));
    const Found own = theta ? Found{config.value_of(*theta, names), theta->text()} : Found{};
    if (layer.rotates && own.given()) layer.theta = config.positive(own, "layer_rope_theta");
    const Json named = label ? config.value_of(*label, names) : Json();
    layer.label = named.is_string() ? named.string() : layer.type;
    layers.push_back(std::move(layer));
  }
  check_kinds(config, layers, theta ? "layer_rope_theta" : "layer_types");
  return layers;
}

}  // namespace posenc::models
