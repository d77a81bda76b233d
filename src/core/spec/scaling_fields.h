// The field list of a scaling, and what none of its fields can tell alone. This module declares these functions because
// it calls them; src/core/scalings/ defines them, because the row of a scaling also has the function that makes its
// numbers, in a precision that only later modules know.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/refuse.h"
#include "core/spec/fields.h"
#include "posenc/export.h"
#include "posenc/scaling.h"

namespace posenc::spec {

// Bound to `scaling`: valid while it lives and keeps its kind.
POSENC_INTERNAL std::vector<Field> scaling_fields(Scaling& scaling);

// The words of all scalings, in the order of the variant's alternatives.
POSENC_INTERNAL const std::vector<std::string_view>& scaling_words();

// The scaling with that number, all fields at their defaults.
POSENC_INTERNAL Scaling default_scaling(int index);

// The scalings that have a field of this name: "linear, ntk"; empty if none has.
std::string scalings_with(std::string_view field);

// The spec's scaling; where it gives attention_factor, a rule for it needs no numbers.
POSENC_INTERNAL Scaling settled_scaling(const Rotary& spec);

// Calls refuse with what is wrong with the scaling of this ladder, if anything is.
void check_together(const Scaling& scaling, const Ladder& ladder, const base::Refusal& refuse);

}  // namespace posenc::spec
