// Options that several commands have, each declared once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/grammar.h"
#include "posenc/models/encoding.h"

namespace posenc::cli {

inline constexpr const char* kSpecHelp =
    "what to encode: kind:field=value,..., a file (a posenc spec, a model's config.json, a GGUF), or a model of the\n"
    "catalog (posenc show --catalog)";
inline constexpr const char* kPositionsHelp =
    "0:100 (end excluded), 0:100:10, 0,5,17, 2.5, -3:4, @ids.npy, @f.safetensors:ids";
// Lengths of sequences that commands take.
inline constexpr std::int64_t kMaxSequence = 2147483647;

// Where results go and in what form; every command has these.
struct OutputOptions {
  std::string format;  // empty: by the name of `path`, else text
  std::string path;    // empty or "-": standard output
};
void add_output(Command& command, OutputOptions& options, const char* formats);

// Which encoding of a model SPEC means: --part and --layer.
void add_model_choice(Command& command, EncodingOptions& options);
// The same, and --sequence-length.
void add_spec_choice(Command& command, EncodingOptions& options);
// Where the table of a learned encoding comes from: --file, --init, --std, --seed.
void add_weights(Command& command, EncodingOptions& options);
// The learned numbers of what acts inside attention: --parameter and --values.
void add_parameters(Command& command, EncodingOptions& options);
// The first of them as a file.
void add_parameter_file(Command& command, EncodingOptions& options);

// The array that a command changes; `what` it is opens the help.
void add_input(Command& command, std::string& file, const std::string& what);
// Where its tokens stand.
Option add_token_positions(Command& command, std::string& positions);
void add_tensor(Command& command, std::string& tensor);
void add_threads(Command& command, std::int64_t& threads);
// `fallback` says in the help what holds without it.
void add_dtype(Command& command, std::string& dtype, const std::string& fallback);
// Asked for by bytes, so that a slip in a length is found before the memory is.
void add_max_bytes(Command& command, std::int64_t& max_bytes);
inline constexpr std::int64_t kMaxBytes = 16'000'000'000;

void add_train(Command& command, std::optional<std::int64_t>& train);
void add_color(Command& command, std::string& color);

}  // namespace posenc::cli
