// Configs of models: layers of a model can be found again, its encodings are valid, and it prints as JSON that parses.
// The first character sets options: its lowest bit is ModelOptions::lenient; if the next bit is set, two more
// characters choose a model type of the table, whatever the file says. Then comes the text: "0{...}", "3ab{...}".
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fuzz.h"
#include "models/table.h"
#include "posenc/files/json.h"
#include "posenc/models/model.h"
#include "posenc/schedule.h"
#include "posenc/spec.h"

namespace {

// Removes the first characters and returns the options that they set.
posenc::ModelOptions take_options(std::string_view& input) {
  static const std::vector<std::string_view> types = posenc::models::table_model_types();
  const auto take = [&] {
    const auto byte = input.empty() ? 0u : static_cast<unsigned char>(input.front());
    input.remove_prefix(input.empty() ? 0 : 1);
    return static_cast<std::size_t>(byte);
  };
  const std::size_t how = take();
  posenc::ModelOptions options;
  options.lenient = (how & 1u) != 0;
  if ((how & 2u) != 0) {
    const std::size_t high = take();
    options.as = types[(high * 256 + take()) % types.size()];
  }
  return options;
}

// Every message begins with the source of the config.
posenc::Model read(const posenc::Json& config, const posenc::ModelOptions& options) {
  try {
    return posenc::model_from_json(config, "input", options);
  } catch (const posenc::Error& error) {
    const std::string_view message = error.what();
    require(message.starts_with("input: ") || message.starts_with("[input"), error.what());
    throw;
  }
}

void check_rotary(const posenc::Rotary& spec, std::int64_t layer) {
  const posenc::Rotary own = posenc::at_layer(spec, layer);
  for (const std::optional<std::int64_t> length : {std::optional<std::int64_t>(), {1}, {100000}}) {
    const posenc::RotarySchedule schedule = length ? posenc::make_schedule(own, *length) : posenc::make_schedule(own);
    require(schedule.first_channel >= 0 && schedule.first_channel + schedule.rotary_dim <= schedule.head_dim,
            "the window leaves the head");
    require(schedule.inv_freq.size() == static_cast<std::size_t>(schedule.axes * schedule.columns()),
            "a frequency is missing");
  }
}

void check_group(const posenc::Model& model, const posenc::ModelGroup& group) {
  require(accepted([&] { posenc::validate(group.spec); }), "a spec that is none");
  if (group.query_scale) {
    require(accepted([&] { posenc::validate(*group.query_scale); }), "a query scale that is none");
  }
  require(!group.kind().empty(), "a group without a kind");
  require(accepted([&] {
            for (const std::size_t at : {std::size_t{0}, group.layers.size() / 2}) {
              if (at < group.layers.size()) posenc::group_of_layer(model, group.layers[at], group.part);
            }
          }),
          "a layer is not found");
  if (const auto* rotary = std::get_if<posenc::Rotary>(&group.spec)) {
    try {
      check_rotary(*rotary, group.layers.empty() ? 0 : group.layers.back());
    } catch (const posenc::Error&) {  // the frequencies would not be finite
    }
  }
}

void check_json(const posenc::Model& model) {
  posenc::Json json;
  try {
    posenc::to_json(model);
    json = posenc::to_json(model, 100000);
  } catch (const posenc::Error&) {  // the frequencies would not be finite
    return;
  }
  require(accepted([&] { posenc::parse_json(posenc::to_text(json), "text"); }), "the printed JSON does not parse");
}

void check_model(const posenc::Model& model) {
  for (const posenc::ModelGroup& group : model.groups) check_group(model, group);
  check_json(model);
}

}  // namespace

void fuzz(std::string_view input) {
  posenc::ModelOptions options = take_options(input);
  const posenc::Json config = posenc::parse_json(input, "input");
  const posenc::Model model = read(config, options);
  check_model(model);
  if (model.readings.empty()) return;
  for (const posenc::Reading& reading : model.readings) options.other_readings.push_back(reading.name);
  check_model(read(config, options));
}
