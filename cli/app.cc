// The command line's grammar. Only the files that include cli/grammar.h know CLI11; app_attention.cc has the commands
// of attention, app_models.cc those of models, app_lesson.cc those for lessons, this one all others.
#include <cstdio>
#include <memory>
#include <sstream>

#include "cli/commands.h"
#include "cli/conventions.h"
#include "cli/grammar.h"
#include "cli/model_source.h"
#include "cli/output.h"
#include "cli/resize_presets.h"
#include "cli/spec_choice.h"
#include "core/text/nearest.h"
#include "posenc/files/load.h"
#include "posenc/version.h"

namespace posenc::cli {

void add_weights(CLI::App& command, WeightOptions& weights) {
  command
      .add_option(
          "--file", weights.files,
          "the learned table: table.npy, or model.safetensors:tensor; of a concat one per learned part, in order "
          "or as PART=FILE")
      ->check(not_empty)
      ->allow_extra_args(false);
  command.add_option("--init", weights.init, "make the learned table instead: normal or uniform")
      ->check(CLI::IsMember({"normal", "uniform"}));
  command.add_option("--std", weights.std, "with --init: the standard deviation (default: 0.02)");
  command.add_option("--seed", weights.seed, "with --init: another seed, other numbers (default: 0)")->check(not_empty);
}

std::string not_empty(const std::string& value) { return value.empty() ? "must not be empty" : ""; }

void add_output(CLI::App& command, OutputOptions& options, const char* formats) {
  command.add_option("--format", options.format, std::string(formats) + " (default: by the name of -o, else text)")
      ->check(not_empty);
  command.add_option("-o,--output", options.path, "write to this file, whole or not at all (default: standard output)")
      ->check(not_empty);
}

CLI::App* add_command(CLI::App& app, const char* name, const char* summary, const char* examples) {
  CLI::App* command = app.add_subcommand(name, summary);
  command->footer(examples);
  return command;
}

void add_max_bytes(CLI::App& command, std::int64_t& max_bytes) {
  command.add_option("--max-bytes", max_bytes, "refuse tables larger than this")
      ->check([](const std::string& bytes) { return bytes.starts_with('-') ? "must not be negative" : ""; })
      ->capture_default_str();
}

void add_color(CLI::App& command, std::string& color) {
  command.add_option("--color", color, "escape codes: auto (only on a terminal), always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
}

namespace {

// Read when the command is complete: the options may stand before SPEC or after it.
template <class Apply>
void add_choice(CLI::App& command, const Apply& apply) {
  const auto choice = std::make_shared<SpecChoice>();
  command
      .add_option("--sequence-length", choice->sequence_length,
                  "the length of the sequence, for scalings that depend on it (dynamic, longrope)")
      ->check([](const std::string& text) {
        return text.empty() || text[0] == '-' || text == "0" ? "must be at least 1" : "";
      });
  command.add_option("--part", choice->part, "which part of a model: text, vision, ...")->check(not_empty);
  command.add_option("--layer", choice->layer, "which layer, where layers differ")->check([](const std::string& text) {
    return text.starts_with('-') ? "must not be negative" : "";
  });
  command.parse_complete_callback([choice, apply] { apply(*choice); });
}

}  // namespace

void add_spec_choice(CLI::App& command, std::string& spec) {
  add_choice(command, [&spec](const SpecChoice& choice) { spec = with_choice(spec, choice); });
}

void add_spec_choice(CLI::App& command, std::vector<std::string>& specs) {
  add_choice(command, [&specs](const SpecChoice& choice) {
    // The choice is for what turns: a bias or a mask beside it depends on none of it.
    for (std::string& spec : specs) {
      const std::variant<Spec, Model> loaded = load_spec_or_model(spec);
      const auto* plain = std::get_if<Spec>(&loaded);
      if (!plain || std::holds_alternative<Rotary>(*plain)) spec = with_choice(spec, choice);
    }
  });
}

namespace {

// Help begins with the examples; CLI11 keeps them as the footer.
struct ExamplesFirst : CLI::Formatter {
  std::string make_description(const CLI::App* app) const override {
    return "Examples:\n" + app->get_footer() + "\n\n" + CLI::Formatter::make_description(app);
  }
  std::string make_footer(const CLI::App*) const override { return ""; }
};

void add_list(CLI::App& app, ListOptions& options) {
  CLI::App* command = add_command(app, "list", "The kinds of encodings with their fields, and the figures.",
                                  "  posenc list\n  posenc list sinusoidal\n  posenc list --format json");
  command->add_option("KIND", options.kind, "only this kind");
  add_output(*command, options.output, "text, json");
}

void add_tiling(CLI::App& command, TableOptions& options) {
  command
      .add_option("--tiling", options.tiling,
                  "of rotary: per_pair (a column per pair, the default), halves (c0 c1 .. c0 c1 ..), pairs (c0 c0 c1\n"
                  "c1 ..), or cos_sin (per pair, [cos | sin] in one array: the default of .npy files)")
      ->check(CLI::IsMember({"per_pair", "halves", "pairs", "cos_sin"}));
  command.add_option("--only", options.only, "of rotary: cos or sin alone")->check(CLI::IsMember({"cos", "sin"}));
}

void add_table(CLI::App& app, TableOptions& options) {
  CLI::App* command = add_command(app, "table", "The numbers of an encoding at positions.",
                                  "  posenc table sinusoidal:width=4 --positions 0:4\n"
                                  "  posenc table sinusoidal:width=512 --positions 0:5000 -o table.npy\n"
                                  "  posenc table sinusoidal:width=8,order=halves --positions 0,7,2.5 --format json\n"
                                  "  posenc table learned:past_end=clamp --file wpe.npy --positions 0:4\n"
                                  "  posenc table rotary:head_dim=128 --positions 0:4096 -o cos_sin.safetensors");
  command->add_option("SPEC", options.spec, kSpecHelp)->required();
  command->add_option("--positions,-p", options.positions, kPositionsHelp)->required();
  command->add_option("--dtype", options.dtype, "f64, f32, f16 or bf16 (default: f64 in text, json and csv, else f32)")
      ->check(CLI::IsMember({"f64", "f32", "f16", "bf16"}));
  command->add_flag("--derivative", options.derivative, "the derivative by the position instead");
  add_spec_choice(*command, options.spec);
  add_tiling(*command, options);
  add_max_bytes(*command, options.max_bytes);
  add_weights(*command, options.weights);
  add_output(*command, options.output, "text, json, csv, npy, safetensors");
}

void add_add(CLI::App& app, AddOptions& options) {
  CLI::App* command = add_command(
      app, "add", "An encoding into embeddings: [N, M] or [B, N, M] in, their sum out.",
      "  posenc add sinusoidal:width=512 --input x.npy --scale sqrt -o sum.npy\n"
      "  posenc add learned:past_end=error --file wpe.npy --input x.npy --positions @ids.npy -o sum.npy\n"
      "  posenc add sinusoidal:width=64 --input x.npy --join concat --dropout 0.1 --step 3 -o out.safetensors");
  command->add_option("SPEC", options.spec, kSpecHelp)->required();
  add_spec_choice(*command, options.spec);
  command->add_option("--input,-i", options.input, "the embeddings: x.npy, or file.safetensors:tensor")
      ->required()
      ->check(not_empty);
  command->add_option("--positions,-p", options.positions,
                      std::string(kPositionsHelp) + ", [B, N] in the file for ids per row (default: 0 to N)");
  command->add_option("--join", options.join, "add, or concat: positions behind the embeddings")
      ->check(CLI::IsMember({"add", "concat"}))
      ->capture_default_str();
  command->add_option("--scale", options.scale, "multiplies the embeddings first: a number, or sqrt of their width")
      ->capture_default_str();
  command->add_option("--dropout", options.dropout, "the probability that an element of the result becomes 0");
  command->add_option("--dropout-seed", options.dropout_seed, "with --dropout and --step: which elements (default: 0)")
      ->check(not_empty);
  command->add_option("--step", options.step, "with --dropout: another step, another mask (default: 0)")
      ->check(not_empty);
  command->add_option("--first-row", options.first_row, "with --dropout: where this batch begins in a larger one ...")
      ->check(not_empty);
  command->add_option("--first-token", options.first_token, "... and where its tokens do: its part of the same mask")
      ->check(not_empty);
  command->add_option("--threads", options.threads, "the result does not depend on it")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--tensor", options.tensor, "the result's name in a safetensors file (default: values)")
      ->check(not_empty);
  add_weights(*command, options.weights);
  add_output(*command, options.output, "text, json, npy, safetensors");
}

void add_rotate(CLI::App& app, RotateOptions& options) {
  CLI::App* command =
      add_command(app, "rotate", "Queries or keys turned by their positions: [N, D], [N, H, D] or [B, N, H, D].",
                  "  posenc rotate rotary:head_dim=128,base=500000 --input q.npy -o rotated.npy\n"
                  "  posenc rotate rotary:head_dim=64 --input k.npy --positions @ids.npy --inverse -o k.npy\n"
                  "  posenc rotate rotary:head_dim=64 --input cache.npy --positions 4:12 --to 0:8 -o cache.npy\n"
                  "  posenc rotate pope:head_dim=64 --input k.npy --keys --delta delta.npy -o expanded.npy");
  command->add_option("SPEC", options.spec, kSpecHelp)->required();
  command->add_option("--input,-i", options.input, "queries or keys: q.npy, or file.safetensors:tensor")
      ->required()
      ->check(not_empty);
  command
      ->add_option("--positions,-p", options.positions,
                   std::string(kPositionsHelp) + ", [B, N] in the file for ids per row (default: 0 to N)")
      ->check(not_empty);
  add_spec_choice(*command, options.spec);
  command->add_flag("--inverse", options.inverse, "undo the rotation instead");
  command->add_flag("--backward", options.backward, "the gradient by the input instead: the transpose");
  command->add_flag("--keys", options.keys, "of pope and xpos: the input are keys, not queries");
  command
      ->add_option("--delta", options.delta, "of pope: the learned angles [H, R], delta.npy or file.safetensors:tensor")
      ->check(not_empty);
  command->add_option("--to", options.to, "the input is rotated at --positions already: move it to these")
      ->check(not_empty);
  command->add_option("--to-spec", options.to_spec, "the same, to another rotary encoding of these channels")
      ->check(not_empty);
  command->add_option("--scale", options.scale, "multiplies every channel of the result")->capture_default_str();
  command->add_option("--threads", options.threads, "the result does not depend on it")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--tensor", options.tensor, "the result's name in a safetensors file (default: values)")
      ->check(not_empty);
  add_output(*command, options.output, "text, json, npy, safetensors");
}

void add_interpolation(CLI::App& command, ResizeOptions& options) {
  command.add_option("--method", options.method, "nearest, linear (bilinear), cubic (bicubic, the default) or area")
      ->check(CLI::IsMember({"nearest", "linear", "bilinear", "cubic", "bicubic", "area"}));
  command.add_option("--align", options.align, "centers (the default) or corners, for linear and cubic")
      ->check(CLI::IsMember({"centers", "corners"}));
  command.add_flag("--antialias", options.antialias, "widen the taps when shrinking, for linear and cubic");
  command.add_option("--cubic-a", options.cubic_a, "the cubic's parameter (default: -0.75, with --antialias -0.5)");
  command.add_option("--extra-size", options.extra_size, "the ratio is from / (to + this)");
  std::string presets = "all of these as a package has them:";
  for (const ResizePreset& preset : resize_presets()) {
    presets += "\n  " + std::string(preset.name) + ": " + std::string(preset.help);
  }
  command.add_option("--like", options.like, presets)->check(not_empty);
}

void add_resize(CLI::App& app, ResizeOptions& options) {
  CLI::App* command =
      add_command(app, "resize", "A learned table to a new length or grid.",
                  "  posenc resize --file table.npy --from 14x14 --to 16x20 --kept 1 --like vit -o resized.npy\n"
                  "  posenc resize --file model.safetensors:wpe.weight --to 2048 --method linear -o wpe.safetensors");
  command->add_option("SPEC", options.spec, "learned, or learned with fields; may be left out");
  command
      ->add_option("--file", options.file, "the table, [rows, width] or [1, rows, width]: .npy or .safetensors:tensor")
      ->required()
      ->check(not_empty);
  command->add_option("--to", options.to, "its new length, 1024, or grid, height x width: 16x20")->required();
  command->add_option("--from", options.from, "its length or grid without the kept rows (may be left out for a length)")
      ->check(not_empty);
  command->add_option("--kept", options.kept, "rows in front that are copied: class and distillation tokens")
      ->check([](const std::string& rows) { return rows.starts_with('-') ? "must not be negative" : ""; })
      ->capture_default_str();
  command->add_flag("--square", options.square, "instead of --from: the grid is as high as wide");
  add_interpolation(*command, options);
  command->add_option("--dtype", options.dtype, "f64, f32, f16 or bf16 (default: as in the file)")
      ->check(CLI::IsMember({"f64", "f32", "f16", "bf16"}));
  command
      ->add_option("--tensor", options.tensor, "its name in a safetensors file (default: as in the file, else table)")
      ->check(not_empty);
  add_max_bytes(*command, options.max_bytes);
  add_output(*command, options.output, "text, json, npy, safetensors");
}

void add_explain(CLI::App& app, ExplainOptions& options) {
  CLI::App* command = add_command(app, "explain", "The worked example, step by step.",
                                  "  posenc explain sinusoidal:width=4 --position 1\n"
                                  "  posenc explain sinusoidal:width=4 --position 1 --shift 2 --derivative\n"
                                  "  posenc explain rotary:head_dim=8 --position 3 --shift 2\n"
                                  "  posenc explain alibi:heads=4 --queries 0:4 --keys 0:4 --causal");
  command->add_option("SPEC", options.spec, kSpecHelp)->required();
  add_spec_choice(*command, options.spec);
  command
      ->add_option("--position,-p", options.position,
                   "the position, an integer or a real number; on several axes 1/2/3")
      ->check(not_empty);
  command
      ->add_option("--queries", options.queries,
                   "instead: what queries at these positions have with keys (default: 0:4 of what acts on pairs)")
      ->check(not_empty);
  command->add_option("--keys", options.keys, "with --queries: where the keys stand (default: where the queries are)")
      ->check(not_empty);
  command
      ->add_option("--scores", options.scores,
                   "with --queries: scores of the last query before a bias, 0.2/0.2/0.2 (default: 0.2 each)")
      ->check(not_empty);
  command->add_option("--head", options.head, "with --queries: the head (default: 0)");
  command->add_flag("--causal", options.causal, "with --queries: keys ahead are hidden");
  add_parameters(*command, options.parameters, options.values);
  command
      ->add_option("--shift", options.shift,
                   "also derive the row this many positions on from this one; of rotary, the score at that distance")
      ->check(not_empty);
  command->add_flag("--derivative", options.derivative, "also the derivative by the position");
  add_weights(*command, options.weights);
  add_color(*command, options.color);
  add_output(*command, options.output, "text, json");
}

void add_position_sources(CLI::App& command, PositionsOptions& options) {
  const char* group = "From one of";
  const auto source = [&](const char* name, std::string& text, const char* help) {
    command.add_option(name, text, help)->check(not_empty)->group(group);
  };
  source("--mask", options.mask, "1,1,1,0,0/0,0,1,1,1: 1 for tokens, 0 for pads, a slash between rows; or @mask.npy");
  source("--tokens", options.tokens, "token ids in the same form; --pad-token says which are pads");
  source("--lengths", options.lengths, "3,1,5: documents packed into one row");
  source("--bounds", options.bounds, "0,3,4,9: the same as cumulative lengths");
  source("--segments", options.segments, "0,0,0,1,2,2: the same as numbers of documents");
  source("--after", options.after, "5,0,12: the next --count tokens of caches that hold so many");
  source("--grid", options.grid, "3x5: the places of a grid, row by row; with --at only those of these ids");
  source("--image", options.image, "3x5: the rows that an image reads from a table of --side x --side");
  source("--patches", options.patches, "4x6 or 2x4x6: the patches of a vision tower, in blocks of --merge x --merge");
  source(
      "--token-types", options.token_types,
      "0,0,1,1,1,1,0: text (0) with images (1) and videos (2), whose grids --images and --videos give; rows as --mask");
  source("--packed-ids", options.packed_ids, "0,1,2,0,1: find the documents of packed ids again, by --by");
}

void add_position_rules(CLI::App& command, PositionsOptions& options) {
  command.add_option("--pads", options.pads, "what pads get: an id, previous (the id before) or counted (their place)")
      ->check(not_empty);
  command.add_option("--first", options.first, "the id of the first token (default: 0)");
  command
      .add_option("--convention", options.convention,
                  "instead of both, with K for the --pad-token:\n" + convention_list())
      ->check(not_empty);
  command.add_option("--pad-token", options.pad_token, "the token id of pads");
  command.add_option("--past", options.past, "tokens that a cache holds already (default: 0)");
  command.add_option("--last", options.last, "only the last columns: a step of decoding");
  command.add_option("--count", options.count, "with --after: how many tokens");
  command.add_option("--at", options.at, "with --grid: 0,7,11")->check(not_empty);
  command.add_option("--side", options.side, "with --image: rows and columns of the table");
  command.add_option("--fraction", options.fraction, "with --image: exact, product, quotient or shrunk")
      ->check(not_empty);
  command.add_option("--by", options.by, "with --packed-ids: step or minimum")->check(not_empty);
}

void add_vision_rules(CLI::App& command, VisionOptions& options) {
  const auto text = [&](const char* name, std::string& value, const char* help) {
    command.add_option(name, value, help)->check(not_empty)->group("Pictures");
  };
  command
      .add_option("--merge", options.merge,
                  "patches per side of a block that becomes one token (default: 1; of "
                  "--token-types 2)")
      ->group("Pictures");
  text("--axes", options.axes, "with --patches: yx, xy or tyx (default: yx)");
  text("--coordinates", options.coordinates,
       "with --patches: index, centers (2 (i + 0.5) / n - 1) or ends (-1 to 1) (default: index)");
  text("--images", options.images, "with --token-types: 1x4x4,1x2x4, patches of each image before merging");
  text("--videos", options.videos, "with --token-types: 2x4x2, frames and patches of each video");
  text("--resume", options.resume,
       "with --token-types: text after a picture goes on at its extent (transformers 5) or at the largest id + 1 "
       "(transformers 4, the paper) (default: extent)");
  command
      .add_option("--tokens-per-second", options.tokens_per_second,
                  "with --videos: ids per second (default: frames are 1 apart)")
      ->group("Pictures");
  text("--seconds-per-grid", options.seconds_per_grid, "with --tokens-per-second: 1.5,2: seconds from frame to frame");
  text("--frame-step", options.frame_step, "what is truncated: frame or seconds (default: frame, transformers 5.22)");
  command
      .add_flag("--split-frames", options.split_frames, "with --videos: every frame is a picture of its own (Qwen3-VL)")
      ->group("Pictures");
}

void add_positions(CLI::App& app, PositionsOptions& options) {
  CLI::App* command =
      add_command(app, "positions", "Position ids from masks, tokens, packed documents, caches and grids.",
                  "  posenc positions --mask 1,1,1,0,0/0,0,1,1,1 --pads 0\n"
                  "  posenc positions --tokens 0,9,8,1,1 --pad-token 1 --convention roberta\n"
                  "  posenc positions --lengths 3,1,5 --format json\n"
                  "  posenc positions --packed-ids 0,1,2,5,6,0,1 --by step\n"
                  "  posenc positions --token-types 0,0,1,1,1,1,0 --images 1x4x4 --format json\n"
                  "  posenc positions --patches 4x6 --merge 2");
  add_position_sources(*command, options);
  add_position_rules(*command, options);
  add_vision_rules(*command, options.vision);
  add_output(*command, options.output, "text, json, npy, safetensors");
}

void add_bench(CLI::App& app, BenchOptions& options) {
  CLI::App* command =
      add_command(app, "bench", "Our time beside the machine's limit and a peer's, answers checked first.",
                  "  posenc bench\n  posenc bench --filter table --format json -o bench.json");
  command->add_option("--filter", options.filter, "only cases whose name contains this");
  command->add_option("--seconds", options.seconds, "time per case")
      ->check(CLI::Range(0.001, 60.0))
      ->capture_default_str();
  add_output(*command, options.output, "text, json");
}

// An option that `command` does not have; CLI11 may have complained about another that is missing first.
std::string unknown_option(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const std::string& word : command.remaining()) {
    if (!word.starts_with("--")) continue;
    const std::string option = word.substr(0, word.find('='));
    const std::string_view near = text::nearest(option, {names.begin(), names.end()});
    return "there is no option '" + option + "'" + (near.empty() ? "" : "; did you mean '" + std::string(near) + "'?");
  }
  return "";
}

std::string unknown_command(const std::string& word, const std::string& path,
                            const std::vector<std::string_view>& names) {
  const std::string_view near = text::nearest(word, names);
  const std::string asked = path == "posenc" ? word : path.substr(7) + " " + word;
  return "there is no command '" + asked + "'; " +
         (near.empty() ? "see " + path + " --help" : "did you mean '" + path + " " + std::string(near) + "'?");
}

// What CLI11 found wrong, and what may have been meant.
std::string complaint(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const CLI::App* command = &app;
  std::string path = "posenc";
  for (int i = 1; !command->get_subcommands({}).empty(); ++i) {
    if (i == argc) return "a command is needed\nposenc: see " + path + " --help";
    if (argv[i][0] == '-') break;
    std::vector<std::string_view> names;
    const CLI::App* next = nullptr;
    for (const CLI::App* one : command->get_subcommands({})) {
      if (one->get_name() == argv[i]) next = one;
      names.push_back(one->get_name());
    }
    if (next == nullptr) return unknown_command(argv[i], path, names);
    command = next;
    path += " " + command->get_name();
  }
  const std::string unknown = unknown_option(*command);
  return (unknown.empty() ? std::string(error.what()) : unknown) + "\nposenc: see " + path + " --help";
}

}  // namespace

int run_app(int argc, char** argv) {
  CLI::App app("Positional encodings of transformers: exact numbers, explained.", "posenc");
  app.formatter(std::make_shared<ExamplesFirst>());  // subcommands inherit it
  app.footer(
      "  posenc explain sinusoidal:width=4 --position 1\n"
      "  posenc table sinusoidal:width=512 --positions 0:5000 -o table.npy\n"
      "  posenc plot heatmap sinusoidal:width=128\n"
      "  posenc table --help");
  app.set_version_flag("--version", std::string("posenc ") + version());
  app.require_subcommand(1);
  ListOptions list;
  TableOptions table;
  AddOptions add;
  RotateOptions rotate;
  ExplainOptions explain;
  PlotOptions plot;
  PositionsOptions positions;
  ResizeOptions resize;
  BenchOptions bench;
  CompletionOptions completions;
  AttentionCommands attention;
  InsightCommands insight;
  LessonCommands lesson;
  ModelCommands models;
  add_list(app, list);
  add_table(app, table);
  add_add(app, add);
  add_rotate(app, rotate);
  add_attention_commands(app, attention);
  add_insight_commands(app, insight);
  add_model_commands(app, models);
  add_resize(app, resize);
  add_explain(app, explain);
  add_plot(app, plot);
  add_lesson_commands(app, lesson);
  add_positions(app, positions);
  add_bench(app, bench);
  add_completions(app, completions);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11 has exit codes of its own: help and version are 0, everything else is wrong use.
    if (error.get_exit_code() == 0) {
      std::ostringstream text;
      app.exit(error, text, text);
      write_text({}, text.str());
      return 0;
    }
    std::fprintf(stderr, "posenc: %s\n", complaint(app, error, argc, argv).c_str());
    return 2;
  }
  if (app.got_subcommand("list")) return run_list(list);
  if (app.got_subcommand("table")) return run_table(table);
  if (app.got_subcommand("add")) return run_add(add);
  if (app.got_subcommand("rotate")) return run_rotate(rotate);
  if (app.got_subcommand("resize")) return run_resize(resize);
  if (app.got_subcommand("explain")) return run_explain(explain);
  if (app.got_subcommand("plot")) return run_plot(plot);
  if (app.got_subcommand("positions")) return run_positions(positions);
  if (app.got_subcommand("bench")) return run_bench(bench);
  if (app.got_subcommand("check") || app.got_subcommand("plan")) return run_insight_command(app, insight);
  if (got_model_command(app)) return run_model_command(app, models);
  if (got_lesson_command(app)) return run_lesson_command(app, lesson);
  if (app.got_subcommand("completions")) return run_completions(app, completions);
  return run_attention_command(app, attention);
}

}  // namespace posenc::cli
