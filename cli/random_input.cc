#include "cli/random_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string_view>
#include <utility>

#include "cli/arrays.h"
#include "cli/complaints.h"
#include "cli/encoding.h"
#include "cli/integers.h"
#include "posenc/error.h"
#include "posenc/files/load.h"
#include "posenc/random.h"

namespace posenc::cli {
namespace {

// Input must not repeat the numbers of a learned table with the same seed.
constexpr std::uint64_t kInputStream = 0x746f6b656e73;
// The most random numbers of an input, 1 GB of floats: a larger shape is probably a typing mistake.
constexpr std::int64_t kMostNumbers = std::int64_t{1} << 28;

void check_std(double std) {
  if (std::isfinite(std) && std >= 0.0) return;
  fail(ErrorKind::usage, fmt::format("--input-std must be finite and at least 0 but got {}", std));
}

std::string made_text(double std, std::uint64_t seed) { return fmt::format("normal, std {}, seed {}", std, seed); }

// Random numbers of a shape. All axes but the last count as rows.
Array random_array(const std::vector<std::int64_t>& shape, double std, std::uint64_t seed) {
  check_std(std);
  Array array = make_array(DType::f32, shape);
  const std::int64_t columns = shape.back();
  const View rows = make_view(static_cast<void*>(array.data.data()), array.dtype, {array.size() / columns, columns});
  fill_random(rows, {.std = std, .seed = seed});
  return array;
}

[[noreturn]] void refuse_width(const std::string& given, std::int64_t got, std::int64_t width) {
  fail(ErrorKind::usage,
       fmt::format("{} gives embeddings of width {}, but the encoding has width {}: both must be equal", given, got,
                   width));
}

void check_numbers(const char* option, std::size_t rows, std::int64_t width) {
  if (rows <= static_cast<std::size_t>(kMostNumbers / width)) return;
  fail(ErrorKind::usage, fmt::format("{}: {} rows of width {} have more than the limit of {} numbers", option, rows,
                                     width, kMostNumbers));
}

// Row i of the result is row ids[i] of a random table. Rows do not depend on the size of the table.
Array rows_of_tokens(const Integers& ids, std::int64_t width, const InputOptions& options, std::uint64_t seed) {
  check_numbers("--tokens", ids.numbers.size(), width);
  std::int64_t rows = 1;
  for (const std::int64_t id : ids.numbers) {
    if (id < 0) fail(ErrorKind::usage, fmt::format("--tokens must not be negative but got {}", id));
    if (options.vocabulary && id >= *options.vocabulary) {
      fail(ErrorKind::usage, fmt::format("--tokens: {} is outside the vocabulary of {} tokens, whose ids are 0 to {}",
                                         id, *options.vocabulary, *options.vocabulary - 1));
    }
    if (id >= kMostNumbers / width) {
      fail(ErrorKind::usage,
           fmt::format("--tokens: a random table for token {} and width {} would have more than {} numbers", id, width,
                       kMostNumbers));
    }
    rows = std::max(rows, id + 1);
  }
  const Array table = random_array({rows, width}, options.std.value_or(1.0), seed);
  std::vector<std::int64_t> shape = ids.shape;
  shape.push_back(width);
  Array array = make_array(DType::f32, shape);
  const auto bytes = static_cast<std::size_t>(width) * sizeof(float);
  for (std::size_t i = 0; i < ids.numbers.size(); ++i) {
    std::memcpy(array.data.data() + i * bytes, table.data.data() + static_cast<std::size_t>(ids.numbers[i]) * bytes,
                bytes);
  }
  return array;
}

// A hash of the word (FNV-1a), so that it has the same vector in every sentence.
std::uint64_t seed_of_word(std::string_view word) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::vector<std::vector<std::string>> parse_words(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string_view row : split(text, '/')) {
    rows.emplace_back();
    std::istringstream words{std::string(row)};
    for (std::string word; words >> word;) rows.back().push_back(word);
    if (rows.back().empty()) fail(ErrorKind::usage, fmt::format("--words '{}' has a row without words", text));
    if (rows.back().size() == rows.front().size()) continue;
    fail(ErrorKind::usage, fmt::format("--words: rows must have equally many words, but row 0 has {} and row {} has {}",
                                       rows.front().size(), rows.size() - 1, rows.back().size()));
  }
  return rows;
}

Array vectors_of_words(const std::vector<std::vector<std::string>>& rows, std::int64_t width, double std,
                       std::uint64_t seed) {
  check_numbers("--words", rows.size() * rows.front().size(), width);
  std::vector<std::int64_t> shape = {static_cast<std::int64_t>(rows.front().size()), width};
  if (rows.size() > 1) shape.insert(shape.begin(), static_cast<std::int64_t>(rows.size()));
  Array array = make_array(DType::f32, shape);
  const auto bytes = static_cast<std::size_t>(width) * sizeof(float);
  std::size_t at = 0;
  for (const auto& row : rows) {
    for (const std::string& word : row) {
      const Array vector = random_array({1, width}, std, seed ^ seed_of_word(word));
      std::memcpy(array.data.data() + at, vector.data.data(), bytes);
      at += bytes;
    }
  }
  return array;
}

Input read_embeddings(const std::string& file) {
  Array array = load_array(file);
  const std::size_t rank = array.shape.size();
  if ((rank != 2 && rank != 3) || !is_float(array.dtype)) {
    fail(ErrorKind::bad_input,
         fmt::format("{}: expected embeddings, [N, M] or [B, N, M] of floats, but got {}", file, array.text()));
  }
  return {.array = std::move(array), .name = file};
}

void check_choice(const InputOptions& options, bool has_fallback) {
  std::string chosen;
  const std::pair<const char*, const std::string*> sources[] = {{"--input", &options.file},
                                                                {"--random", &options.random},
                                                                {"--tokens", &options.tokens},
                                                                {"--words", &options.words}};
  for (const auto& [option, text] : sources) {
    if (text->empty()) continue;
    if (!chosen.empty()) fail(ErrorKind::usage, fmt::format("give {} or {}, not both", chosen, option));
    chosen = option;
  }
  if (chosen.empty() && !has_fallback) fail(ErrorKind::usage, missing_embeddings(options));
  if (options.vocabulary && options.tokens.empty()) fail(ErrorKind::usage, "--vocabulary needs --tokens");
  if (options.std && !options.file.empty()) {
    fail(ErrorKind::usage, "--input-std is for random embeddings; --input reads them from a file");
  }
}

}  // namespace

std::vector<std::int64_t> parse_shape(const std::string& typed) {
  std::string text = typed;
  std::replace(text.begin(), text.end(), ',', 'x');
  text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == ' ' || c == '[' || c == ']'; }),
             text.end());
  std::vector<std::int64_t> shape;
  double size = 1.0;
  for (const std::string_view word : split(text, 'x')) {
    std::int64_t length = 0;
    if (!parse_integer(word, length) || length < 1 || length > kMostNumbers) {
      fail(ErrorKind::usage, fmt::format("--random must be a shape such as 2x10x64 but got '{}'", typed));
    }
    shape.push_back(length);
    size *= static_cast<double>(length);
  }
  if (size <= static_cast<double>(kMostNumbers)) return shape;
  fail(ErrorKind::usage,
       fmt::format("--random {} has {:.3g} numbers, more than the limit of {}", typed, size, kMostNumbers));
}

Array random_numbers(const std::vector<std::int64_t>& shape, double std, std::uint64_t seed, std::uint64_t stream) {
  return random_array(shape, std, (seed + (stream << 32)) ^ kInputStream);
}

Input random_input(const std::string& text, const std::vector<std::string>& axes, double std, std::uint64_t seed,
                   std::uint64_t stream) {
  const std::vector<std::int64_t> shape = parse_shape(text);
  const auto fits = [&](const std::string& letters) {
    return static_cast<std::size_t>(std::count(letters.begin(), letters.end(), ',')) + 1 == shape.size();
  };
  if (std::none_of(axes.begin(), axes.end(), fits)) {
    fail(ErrorKind::usage, fmt::format("--random: expected a shape [{}] but got [{}]", fmt::join(axes, "] or ["),
                                       fmt::join(shape, ", ")));
  }
  Json json;
  json.set("random", Json(Json::Array(shape.begin(), shape.end())));
  json.set("std", std).set("seed", fmt::format("{}", seed));
  return {.array = random_numbers(shape, std, seed, stream),
          .name = "--random " + text,
          .made = fmt::format("random ({})", made_text(std, seed)),
          .json = json};
}

Input load_embeddings(const InputOptions& options, std::int64_t width, bool same_width, std::uint64_t seed,
                      const std::string& fallback) {
  check_choice(options, !fallback.empty());
  if (!options.file.empty()) return read_embeddings(options.file);
  const double std = options.std.value_or(1.0);
  check_std(std);
  if (options.tokens.empty() && options.words.empty()) {
    const std::string& shape = options.random.empty() ? fallback : options.random;
    Input input = random_input(shape, {"N, M", "B, N, M"}, std, seed);
    const std::int64_t got = input.array.shape.back();
    if (same_width && got != width) refuse_width("--random " + shape, got, width);
    return input;
  }
  Json json;
  Input input;
  if (!options.tokens.empty()) {
    const Integers ids = read_integers(options.tokens, "--tokens");
    input.array = rows_of_tokens(ids, width, options, seed ^ kInputStream);
    input.name = "--tokens " + options.tokens;
    const std::string size = options.vocabulary ? fmt::format(" [{}, {}]", *options.vocabulary, width) : "";
    input.made = fmt::format("rows of a random table{} ({})", size, made_text(std, seed));
    json.set("tokens", options.tokens);
    if (options.vocabulary) json.set("vocabulary", *options.vocabulary);
  } else {
    const auto rows = parse_words(options.words);
    input.array = vectors_of_words(rows, width, std, seed ^ kInputStream);
    input.name = "--words";
    input.words = rows.front();
    input.made = fmt::format("a random vector per word ({})", made_text(std, seed));
    json.set("words", options.words);
  }
  json.set("std", std).set("seed", fmt::format("{}", seed));
  input.json = json;
  return input;
}

void add_random_shape(Command& command, std::string& shape, const std::string& what) {
  command.text("--random", shape, what).value("SHAPE").group("Input");
}

void add_embedding_input(Command& command, InputOptions& options) {
  command.text("--input,-i", options.file, "read the embeddings from x.npy or file.safetensors:tensor")
      .value("FILE")
      .group("Input");
  add_random_shape(command, options.random, "use random embeddings of this shape: 10x64 or 2x10x64");
  command
      .text("--tokens", options.tokens,
            "use the rows of these token ids in a random table: 101,2054,2003, rows separated by slashes, or @ids.npy")
      .value("IDS")
      .group("Input");
  command.add("--vocabulary", options.vocabulary, "with --tokens: how many rows the table has; larger ids are errors")
      .within(1, kMaxIntegers)
      .group("Input");
  command.text("--words", options.words, "use a random vector per word: \"the cat sat\", rows separated by slashes")
      .group("Input");
  command.add("--input-std", options.std, "standard deviation of random embeddings (default: 1)").group("Input");
}

EncodingOptions learned_options(const EncodingOptions& options, bool made_input) {
  EncodingOptions result = options;
  if (made_input && result.init.empty() && !result.std) result.seed.reset();
  return result;
}

std::vector<Encoding> find_beside_input(const std::vector<std::string>& specs, const EncodingOptions& options,
                                        const std::string& missing) {
  try {
    return find_with_remarks(specs, options);
  } catch (const Error& error) {
    if (missing.empty()) throw;
    fail(error.kind(), fmt::format("{}; besides, {}", for_command_line(error.what()), missing));
  }
}

std::string missing_embeddings(const InputOptions& options) {
  if (!(options.file + options.random + options.tokens + options.words).empty()) return "";
  return "embeddings are missing: --input x.npy, --random 2x10x64, --tokens 101,2054,2003 or --words \"the cat sat\"";
}

}  // namespace posenc::cli
