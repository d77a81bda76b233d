// The grammar of the commands of attention.
#include "cli/grammar.h"

namespace posenc::cli {
namespace {

void add_permutation(CLI::App& demo, PermutationOptions& options) {
  CLI::App* command = add_command(
      demo, "permutation", "Attention does not see the order of tokens; what each encoding changes about that.",
      "  posenc demo permutation\n"
      "  posenc demo permutation --sentence \"dog bites man\" --other \"man bites dog\"\n"
      "  posenc demo permutation --width 64 --heads 8 --encoding alibi:heads=8 --encoding rotary:head_dim=8");
  command->add_option("--sentence", options.sentence, "its words are the tokens; equal words have equal embeddings")
      ->check(not_empty)
      ->capture_default_str();
  command
      ->add_option("--other", options.other,
                   "the same words in another order (default: 'the mat sat on the cat', else as permuted)")
      ->check(not_empty);
  command
      ->add_option("--permutation", options.permutation,
                   "2,0,4,1,5,3: token 2 comes first, then token 0, .. (default: this for 6 tokens)")
      ->check(not_empty);
  command->add_option("--width", options.width, "of the embeddings, a multiple of 2 x heads")
      ->check(CLI::Range(2, 4096))
      ->capture_default_str();
  command->add_option("--heads", options.heads, "of attention")->check(CLI::Range(1, 1024))->capture_default_str();
  command->add_option("--seed", options.seed, "another seed, other embeddings and weights (default: 0)")
      ->check(not_empty);
  command->add_option("--encoding", options.encodings, "a SPEC to try, may be repeated (default: one of every sort)")
      ->check(not_empty);
  add_output(*command, options.output, "text, json");
}

void add_order(CLI::App& demo, OrderOptions& options) {
  CLI::App* command = add_command(demo, "order", "How adding positions makes [A, B] and [B, A] differ, step by step.",
                                  "  posenc demo order\n  posenc demo order --width 6 --seed 3 --format json");
  command->add_option("--width", options.width, "of the embeddings, even")
      ->check(CLI::Range(2, 16))
      ->capture_default_str();
  command->add_option("--seed", options.seed, "another seed, other numbers (default: 0)")->check(not_empty);
  add_output(*command, options.output, "text, json");
}

void add_demo(CLI::App& app, AttentionCommands& commands) {
  CLI::App* demo = add_command(app, "demo", "Why positions are needed, with numbers.",
                               "  posenc demo permutation\n  posenc demo order");
  demo->require_subcommand(1);
  add_permutation(*demo, commands.permutation);
  add_order(*demo, commands.order);
}

}  // namespace

void add_attention_commands(CLI::App& app, AttentionCommands& commands) { add_demo(app, commands); }

int run_attention_command(const CLI::App& app, const AttentionCommands& commands) {
  const CLI::App* demo = app.get_subcommand("demo");
  return demo->got_subcommand("order") ? run_demo_order(commands.order) : run_demo_permutation(commands.permutation);
}

}  // namespace posenc::cli
