#include "models/scales.h"

#include <cmath>
#include <cstdint>
#include <utility>

namespace posenc::models {
namespace {

// The factors on q.k and on the queries of one group of layers.
class Scales {
 public:
  Scales(const Config& config, const Json& names) : config_(config), names_(names) {}

  void set(ModelGroup& group) const {
    const Found scale = config_.evaluate(config_.formula("softmax_scale", "head_dim^-0.5"), names_);
    if (scale.given() && scale.value.is_number()) {
      if (!std::isfinite(scale.value.number())) {
        config_.refuse_at(scale.from, "expected numbers that give a finite softmax scale, but it is infinite");
      }
      group.softmax_scale = scale.value.number();
      group.provenance.push_back({"softmax_scale", scale.from});
    }
    if (const Json* rules = config_.rule("query_scale")) query(group, *rules);
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

}  // namespace

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

void set_scales(const Config& config, const Json& names, ModelGroup& group) { Scales(config, names).set(group); }

}  // namespace posenc::models
