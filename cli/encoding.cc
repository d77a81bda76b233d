#include "cli/encoding.h"

#include <fmt/format.h>

#include <cstdio>

#include "posenc/error.h"

namespace posenc::cli {

std::vector<Encoding> find_with_remarks(const std::vector<std::string>& texts, const EncodingOptions& options) {
  std::vector<Encoding> found = find_encodings(texts, options);
  for (const Encoding& encoding : found) {
    const Model* model = encoding.model();
    if (model == nullptr) continue;
    const auto say = [&](const std::string& remark) { fmt::print(stderr, "posenc: {}: {}\n", model->source, remark); };
    for (const std::string& guess : model->guesses) say("a guess: " + guess);
    for (const std::string& warning : model->warnings) say(warning);
    for (const Reading& reading : model->readings) {
      say(fmt::format("{} (posenc show --reading {})", reading.sentence, reading.name));
    }
  }
  return found;
}

Encoding find_with_remarks(const std::string& text, const EncodingOptions& options) {
  return find_with_remarks(std::vector{text}, options)[0];
}

Encoding with_rows(const Encoding& encoding, const EncodingOptions& options) {
  refuse_attention_kind(encoding.spec());
  if (std::holds_alternative<Rotary>(encoding.spec())) {
    fail(ErrorKind::usage, "a rotary encoding acts on queries and keys, not on embeddings: see posenc rotate --help");
  }
  return with_learned(encoding, options);
}

void refuse_attention_kind(const Spec& spec) {
  const std::string_view kind = kind_of(spec);
  switch (place_of(spec)) {
    case Place::input:
      return;
    case Place::rotation:
      if (std::holds_alternative<Rotary>(spec)) return;
      [[fallthrough]];
    case Place::query:
      fail(ErrorKind::usage,
           fmt::format("{} acts on queries and keys, not on embeddings or scores: see posenc rotate --help", kind));
    case Place::bias:
      fail(ErrorKind::usage,
           fmt::format("{} acts on attention scores, not on single positions: see posenc bias --help", kind));
    case Place::term:
      fail(ErrorKind::usage, fmt::format("{} acts inside attention, where its vectors meet queries and keys: see "
                                         "posenc attend --help",
                                         kind));
    case Place::nowhere:
      fail(ErrorKind::usage, "none encodes nothing: there are no numbers to show or to add");
  }
}

void check_input_axes(const Spec& spec, std::int64_t axes, const std::string& text) {
  const std::int64_t wanted = axes_of(spec);
  if (axes == wanted) return;
  fail(ErrorKind::usage,
       fmt::format("'{}' has positions on {} {} but {} takes {}", text, axes, axes == 1 ? "axis" : "axes",
                   kind_of(spec), wanted == 1 ? std::string("one") : fmt::format("{}, as in 3x5 or 1/2,3/4", wanted)));
}

}  // namespace posenc::cli
