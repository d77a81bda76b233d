// Options that several commands have, each declared once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/grammar.h"
#include "posenc/models/encoding.h"

namespace posenc::cli {

inline constexpr const char* kSpecHelp =
    "the encoding: kind:field=value,... (posenc list), a file (posenc spec, config.json or GGUF), or a model by name "
    "(posenc list models)";
inline constexpr const char* kPositionsHelp =
    "0:100 (0 to 99), 0:100:10, 0,5,17, 2.5, -3:4, @ids.npy, @f.safetensors:ids";
inline constexpr const char* kInitSeedHelp = "with --init: seed of the random numbers (default: 0)";
// The longest sequence that commands take.
inline constexpr std::int64_t kMaxSequence = 2147483647;

// The destination and the format of results; every command has these options.
struct OutputOptions {
  std::string format;  // empty: from the extension of `path`, else text
  std::string path;    // empty or "-": standard output
};
void add_output(Command& command, OutputOptions& options, const char* formats);

// The choice of one encoding of a model: --part and --layer.
void add_model_choice(Command& command, EncodingOptions& options);
// The same, and --sequence-length.
void add_spec_choice(Command& command, EncodingOptions& options);
// The file of a learned table: --file.
void add_table_file(Command& command, EncodingOptions& options);
// Where the table of a learned encoding comes from: --file, --init, --std, and --seed, which is returned.
Option add_weights(Command& command, EncodingOptions& options, const char* seed_help = kInitSeedHelp);
// Random learned numbers: --init, --std, and --seed, which is returned. A command may use the seed for its input too;
// `seed_help` says so.
Option add_init(Command& command, EncodingOptions& options, const char* seed_help = kInitSeedHelp);
// The learned parameters of encodings that act inside attention: --parameter and --values.
void add_parameters(Command& command, EncodingOptions& options);
// The first learned parameter as a file.
void add_parameter_file(Command& command, EncodingOptions& options);

// The positions of the input's tokens.
Option add_token_positions(Command& command, std::string& positions);
void add_tensor(Command& command, std::string& tensor);
void add_threads(Command& command, std::int64_t& threads);
// `fallback` is the default as the help prints it.
void add_dtype(Command& command, std::string& dtype, const std::string& fallback);
// The option --max-bytes, which refuses a typo in a length before memory is allocated.
void add_max_bytes(Command& command, std::int64_t& max_bytes);
inline constexpr std::int64_t kMaxBytes = 16'000'000'000;

// The length of training: --trained.
void add_trained(Command& command, std::optional<std::int64_t>& trained);
void add_color(Command& command, std::string& color);

}  // namespace posenc::cli
