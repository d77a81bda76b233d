// The encoding of a command's SPEC.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "posenc/models/encoding.h"

namespace posenc::cli {

// find_encodings; what is guessed or warned of in a model is said on standard error.
std::vector<Encoding> find_with_remarks(const std::vector<std::string>& texts, const EncodingOptions& options);
Encoding find_with_remarks(const std::string& text, const EncodingOptions& options);
// The same of a model that is looked at as a whole.
void say_remarks(const Model& model);
// Throws unless the encoding acts at one of these places; says where it acts, and which command is for that.
void check_place(const Spec& spec, std::initializer_list<Place> places);
// with_learned; throws where the encoding is not added to embeddings.
Encoding with_rows(const Encoding& encoding, const EncodingOptions& options);

// Throws unless positions have as many axes as the encoding; `text` is what the user wrote.
void check_axes(const Spec& spec, std::int64_t axes, const std::string& text);

}  // namespace posenc::cli
