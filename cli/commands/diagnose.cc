#include "posenc/insight/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "cli/commands/commands.h"
#include "cli/diagnose_text.h"
#include "cli/encoding.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "cli/token_positions.h"
#include "core/text/shell.h"
#include "posenc/error.h"
#include "posenc/files/array.h"
#include "posenc/files/load.h"
#include "posenc/files/spec_json.h"
#include "posenc/insight/svg.h"

namespace posenc::cli {
namespace {

// Of another engine's numbers, one kind is given: files with what belongs to them.
struct DiagnoseCommand {
  std::string spec;
  EncodingOptions encoding;
  std::string inv_freq;
  std::string cos, sin;
  std::string input, rotated;
  std::string scores, q, k;
  std::string bias;
  std::string table;
  std::string positions;      // of tables, vectors and rows; empty: counted from 0
  std::string queries, keys;  // of scores and biases; empty: counted from 0
  std::optional<double> scale;
  bool faults = false;  // list what is known
  std::string inject;   // show what a mistake would do
  std::string picture;  // an SVG of it
  OutputOptions output;
};

// What was read from files: an observation holds views of it.
struct Loaded {
  std::vector<Array> arrays;
  TokenPositions positions, keys;
  std::vector<std::pair<std::string, std::string>> names;  // what the library calls something, and what the user does
  std::string option = "diagnose";                         // what opens messages about nothing in particular
};

enum class Evidence { frequencies, tables, rotation, scores, bias, rows };

struct EvidenceFile {
  const char* option;
  std::string DiagnoseCommand::*file;
  const char* help;
};

// A kind of evidence, and its files, the one that names it first.
struct EvidenceKind {
  Evidence evidence;
  std::vector<EvidenceFile> files;
};

std::vector<EvidenceKind> all_evidence() {
  using Options = DiagnoseCommand;
  return {{Evidence::frequencies, {{"--inv-freq", &Options::inv_freq, "its inverse frequencies, [pairs]"}}},
          {Evidence::tables,
           {{"--cos", &Options::cos, "its cosines, [N, W] in any tiling; with --sin and --positions"},
            {"--sin", &Options::sin, "its sines"}}},
          {Evidence::rotation,
           {{"--input", &Options::input,
             "vectors before its rotation, [N, D] or [N, H, D]; with --rotated and --positions"},
            {"--rotated", &Options::rotated, "the same behind it"}}},
          {Evidence::scores,
           {{"--scores", &Options::scores,
             "its scores before the softmax, [N, S] or [H, N, S]; with --q, --k, --queries, --keys"},
            {"--q", &Options::q, "its queries before the rotation, [N, D] or [N, H, D]"},
            {"--k", &Options::k, "its keys before the rotation, [S, D] or [S, G, D]"}}},
          {Evidence::bias, {{"--bias", &Options::bias, "its biases, [N, S] or [H, N, S]"}}},
          {Evidence::rows, {{"--table", &Options::table, "its rows of an encoding at the input, [N, M]"}}}};
}

// The kinds of which a file was given.
std::vector<EvidenceKind> given_evidence(const DiagnoseCommand& options) {
  std::vector<EvidenceKind> kinds = all_evidence();
  const auto missing = [&](const EvidenceFile& one) { return (options.*one.file).empty(); };
  std::erase_if(kinds,
                [&](const EvidenceKind& kind) { return std::all_of(kind.files.begin(), kind.files.end(), missing); });
  return kinds;
}

// The only kind that was given, whole; options that belong to another are errors.
EvidenceKind one_evidence(const DiagnoseCommand& options) {
  const std::vector<EvidenceKind> given = given_evidence(options);
  if (given.empty()) {
    fail(ErrorKind::usage,
         "numbers of the other engine are needed: --inv-freq, --cos and --sin, --input and --rotated, --scores, --bias "
         "or --table");
  }
  const std::vector<EvidenceFile>& files = given[0].files;
  if (given.size() > 1) {
    fail(ErrorKind::usage, fmt::format("{} and {} are two kinds of numbers: give one at a time", files[0].option,
                                       given[1].files[0].option));
  }
  for (const EvidenceFile& one : files) {
    if (!(options.*one.file).empty()) continue;
    const EvidenceFile& other = files[&one == &files[0] ? 1 : 0];
    fail(ErrorKind::usage, fmt::format("{} needs {}", other.option, one.option));
  }
  const Evidence evidence = given[0].evidence;
  const bool matrix = evidence == Evidence::scores || evidence == Evidence::bias;
  if (matrix && !options.positions.empty())
    fail(ErrorKind::usage, "positions of scores and biases are --queries and --keys");
  if (!matrix && (!options.queries.empty() || !options.keys.empty())) {
    fail(ErrorKind::usage, "--queries and --keys are for --scores and --bias: others have --positions");
  }
  if (evidence == Evidence::frequencies && !options.positions.empty())
    fail(ErrorKind::usage, "frequencies have no --positions");
  if (evidence != Evidence::scores && options.scale) fail(ErrorKind::usage, "--scale is for --scores");
  return given[0];
}

// Positions of the tokens of an array; how many that is, the library checks.
TokenPositions load_ids(const char* name, const std::string& text, std::int64_t axes, const Array& array,
                        std::size_t axis, Loaded& loaded) {
  loaded.option = fmt::format("--{}", name);
  loaded.names.emplace_back(name, text.empty() ? loaded.option : fmt::format("{} {}", loaded.option, text));
  const std::int64_t count = axis < array.shape.size() ? array.shape[axis] : 0;
  if (text.empty() && count < 1) fail(ErrorKind::bad_input, "there are no tokens");
  TokenPositions ids = load_token_positions(text, axes, {.batch = 0, .tokens = count});
  PositionView& view = ids.view;
  // Position ids of Hugging Face have the axis first: [A, N] or [A, 1, N].
  const bool two = axes > 1 && view.batch == 1 && view.count == axes && view.axes == count && count != axes;
  const bool three = axes > 1 && view.batch == axes && view.count == 1 && view.axes == count;
  if (two || three) {
    view.axis_stride = three ? view.batch_stride : view.token_stride;
    view.token_stride = 1;
    view.batch = 1;
    view.count = count;
    view.axes = axes;
  }
  return ids;
}

// The axis of an array that its tokens have, behind leading axes of length 1.
std::size_t token_axis(const Array& array) {
  std::size_t axis = 0;
  while (array.shape.size() - axis > 2 && array.shape[axis] == 1) ++axis;
  return axis;
}

Observation load_observation(const DiagnoseCommand& options, std::int64_t axes, Loaded& loaded) {
  const EvidenceKind kind = one_evidence(options);
  const Evidence evidence = kind.evidence;
  std::vector<ConstView> views;
  for (const EvidenceFile& one : kind.files) {
    std::string name = one.option + 2;  // as the library has it
    std::replace(name.begin(), name.end(), '-', '_');
    loaded.names.emplace_back(name, options.*one.file);
    loaded.arrays.push_back(load_array(options.*one.file));
    views.push_back(loaded.arrays.back().view());
  }
  const Array& first = loaded.arrays[0];
  const auto load_pairs = [&](std::int64_t id_axes, std::size_t of, std::size_t query_axis, std::size_t key_axis) {
    const Array &queries = loaded.arrays[of], &keys = loaded.arrays.back();
    loaded.positions = load_ids("queries", options.queries, id_axes, queries, query_axis, loaded);
    loaded.keys = load_ids("keys", options.keys, id_axes, keys, key_axis, loaded);
  };
  switch (evidence) {
    case Evidence::frequencies:
      return ObservedFrequencies{views[0]};
    case Evidence::scores:
      load_pairs(axes, 1, token_axis(loaded.arrays[1]), token_axis(loaded.arrays[2]));
      return ObservedScores{views[0], views[1], views[2], loaded.positions.view, loaded.keys.view};
    case Evidence::bias: {
      const std::size_t rank = first.shape.size();
      if (rank < 2) fail(ErrorKind::bad_input, "bias: expected [N, S] or [H, N, S]");
      load_pairs(1, 0, rank - 2, rank - 1);
      return ObservedBias{views[0], loaded.positions.view, loaded.keys.view};
    }
    default:
      break;
  }
  std::size_t axis = token_axis(first);
  // Tables of several axes may have one of them in front.
  const bool per_axis = axes > 1 && first.shape.size() - axis == 3 && first.shape[axis] == axes;
  if (evidence == Evidence::tables && per_axis) ++axis;
  loaded.positions = load_ids("positions", options.positions, axes, first, axis, loaded);
  if (evidence == Evidence::tables) return ObservedTables{views[0], views[1], loaded.positions.view};
  if (evidence == Evidence::rotation) return ObservedRotation{views[0], views[1], loaded.positions.view};
  return ObservedRows{views[0], loaded.positions.view};
}

// The encoding that the engine should have had.
Encoding find_wanted(const DiagnoseCommand& options) {
  if (options.spec.empty()) fail(ErrorKind::usage, "SPEC is needed: what the engine should have done");
  return find_with_remarks(options.spec, options.encoding);
}

// Its spec, of the one layer that was chosen.
Spec wanted_spec(const Encoding& wanted) {
  const auto* rotary = std::get_if<Rotary>(&wanted.spec());
  return rotary != nullptr && rotary->layer ? Spec(at_layer(*rotary, *rotary->layer)) : wanted.spec();
}

// A message of the library with the file's name instead of what the library calls it.
std::string with_file_name(std::string message, const Loaded& loaded, const std::string& option) {
  bool named = false;
  for (const auto& [name, file] : loaded.names) {
    if (message.starts_with(name + ":")) {
      message = file + message.substr(name.size());
      named = true;
    }
    // Others of the same call: "the shape of cos, [16, 3]".
    for (const char* end : {",", " and ", " but"}) {
      const std::string other = fmt::format(" of {}{}", name, end);
      const std::size_t at = message.find(other);
      if (at != std::string::npos) message.replace(at, other.size(), fmt::format(" of {}{}", file, end));
    }
    named = named || message.find(file) != std::string::npos;
  }
  return named || message.find("--") != std::string::npos ? message : fmt::format("{}: {}", option, message);
}

DiagnoseOptions library_options(const DiagnoseCommand& options) {
  DiagnoseOptions result;
  result.softmax_scale = options.scale;
  result.command_spec = options.spec;
  return result;
}

std::string choice_text(const EncodingOptions& options) {
  std::string text;
  if (options.layer) text += fmt::format(" --layer {}", *options.layer);
  if (!options.part.empty()) text += " --part " + text::shell_word(options.part);
  if (options.sequence_length) text += fmt::format(" --sequence-length {}", *options.sequence_length);
  return text;
}

// What it learned is needed where its biases are to be compared; rows without a table have a message of their own.
Encoding load_learned(const DiagnoseCommand& options, const Encoding& wanted) {
  EncodingOptions learned = options.encoding;
  learned.missing = wanted.place() == Place::bias ? Missing::error : Missing::leave;
  return with_learned(wanted, learned);
}

Diagnosis diagnosis_of(const DiagnoseCommand& options, const Encoding& encoding, Loaded& loaded) {
  const Spec spec = wanted_spec(encoding);
  const Observation observed = load_observation(options, axes_of(spec), loaded);
  loaded.option = one_evidence(options).files[0].option;
  DiagnoseOptions settings = library_options(options);
  settings.parameters = encoding.parameters();
  settings.tables = encoding.tables();
  if (encoding.table().rank != 0) settings.tables.push_back(encoding.table());
  Diagnosis answer;
  if (encoding.group() != nullptr) {
    ModelGroup group = *encoding.group();
    group.spec = spec;
    answer = diagnose(*encoding.model(), group, observed, settings);
  } else {
    answer = diagnose(spec, observed, settings);
  }
  for (std::vector<Explanation>* list : {&answer.explanations, &answer.nearest}) {
    for (Explanation& explanation : *list) explanation.command += choice_text(options.encoding);
  }
  return answer;
}

// Positions that show a mistake wherever it begins: a few per power of two, and none that short types happen to hold.
// With several axes the coordinates differ.
Positions usual_positions(std::int64_t axes, double growth, std::int64_t last) {
  std::vector<std::int64_t> values;
  double next = 0.0;
  for (std::int64_t p = 0; p <= last; next = std::max(next * growth, next + 1.0), p = std::llround(next)) {
    const std::int64_t odd = p > 16 ? p | 1 : p;
    for (std::int64_t a = 0; a < axes; ++a) values.push_back(odd / (a + 1));
  }
  return Positions::integers(std::move(values), axes);
}

// What the mistake of --inject does, at the positions of the options or at usual ones, each so many times the last.
InjectedFault injected(const DiagnoseCommand& options, const Encoding& wanted, const PositionText& given,
                       double growth) {
  Spec spec = wanted_spec(wanted);
  auto* rotary = std::get_if<Rotary>(&spec);
  const std::int64_t axes = axes_of(spec);
  TokenPositions positions;
  if (given.text.empty()) {
    const bool turns = axes > 1 || rotary != nullptr || kind_of(spec) == "none" || kind_of(spec) == "sinusoidal";
    positions.numbers = usual_positions(axes, growth, turns ? 140000 : 1100);
    positions.view = positions.numbers.view();
  } else {
    positions = token_positions(given, axes, {.batch = 0, .tokens = 0});
  }
  DiagnoseOptions settings = library_options(options);
  if (wanted.group() != nullptr) settings = options_of(*wanted.model(), *wanted.group(), settings);
  if (rotary != nullptr && needs_length(rotary->scaling) && !rotary->sequence_length) rotary->sequence_length = 1;
  return inject_fault(spec, options.inject, positions.view, settings);
}

// An SVG of it, with more positions.
void draw_injected(const DiagnoseCommand& options, const Encoding& wanted, const PositionText& given,
                   const std::string& path) {
  if (!path.ends_with(".svg")) fail(ErrorKind::usage, "--picture writes .svg but got '" + path + "'");
  const Drawing drawing =
      draw_fault(injected(options, wanted, given, 1.09), fmt::format("{} in {}", options.inject, options.spec));
  write_file(path, to_svg(drawing, {}));
}

int show_injected(const DiagnoseCommand& options, bool json) {
  const Encoding wanted = find_wanted(options);
  const PositionText given(options.positions);
  const InjectedFault shown = injected(options, wanted, given, 2.0);
  if (!options.picture.empty()) draw_injected(options, wanted, given, options.picture);
  if (json) {
    write_json(options.output, injected_json(shown, options.spec, options.inject));
  } else {
    write_text(options.output, injected_text(shown));
  }
  return 0;
}

// One picture per mistake that is known.
void draw_faults(const std::string& folder) {
  for (const KnownFault& fault : known_faults()) {
    DiagnoseCommand one;
    one.spec = fault.example;
    one.inject = fault.name;
    if (fault.layer >= 0) one.encoding.layer = fault.layer;
    draw_injected(one, find_wanted(one), PositionText(""), fmt::format("{}/{}.svg", folder, fault.name));
  }
}

int run(const DiagnoseCommand& options) {
  const std::string format = choose_format(options.output, {"text", "json", "md"});
  if (format == "md" && !options.faults) fail(ErrorKind::usage, "--format md is for --faults");
  if ((options.faults || !options.inject.empty()) && !given_evidence(options).empty()) {
    fail(ErrorKind::usage, "--faults and --inject show what is known: they take no numbers of another engine");
  }
  if (options.encoding.has_numbers() && (options.faults || !options.inject.empty())) {
    fail(ErrorKind::usage, "--faults and --inject need no learned numbers: leave them out");
  }
  if (options.faults) {
    if (!options.spec.empty()) {
      fail(ErrorKind::usage, "--faults lists the mistakes of all encodings: leave out '" + options.spec + "'");
    }
    check_choices({}, {}, false, options.encoding);
    if (!options.picture.empty()) draw_faults(options.picture);
    write_faults(options.output, format);
    return 0;
  }
  if (!options.picture.empty() && options.inject.empty())
    fail(ErrorKind::usage, "--picture is for --inject and --faults");
  if (!options.inject.empty()) return show_injected(options, format == "json");
  const Encoding wanted = load_learned(options, find_wanted(options));
  Loaded loaded;
  Diagnosis answer;
  try {
    answer = diagnosis_of(options, wanted, loaded);
  } catch (const Error& error) {
    fail(error.kind(), with_file_name(error.what(), loaded, loaded.option));
  }
  if (format == "json") {
    write_json(options.output, {{"spec", options.spec}}, to_json(answer));
  } else {
    write_text(options.output, diagnosis_text(answer));
  }
  return answer.verdict == DiagnosisVerdict::matches ? 0 : 1;
}

std::string above_zero(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool number = !text.empty() && *end == '\0';
  return number && value > 0.0 && value < 1e300 ? "" : "must be a number above 0 but got '" + text + "'";
}

}  // namespace

void add_diagnose(Command& app) {
  const auto options = std::make_shared<DiagnoseCommand>();
  Command command =
      app.command("diagnose", "What is wrong with another engine's numbers.",
                  "  posenc diagnose llama-3.1-8b --input q.npy --rotated r.npy --positions 0:512\n"
                  "  posenc diagnose config.json --cos cos.npy --sin sin.npy --positions @ids.npy --format json\n"
                  "  posenc diagnose alibi:heads=12 --bias theirs.npy\n"
                  "  posenc diagnose llama-3.1-8b --inject base=10000 --positions 0,1,10,100,1000\n"
                  "  posenc diagnose --faults");
  command.add("SPEC", options->spec, "what the engine should have done: a spec, a model's file, a name of the catalog");
  for (const EvidenceKind& kind : all_evidence()) {
    for (const EvidenceFile& one : kind.files) {
      command.text(one.option, (*options).*one.file, one.help)
          .group("Numbers of the other engine (file.npy or file.safetensors:tensor), one kind of");
    }
  }
  command.text("--positions,-p", options->positions,
               std::string("positions of the tokens (default: counted from 0): ") + kPositionsHelp);
  command.text("--queries", options->queries, "positions of queries (default: counted from 0)");
  command.text("--keys", options->keys, "positions of keys (default: counted from 0)");
  command
      .add("--scale", options->scale,
           "what scores should be multiplied by (default: as the model says, else head_dim^-0.5)")
      .check(above_zero);
  add_spec_choice(command, options->encoding);
  add_weights(command, options->encoding);
  add_parameters(command, options->encoding);
  command.flag("--faults", options->faults, "list the mistakes that are known");
  command.text("--inject", options->inject,
               "show what a mistake does to the numbers: base=10000, or two: 'sign + base'");
  command.text(
      "--picture", options->picture,
      "with --inject: write its error against the position to this .svg; with --faults: into this folder, one each");
  add_output(command, options->output, "text, json, md (of --faults)");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
