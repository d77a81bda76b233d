// Input that needs no file: random numbers of a shape, the rows of tokens in a random table, or a vector per word.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/grammar.h"
#include "posenc/files/array.h"
#include "posenc/files/json.h"
#include "posenc/models/encoding.h"

namespace posenc::cli {

// At most one of the first four is given.
struct InputOptions {
  std::string file;    // x.npy or file.safetensors:tensor
  std::string random;  // a shape, 2x10x64
  std::string tokens;  // token ids, rows separated by slashes
  std::string words;   // words, rows separated by slashes
  std::optional<std::int64_t> vocabulary;
  std::optional<double> std;  // 1

  bool made() const { return file.empty(); }
};

struct Input {
  Array array;
  std::string name;                     // its name in messages: x.npy, --random 2x10x64
  std::string made = {};                // how the numbers were made; empty: read from a file
  Json json = {};                       // the same as JSON
  std::vector<std::string> words = {};  // of the first row of --words
};

// The options of embeddings: --input, --random, --tokens, --vocabulary, --words and --input-std.
void add_embedding_input(Command& command, InputOptions& options);
// The option --random, which replaces the files that a command reads; `what` begins the help.
void add_random_shape(Command& command, std::string& shape, const std::string& what);

// Embeddings, [N, M] or [B, N, M]. `width` is that of the encoding: rows of tokens and words have it, and a random
// shape must have it if `same_width`. `fallback` is the shape if no input is given; if it is empty, input must be
// given.
Input load_embeddings(const InputOptions& options, std::int64_t width, bool same_width, std::uint64_t seed,
                      const std::string& fallback = "");
// "2x10x64", or with commas as PyTorch users write it; more than 2^28 numbers are an error.
std::vector<std::int64_t> parse_shape(const std::string& text);
// Random float32 numbers of a typed shape; `axes` names the shapes that are allowed: {"N, M", "B, N, M"}.
Input random_input(const std::string& shape, const std::vector<std::string>& axes, double std, std::uint64_t seed,
                   std::uint64_t stream = 0);

// Normal float32 numbers. Each stream of a seed has different numbers, and none has those of a learned table of the
// seed.
Array random_numbers(const std::vector<std::int64_t>& shape, double std, std::uint64_t seed, std::uint64_t stream = 0);

// The options of learned numbers without a --seed that is meant for the input alone.
EncodingOptions learned_options(const EncodingOptions& options, bool made_input);

// find_with_remarks, when the input may be missing too: one message says both. `missing` is empty if it is there.
std::vector<Encoding> find_beside_input(const std::vector<std::string>& specs, const EncodingOptions& options,
                                        const std::string& missing);
// What to say if no embeddings are given; else empty.
std::string missing_embeddings(const InputOptions& options);

}  // namespace posenc::cli
