// Finds the encoding that the SPEC of a command names.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "posenc/models/encoding.h"

namespace posenc::cli {

// find_encodings, with remarks on standard error: fields that were filled in, guesses and warnings about a model.
std::vector<Encoding> find_with_remarks(const std::vector<std::string>& texts, const EncodingOptions& options);
Encoding find_with_remarks(const std::string& text, const EncodingOptions& options);
// Prints which fields were filled in, "width=8,base=100", and the spec that has them.
void say_assumed(const std::string& assumed, const std::string& text);
// Prints the guesses and warnings about a model.
void say_remarks(const Model& model);
// The same for the model of an encoding, if it has one; also which part was used, if the model has others and no option
// chose one.
void say_remarks(const Encoding& encoding, const EncodingOptions& options);
// Throws unless the encoding acts at one of these places. The message says where it acts and which command is for that.
void check_place(const Spec& spec, std::initializer_list<Place> places);
// with_learned; throws if the encoding is not added to embeddings.
Encoding with_rows(const Encoding& encoding, const EncodingOptions& options);

// Throws unless positions have as many axes as the encoding; `text` is what the user wrote.
void check_axes(const Spec& spec, std::int64_t axes, const std::string& text);

}  // namespace posenc::cli
