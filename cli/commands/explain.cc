#include "posenc/insight/explain.h"

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/encoding.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "posenc/error.h"
#include "posenc/files/load.h"
#include "posenc/files/spec_json.h"
#include "posenc/schedule.h"

namespace posenc::cli {
namespace {

struct ExplainCommand {
  std::string spec;
  EncodingOptions encoding;
  std::string position;       // or queries
  std::string queries, keys;  // keys empty: as the queries
  std::string scores;         // 0.2/0.2/0.2
  std::int64_t head = 0;      // these five only with queries
  bool causal = false;
  std::string shift;  // empty: none
  bool derivative = false;
  std::string color = "auto";
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

std::vector<Step> pair_steps(const ExplainCommand& options, const Encoding& found, const std::string& query_text) {
  if (!options.position.empty() || !options.shift.empty() || options.derivative) {
    fail(ErrorKind::usage, "--queries goes without --position, --shift and --derivative");
  }
  const Positions queries = load_positions(query_text);
  const Positions keys = options.keys.empty() ? queries : load_positions(options.keys);
  EncodingOptions learned = options.encoding;
  // Of an encoding at the input its rows are needed; what acts inside attention says itself what it needs.
  const bool at_input = found.place() == Place::input;
  if (!at_input) learned.missing = Missing::leave;
  ExplainPairs pairs{
      .queries = queries, .keys = keys, .head = options.head, .causal = options.causal, .spec_text = found.text()};
  if (!options.scores.empty()) pairs.scores = slashed_numbers(options.scores, "--scores");
  const Encoding encoding = with_learned(found, learned);
  pairs.table = encoding.table();
  pairs.parameters = encoding.parameters();
  if (!at_input) pairs.parameter_text = encoding.data_text();
  return explain_pairs(encoding.spec(), pairs);
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

int run(const ExplainCommand& options) {
  const Encoding found = find_with_remarks(options.spec, options.encoding);
  const Spec& spec = found.spec();
  choose_format(options.output, {"text", "json"});
  const bool pairs = !options.queries.empty() || (options.position.empty() && acts_on_pairs(spec));
  if (pairs) {
    const std::string queries = options.queries.empty() ? "0:4" : options.queries;
    const std::string& keys = options.keys.empty() ? queries : options.keys;
    write_steps(options, spec, pair_steps(options, found, queries),
                fmt::format("{}: queries {}, keys {}", found.text(), queries, keys),
                {{"queries", Json(queries)}, {"keys", Json(keys)}});
    return 0;
  }
  if (options.position.empty()) {
    fail(ErrorKind::usage, "--position is needed, or --queries for what pairs of positions have");
  }
  if (!options.keys.empty() || !options.scores.empty() || options.head != 0 || options.causal ||
      !options.encoding.parameters.empty() || !options.encoding.values.empty()) {
    fail(ErrorKind::usage, "--keys, --scores, --head, --causal, --parameter and --values go with --queries");
  }
  const std::vector<double> position = single_position(options.position, "--position", axes_of(spec));
  ExplainOptions explain_options{.spec_text = found.text(), .derivative = options.derivative};
  if (!options.shift.empty()) explain_options.shift = single_position(options.shift, "--shift", 1)[0];
  if (found.place() == Place::rotation || found.place() == Place::query) refuse_table(spec, options.encoding);
  // A learned table may be left out: which row is read does not need it.
  const Encoding encoding = options.encoding.has_table() ? with_rows(found, options.encoding) : found;
  explain_options.table = encoding.table();
  explain_options.tables = encoding.tables();
  explain_options.table_text = encoding.data_text();
  const std::vector<Step> steps = explain(spec, position, explain_options);
  const Json at = position.size() == 1 ? Json(position[0]) : Json(position);
  write_steps(options, spec, steps, fmt::format("{} at position {}", found.text(), fmt::join(position, "/")),
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
  add_spec_choice(command, options->encoding);
  command.text("--position,-p", options->position, "the position, an integer or a real number; on several axes 1/2/3");
  command.text("--queries", options->queries,
               "instead: what queries at these positions have with keys (default: 0:4 of what acts on pairs)");
  command.text("--keys", options->keys, "with --queries: where the keys stand (default: where the queries are)");
  command.text("--scores", options->scores,
               "with --queries: scores of the last query before a bias, 0.2/0.2/0.2 (default: 0.2 each)");
  command.add("--head", options->head, "with --queries: the head (default: 0)");
  command.flag("--causal", options->causal, "with --queries: keys ahead are hidden");
  add_parameters(command, options->encoding);
  command.text("--shift", options->shift,
               "also derive the row this many positions on from this one; of rotary, the score at that distance");
  command.flag("--derivative", options->derivative, "also the derivative by the position");
  add_weights(command, options->encoding);
  add_color(command, options->color);
  add_output(command, options->output, "text, json");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
