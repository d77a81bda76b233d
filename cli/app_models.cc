// The grammar of the commands about models, and about several encodings.
#include "cli/grammar.h"

namespace posenc::cli {
namespace {

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

void add_model_commands(CLI::App& app, ModelCommands& commands) { add_compare(app, commands.compare); }

bool got_model_command(const CLI::App& app) { return app.got_subcommand("compare"); }

int run_model_command(const CLI::App&, const ModelCommands& commands) { return run_compare(commands.compare); }

}  // namespace posenc::cli
