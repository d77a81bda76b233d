#include "posenc/explain.h"

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/encoding.h"
#include "cli/output.h"
#include "posenc/error.h"
#include "posenc/load.h"
#include "posenc/spec_json.h"

namespace posenc::cli {
namespace {

// One position in the grammar of positions: "1", "2.5", "-3", on several axes "1/2".
std::vector<double> single_position(const std::string& text, std::string_view option, std::int64_t axes) {
  const Positions positions = load_positions(text);
  if (positions.count() != 1 || positions.axes() != axes) {
    const std::string numbers = axes == 1 ? "one number" : fmt::format("one position on {} axes, as 1/2,", axes);
    fail(ErrorKind::usage, fmt::format("{} must be {} but got '{}'", option, numbers, text));
  }
  std::vector<double> coordinates;
  for (std::int64_t axis = 0; axis < axes; ++axis) coordinates.push_back(positions.view().real(0, 0, axis));
  return coordinates;
}

std::int64_t axes_of(const Spec& spec) {
  const auto* rotary = std::get_if<Rotary>(&spec);
  return rotary == nullptr ? 1 : rotary->axes;
}

std::string steps_text(const std::string& heading, const std::vector<Step>& steps, bool color) {
  std::string text = heading + "\n";
  for (const Step& step : steps) {
    text += fmt::format("\n{}{}{}\n", color ? "\033[1m" : "", step.title, color ? "\033[0m" : "");
    for (const std::string& line : step.lines) text += "  " + line + "\n";
  }
  return text;
}

Json steps_json(const std::vector<Step>& steps) {
  Json::Array list;
  for (const Step& step : steps) {
    Json::Array lines(step.lines.begin(), step.lines.end());
    Json item;
    item.set("name", step.name).set("title", step.title).set("lines", lines).set("values", step.values);
    list.push_back(std::move(item));
  }
  return list;
}

}  // namespace

int run_explain(const ExplainOptions& options) {
  const std::string format = choose_format(options.output, {"text", "json"});
  const Spec spec = load_spec(options.spec);
  const std::vector<double> position = single_position(options.position, "--position", axes_of(spec));
  posenc::ExplainOptions explain_options{.spec_text = options.spec, .derivative = options.derivative};
  if (!options.shift.empty()) explain_options.shift = single_position(options.shift, "--shift", 1)[0];
  if (std::holds_alternative<Rotary>(spec)) refuse_weights(spec, options.weights);
  std::unique_ptr<Encoding> encoding;  // a learned table may be left out: which row is read does not need it
  if (!options.weights.file.empty() || !options.weights.init.empty()) {
    encoding = load_encoding(spec, options.weights);
    explain_options.table = encoding->table->view();
    explain_options.table_text = weights_text(options.weights);
  }
  const std::vector<Step> steps = explain(spec, position, explain_options);
  if (format == "json") {
    const Json at = position.size() == 1 ? Json(position[0]) : Json(position);
    write_json(options.output, {{"spec", to_json(spec)}, {"position", at}, {"steps", steps_json(steps)}});
    return 0;
  }
  const std::string heading = fmt::format("{} at position {}", options.spec, fmt::join(position, "/"));
  write_text(options.output, steps_text(heading, steps, use_color(options.color, options.output)));
  return 0;
}

}  // namespace posenc::cli
