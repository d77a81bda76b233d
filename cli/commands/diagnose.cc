#include "posenc/insight/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "cli/commands/commands.h"
#include "cli/complaints.h"
#include "cli/diagnose_input.h"
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

// The numbers of the other engine are of one kind, given by the files of that kind.
struct DiagnoseCommand {
  std::string spec;
  EncodingOptions encoding;
  std::string inv_freq;
  std::string cos, sin;
  std::string input, rotated;
  std::string scores, q, k;
  std::string bias;
  std::string table;
  std::string positions;      // of tables, vectors and rows; empty: 0, 1, 2, ...
  std::string queries, keys;  // of scores and biases; empty: 0, 1, 2, ...
  std::optional<double> scale;
  bool faults = false;  // list the known mistakes
  std::string inject;   // show the effect of this mistake
  std::string picture;  // an SVG of its effect
  OutputOptions output;
};

enum class Evidence { frequencies, tables, rotation, scores, bias, rows };

struct EvidenceFile {
  const char* option;
  std::string DiagnoseCommand::*file;
  const char* help;
  std::size_t least_rank = 2;
};

// A kind of evidence and its files; messages name the kind by the first.
struct EvidenceKind {
  Evidence evidence;
  std::vector<EvidenceFile> files;
};

std::vector<EvidenceKind> all_evidence() {
  using Options = DiagnoseCommand;
  return {{Evidence::rotation,
           {{"--input", &Options::input, "queries or keys before the rotation, [N, D] or [N, H, D]; with --rotated"},
            {"--rotated", &Options::rotated, "the same vectors after the rotation"}}},
          {Evidence::tables,
           {{"--cos", &Options::cos, "cosines, [N, W] in any tiling; with --sin"},
            {"--sin", &Options::sin, "sines, like --cos"}}},
          {Evidence::frequencies, {{"--inv-freq", &Options::inv_freq, "inverse frequencies, [pairs]", 1}}},
          {Evidence::scores,
           {{"--scores", &Options::scores, "scores before the softmax, [N, S] or [H, N, S]; with --q and --k"},
            {"--q", &Options::q, "queries before the rotation, [N, D] or [N, H, D]"},
            {"--k", &Options::k, "keys before the rotation, [S, D] or [S, G, D]"}}},
          {Evidence::bias, {{"--bias", &Options::bias, "biases on scores, [N, S] or [H, N, S]"}}},
          {Evidence::rows, {{"--table", &Options::table, "rows of an encoding that is added to embeddings, [N, M]"}}}};
}

// The kinds that have at least one file.
std::vector<EvidenceKind> given_evidence(const DiagnoseCommand& options) {
  std::vector<EvidenceKind> kinds = all_evidence();
  const auto missing = [&](const EvidenceFile& one) { return (options.*one.file).empty(); };
  std::erase_if(kinds,
                [&](const EvidenceKind& kind) { return std::all_of(kind.files.begin(), kind.files.end(), missing); });
  return kinds;
}

// The one kind that was given. Throws if there are several, if a file is missing, or if options belong to another kind.
EvidenceKind one_evidence(const DiagnoseCommand& options) {
  const std::vector<EvidenceKind> given = given_evidence(options);
  const std::vector<EvidenceFile>& files = given[0].files;
  if (given.size() > 1) {
    fail(ErrorKind::usage, fmt::format("{} and {} are different kinds of numbers: give one kind at a time",
                                       files[0].option, given[1].files[0].option));
  }
  const auto is_missing = [&](const EvidenceFile& one) { return (options.*one.file).empty(); };
  if (std::any_of(files.begin(), files.end(), is_missing)) {
    const EvidenceFile& there = *std::find_if_not(files.begin(), files.end(), is_missing);
    std::string needed;
    for (const EvidenceFile& one : files) {
      if (is_missing(one)) needed += fmt::format("{}{}: {}", needed.empty() ? "" : "; and ", one.option, one.help);
    }
    fail(ErrorKind::usage, fmt::format("{} needs {}", there.option, needed));
  }
  const Evidence evidence = given[0].evidence;
  const bool matrix = evidence == Evidence::scores || evidence == Evidence::bias;
  if (matrix && !options.positions.empty())
    fail(ErrorKind::usage, "--positions does not go with --scores and --bias: use --queries and --keys");
  if (!matrix && (!options.queries.empty() || !options.keys.empty())) {
    fail(ErrorKind::usage, "--queries and --keys go with --scores and --bias: use --positions");
  }
  if (evidence == Evidence::frequencies && !options.positions.empty())
    fail(ErrorKind::usage, "--positions does not go with --inv-freq: frequencies do not depend on positions");
  if (evidence != Evidence::scores && options.scale) fail(ErrorKind::usage, "--softmax-scale goes with --scores");
  return given[0];
}

void load_arrays(const DiagnoseCommand& options, Loaded& loaded) {
  for (const EvidenceFile& one : one_evidence(options).files) {
    std::string name = one.option + 2;  // the name in the library
    std::replace(name.begin(), name.end(), '-', '_');
    loaded.names.emplace_back(name, options.*one.file);
    loaded.arrays.push_back(load_observed(options.*one.file, one.help, one.least_rank));
  }
}

// The size that arrays of this kind have, for the field of a spec that leaves it out; 0 if they do not show it.
SizeInFile size_in(Evidence evidence, const std::vector<Array>& arrays, std::string_view field) {
  const Array& array = arrays[evidence == Evidence::scores ? 1 : 0];
  const std::vector<std::int64_t>& shape = array.shape;
  const bool vectors = evidence == Evidence::rotation || evidence == Evidence::scores;
  if (vectors && field == "head_dim") return {shape.back()};
  if (evidence == Evidence::tables && field == "head_dim") return heads_of_table(array);
  if (evidence == Evidence::frequencies && field == "head_dim") return {2 * shape.back()};
  if (evidence == Evidence::rows && field == "width") return {shape.back()};
  if (evidence == Evidence::bias && field == "heads") return {shape.size() > 2 ? shape[shape.size() - 3] : 1};
  return {};
}

// SPEC, with the size of the arrays if that is all that it leaves out.
std::string sized_spec(const DiagnoseCommand& options, const Loaded& loaded, const std::string& missing) {
  if (missing.find(',') != std::string::npos) return options.spec;
  const std::string field = missing.substr(0, missing.find('='));
  const EvidenceKind kind = one_evidence(options);
  const SizeInFile found = size_in(kind.evidence, loaded.arrays, field);
  if (found.size < 1) return options.spec;
  const char* joint = options.spec.find(':') == std::string::npos ? ":" : ",";
  const std::string spec = fmt::format("{}{}{}={}", options.spec, joint, field, found.size);
  fmt::print(stderr, "posenc: {} was not given: using {}, {} {}{}\n", field, spec, found.words,
             options.*kind.files[0].file, found.reason);
  return spec;
}

Observation load_observation(const DiagnoseCommand& options, std::int64_t axes, Loaded& loaded) {
  const Evidence evidence = one_evidence(options).evidence;
  std::vector<ConstView> views;
  for (const Array& array : loaded.arrays) views.push_back(array.view());
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
  // Tables of several axes may have the axis first.
  const bool per_axis = axes > 1 && first.shape.size() - axis == 3 && first.shape[axis] == axes;
  if (evidence == Evidence::tables && per_axis) ++axis;
  loaded.positions = load_ids("positions", options.positions, axes, first, axis, loaded);
  if (evidence == Evidence::tables) return ObservedTables{views[0], views[1], loaded.positions.view};
  if (evidence == Evidence::rotation) return ObservedRotation{views[0], views[1], loaded.positions.view};
  return ObservedRows{views[0], loaded.positions.view};
}

// The encoding that the engine should have.
Encoding find_wanted(const DiagnoseCommand& options) {
  if (options.spec.empty()) {
    fail(ErrorKind::usage,
         "SPEC is missing, the encoding that the engine should have; for example: posenc diagnose llama-3.1-8b --input "
         "q.npy --rotated r.npy --positions 0:512");
  }
  return find_with_remarks(options.spec, options.encoding);
}

// The same if SPEC leaves out a size that the arrays have; `options` then gets the whole SPEC.
Encoding find_sized(DiagnoseCommand& options, const Loaded& loaded) {
  EncodingOptions example = options.encoding;
  example.example = ExampleSize::by_hand;
  const std::optional<Encoding> found = encoding_named(options.spec, example);
  if (found && found->assumed().empty()) {
    if (found->model() != nullptr) say_remarks(*found->model());
    return *found;
  }
  if (found) options.spec = sized_spec(options, loaded, found->assumed());
  return find_wanted(options);
}

// What to give for an encoding that acts at this place.
const char* example_numbers(Place place) {
  if (place == Place::input) return "--table rows.npy (the rows that it adds to embeddings)";
  if (place == Place::bias) return "--bias bias.npy (the biases that it adds to scores)";
  return "--input q.npy --rotated r.npy --positions 0:512 (queries before and after its rotation)";
}

// Says which numbers are missing, even if SPEC cannot be read, so that a beginner sees at once what else to give.
[[noreturn]] void ask_for_numbers(const DiagnoseCommand& options) {
  std::string spec = "SPEC", problem;
  Place place = Place::rotation;
  try {
    place = find_wanted(options).place();
    spec = text::shell_word(options.spec);
  } catch (const Error& error) {
    problem = for_command_line(error.what()) + "; besides, ";
  }
  fail(ErrorKind::usage,
       fmt::format("{}the numbers of the other engine are missing; for example: posenc diagnose {} {}; see posenc "
                   "diagnose --help for others (--inv-freq, --cos and --sin, --scores, --bias, --table)",
                   problem, spec, example_numbers(place)));
}

// The spec of the encoding at the chosen layer.
Spec wanted_spec(const Encoding& wanted) {
  const auto* rotary = std::get_if<Rotary>(&wanted.spec());
  return rotary != nullptr && rotary->layer ? Spec(at_layer(*rotary, *rotary->layer)) : wanted.spec();
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

// Biases need their learned numbers; rows without a table are refused by the library.
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

// Positions that show a mistake wherever it starts: a few per power of two, odd so that short types round them. With
// several axes the coordinates differ.
Positions usual_positions(std::int64_t axes, double growth, std::int64_t last) {
  std::vector<std::int64_t> values;
  double next = 0.0;
  for (std::int64_t p = 0; p <= last; next = std::max(next * growth, next + 1.0), p = std::llround(next)) {
    const std::int64_t odd = p > 16 ? p | 1 : p;
    for (std::int64_t a = 0; a < axes; ++a) values.push_back(odd / (a + 1));
  }
  return Positions::integers(std::move(values), axes);
}

// The effect of the mistake of --inject, at the given positions or at usual ones, each `growth` times the last.
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

// The SVG has more positions than the text.
void draw_injected(const DiagnoseCommand& options, const Encoding& wanted, const PositionText& given,
                   const std::string& path) {
  if (!path.ends_with(".svg")) {
    fail(ErrorKind::usage, "--picture writes SVG: its file must end in .svg but is '" + path + "'");
  }
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

// One picture per known mistake.
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
  if (format == "md" && !options.faults) fail(ErrorKind::usage, "--format md goes with --faults");
  if ((options.faults || !options.inject.empty()) && !given_evidence(options).empty()) {
    fail(ErrorKind::usage, "--faults and --inject take no numbers of another engine");
  }
  if (options.encoding.has_numbers() && (options.faults || !options.inject.empty())) {
    fail(ErrorKind::usage, "--faults and --inject take no learned numbers");
  }
  if (options.faults) {
    if (!options.spec.empty()) {
      fail(ErrorKind::usage,
           "--faults lists the mistakes of all encodings and takes no SPEC but got '" + options.spec + "'");
    }
    check_choices({}, {}, false, options.encoding);
    if (!options.picture.empty()) draw_faults(options.picture);
    write_faults(options.output, format);
    return 0;
  }
  if (!options.picture.empty() && options.inject.empty())
    fail(ErrorKind::usage, "--picture goes with --inject or --faults");
  if (!options.inject.empty()) return show_injected(options, format == "json");
  if (!options.spec.empty() && given_evidence(options).empty()) ask_for_numbers(options);
  Loaded loaded;
  DiagnoseCommand sized = options;
  if (!options.spec.empty()) load_arrays(options, loaded);
  const Encoding wanted = load_learned(sized, options.spec.empty() ? find_wanted(sized) : find_sized(sized, loaded));
  Diagnosis answer;
  try {
    answer = diagnosis_of(sized, wanted, loaded);
  } catch (const Error& error) {
    fail(error.kind(), with_file_name(error.what(), loaded, loaded.option));
  }
  if (format == "json") {
    write_json(options.output, {{"spec", sized.spec}}, to_json(answer));
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
      app.command("diagnose", "Find out what another engine does wrong, from its numbers",
                  "  posenc diagnose llama-3.1-8b --input q.npy --rotated r.npy --positions 0:512\n"
                  "  posenc diagnose config.json --cos cos.npy --sin sin.npy --positions @ids.npy --format json\n"
                  "  posenc diagnose alibi:heads=12 --bias theirs.npy\n"
                  "  posenc diagnose llama-3.1-8b --inject base=10000 --positions 0,1,10,100,1000\n"
                  "  posenc diagnose --faults");
  command.add("SPEC", options->spec,
              "the encoding that the engine should have: kind:field=value,..., a file, or a model by name");
  for (const EvidenceKind& kind : all_evidence()) {
    for (const EvidenceFile& one : kind.files) {
      command.text(one.option, (*options).*one.file, one.help)
          .value("FILE")
          .group("Numbers of the other engine, one kind (file.npy or file.safetensors:tensor)");
    }
  }
  command
      .text("--positions,-p", options->positions,
            std::string("positions of the tokens (default: 0, 1, 2, ...): ") + kPositionsHelp)
      .formerly("--position")
      .positions();
  command.text("--queries", options->queries, "positions of queries, with --scores or --bias (default: 0, 1, 2, ...)")
      .positions();
  command.text("--keys", options->keys, "positions of keys, with --scores or --bias (default: 0, 1, 2, ...)")
      .positions();
  command
      .add("--softmax-scale", options->scale,
           "with --scores: the right factor on scores (default: that of the model, else head_dim^-0.5)")
      .check(above_zero)
      .formerly("--scale");
  add_spec_choice(command, options->encoding);
  add_weights(command, options->encoding);
  add_parameters(command, options->encoding);
  command.flag("--faults", options->faults, "list the known mistakes");
  command.text("--inject", options->inject,
               "show what a mistake does to the numbers: base=10000, or two together: 'sign + base'");
  command
      .text("--picture", options->picture,
            "with --inject: draw its error at each position in this .svg; with --faults: one file each in this folder")
      .value("FILE");
  add_output(command, options->output, "text, json, md (with --faults)");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
