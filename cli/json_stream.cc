#include "cli/json_stream.h"

#include "posenc/files/spec_json.h"

namespace posenc::cli {
namespace {

// The text of a member's value. Lines after the first are indented once.
std::string member_text(const Json& value) {
  std::string text = to_text(value);
  text.pop_back();  // the last line break
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    text.insert(at + 1, "  ");
  }
  return text;
}

}  // namespace

JsonStream::JsonStream(Output& output) : output_(output) { output_.write("{\n  \"schema\": " + member_text(kSchema)); }

void JsonStream::name(std::string_view name) { output_.write(",\n  " + member_text(name) + ": "); }

void JsonStream::member(std::string_view key, const Json& value) {
  name(key);
  output_.write(member_text(value));
}

void JsonStream::members(const Json::Object& members) {
  for (const auto& [key, value] : members) member(key, value);
}

void JsonStream::open_member(std::string_view key, Lines lines) {
  name(key);
  open(lines);
}

void JsonStream::open_item(Lines lines) {
  next();
  open(lines);
}

void JsonStream::open(Lines lines) {
  output_.write("[");
  arrays_.push_back({lines});
}

void JsonStream::next() {
  Array& array = arrays_.back();
  if (!array.empty) output_.write(array.lines == Lines::many ? "," : ", ");
  if (array.lines == Lines::many) output_.write("\n" + indent());
  array.empty = false;
}

void JsonStream::item(std::string_view text) {
  next();
  output_.write(text);
}

void JsonStream::close() {
  const Array array = arrays_.back();
  arrays_.pop_back();
  if (array.lines == Lines::many && !array.empty) output_.write("\n" + indent());
  output_.write("]");
}

void JsonStream::finish() { output_.write("\n}\n"); }

}  // namespace posenc::cli
