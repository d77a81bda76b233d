#include "cli/spec_choice.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/model_source.h"
#include "posenc/error.h"

namespace posenc::cli {
namespace {

std::string settled(Spec spec, const SpecChoice& choice) {
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

std::string settled(const Model& model, const SpecChoice& choice) {
  Spec spec = spec_of(model, choice.layer, choice.part);
  for (const std::string& guess : model.guesses) fmt::print(stderr, "posenc: {}: a guess: {}\n", model.source, guess);
  for (const std::string& warning : model.warnings) fmt::print(stderr, "posenc: {}: {}\n", model.source, warning);
  for (const Reading& reading : model.readings) {
    fmt::print(stderr, "posenc: {}: {} (posenc show --reading {})\n", model.source, reading.sentence, reading.name);
  }
  if (!choice.sequence_length) return to_text(spec);
  return settled(std::move(spec), {.sequence_length = choice.sequence_length, .layer = {}, .part = {}});
}

}  // namespace

std::string with_choice(const std::string& text, const SpecChoice& choice) {
  if (text.empty()) return text;
  std::variant<Spec, Model> loaded = load_spec_or_model(text);
  if (const auto* model = std::get_if<Model>(&loaded)) return settled(*model, choice);
  if (!choice.part.empty()) fail(ErrorKind::usage, "--part is for models: '" + text + "' is one encoding");
  if (!choice.sequence_length && !choice.layer) return text;
  return settled(std::get<Spec>(std::move(loaded)), choice);
}

std::vector<std::string> with_choice(std::vector<std::string> specs, const SpecChoice& choice) {
  for (std::string& spec : specs) {
    const std::variant<Spec, Model> loaded = load_spec_or_model(spec);
    const auto* plain = std::get_if<Spec>(&loaded);
    if (!plain || std::holds_alternative<Rotary>(*plain)) spec = with_choice(spec, choice);
  }
  return specs;
}

}  // namespace posenc::cli
