#include "cli/spec_choice.h"

#include <fmt/format.h>

#include "posenc/error.h"
#include "posenc/load.h"

namespace posenc::cli {

std::string with_choice(const std::string& text, const SpecChoice& choice) {
  if (!choice.sequence_length && !choice.layer) return text;
  Spec spec = load_spec(text);
  auto* rotary = std::get_if<Rotary>(&spec);
  if (!rotary) {
    fail(ErrorKind::usage,
         fmt::format("--sequence-length and --layer are for rotary encodings: {} depends on neither", kind_of(spec)));
  }
  if (choice.sequence_length) rotary->sequence_length = choice.sequence_length;
  if (choice.layer) rotary->layer = choice.layer;
  validate(spec);
  return to_text(spec);
}

}  // namespace posenc::cli
