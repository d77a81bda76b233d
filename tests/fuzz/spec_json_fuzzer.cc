// Specs as JSON: every tree that parses prints as text that parses to the same text, and so does every spec.
#include <string>
#include <string_view>

#include "fuzz.h"
#include "posenc/files/json.h"
#include "posenc/files/spec_json.h"

namespace {

// Doubles without a fraction are read back as integers, so texts are compared instead of trees.
void check_json(const posenc::Json& json) {
  const std::string text = posenc::to_text(json);
  require(accepted([&] { require(posenc::to_text(posenc::parse_json(text, "text")) == text, "the JSON changed"); }),
          "the printed JSON does not parse");
}

}  // namespace

void fuzz(std::string_view input) {
  const posenc::Json json = posenc::parse_json(input, "input");
  check_json(json);
  const posenc::Spec spec = posenc::spec_from_json(json, "input");
  const posenc::Json written = posenc::to_json(spec);
  check_json(written);
  require(accepted([&] {
            const posenc::Spec back = posenc::spec_from_json(written, "written");
            require(posenc::to_text(back) == posenc::to_text(spec), "the spec changed");
            require(posenc::to_text(posenc::to_json(back)) == posenc::to_text(written), "the spec's JSON changed");
          }),
          "the written spec is refused");
}
