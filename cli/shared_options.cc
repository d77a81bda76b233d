#include "cli/shared_options.h"

namespace posenc::cli {

void add_output(Command& command, OutputOptions& options, const char* formats) {
  command.text("--format", options.format, std::string(formats) + " (default: by the name of -o, else text)");
  command.text("-o,--output", options.path, "write to this file, whole or not at all (default: standard output)");
}

void add_model_choice(Command& command, EncodingOptions& options) {
  command.text("--part", options.part, "which part of a model: text, vision, ...");
  command.add("--layer", options.layer, "which layer, where layers differ").not_negative();
}

void add_spec_choice(Command& command, EncodingOptions& options) {
  command
      .add("--sequence-length", options.sequence_length,
           "the length of the sequence, for scalings that depend on it (dynamic, longrope)")
      .check([](const std::string& text) {
        return text.empty() || text[0] == '-' || text == "0" ? "must be at least 1" : "";
      });
  add_model_choice(command, options);
}

void add_weights(Command& command, EncodingOptions& options) {
  command
      .add("--file", options.files,
           "the learned table: table.npy, or model.safetensors:tensor; of a concat one per learned part, in order "
           "or as PART=FILE")
      .not_empty()
      .one_value();
  command.add("--init", options.init, "make the learned table instead: normal or uniform")
      .one_of({"normal", "uniform"});
  command.add("--std", options.std, "with --init: the standard deviation (default: 0.02)");
  command.add("--seed", options.seed, "with --init: another seed, other numbers (default: 0)");
}

void add_parameters(Command& command, EncodingOptions& options) {
  command
      .add("--parameter", options.parameters,
           "name=file.npy, name=model.safetensors:tensor or name=0.5/0, as often as needed: see posenc list KIND")
      .not_empty()
      .one_value();
  command.text("--values", options.values, "numbers of the first parameter, in C order: 0.5/0/-0.5");
}

void add_parameter_file(Command& command, EncodingOptions& options) {
  command
      .add("--file", options.files,
           "the first parameter: table.npy or model.safetensors:tensor; or a safetensors file that has\n"
           "all parameters by their names")
      .not_empty()
      .one_value();
}

void add_input(Command& command, std::string& file, const std::string& what) {
  command.text("--input,-i", file, what + ", or file.safetensors:tensor").required();
}

Option add_token_positions(Command& command, std::string& positions) {
  return command.add("--positions,-p", positions,
                     std::string(kPositionsHelp) + ", [B, N] in the file for ids per row (default: 0 to N)");
}

void add_tensor(Command& command, std::string& tensor) {
  command.text("--tensor", tensor, "the result's name in a safetensors file (default: values)");
}

void add_threads(Command& command, std::int64_t& threads) {
  command.add("--threads", threads, "the result does not depend on it").within(1, 1024).show_default();
}

void add_dtype(Command& command, std::string& dtype, const std::string& fallback) {
  command.add("--dtype", dtype, "f64, f32, f16 or bf16 (default: " + fallback + ")")
      .one_of({"f64", "f32", "f16", "bf16"});
}

void add_max_bytes(Command& command, std::int64_t& max_bytes) {
  command.add("--max-bytes", max_bytes, "refuse tables larger than this").not_negative().show_default();
}

void add_train(Command& command, std::optional<std::int64_t>& train) {
  command.add("--train", train, "the length that was trained on (default: original_positions of a scaling, else 2048)")
      .within(1, kMaxSequence);
}

void add_color(Command& command, std::string& color) {
  command.add("--color", color, "escape codes: auto (only on a terminal), always, never")
      .one_of({"auto", "always", "never"})
      .show_default();
}

}  // namespace posenc::cli
