#include "posenc/files/json.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "core/base/refuse.h"
#include "core/text/number_text.h"
#include "core/text/utf8.h"

namespace posenc {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Combines lambdas to one visitor.
template <class... F>
struct Visitor : F... {
  using F::operator()...;
};
template <class... F>
Visitor(F...) -> Visitor<F...>;

bool needs_no_escape(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

void append_string(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x80) {
      std::size_t length = text::utf8_length(text.substr(i));
      // File names may contain any bytes, but JSON text must be UTF-8.
      out += length == 0 ? "\\ufffd" : text.substr(i, length);
      i += length == 0 ? 1 : length;
      continue;
    }
    if (byte == '"' || byte == '\\') {
      out += '\\';
      out += text[i];
    } else if (byte == '\n') {
      out += "\\n";
    } else if (byte == '\t') {
      out += "\\t";
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      const std::size_t from = i;
      while (i + 1 < text.size() && needs_no_escape(text[i + 1])) ++i;
      out += text.substr(from, i + 1 - from);
    }
    ++i;
  }
  out += '"';
}

void append_number(std::string& out, double number) {
  base::require(!std::isnan(number), "to_text", "JSON numbers must not be NaN");
  if (std::isinf(number)) {
    out += number > 0 ? "\"inf\"" : "\"-inf\"";
  } else if (number == 0 && std::signbit(number)) {
    out += "-0.0";  // "-0" would be read back as the integer 0
  } else {
    out += text::number_text(number);
  }
}

bool is_plain(const Json& json) { return !json.is_array() && !json.is_object(); }

void append(std::string& out, const Json& json, std::size_t level);

void append_line_start(std::string& out, std::size_t level) {
  out += '\n';
  out.append(2 * level, ' ');
}

void append_array(std::string& out, const Json::Array& members, std::size_t level) {
  bool one_line = true;
  for (const Json& member : members) one_line = one_line && is_plain(member);
  out += '[';
  std::string_view separator;
  for (const Json& member : members) {
    out += separator;
    separator = one_line ? ", " : ",";
    if (!one_line) append_line_start(out, level + 1);
    append(out, member, level + 1);
  }
  if (!one_line) append_line_start(out, level);
  out += ']';
}

void append_object(std::string& out, const Json::Object& members, std::size_t level) {
  out += '{';
  std::string_view separator;
  for (const auto& [key, member] : members) {
    out += separator;
    separator = ",";
    append_line_start(out, level + 1);
    append_string(out, key);
    out += ": ";
    append(out, member, level + 1);
  }
  if (!members.empty()) append_line_start(out, level);
  out += '}';
}

void append(std::string& out, const Json& json, std::size_t level) {
  std::visit(Visitor{[&](std::nullptr_t) { out += "null"; },                              //
                     [&](bool truth) { out += truth ? "true" : "false"; },                //
                     [&](std::int64_t number) { out += std::to_string(number); },         //
                     [&](double number) { append_number(out, number); },                  //
                     [&](const std::string& text) { append_string(out, text); },          //
                     [&](const Json::Array& array) { append_array(out, array, level); },  //
                     [&](const Json::Object& object) { append_object(out, object, level); }},
             json.value);
}

// Describes a value for messages: the value itself if it is short.
std::string describe(const Json& json) {
  constexpr std::size_t kLongest = 40;
  if (json.is_array()) return "an array of " + std::to_string(std::get<Json::Array>(json.value).size());
  if (json.is_object()) return "an object";
  if (const double* number = std::get_if<double>(&json.value)) return text::number_text(*number);
  std::string text;
  if (const std::string* string = std::get_if<std::string>(&json.value); string && string->size() > kLongest) {
    append_string(text, text::utf8_prefix(*string, kLongest));
    return text + "...";
  }
  append(text, json, 0);
  return text;
}

[[noreturn]] void fail_type(const Json& json, std::string_view where, std::string_view expected) {
  base::refuse_file(where, "expected ", expected, " but got ", describe(json));
}

}  // namespace

static_assert(std::is_nothrow_move_constructible_v<decltype(Json::value)> &&
              std::is_nothrow_move_assignable_v<decltype(Json::value)>);
Json::Json() noexcept = default;
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

Json::Json(const std::vector<double>& numbers) : value(Array(numbers.begin(), numbers.end())) {}

const Json* Json::find(std::string_view key) const noexcept {
  if (const Object* members = std::get_if<Object>(&value)) {
    for (const auto& [name, member] : *members) {
      if (name == key) return &member;
    }
  }
  return nullptr;
}

Json& Json::set(std::string key, Json member) {
  if (is_null()) value = Object{};
  Object* members = std::get_if<Object>(&value);
  if (!members) base::refuse("Json::set", "the tree must be null or an object but is ", describe(*this));
  for (auto& [name, old] : *members) {
    if (name != key) continue;
    old = std::move(member);
    return *this;
  }
  members->emplace_back(std::move(key), std::move(member));
  return *this;
}

bool Json::is_number() const noexcept {
  if (const std::string* text = std::get_if<std::string>(&value)) return *text == "inf" || *text == "-inf";
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

double Json::number(std::string_view where) const {
  if (!is_number()) fail_type(*this, where, "a number");
  if (const std::int64_t* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const double* real = std::get_if<double>(&value)) return *real;
  return std::get_if<std::string>(&value)->front() == '-' ? -kInfinity : kInfinity;
}

std::int64_t Json::integer(std::string_view where) const {
  constexpr double kEnd = 9223372036854775808.0;  // 2^63
  if (const std::int64_t* integer = std::get_if<std::int64_t>(&value)) return *integer;
  const double* real = std::get_if<double>(&value);
  if (!real || *real != std::trunc(*real) || !(*real >= -kEnd && *real < kEnd)) fail_type(*this, where, "an integer");
  return static_cast<std::int64_t>(*real);
}

bool Json::boolean(std::string_view where) const {
  if (const bool* truth = std::get_if<bool>(&value)) return *truth;
  fail_type(*this, where, "true or false");
}

const std::string& Json::string(std::string_view where) const {
  if (const std::string* text = std::get_if<std::string>(&value)) return *text;
  fail_type(*this, where, "a string");
}

const Json::Array& Json::array(std::string_view where) const {
  if (const Array* members = std::get_if<Array>(&value)) return *members;
  fail_type(*this, where, "an array");
}

const Json::Object& Json::object(std::string_view where) const {
  if (const Object* members = std::get_if<Object>(&value)) return *members;
  fail_type(*this, where, "an object");
}

std::string to_text(const Json& json) {
  std::string out;
  append(out, json, 0);
  out += '\n';
  return out;
}

}  // namespace posenc
