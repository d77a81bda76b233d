// Finds the encoding that the SPEC of a command names.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "posenc/models/encoding.h"

namespace posenc::cli {

// find_encodings, with remarks on standard error: fields that were filled in, guesses and warnings about a model.
std::vector<Encoding> find_with_remarks(const std::vector<std::string>& texts, const EncodingOptions& options);
Encoding find_with_remarks(const std::string& text, const EncodingOptions& options);
// The remarks alone, for a command that first refuses what it cannot use.
void say_found(const Encoding& encoding, const EncodingOptions& options);
// The encoding that a text names, if it does; without remarks.
std::optional<Encoding> encoding_named(const std::string& text, EncodingOptions options);
// Prints which fields were filled in, "width=8,base=100", and the spec that has them.
void say_assumed(const std::string& assumed, const std::string& text);
// Prints the guesses and warnings about a model.
void say_remarks(const Model& model);
// The same for the model of an encoding, if it has one; also which part was used, if the model has others and no option
// chose one.
void say_remarks(const Encoding& encoding, const EncodingOptions& options);
// Prints that learned numbers that were drawn are not trained.
void say_untrained(const Encoding& encoding);
// Throws if a model's learned numbers are missing: random ones under its name would mislead. `untrained` is the command
// that shows random ones, as "posenc plot heatmap".
// `alone`: whether the command has no other SPEC, which options with learned numbers need.
void check_learned_of_model(const Encoding& encoding, const std::string& typed, const std::string& untrained,
                            bool alone = true);
// Throws unless the encoding acts at one of these places. The message says where it acts and which command is for that.
void check_place(const Spec& spec, std::initializer_list<Place> places);
// The same for a spec that may lack fields, before it is read: `bias sinusoidal` needs a bias, not a width.
void check_place_of_kind(const std::string& text, std::initializer_list<Place> places);
// with_learned, for an encoding that is added to embeddings; throws for others.
Encoding with_rows(const Encoding& encoding, const EncodingOptions& options);

// Throws if so many positions of the encoding are too many numbers to check, before any of them is computed.
void check_amount(const Spec& spec, std::int64_t positions);
// Throws unless positions have as many axes as the encoding; `text` is what the user wrote.
void check_axes(const Spec& spec, std::int64_t axes, const std::string& text);

}  // namespace posenc::cli
