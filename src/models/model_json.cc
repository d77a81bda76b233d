#include "core/spec/axis_map.h"
#include "core/spec/rotary_window.h"
#include "posenc/files/spec_json.h"
#include "posenc/models/model.h"
#include "posenc/schedule.h"

namespace posenc {
namespace {

Json list_of(const std::vector<std::int64_t>& numbers) {
  Json::Array list;
  for (const std::int64_t number : numbers) list.emplace_back(number);
  return list;
}

Json list_of(const std::vector<std::string>& texts) {
  Json::Array list;
  for (const std::string& text : texts) list.emplace_back(text);
  return list;
}

// One frequency per pair, for a layout that is not a rotation because its channels have their own axes.
Json inv_freq_by_pair(const RotarySchedule& schedule, const std::vector<spec::PairPlace>& places) {
  std::vector<double> numbers(static_cast<std::size_t>(schedule.pairs()));
  const auto columns = static_cast<std::size_t>(schedule.columns());
  for (std::size_t c = 0; c < columns; ++c) {
    const auto axis = static_cast<std::size_t>(places[c].axis);
    numbers[static_cast<std::size_t>(places[c].pair)] = schedule.inv_freq[axis * columns + c];
  }
  return numbers;
}

Json inv_freq_of(const RotarySchedule& schedule) {
  if (schedule.axes == 1) return schedule.inv_freq;
  Json::Array axes;
  const auto columns = static_cast<std::ptrdiff_t>(schedule.columns());
  for (std::ptrdiff_t axis = 0; axis < schedule.axes; ++axis) {
    const auto begin = schedule.inv_freq.begin() + axis * columns;
    axes.emplace_back(std::vector<double>(begin, begin + columns));
  }
  return axes;
}

// The frequencies of a scaling that depends on the length; without a length, those of a short sequence.
RotarySchedule schedule_of(const Rotary& spec, std::optional<std::int64_t> sequence_length) {
  if (!needs_length(spec.scaling)) return make_schedule(spec);
  return make_schedule(spec, sequence_length.value_or(spec.sequence_length.value_or(1)));
}

void add_rotary(Json& json, const Rotary& spec, std::optional<std::int64_t> sequence_length) {
  const RotarySchedule schedule = schedule_of(spec, sequence_length);
  json.set("head_dim", schedule.head_dim).set("rotary_dim", schedule.rotary_dim);
  json.set("exponent_dim", schedule.exponent_dim).set("rope_offset", schedule.first_channel);
  const std::vector<spec::PairPlace> places = spec::axis_map(spec, spec::window_of(spec));
  const bool turns = is_rotation(schedule.layout);
  json.set("layout", to_json(spec).find("layout")->string());
  json.set("inv_freq", turns ? inv_freq_of(schedule) : inv_freq_by_pair(schedule, places));
  json.set("attention_factor", schedule.attention_factor);
  if (needs_length(spec.scaling)) json.set("sequence_length", *schedule.sequence_length);
  if (schedule.axes == 1) return;
  Json::Array axes;
  for (const spec::PairPlace& place : places) axes.emplace_back(place.axis);
  json.set(turns ? "axis_of_pair" : "axis_of_channel", std::move(axes));
}

Json group_json(const ModelGroup& group, std::optional<std::int64_t> sequence_length) {
  Json json = Json::Object{};
  json.set("part", group.part).set("layers", list_of(group.layers));
  if (!group.layer_type.empty()) json.set("layer_type", group.layer_type);
  if (group.other_kind.empty()) {
    json.set("spec", to_json(group.spec)).set("text", to_text(group.spec));
  } else {
    Json spec = Json::Object{};
    spec.set("kind", group.other_kind).set("computed", false);
    for (const auto& [key, value] : group.parameters.object()) spec.set(key, value);
    json.set("spec", std::move(spec));
  }
  if (const auto* rotary = std::get_if<Rotary>(&group.spec)) add_rotary(json, *rotary, sequence_length);
  json.set("softmax_scale", group.softmax_scale ? Json(*group.softmax_scale) : Json());
  json.set("query_scale", group.query_scale ? to_json(Spec(*group.query_scale)) : Json());
  if (group.latent_head) {
    Json mla = Json::Object{};
    json.set("mla", mla.set("nope", group.latent_head->nope).set("rope", group.latent_head->rope));
  }
  if (group.sliding_window) json.set("sliding_window", *group.sliding_window);
  if (group.trained_positions > 0) json.set("trained_positions", group.trained_positions);
  Json provenance = Json::Object{};
  for (const Provenance& entry : group.provenance) provenance.set(entry.field, entry.from);
  json.set("provenance", std::move(provenance)).set("notes", list_of(group.notes));
  return json;
}

}  // namespace

Json to_json(const Model& model, std::optional<std::int64_t> sequence_length) {
  Json::Array groups, readings;
  for (const ModelGroup& group : model.groups) groups.push_back(group_json(group, sequence_length));
  for (const Reading& reading : model.readings) {
    Json entry = Json::Object{};
    readings.push_back(entry.set("name", reading.name).set("sentence", reading.sentence).set("other", reading.other));
  }
  Json json = Json::Object{};
  json.set("schema", kSchema)
      .set("source", model.source)
      .set("format", model.format)
      .set("model_type", model.model_type);
  json.set("groups", std::move(groups)).set("guesses", list_of(model.guesses));
  return json.set("warnings", list_of(model.warnings)).set("readings", std::move(readings));
}

}  // namespace posenc
