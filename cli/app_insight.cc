// The grammar of the commands that look at an encoding.
#include "cli/grammar.h"

namespace posenc::cli {
namespace {

void add_check(CLI::App& app, CheckCommandOptions& options) {
  CLI::App* command = add_command(app, "check", "What an encoding promises, what holds, and where it ends.",
                                  "  posenc check sinusoidal:width=64\n"
                                  "  posenc check rotary:head_dim=128,base=500000 --train 8192\n"
                                  "  posenc check sinusoidal:width=512 --table theirs.npy --positions 0:5000\n"
                                  "  posenc check learned:past_end=error --file wpe.npy --format json");
  command->add_option("SPEC", options.spec, kSpecHelp)->required();
  command->add_option("--positions,-p", options.positions, "where it is looked at (default: 0 to 1000, or the table's)")
      ->check(not_empty);
  command->add_option("--train", options.train, "the length that was trained on")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{2147483647}))
      ->capture_default_str();
  command
      ->add_option("--table", options.table,
                   "numbers of another engine that should be this encoding: rows [N, M], of rotary cosines and then\n"
                   "sines [N, 2 pairs], of a bias [H, N, N]; t.npy or model.safetensors:tensor")
      ->check(not_empty);
  add_weights(*command, options.weights);
  add_parameters(*command, options.parameters, options.values);
  add_output(*command, options.output, "text, json");
}

}  // namespace

void add_insight_commands(CLI::App& app, InsightCommands& commands) { add_check(app, commands.check); }

int run_insight_command(const InsightCommands& commands) { return run_check(commands.check); }

}  // namespace posenc::cli
