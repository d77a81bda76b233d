// The field list of a scaling, and the checks that involve several fields. This module calls these functions;
// src/core/scalings/ defines them, because a scaling's row also holds the function that computes its frequencies, whose
// precision is a type of a later module.
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

// The fields are bound to `scaling`: they are valid while it exists and keeps its kind.
POSENC_INTERNAL std::vector<Field> scaling_fields(Scaling& scaling);

// The names of all scalings, in the order of the variant's alternatives.
POSENC_INTERNAL const std::vector<std::string_view>& scaling_words();

// Their other names, which text and JSON accept.
POSENC_INTERNAL const std::vector<OtherWord>& other_scaling_words();

// The variant's alternative number `index`, with default fields.
POSENC_INTERNAL Scaling default_scaling(int index);

// The names of the scalings that have a field with this name, "linear, ntk"; empty if none has it.
std::string scalings_with(std::string_view field);

// The spec's scaling. A LongRope scaling without factor and max_positions gets factor 1 if the spec gives
// attention_factor: only the rule for attention_factor would need them.
POSENC_INTERNAL Scaling settled_scaling(const Rotary& spec);

// Calls `refuse` if the scaling's fields contradict each other or the ladder.
void check_together(const Scaling& scaling, const Ladder& ladder, const base::Refusal& refuse);

}  // namespace posenc::spec
