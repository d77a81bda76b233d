// What kinds at the input share with those that have them as parts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/spec/kind_row.h"

namespace posenc::spec {

std::vector<Field> sinusoidal_fields(Sinusoidal& spec);
std::vector<Shorthand> sinusoidal_shorthands(Sinusoidal& spec);
std::vector<Field> learned_fields(Learned& spec);
// `part` opens the names of fields: "fixed."
void check_sinusoidal(const Sinusoidal& spec, std::string_view where, const std::string& part);
void check_learned(const Learned& spec, std::string_view where, const std::string& part);

// Their lists for a part: every name behind the part's.
std::vector<Field> part_fields(std::vector<Field> fields, const std::string& part);
std::vector<Shorthand> part_shorthands(std::vector<Shorthand> shorthands, const std::string& part);

// A length that a spec leaves to its table is 0 there.
inline std::int64_t length_or_any(std::int64_t length) { return length == 0 ? -1 : length; }

}  // namespace posenc::spec
