#include "posenc/insight/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

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
  std::string position;
  std::string queries, keys;  // instead of a position; empty keys: the same as the queries
  std::string words;          // or these: a sentence
  std::string scores;         // 0.2/0.2/0.2
  std::int64_t head = 0;      // this and `causal` only with queries
  bool causal = false;
  std::string shift;  // empty: none
  bool derivative = false;
  std::string color = "auto";
  OutputOptions output;
};

constexpr const char* kSentence = "I saw her duck";
constexpr std::size_t kMostWords = 16;

// One position in the grammar of positions: "1", "2.5", "-3", on several axes "1/2".
std::vector<double> single_position(const std::string& text, std::string_view option, std::int64_t axes) {
  const Positions positions = load_positions(text);
  if (positions.count() != 1 || positions.axes() != axes) {
    const std::string numbers =
        axes == 1 ? "one number"
                  : fmt::format("one position on {} axes, such as {},", axes, axes == 2 ? "1/2" : "1/2/3");
    fail(ErrorKind::usage, fmt::format("{} must be {} but got '{}'", option, numbers, text));
  }
  std::vector<double> coordinates;
  for (std::int64_t axis = 0; axis < axes; ++axis) coordinates.push_back(positions.view().real(0, 0, axis));
  return coordinates;
}

// Encodings inside attention depend on two positions, except those that change queries and keys one by one.
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

std::vector<std::string> sentence_words(const std::string& sentence) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < sentence.size();) {
    const std::size_t first = sentence.find_first_not_of(" \t\n", at);
    if (first == std::string::npos) break;
    at = std::min(sentence.find_first_of(" \t\n", first), sentence.size());
    words.push_back(sentence.substr(first, at - first));
  }
  if (words.empty() || words.size() > kMostWords) {
    fail(ErrorKind::usage,
         fmt::format("--words must be a sentence of 1 to {} words but has {}", kMostWords, words.size()));
  }
  return words;
}

// The pairs that are explained, and their name in the heading.
struct PairChoice {
  std::string queries, keys;
  std::vector<std::string> words;
  std::string text;
};

PairChoice choose_pairs(const ExplainCommand& options) {
  if (!options.position.empty() || !options.shift.empty() || options.derivative) {
    const std::string given = !options.position.empty() ? "--positions"
                              : !options.shift.empty()  ? "--shift"
                                                        : "--derivative";
    const bool pairs_given = !options.queries.empty() || !options.words.empty();
    fail(ErrorKind::usage,
         pairs_given
             ? fmt::format("{} and {} exclude each other", given, options.words.empty() ? "--queries" : "--words")
             : fmt::format("{} is for encodings that are added to embeddings and for rotations; '{}' acts on "
                           "pairs: --queries 0:4 --keys 0:4",
                           given, options.spec));
  }
  if (!options.words.empty() && !(options.queries.empty() && options.keys.empty())) {
    fail(ErrorKind::usage, "--words gives the queries and the keys: leave out --queries and --keys");
  }
  if (options.queries.empty()) {
    const std::string sentence = options.words.empty() ? kSentence : options.words;
    if (!options.keys.empty()) return {"0:4", options.keys, {}, fmt::format("queries 0:4, keys {}", options.keys)};
    std::vector<std::string> words = sentence_words(sentence);
    const std::string range = fmt::format("0:{}", words.size());
    const std::string text = fmt::format("the words \"{}\"", fmt::join(words, " "));
    return {range, range, std::move(words), text};
  }
  const std::string keys = options.keys.empty() ? options.queries : options.keys;
  return {options.queries, keys, {}, fmt::format("queries {}, keys {}", options.queries, keys)};
}

std::vector<Step> pair_steps(const ExplainCommand& options, const Encoding& found, const PairChoice& choice) {
  const Positions queries = load_positions(choice.queries);
  const Positions keys = choice.keys == choice.queries ? queries : load_positions(choice.keys);
  EncodingOptions learned = options.encoding;
  // explain_pairs makes up missing numbers of encodings inside attention, but not the rows of those at the input.
  const bool at_input = found.place() == Place::input;
  learned.missing = at_input ? Missing::draw : Missing::leave;
  ExplainPairs pairs{
      .queries = queries, .keys = keys, .head = options.head, .causal = options.causal, .spec_text = found.text()};
  pairs.words = choice.words;
  if (!options.scores.empty()) pairs.scores = slashed_numbers(options.scores, "--scores");
  const Encoding encoding = with_learned(found, learned);
  if (at_input) say_untrained(encoding);
  pairs.table = encoding.table();
  pairs.parameters = encoding.parameters();
  if (!at_input) pairs.parameter_text = encoding.data_text();
  return explain_pairs(encoding.spec(), pairs);
}

// A position at which the kind shows what it does: the temperature grows in steps of `length` only.
std::string usual_position(const Spec& spec) {
  if (const auto* temperature = std::get_if<QueryTemperature>(&spec)) {
    return std::to_string(std::min(3 * temperature->length, kMaxPosition));
  }
  std::string text = "1";
  for (std::int64_t axis = 1; axis < axes_of(spec); ++axis) text += fmt::format("/{}", axis + 1);
  return text;
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

int explain_at_pairs(const ExplainCommand& options, const Encoding& found) {
  const PairChoice choice = choose_pairs(options);
  Json::Object members = {{"queries", Json(choice.queries)}, {"keys", Json(choice.keys)}};
  if (!choice.words.empty()) members.emplace_back("words", Json(Json::Array(choice.words.begin(), choice.words.end())));
  write_steps(options, found.spec(), pair_steps(options, found, choice),
              fmt::format("{}: {}", found.text(), choice.text), std::move(members));
  return 0;
}

int explain_at_position(const ExplainCommand& options, const Encoding& found) {
  const Spec& spec = found.spec();
  if (!options.keys.empty() || !options.scores.empty() || options.head != 0 || options.causal ||
      !options.encoding.parameters.empty() || !options.encoding.values.empty()) {
    const bool input = found.place() == Place::input;
    fail(ErrorKind::usage,
         input ? "--keys, --scores, --head, --causal, --parameter and --values need --queries or --words"
               : fmt::format("--keys, --scores, --head, --causal, --parameter and --values are for "
                             "biases and score terms; '{}' has no use for them",
                             options.spec));
  }
  const std::string text = options.position.empty() ? usual_position(spec) : options.position;
  const std::vector<double> position = single_position(text, "--positions", axes_of(spec));
  ExplainOptions explain_options{.spec_text = found.text(), .derivative = options.derivative};
  if (!options.shift.empty()) explain_options.shift = single_position(options.shift, "--shift", 1)[0];
  if (found.place() == Place::rotation || found.place() == Place::query) refuse_table(spec, options.encoding);
  // A learned table may be omitted, because it does not decide which row is read.
  const Encoding encoding = options.encoding.has_table() ? with_rows(found, options.encoding) : found;
  explain_options.table = encoding.table();
  explain_options.tables = encoding.tables();
  explain_options.table_text = encoding.data_text();
  const std::vector<Step> steps = explain(spec, position, explain_options);
  const Json at = position.size() == 1 ? Json(position[0]) : Json(position);
  write_steps(options, spec, steps,
              fmt::format("{} at position {}{}", found.text(), fmt::join(position, "/"),
                          options.position.empty() ? " (--positions for another one)" : ""),
              {{"position", at}});
  return 0;
}

int run(const ExplainCommand& options) {
  const Encoding found = find_with_remarks(options.spec, options.encoding);
  choose_format(options.output, {"text", "json"});
  const bool asked = !options.queries.empty() || !options.words.empty();
  const Place place = found.place();
  if (asked && (place == Place::rotation || place == Place::query)) {
    fail(ErrorKind::usage,
         fmt::format("{} is for encodings that are added to embeddings, biases and score terms; '{}' changes queries "
                     "and keys one by one: --positions 3{}",
                     options.words.empty() ? "--queries" : "--words", options.spec,
                     place == Place::rotation ? ", and --shift 2 to see a score" : ""));
  }
  const bool pairs =
      asked || !explains_position(found.spec()) || (options.position.empty() && acts_on_pairs(found.spec()));
  return pairs ? explain_at_pairs(options, found) : explain_at_position(options, found);
}

}  // namespace

void add_explain(Command& app) {
  const auto options = std::make_shared<ExplainCommand>();
  Command command = app.command("explain", "Work through an example, step by step",
                                "  posenc explain sinusoidal\n"
                                "  posenc explain sinusoidal:width=4 --positions 1 --shift 2 --derivative\n"
                                "  posenc explain rotary:head_dim=8 --positions 3 --shift 2\n"
                                "  posenc explain alibi:heads=4 --queries 0:4 --keys 0:4 --causal\n"
                                "  posenc explain clipped:heads=1,max_distance=2 --words \"I saw her duck\"");
  command.add("SPEC", options->spec, kSpecHelp).required();
  add_spec_choice(command, options->encoding);
  options->encoding.example = ExampleSize::by_hand;
  command
      .text("--positions,-p", options->position,
            "the position, an integer or a real number; on several axes 1/2/3 (default: 1, 1/2, ...)")
      .formerly("--position")
      .positions();
  command.text("--queries,-q", options->queries, "instead of a position: pairs of these queries and --keys")
      .positions();
  command.text("--keys,-k", options->keys, "with --queries: positions of the keys (default: those of the queries)")
      .positions();
  command.text("--words", options->words,
               "instead of --queries: a sentence whose words are queries and keys\n"
               "(default for encodings inside attention: \"I saw her duck\")");
  command.text("--scores", options->scores,
               "with pairs: scores of the last query before the bias, 0.2/0.2/0.2 (default: 0.2 each)");
  command.add("--head", options->head, "with pairs: the head (default: 0)");
  command.flag("--causal", options->causal, "with pairs: hide keys after the query");
  add_parameters(command, options->encoding);
  command
      .text("--shift", options->shift,
            "also derive the row this many positions further from this one; for rotary: the score at that distance")
      .positions()
      .value("X");
  command.flag("--derivative", options->derivative, "also show the derivative with respect to the position");
  add_weights(command, options->encoding);
  add_color(command, options->color);
  add_output(command, options->output, "text, json");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
