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

// One number in the grammar of positions: "1", "2.5", "-3".
double single_position(const std::string& text, std::string_view option) {
  const Positions positions = load_positions(text);
  if (positions.count() != 1 || positions.axes() != 1) {
    fail(ErrorKind::usage, fmt::format("{} must be one number but got '{}'", option, text));
  }
  return positions.view().real(0, 0);
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
  const double position = single_position(options.position, "--position");
  posenc::ExplainOptions explain_options{.spec_text = options.spec, .derivative = options.derivative};
  if (!options.shift.empty()) explain_options.shift = single_position(options.shift, "--shift");
  std::unique_ptr<Encoding> encoding;  // a learned table may be left out: which row is read does not need it
  if (!options.weights.file.empty() || !options.weights.init.empty()) {
    encoding = load_encoding(spec, options.weights);
    explain_options.table = encoding->table->view();
    explain_options.table_text = weights_text(options.weights);
  }
  const std::vector<Step> steps = explain(spec, position, explain_options);
  if (format == "json") {
    write_json(options.output, {{"spec", to_json(spec)}, {"position", position}, {"steps", steps_json(steps)}});
    return 0;
  }
  const std::string heading = fmt::format("{} at position {}", options.spec, position);
  write_text(options.output, steps_text(heading, steps, use_color(options.color, options.output)));
  return 0;
}

}  // namespace posenc::cli
