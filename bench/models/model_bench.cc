// Reading models. A config.json of the catalog: the limit is the parsing of its JSON. A GGUF header of 20 MB, most of
// it vocabulary: the limit is a copy of its bytes.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bench/cases.h"
#include "posenc/error.h"
#include "posenc/files/gguf.h"
#include "posenc/files/json.h"
#include "posenc/models/catalog.h"
#include "posenc/models/model.h"

namespace posenc::bench {
namespace {

Prepared config_case(const std::string& name) {
  const CatalogEntry* entry = find_in_catalog(name);
  if (!entry) fail(ErrorKind::usage, "[bench] there is no model " + name);
  const auto text = std::make_shared<std::string>(entry->config);
  Prepared prepared;
  prepared.check = [text] {
    const Model model = load_model(*text);
    if (model.groups.empty()) fail(ErrorKind::usage, "[bench] the model has no groups");
    return std::to_string(model.groups.size()) + " groups of layers";
  };
  prepared.run = [text] { keep(load_model(*text).groups.data()); };
  prepared.limit = [text] {
    const Json json = parse_json(*text, "config");
    keep(&json);
  };
  prepared.limit_name = "JSON";
  return prepared;
}

void add(std::string& bytes, const void* data, std::size_t size) { bytes.append(static_cast<const char*>(data), size); }

template <class Number>
void add(std::string& bytes, Number number) {
  add(bytes, &number, sizeof number);
}

void add_text(std::string& bytes, const std::string& text) {
  add(bytes, std::uint64_t{text.size()});
  add(bytes, text.data(), text.size());
}

// A realistic header in this machine's byte order: an architecture, and lists of tokens and merges.
std::string header_bytes() {
  constexpr std::uint32_t kString = 8, kArray = 9;
  constexpr std::uint64_t kTokens = 250000;
  std::string bytes = "GGUF";
  add(bytes, std::uint32_t{3});
  add(bytes, std::uint64_t{0});
  add(bytes, std::uint64_t{3});
  add_text(bytes, "general.architecture");
  add(bytes, kString);
  add_text(bytes, "llama");
  for (const char* key : {"tokenizer.ggml.tokens", "tokenizer.ggml.merges"}) {
    add_text(bytes, key);
    add(bytes, kArray);
    add(bytes, kString);
    add(bytes, kTokens);
    for (std::uint64_t i = 0; i < kTokens; ++i) add_text(bytes, "a token of a large vocabulary " + std::to_string(i));
  }
  bytes.append(64, '\0');
  return bytes;
}

Prepared header_case() {
  const auto bytes = std::make_shared<std::string>(header_bytes());
  const auto copy = std::make_shared<std::string>(bytes->size(), '\0');
  const auto size = static_cast<std::int64_t>(bytes->size());
  Prepared prepared;
  prepared.check = [bytes, size] {
    const GgufHeader header = parse_gguf_header(*bytes, size, "header");
    if (header.entries.size() != 3 || header.entries[1].held)
      fail(ErrorKind::usage, "[bench] the header is not as made");
    return std::to_string(size / 1000000) + " MB, two lists passed over";
  };
  prepared.run = [bytes, size] { keep(parse_gguf_header(*bytes, size, "header").entries.data()); };
  prepared.limit = [bytes, copy] {
    std::memcpy(copy->data(), bytes->data(), bytes->size());
    keep(copy->data());
  };
  prepared.limit_name = "memcpy";
  prepared.bytes = size;
  return prepared;
}

}  // namespace

std::vector<Case> model_cases() {
  std::vector<Case> cases;
  for (const char* name : {"llama-3.1-8b", "gemma-3-4b", "deepseek-v3", "qwen2.5-vl-7b"}) {
    cases.push_back({std::string("model/config/") + name, [name] { return config_case(name); }});
  }
  cases.push_back({"model/gguf-header", header_case});
  return cases;
}

}  // namespace posenc::bench
