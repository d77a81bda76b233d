// The only file that uses the JSON library. It builds our own tree from the library's events, because the library's
// tree silently keeps the last of duplicate keys and does not limit the depth.
#define JSON_HAS_FILESYSTEM 0  // disables paths as values: they are not used, and WASI has no <filesystem>
#define JSON_HAS_EXPERIMENTAL_FILESYSTEM 0
#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/refuse.h"
#include "core/text/quotable.h"
#include "posenc/files/json.h"

namespace posenc {
namespace {

constexpr std::size_t kMaxDepth = 64;

// Builds the tree from events. A callback that returns false stops the parser; `error` then gives the reason. Callbacks
// do not throw, because posenc may be compiled without exceptions.
struct Builder {
  using Nlohmann = nlohmann::json;

  struct Open {
    Json container;
    std::string key;  // of the current member
  };

  Json root;
  std::vector<Open> open;
  std::string error;  // does not include the source

  // "rope_scaling.factor: ", "sections[2]: "; empty at the top.
  std::string place() const {
    std::string text;
    for (const Open& level : open) {
      if (const Json::Array* members = std::get_if<Json::Array>(&level.container.value)) {
        text += "[" + std::to_string(members->size()) + "]";
      } else {
        text += (text.empty() ? "" : ".") + text::quotable(level.key);
      }
    }
    return text.empty() ? text : text + ": ";
  }

  bool reject(std::string why) {
    error = std::move(why);
    return false;
  }

  bool add(Json json) {
    if (open.empty()) {
      root = std::move(json);
    } else if (Json::Array* members = std::get_if<Json::Array>(&open.back().container.value)) {
      members->push_back(std::move(json));
    } else {
      std::get_if<Json::Object>(&open.back().container.value)->emplace_back(open.back().key, std::move(json));
    }
    return true;
  }

  bool start(Json container) {
    if (open.size() == kMaxDepth) {
      return reject(place() + "expected at most " + std::to_string(kMaxDepth) + " levels of nesting but got more");
    }
    open.push_back({std::move(container), {}});
    return true;
  }

  bool end() {
    Json done = std::move(open.back().container);
    open.pop_back();
    return add(std::move(done));
  }

  // Sorts once per object, so that a file with a million keys stays fast.
  bool check_unique_keys() {
    std::vector<std::string_view> keys;
    for (const auto& member : *std::get_if<Json::Object>(&open.back().container.value)) keys.push_back(member.first);
    std::sort(keys.begin(), keys.end());
    auto twice = std::adjacent_find(keys.begin(), keys.end());
    if (twice == keys.end()) return true;
    open.back().key = *twice;
    return reject(place() + "expected a key once but it occurs twice");
  }

  // The names of these functions are the library's.
  bool null() { return add(nullptr); }
  bool boolean(bool truth) { return add(truth); }
  bool number_integer(Nlohmann::number_integer_t number) { return add(std::int64_t{number}); }
  bool number_unsigned(Nlohmann::number_unsigned_t number) {
    if (number > static_cast<Nlohmann::number_unsigned_t>(INT64_MAX)) return add(static_cast<double>(number));
    return add(static_cast<std::int64_t>(number));
  }
  bool number_float(Nlohmann::number_float_t number, const std::string&) { return add(number); }
  bool string(std::string& text) { return add(std::move(text)); }
  bool binary(Nlohmann::binary_t&) { return reject("expected JSON text but got binary data"); }
  bool start_object(std::size_t) { return start(Json::Object{}); }
  bool key(std::string& name) {
    open.back().key = std::move(name);
    return true;
  }
  bool end_object() { return check_unique_keys() && end(); }
  bool start_array(std::size_t) { return start(Json::Array{}); }
  bool end_array() { return end(); }

  bool parse_error(std::size_t byte, const std::string& token, const nlohmann::detail::exception& exception) {
    constexpr int kOverflow = 406;
    if (exception.id == kOverflow) {
      return reject(place() + "expected a number within the range of a double but got " + text::quotable(token));
    }
    // Of "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ...", keep the part from
    // the line on.
    std::string_view what = exception.what();
    constexpr std::string_view kStart = "parse error at ";
    if (std::size_t start = what.find(kStart); start != what.npos) what.remove_prefix(start + kStart.size());
    return reject("byte " + std::to_string(byte) + ", " + text::quotable(what));
  }
};

}  // namespace

Json parse_json(std::string_view text, std::string_view source) {
  // The library takes a zero byte as the end of the text and would ignore everything after it.
  if (std::size_t zero = text.find('\0'); zero != text.npos) {
    base::refuse_file(source, "expected JSON text but got a zero byte after ", zero, " bytes");
  }
  Builder builder;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) base::refuse_file(source, builder.error);
  return std::move(builder.root);
}

}  // namespace posenc
