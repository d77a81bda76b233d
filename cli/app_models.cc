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

}  // namespace

void add_model_commands(CLI::App& app, ModelCommands& commands) {
  add_show(app, commands.show);
  add_compare(app, commands.compare);
}

bool got_model_command(const CLI::App& app) { return app.got_subcommand("show") || app.got_subcommand("compare"); }

int run_model_command(const CLI::App& app, const ModelCommands& commands) {
  return app.got_subcommand("show") ? run_show(commands.show) : run_compare(commands.compare);
}

}  // namespace posenc::cli
