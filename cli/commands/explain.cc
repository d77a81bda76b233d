#include "posenc/insight/explain.h"

#include <fmt/format.h>

#include "cli/bias_parameters.h"
#include "cli/commands/commands.h"
#include "cli/encoding.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "posenc/error.h"
#include "posenc/files/load.h"
#include "posenc/files/spec_json.h"
#include "posenc/insight/subject.h"
#include "posenc/schedule.h"

namespace posenc::cli {
namespace {

struct ExplainCommand {
  SpecChoice choice;
  std::string spec;
  std::string position;       // or queries
  std::string queries, keys;  // keys empty: as the queries
  std::string scores;         // 0.2/0.2/0.2
  std::int64_t head = 0;      // these five only with queries
  bool causal = false;
  std::vector<std::string> parameters;
  std::string values;
  std::string shift;  // empty: none
  bool derivative = false;
  std::string color = "auto";
  WeightOptions weights;
  OutputOptions output;
};

// One position in the grammar of positions: "1", "2.5", "-3", on several axes "1/2".
std::vector<double> single_position(const std::string& text, std::string_view option, std::int64_t axes) {
  const Positions positions = load_positions(text);
  if (positions.count() != 1 || positions.axes() != axes) {
    const std::string numbers =
        axes == 1 ? "one number" : fmt::format("one position on {} axes, as {},", axes, axes == 2 ? "1/2" : "1/2/3");
    fail(ErrorKind::usage, fmt::format("{} must be {} but got '{}'", option, numbers, text));
  }
  std::vector<double> coordinates;
  for (std::int64_t axis = 0; axis < axes; ++axis) coordinates.push_back(positions.view().real(0, 0, axis));
  return coordinates;
}

// What acts inside attention but for what is done to queries and keys, which have a position of their own.
bool acts_on_pairs(const Spec& spec) {
  const Place place = place_of(spec);
  return place != Place::input && place != Place::rotation && place != Place::query;
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

// Of an encoding at the input, its table; of what acts inside attention, its parameters.
std::vector<Step> pair_steps(const ExplainCommand& options, const Spec& spec) {
  if (!options.position.empty() || !options.shift.empty() || options.derivative) {
    fail(ErrorKind::usage, "--queries goes without --position, --shift and --derivative");
  }
  const Positions queries = load_positions(options.queries);
  const Positions keys = options.keys.empty() ? queries : load_positions(options.keys);
  ExplainPairs pairs{
      .queries = queries, .keys = keys, .head = options.head, .causal = options.causal, .spec_text = options.spec};
  if (!options.scores.empty()) pairs.scores = slashed_numbers(options.scores, "--scores");
  const bool at_input = place_of(spec) == Place::input;
  std::unique_ptr<Encoding> encoding;
  LoadedParameters loaded;
  if (at_input) {
    if (!options.parameters.empty() || !options.values.empty()) {
      fail(ErrorKind::usage, fmt::format("--parameter and --values are for what acts inside attention: {} has a table, "
                                         "given by --file, or none",
                                         kind_of(spec)));
    }
    encoding = load_encoding(spec, options.weights);
    if (encoding->table) pairs.table = encoding->table->view();
  } else {
    if (!options.weights.init.empty() || options.weights.std || !options.weights.seed.empty()) {
      fail(ErrorKind::usage, fmt::format("--init, --std and --seed make a learned table: {} has none", kind_of(spec)));
    }
    loaded = load_parameters(spec, {one_file(options.weights), options.parameters, options.values});
    pairs.parameters = loaded.views();
    pairs.parameter_text = parameters_text({one_file(options.weights), options.parameters, options.values});
  }
  return explain_pairs(spec, pairs);
}

void write_steps(const ExplainCommand& options, const Spec& spec, const std::vector<Step>& steps,
                 const std::string& heading, Json::Object members) {
  if (choose_format(options.output, {"text", "json"}) == "json") {
    members.insert(members.begin(), {"spec", to_json(spec)});
    members.emplace_back("steps", steps_json(steps));
    write_json(options.output, members);
    return;
  }
  write_text(options.output, steps_text(heading, steps, use_color(options.color, options.output)));
}

int run(const ExplainCommand& given) {
  choose_format(given.output, {"text", "json"});
  const Spec spec = load_spec(given.spec);
  ExplainCommand options = given;
  if (options.position.empty() && options.queries.empty() && acts_on_pairs(spec)) options.queries = "0:4";
  if (!options.queries.empty()) {
    const std::string& keys = options.keys.empty() ? options.queries : options.keys;
    write_steps(options, spec, pair_steps(options, spec),
                fmt::format("{}: queries {}, keys {}", options.spec, options.queries, keys),
                {{"queries", Json(options.queries)}, {"keys", Json(keys)}});
    return 0;
  }
  if (options.position.empty()) {
    fail(ErrorKind::usage, "--position is needed, or --queries for what pairs of positions have");
  }
  if (!options.keys.empty() || !options.scores.empty() || options.head != 0 || options.causal ||
      !options.parameters.empty() || !options.values.empty()) {
    fail(ErrorKind::usage, "--keys, --scores, --head, --causal, --parameter and --values go with --queries");
  }
  const std::vector<double> position = single_position(options.position, "--position", axes_of(spec));
  ExplainOptions explain_options{.spec_text = options.spec, .derivative = options.derivative};
  if (!options.shift.empty()) explain_options.shift = single_position(options.shift, "--shift", 1)[0];
  if (place_of(spec) == Place::rotation || place_of(spec) == Place::query) refuse_weights(spec, options.weights);
  std::unique_ptr<Encoding> encoding;  // a learned table may be left out: which row is read does not need it
  if (options.weights.given()) {
    encoding = load_encoding(spec, options.weights);
    if (encoding->table) explain_options.table = encoding->table->view();
    explain_options.tables = encoding->table_views();
    explain_options.table_text = weights_text(options.weights);
  }
  const std::vector<Step> steps = explain(spec, position, explain_options);
  const Json at = position.size() == 1 ? Json(position[0]) : Json(position);
  write_steps(options, spec, steps, fmt::format("{} at position {}", options.spec, fmt::join(position, "/")),
              {{"position", at}});
  return 0;
}

}  // namespace

void add_explain(Command& app) {
  const auto options = std::make_shared<ExplainCommand>();
  Command command = app.command("explain", "The worked example, step by step.",
                                "  posenc explain sinusoidal:width=4 --position 1\n"
                                "  posenc explain sinusoidal:width=4 --position 1 --shift 2 --derivative\n"
                                "  posenc explain rotary:head_dim=8 --position 3 --shift 2\n"
                                "  posenc explain alibi:heads=4 --queries 0:4 --keys 0:4 --causal");
  command.add("SPEC", options->spec, kSpecHelp).required();
  add_spec_choice(command, options->choice);
  command.text("--position,-p", options->position, "the position, an integer or a real number; on several axes 1/2/3");
  command.text("--queries", options->queries,
               "instead: what queries at these positions have with keys (default: 0:4 of what acts on pairs)");
  command.text("--keys", options->keys, "with --queries: where the keys stand (default: where the queries are)");
  command.text("--scores", options->scores,
               "with --queries: scores of the last query before a bias, 0.2/0.2/0.2 (default: 0.2 each)");
  command.add("--head", options->head, "with --queries: the head (default: 0)");
  command.flag("--causal", options->causal, "with --queries: keys ahead are hidden");
  add_parameters(command, options->parameters, options->values);
  command.text("--shift", options->shift,
               "also derive the row this many positions on from this one; of rotary, the score at that distance");
  command.flag("--derivative", options->derivative, "also the derivative by the position");
  add_weights(command, options->weights);
  add_color(command, options->color);
  add_output(command, options->output, "text, json");
  command.runs([options] {
    options->spec = with_choice(options->spec, options->choice);
    return run(*options);
  });
}

}  // namespace posenc::cli
