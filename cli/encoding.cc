#include "cli/encoding.h"

#include <fmt/format.h>

#include <cstdio>

#include "posenc/error.h"

namespace posenc::cli {

Encoding find_with_remarks(const std::string& text, const EncodingOptions& options, bool several) {
  Encoding encoding = find_encoding(text, options, several);
  const Model* model = encoding.model();
  if (model == nullptr) return encoding;
  for (const std::string& guess : model->guesses) fmt::print(stderr, "posenc: {}: a guess: {}\n", model->source, guess);
  for (const std::string& warning : model->warnings) fmt::print(stderr, "posenc: {}: {}\n", model->source, warning);
  for (const Reading& reading : model->readings) {
    fmt::print(stderr, "posenc: {}: {} (posenc show --reading {})\n", model->source, reading.sentence, reading.name);
  }
  return encoding;
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
