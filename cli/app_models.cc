// The grammar of the commands about models, and about several encodings.
#include "cli/grammar.h"

namespace posenc::cli {
namespace {

void add_show(CLI::App& app, ShowOptions& options) {
  CLI::App* command =
      add_command(app, "show", "Which encoding a model uses, layer by layer, and where each number came from.",
                  "  posenc show config.json\n"
                  "  posenc show llama-3.1-8b --format json\n"
                  "  posenc show model.gguf\n"
                  "  posenc show --catalog --uses yarn");
  command->add_option("MODEL", options.spec, "a model's config.json or GGUF file, or a name of the catalog");
  command->add_flag("--catalog", options.catalog, "the models of the catalog, with what each uses");
  command->add_flag("--types", options.types,
                    "the model types that are known, with what each uses where a file is silent");
  command
      ->add_option("--uses", options.uses,
                   "with --catalog or --types: only those that use this kind, scaling, layout or model type")
      ->check(not_empty);
  command
      ->add_option("--sequence-length", options.sequence_length,
                   "the length of the sequence, for scalings that depend on it (dynamic, longrope)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 52));
  command->add_option("--layer", options.layer, "only the group of this layer")->check(CLI::NonNegativeNumber);
  command->add_option("--part", options.part, "only this part: text, vision, ...")->check(not_empty);
  command->add_flag("--lenient", options.lenient, "keys about positions that are not known are warnings");
  command->add_option("--reading", options.readings, "take the other way of this reading; may be given again")
      ->check(not_empty);
  command->add_option("--as", options.as, "read the file as this model type")->check(not_empty);
  add_output(*command, options.output, "text, json, md (of --types)");
}

void add_compare(CLI::App& app, CompareCommandOptions& options) {
  CLI::App* command =
      add_command(app, "compare", "Whether two encodings are the same, and if not, from which position on.",
                  "  posenc compare rotary:head_dim=128,layout=half rotary:head_dim=128,layout=interleaved\n"
                  "  posenc compare rotary:head_dim=64 rotary:head_dim=64,base=500000 --positions 8192\n"
                  "  posenc compare alibi:heads=8 alibi:heads=8,form=key_position --format json");
  const CLI::Range lengths(std::int64_t{1}, std::int64_t{2147483647});
  command->add_option("A", options.a, kSpecHelp)->required();
  command->add_option("B", options.b, kSpecHelp)->required();
  command
      ->add_option("--sequence-length", options.sequence_length,
                   "the length of the sequence, for scalings that depend on it (default: all lengths are tried)")
      ->check(lengths);
  command
      ->add_option("--positions", options.positions,
                   "how many positions are compared, from 0 on (default: the larger trained length, else 4096)")
      ->check(lengths);
  command->add_option("--tolerance", options.tolerance, "on cosines, sines, biases and factors; above 0 to 1")
      ->capture_default_str();
  command->add_option("--layer", options.layer, "only this layer, where layers differ (default: all)")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{2147483647}));
  command->add_option("--part", options.part, "only this part of models: text, vision, ... (default: all)")
      ->check(not_empty);
  add_output(*command, options.output, "text, json");
}

std::string above_zero(const std::string& text) {
  double value = 0.0;
  const bool number = CLI::detail::lexical_cast(text, value);
  return number && value > 0.0 && value < 1e300 ? "" : "must be a number above 0 but got '" + text + "'";
}

void add_evidence(CLI::App& command, DiagnoseCommandOptions& options) {
  const auto file = [&](const char* name, std::string& value, const char* help) {
    command.add_option(name, value, help)
        ->check(not_empty)
        ->group("Numbers of the other engine (file.npy or file.safetensors:tensor), one kind of");
  };
  file("--inv-freq", options.inv_freq, "its inverse frequencies, [pairs]");
  file("--cos", options.cos, "its cosines, [N, W] in any tiling; with --sin and --positions");
  file("--sin", options.sin, "its sines");
  file("--input", options.input, "vectors before its rotation, [N, D] or [N, H, D]; with --rotated and --positions");
  file("--rotated", options.rotated, "the same behind it");
  file("--scores", options.scores,
       "its scores before the softmax, [N, S] or [H, N, S]; with --q, --k, --queries, --keys");
  file("--q", options.q, "its queries before the rotation, [N, D] or [N, H, D]");
  file("--k", options.k, "its keys before the rotation, [S, D] or [S, G, D]");
  file("--bias", options.bias, "its biases, [N, S] or [H, N, S]");
  file("--table", options.table, "its rows of an encoding at the input, [N, M]");
}

void add_diagnose(CLI::App& app, DiagnoseCommandOptions& options) {
  CLI::App* command =
      add_command(app, "diagnose", "What is wrong with another engine's numbers.",
                  "  posenc diagnose llama-3.1-8b --input q.npy --rotated r.npy --positions 0:512\n"
                  "  posenc diagnose config.json --cos cos.npy --sin sin.npy --positions @ids.npy --format json\n"
                  "  posenc diagnose alibi:heads=12 --bias theirs.npy\n"
                  "  posenc diagnose llama-3.1-8b --inject base=10000 --positions 0,1,10,100,1000\n"
                  "  posenc diagnose --faults");
  command->add_option("SPEC", options.spec,
                      "what the engine should have done: a spec, a model's file, a name of the catalog");
  add_evidence(*command, options);
  command
      ->add_option("--positions,-p", options.positions,
                   std::string("positions of the tokens (default: counted from 0): ") + kPositionsHelp)
      ->check(not_empty);
  command->add_option("--queries", options.queries, "positions of queries (default: counted from 0)")->check(not_empty);
  command->add_option("--keys", options.keys, "positions of keys (default: counted from 0)")->check(not_empty);
  command
      ->add_option("--scale", options.scale,
                   "what scores should be multiplied by (default: as the model says, else head_dim^-0.5)")
      ->check(above_zero);
  command->add_option("--file", options.file, "the learned table that the encoding itself has")->check(not_empty);
  command->add_option("--parameter", options.parameters, "learned numbers by name: name=file.npy; may be given again");
  command
      ->add_option("--sequence-length", options.sequence_length,
                   "the length of the sequence, for scalings that depend on it")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{2147483647}));
  command->add_option("--layer", options.layer, "the layer of the model, where layers differ")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{2147483647}));
  command->add_option("--part", options.part, "the part of the model: text, vision, ...")->check(not_empty);
  command->add_flag("--faults", options.faults, "list the mistakes that are known");
  command
      ->add_option("--inject", options.inject,
                   "show what a mistake does to the numbers: base=10000, or two: 'sign + base'")
      ->check(not_empty);
  command
      ->add_option(
          "--picture", options.picture,
          "with --inject: write its error against the position to this .svg; with --faults: into this folder, one each")
      ->check(not_empty);
  add_output(*command, options.output, "text, json, md (of --faults)");
}

}  // namespace

void add_model_commands(CLI::App& app, ModelCommands& commands) {
  add_show(app, commands.show);
  add_compare(app, commands.compare);
  add_diagnose(app, commands.diagnose);
}

bool got_model_command(const CLI::App& app) {
  return app.got_subcommand("show") || app.got_subcommand("compare") || app.got_subcommand("diagnose");
}

int run_model_command(const CLI::App& app, const ModelCommands& commands) {
  if (app.got_subcommand("diagnose")) return run_diagnose(commands.diagnose);
  return app.got_subcommand("show") ? run_show(commands.show) : run_compare(commands.compare);
}

}  // namespace posenc::cli
