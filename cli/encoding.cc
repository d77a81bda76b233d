#include "cli/encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/text/shell.h"
#include "posenc/error.h"
#include "posenc/files/spec_json.h"

namespace posenc::cli {

void say_remarks(const Model& model) {
  const auto say = [&](const std::string& remark) { fmt::print(stderr, "posenc: {}: {}\n", model.source, remark); };
  for (const std::string& guess : model.guesses) say("a guess: " + guess);
  for (const std::string& warning : model.warnings) say(warning);
  for (const Reading& reading : model.readings) {
    say(fmt::format("{} (posenc show --reading {})", reading.sentence, reading.name));
  }
}

// "posenc: t5-small: using part encoder; choose another with --part decoder"
void say_part(const Model& model, const ModelGroup& used) {
  std::vector<std::string> others;
  for (const ModelGroup& group : model.groups) {
    const bool other = group.part != used.part && group.other_kind.empty() && to_text(group.spec) != to_text(used.spec);
    const std::string choice = "--part " + group.part;
    if (other && std::find(others.begin(), others.end(), choice) == others.end()) others.push_back(choice);
  }
  if (others.empty()) return;
  fmt::print(stderr, "posenc: {}: using part {}; choose another with {}\n", model.source, used.part,
             fmt::join(others, " or "));
}

void say_remarks(const Encoding& encoding, const EncodingOptions& options) {
  if (encoding.model() == nullptr) return;
  if (options.part.empty()) say_part(*encoding.model(), *encoding.group());
  say_remarks(*encoding.model());
}

// "posenc: width was not given: using sinusoidal:width=8"
void say_assumed(const std::string& assumed, const std::string& text) {
  constexpr std::size_t kLongestSpec = 200;  // of a longer one, the assumed fields alone
  std::vector<std::string> names;
  for (std::size_t start = 0; start < assumed.size();) {
    names.push_back(assumed.substr(start, assumed.find('=', start) - start));
    const std::size_t comma = assumed.find(',', start);
    start = comma == std::string::npos ? assumed.size() : comma + 1;
  }
  const std::string list =
      names.size() == 1 ? names[0]
                        : fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
  fmt::print(stderr, "posenc: {} {} not given: using {}\n", list, names.size() == 1 ? "was" : "were",
             text.size() <= kLongestSpec ? text : assumed);
}

void say_found(const Encoding& encoding, const EncodingOptions& options) {
  if (!encoding.assumed().empty()) say_assumed(encoding.assumed(), encoding.text());
  say_remarks(encoding, options);
}

std::vector<Encoding> find_with_remarks(const std::vector<std::string>& texts, const EncodingOptions& options) {
  std::vector<Encoding> found = find_encodings(texts, options);
  for (const Encoding& encoding : found) say_found(encoding, options);
  return found;
}

Encoding find_with_remarks(const std::string& text, const EncodingOptions& options) {
  return find_with_remarks(std::vector{text}, options)[0];
}

std::optional<Encoding> encoding_named(const std::string& text, EncodingOptions options) {
  options.missing = Missing::leave;
  try {
    return find_encoding(text, options);
  } catch (const Error&) {
    return std::nullopt;
  }
}

void check_amount(const Spec& spec, std::int64_t positions) {
  constexpr std::int64_t kMostChannels = 131072;
  constexpr double kMostNumbers = 2147483648.0;  // 2^31: about 20 seconds
  const Json json = to_json(spec);
  const Json* given = json.find("width");
  const std::int64_t width = given != nullptr && given->is_number() ? static_cast<std::int64_t>(given->number()) : 1;
  if (width > kMostChannels) {
    fail(ErrorKind::usage,
         fmt::format("{}: width must be at most {} to be checked but is {}", kind_of(spec), kMostChannels, width));
  }
  if (static_cast<double>(positions) * static_cast<double>(width) <= kMostNumbers) return;
  const double most = std::floor(kMostNumbers / static_cast<double>(width));
  fail(ErrorKind::usage, fmt::format("{} positions x {} channels are more than 2^31 numbers: choose fewer positions, "
                                     "such as one in {}: 0:{}:{}",
                                     positions, width, std::ceil(static_cast<double>(positions) / most), positions,
                                     std::ceil(static_cast<double>(positions) / most)));
}

void say_untrained(const Encoding& encoding) {
  if (!encoding.made_by_init() && !encoding.drawn()) return;
  const std::string how = encoding.data_text();
  fmt::print(stderr, "posenc: the learned numbers of {} are not trained{}\n", encoding.text(),
             how.empty() ? "" : ": " + how);
}

void check_learned_of_model(const Encoding& encoding, const std::string& typed, const std::string& untrained,
                            bool alone) {
  if (encoding.model() == nullptr || !with_drawn(encoding).drawn()) return;
  if (!alone) {
    fail(ErrorKind::usage,
         fmt::format("{} has learned numbers, which are in its weights: give them to {} with this SPEC alone, or use "
                     "untrained ones with {} in its place",
                     typed, untrained, text::shell_word(to_text(encoding.spec()))));
  }
  if (learned_part(encoding.spec()) != nullptr) {
    fail(ErrorKind::usage, fmt::format("{} has a learned table, which is in its weights: give the file as --file "
                                       "model.safetensors:TENSOR, or use an untrained table with --init normal",
                                       typed));
  }
  fail(ErrorKind::usage, fmt::format("{} has learned numbers, which are in its weights: give them as --parameter "
                                     "NAME=model.safetensors:TENSOR, or use untrained ones with {} {}",
                                     typed, untrained, text::shell_word(to_text(encoding.spec()))));
}

void check_place(const Spec& spec, std::initializer_list<Place> places) {
  const Place place = place_of(spec);
  if (std::find(places.begin(), places.end(), place) != places.end()) return;
  if (place == Place::nowhere) fail(ErrorKind::usage, "none has no numbers to show or to add");
  const char* acts = place == Place::input  ? "is added to embeddings: see posenc add --help"
                     : place == Place::bias ? "acts on attention scores: see posenc bias --help"
                     : place == Place::term ? "acts inside attention, with vectors for queries and keys: see "
                                              "posenc attend --help"
                                            : "acts on queries and keys: see posenc rotate --help";
  fail(ErrorKind::usage, fmt::format("{} {}", kind_of(spec), acts));
}

void check_place_of_kind(const std::string& text, std::initializer_list<Place> places) {
  const std::string word = text.substr(0, text.find(':'));
  if (kind_called(word)) check_place(complete_spec(word, {.example = ExampleSize::by_hand}).spec, places);
}

Encoding with_rows(const Encoding& encoding, const EncodingOptions& options) {
  check_place(encoding.spec(), {Place::input});
  return with_learned(encoding, options);
}

void check_axes(const Spec& spec, std::int64_t axes, const std::string& text) {
  const std::int64_t wanted = axes_of(spec);
  if (axes == wanted) return;
  const char* hint = wanted == 1             ? ""
                     : text.starts_with('@') ? ": the axis comes last, [N, A] or [B, N, A]"
                                             : ": write 1/2,3/4 or a grid, 3x5";
  fail(ErrorKind::usage, fmt::format("'{}' has positions on {} {} but {} takes {}{}", text, axes,
                                     axes == 1 ? "axis" : "axes", kind_of(spec), wanted, hint));
}

}  // namespace posenc::cli
