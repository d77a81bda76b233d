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
  add_spec_choice(*command, options.spec);
  command->add_option("--positions,-p", options.positions, "where it is looked at (default: 0 to 1000, or the table's)")
      ->check(not_empty);
  command
      ->add_option("--train", options.train,
                   "the length that was trained on (default: original_positions of a scaling, else 2048)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{2147483647}));
  command
      ->add_option("--table", options.table,
                   "numbers of another engine that should be this encoding: rows [N, M], of rotary cosines and then\n"
                   "sines [N, 2 pairs], of a bias [H, N, N]; t.npy or model.safetensors:tensor")
      ->check(not_empty);
  add_weights(*command, options.weights);
  add_parameters(*command, options.parameters, options.values);
  add_output(*command, options.output, "text, json");
}

void add_plan(CLI::App& app, PlanOptions& options) {
  CLI::App* command = add_command(app, "plan", "What becomes of a rotary encoding beyond its trained length.",
                                  "  posenc plan rotary:head_dim=128 --trained 4096 --target 32768\n"
                                  "  posenc plan rotary:head_dim=128,scaling=yarn,factor=8,original_positions=4096 "
                                  "--trained 4096 --target 32768");
  const CLI::Range lengths(std::int64_t{1}, std::int64_t{1048576});
  command->add_option("SPEC", options.spec, kSpecHelp)->required();
  add_spec_choice(*command, options.spec);
  command->add_option("--trained", options.trained, "how many positions it was trained on")->required()->check(lengths);
  command->add_option("--target", options.target, "how many it is to be used on")->required()->check(lengths);
  add_output(*command, options.output, "text, json");
}

}  // namespace

void add_insight_commands(CLI::App& app, InsightCommands& commands) {
  add_check(app, commands.check);
  add_plan(app, commands.plan);
}

int run_insight_command(const CLI::App& app, const InsightCommands& commands) {
  return app.got_subcommand("plan") ? run_plan(commands.plan) : run_check(commands.check);
}

}  // namespace posenc::cli
