// The grammar of the commands of attention.
#include "cli/grammar.h"

namespace posenc::cli {
namespace {

void add_parameter_file(CLI::App& command, std::string& file) {
  command
      .add_option("--file", file,
                  "the first parameter: table.npy or model.safetensors:tensor; or a safetensors file that has\n"
                  "all parameters by their names")
      ->check(not_empty);
}

void add_bias(CLI::App& app, BiasOptions& options) {
  CLI::App* command = add_command(app, "bias", "What an encoding adds to attention scores: [heads, queries, keys].",
                                  "  posenc bias alibi:heads=8 --queries 0:5 --keys 0:5 --causal\n"
                                  "  posenc bias clipped:heads=1,max_distance=1 --values 0.5/0/-0.5 --queries 0:3\n"
                                  "  posenc bias t5:heads=8 --file bias.npy --queries 99 --keys 0:100 --format json");
  command->add_option("SPEC", options.spec, kSpecHelp)->required();
  add_spec_choice(*command, options.spec);
  command->add_option("--queries,-q", options.queries, kPositionsHelp)->required();
  command->add_option("--keys,-k", options.keys, "the same for keys (default: where the queries are)")
      ->check(not_empty);
  add_parameter_file(*command, options.file);
  add_parameters(*command, options.parameters, options.values);
  command->add_flag("--causal", options.causal, "-inf where a key stands after its query");
  command->add_option("--dtype", options.dtype, "f64, f32, f16 or bf16 (default: f64 in text and json, else f32)")
      ->check(CLI::IsMember({"f64", "f32", "f16", "bf16"}));
  add_max_bytes(*command, options.max_bytes);
  add_output(*command, options.output, "text, json, npy, safetensors");
}

void add_attend_masks(CLI::App& command, AttendOptions& options) {
  command.add_flag("--causal", options.causal, "hide keys that stand after their query");
  command
      .add_option(
          "--align", options.align,
          "with --causal: end (default), the last query beside the last key, or start, the first beside the first")
      ->check(CLI::IsMember({"end", "start"}));
  command.add_option("--query-offset", options.query_offset,
                     "instead of the alignment: the key beside the first query");
  command.add_option("--window", options.window,
                     "with --causal: so many keys, the query's own counted; without: as far to both sides");
  command.add_option("--sink-keys", options.sink_keys,
                     "the first keys of a text or document, which a window does not hide");
  command
      .add_option("--key-mask", options.key_mask, "bool or integers, [S] or [B, S]: not 0 for keys that may be seen")
      ->check(not_empty);
  command.add_option("--mask", options.mask, "the same for every pair, [N, S] or [B, N, S]")->check(not_empty);
  command
      .add_option("--documents", options.documents,
                  "an id per key, [S] or [B, S]: a query sees the run of equal ids around it")
      ->check(not_empty);
}

void add_attend(CLI::App& app, AttendOptions& options) {
  CLI::App* command = add_command(
      app, "attend", "Attention with encodings: softmax(scale q.k + bias) v.",
      "  posenc attend alibi:heads=8 --q q.npy --k k.npy --v v.npy --causal -o out.npy\n"
      "  posenc attend rotary:head_dim=64 --q q.npy --k k.npy --v v.npy --causal --weights w.npy -o out.npy\n"
      "  posenc attend t5:heads=8 --file bias.npy --q q.npy --k k.npy --v v.npy --scale 1 -o out.npy");
  command
      ->add_option("SPEC", options.specs,
                   "none, or what acts inside attention: rotary, pope or xpos, temperature, a bias, a score term,\n"
                   "window, chunked; one of each may be given")
      ->required();
  add_spec_choice(*command, options.specs);
  command->add_option("--q", options.q, "queries, [N, D], [N, H, D] or [B, N, H, D]: q.npy, m.safetensors:q")
      ->required();
  command->add_option("--k", options.k, "keys, the same; H must be a multiple of their heads")->required();
  command->add_option("--v", options.v, "values; their width may be another")->required();
  command->add_option("--positions", options.positions, "of queries, and of keys unless they have their own")
      ->check(not_empty);
  command->add_option("--key-positions", options.key_positions, kPositionsHelp)->check(not_empty);
  add_parameter_file(*command, options.file);
  add_parameters(*command, options.parameters, options.values);
  add_attend_masks(*command, options);
  command->add_option("--scale", options.scale, "of the scores (default: 1/sqrt(D)); 1 in T5")->check(not_empty);
  command->add_option("--softcap", options.softcap, "scores become cap * tanh(score / cap), before a bias")
      ->check(not_empty);
  command->add_option("--sinks", options.sinks, "a score per head that takes its share and gives nothing, [H]")
      ->check(not_empty);
  command->add_option("--dropout", options.dropout, "of the weights, 0 to below 1");
  command->add_option("--dropout-seed", options.dropout_seed, "with --dropout (default: 0)")->check(not_empty);
  command->add_option("--step", options.step, "with --dropout: another mask for every step (default: 0)")
      ->check(not_empty);
  command->add_option("--weights", options.weights, "also write the softmax weights, [H, N, S]")->check(not_empty);
  command->add_option("--log-sum-exp", options.log_sum_exp, "also write the log of their sums, [H, N]")
      ->check(not_empty);
  command->add_option("--threads", options.threads, "the result does not depend on it")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--tensor", options.tensor, "in safetensors: the tensor's name (default: values)")
      ->check(not_empty);
  add_output(*command, options.output, "text, json, npy, safetensors");
}

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

void add_parameters(CLI::App& command, std::vector<std::string>& parameters, std::string& values) {
  command
      .add_option(
          "--parameter", parameters,
          "name=file.npy, name=model.safetensors:tensor or name=0.5/0, as often as needed: see posenc list KIND")
      ->check(not_empty);
  command.add_option("--values", values, "numbers of the first parameter, in C order: 0.5/0/-0.5")->check(not_empty);
}

void add_attention_commands(CLI::App& app, AttentionCommands& commands) {
  add_bias(app, commands.bias);
  add_attend(app, commands.attend);
  add_demo(app, commands);
}

int run_attention_command(const CLI::App& app, const AttentionCommands& commands) {
  if (app.got_subcommand("bias")) return run_bias(commands.bias);
  if (app.got_subcommand("attend")) return run_attend(commands.attend);
  const CLI::App* demo = app.get_subcommand("demo");
  return demo->got_subcommand("order") ? run_demo_order(commands.order) : run_demo_permutation(commands.permutation);
}

}  // namespace posenc::cli
