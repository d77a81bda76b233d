// Fields and checks of sinusoidal and learned encodings, for these kinds and for kinds that have them as parts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/spec/kind_row.h"

namespace posenc::spec {

std::vector<Field> sinusoidal_fields(Sinusoidal& spec);
std::vector<Shorthand> sinusoidal_shorthands(Sinusoidal& spec);
std::vector<Field> learned_fields(Learned& spec);
// Messages put `part` before the names of fields: "fixed."
void check_sinusoidal(const Sinusoidal& spec, std::string_view where, const std::string& part);
void check_learned(const Learned& spec, std::string_view where, const std::string& part);

// Return the lists with the name of a part before every name: "fixed.width".
std::vector<Field> part_fields(std::vector<Field> fields, const std::string& part);
std::vector<Shorthand> part_shorthands(std::vector<Shorthand> shorthands, const std::string& part);

// A length for ParameterInfo::shape. In a spec, 0 leaves the length to the table; in the shape, -1 does.
inline std::int64_t length_or_any(std::int64_t length) { return length == 0 ? -1 : length; }

}  // namespace posenc::spec
