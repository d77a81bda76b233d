#include "models/model_part.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "core/spec/fields.h"
#include "models/layers.h"
#include "models/rotary_groups.h"
#include "models/scales.h"
#include "models/table.h"
#include "posenc/files/spec_json.h"

namespace posenc::models {
namespace {

constexpr std::int64_t kMostHeads = 65536;  // of a bias

void add_notes(const Config& config, ModelGroup& group) {
  const Json* notes = config.rule("notes");
  if (!notes) return;
  for (const Json& note : notes->array()) group.notes.push_back(note.string());
}

std::int64_t trained_positions(const Config& config) {
  const Found found = config.find("max_position_embeddings");
  return found.given() ? config.integer_at(found, 0, std::int64_t{1} << 52) : 0;
}

// Refuses a key that a formula cannot use: a word, null, or 0 as a divisor.
void refuse_broken(const Config& config, const Json& entry) {
  if (!entry.is_string()) return;
  for (const std::string& name : Formula(entry.string()).names()) {
    const Json* value = config.object().find(name);
    if (!value || std::holds_alternative<bool>(value->value)) continue;
    if (value->is_number() && !value->is_string() && value->number() != 0.0) continue;
    config.refuse(name, "expected a number, to compute ", entry.string(), ", but got ", value_text(*value));
  }
}

// The group of an encoding whose fields are formulas of the row: all but rotary encodings of text.
ModelGroup plain_group(const Config& config, const std::string& kind) {
  ModelGroup group;
  Json fields = Json::Object{};
  if (const Json* rules = config.rule("fields")) {
    for (const auto& [field, entry] : rules->object()) {
      const Found found = entry_value(config, entry, {});
      if (!found.given()) refuse_broken(config, entry);
      if (!found.given()) continue;
      if (field == "heads" && found.value.is_number()) config.integer_at(found, 1, kMostHeads);  // names the key
      fields.set(field, found.value);
      group.provenance.push_back({field, found.from});
    }
  }
  if (spec::default_spec(kind)) {
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

std::vector<ModelGroup> groups_of(const Config& config) {
  const Json* kind = config.rule("kind");
  if (!kind || kind->string() == "rotary") return rotary_groups(config);
  ModelGroup group = plain_group(config, kind->string());
  const Found count = config.evaluate(config.formula("layers", "num_hidden_layers"));
  if (count.given())
    group.layers.resize(static_cast<std::size_t>(config.integer(count, "num_hidden_layers", 0, kMostLayers)));
  std::iota(group.layers.begin(), group.layers.end(), 0);
  const Json* softmax = config.rule("softmax_scale");
  if (softmax) {
    Json names = layer_names(0, 0, "");
    names.set("head_dim", config.evaluate(Formula(kHeadDim)).value);
    set_scales(config, names, group);
  }
  return {std::move(group)};
}

// A row for one of several encodings: the members of the encoding take precedence over those of `row`.
Json encoding_row(const Json& row, const Json& encoding) {
  Json result = encoding;
  for (const auto& [key, value] : row.object()) {
    if (key != "encodings" && !encoding.find(key)) result.set(key, value);
  }
  return result;
}

// The row with its readings applied: if the condition of a reading holds and the options ask for the other reading, the
// row is changed.
Config with_readings(const Config& config) {
  Json row = config.row();
  const Json* readings = config.rule("readings");
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

// Refuses numbers that do not fit together although each is valid.
void check_spec(const Config& config, const Spec& spec) {
  spec::check_spec(spec, config.source() + ": " + config.path() + std::string(kind_of(spec)));
}

void add_groups(const Config& config, const std::string& part) {
  for (ModelGroup& group : groups_of(config)) {
    check_spec(config, group.spec);
    if (group.query_scale) check_spec(config, *group.query_scale);
    group.part = part;
    group.trained_positions = trained_positions(config);
    add_notes(config, group);
    config.remarks().model.groups.push_back(std::move(group));
  }
}

}  // namespace

namespace {

// Refuses a position_embedding_type that this part does not have, so that it is not ignored.
void check_embedding_type(const Config& config, std::size_t first_group) {
  const Json* type = config.object().find("position_embedding_type");
  if (!type || type->is_null()) return;
  const std::string word = type->is_string() ? type->string() : "";
  const std::vector<ModelGroup>& groups = config.remarks().model.groups;
  const auto has = [&](std::string_view kind) {
    return std::any_of(groups.begin() + static_cast<std::ptrdiff_t>(first_group), groups.end(),
                       [&](const ModelGroup& group) { return group.kind() == kind; });
  };
  const bool turns = word == "rotary" || word == "rope" || word.starts_with("rope_");
  const bool rotary = has("rotary") || (!config.rule("kind") && !config.rule("encodings"));
  const bool relative = word.starts_with("relative_key");
  const bool fits = (!turns || rotary) && (word != "alibi" || has("alibi")) && (!relative || has("shaw"));
  const bool known = turns || relative || word == "alibi" || word == "absolute" || word == "learned_absolute" ||
                     word == "learned" || word == "nope" || word == "none" || word == "sine" || word == "sinusoidal";
  if (known && fits) return;
  const std::string sentence = "posenc does not know " + value_text(*type) + " for " + config.model_type();
  if (!config.remarks().options.lenient)
    config.refuse("position_embedding_type", sentence, " (--lenient makes this a warning)");
  config.remarks().warn(config.path() + "position_embedding_type: " + sentence);
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
  const std::size_t first_group = config.remarks().model.groups.size();
  const Json* encodings = config.rule("encodings");
  if (!encodings) {
    add_groups(config, part);
  } else {
    const Json* usual = config.rule("part");
    const std::string row_part = usual ? usual->string() : "text";
    for (const Json& encoding : encodings->array()) {
      const Json* when = encoding.find("when");
      if (when && !is_true(config.evaluate(Formula(when->string())).value)) continue;
      const Json* name = encoding.find("part");
      const Config own(config, encoding_row(config.row(), encoding));
      // Within another model, the name of the part comes first, because its decoder is not that of the whole model.
      const bool whole = part == "text" || part == row_part;
      add_groups(own, !name ? part : whole ? name->string() : part + "." + name->string());
      config.know_as(own);
    }
  }
  know_row(config);
  config.refuse_unknown();
  check_embedding_type(config, first_group);
}

}  // namespace posenc::models
