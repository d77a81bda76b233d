#include "cli/shared_options.h"

namespace posenc::cli {

void add_output(Command& command, OutputOptions& options, const char* formats) {
  command.text("--format", options.format, std::string(formats) + " (default: from the name given to -o, else text)")
      .value("FORMAT");
  command
      .text("-o,--output", options.path, "write to this file; an error leaves it unchanged (default: standard output)")
      .value("FILE");
}

void add_model_choice(Command& command, EncodingOptions& options) {
  command.text("--part", options.part, "models only: the part to use, such as text or vision");
  command.add("--layer", options.layer, "models whose layers differ: the layer to use, counted from 0").not_negative();
}

void add_spec_choice(Command& command, EncodingOptions& options) {
  command
      .add("--sequence-length", options.sequence_length,
           "length of the sequence, for scalings that depend on it (dynamic, longrope)")
      .check([](const std::string& text) {
        return text.empty() || text[0] == '-' || text == "0" ? "must be at least 1" : "";
      });
  add_model_choice(command, options);
}

void add_table_file(Command& command, EncodingOptions& options) {
  command
      .add("--file", options.files,
           "read the learned table from table.npy or model.safetensors:tensor; for a concat, once per learned part, "
           "in order or as PART=FILE")
      .not_empty()
      .one_value()
      .value("FILE");
}

Option add_weights(Command& command, EncodingOptions& options, const char* seed_help) {
  add_table_file(command, options);
  return add_init(command, options, seed_help);
}

Option add_init(Command& command, EncodingOptions& options, const char* seed_help) {
  command.add("--init", options.init, "use random (untrained) learned numbers instead: normal or uniform")
      .one_of({"normal", "uniform"});
  command.add("--std", options.std, "with --init: standard deviation (default: as training begins, mostly 0.02)");
  return command.add("--seed", options.seed, seed_help);
}

void add_parameters(Command& command, EncodingOptions& options) {
  command
      .add("--parameter", options.parameters,
           "a learned parameter: name=file.npy, name=model.safetensors:tensor or name=0.5/0; repeat for each (posenc "
           "list KIND names them)")
      .not_empty()
      .one_value()
      .value("NAME=VALUE");
  command.text("--values", options.values, "values of the first learned parameter, in C order: 0.5/0/-0.5")
      .value("NUMBERS");
}

void add_parameter_file(Command& command, EncodingOptions& options) {
  command
      .add("--file", options.files,
           "the first learned parameter: table.npy or model.safetensors:tensor; or a safetensors file with all "
           "parameters under their names")
      .not_empty()
      .one_value()
      .value("FILE");
}

Option add_token_positions(Command& command, std::string& positions) {
  return command
      .add("--positions,-p", positions,
           std::string(kPositionsHelp) + "; a file may be [B, N], ids for each row (default: 0:N)")
      .positions()
      .formerly("--position");
}

void add_tensor(Command& command, std::string& tensor) {
  command.text("--tensor", tensor, "name of the result in a safetensors file (default: values)");
}

void add_threads(Command& command, std::int64_t& threads) {
  command.add("--threads", threads, "number of threads; does not change the result").within(1, 1024).show_default();
}

void add_dtype(Command& command, std::string& dtype, const std::string& fallback) {
  command.add("--dtype", dtype, "f64, f32, f16 or bf16 (default: " + fallback + ")")
      .one_of({"f64", "f32", "f16", "bf16"}, {{"float64", "f64"},
                                              {"double", "f64"},
                                              {"float32", "f32"},
                                              {"float", "f32"},
                                              {"fp32", "f32"},
                                              {"float16", "f16"},
                                              {"half", "f16"},
                                              {"fp16", "f16"},
                                              {"bfloat16", "bf16"}});
}

void add_max_bytes(Command& command, std::int64_t& max_bytes) {
  command.add("--max-bytes", max_bytes, "refuse results larger than this").not_negative().show_default();
}

void add_trained(Command& command, std::optional<std::int64_t>& trained) {
  command
      .add("--trained", trained,
           "length that the model was trained on (default: original_positions of a scaling, else 2048)")
      .within(1, kMaxSequence)
      .formerly("--train");
}

void add_color(Command& command, std::string& color) {
  command.add("--color", color, "use colors: auto (only on a terminal), always or never")
      .one_of({"auto", "always", "never"})
      .show_default();
}

}  // namespace posenc::cli
