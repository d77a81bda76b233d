// Writes a JSON object member by member, formatted as to_text does, so that long arrays need no tree in memory.
//
//     JsonStream json(output);                  // {"schema": ...
//     json.member("dtype", "f32");
//     json.open_member("values", Lines::many);  // an array with an item per line
//     json.item("[0.5, 1]");
//     json.close();                             // the array
//     json.finish();                            // the object
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/output.h"
#include "posenc/files/json.h"

namespace posenc::cli {

class JsonStream {
 public:
  enum class Lines { one, many };  // whether the items of an array share a line or have one each

  // Opens the object and writes "schema".
  explicit JsonStream(Output& output);

  void member(std::string_view name, const Json& value);
  void members(const Json::Object& members);

  void open_member(std::string_view name, Lines lines);
  void open_item(Lines lines);       // an array within an array
  void item(std::string_view text);  // JSON text
  void close();                      // the innermost array

  void finish();

 private:
  void name(std::string_view name);
  void open(Lines lines);
  void next();  // writes the separator before an item

  struct Array {
    Lines lines;
    bool empty = true;
  };
  std::string indent() const { return std::string(2 * (arrays_.size() + 1), ' '); }

  Output& output_;
  std::vector<Array> arrays_;
};

}  // namespace posenc::cli
