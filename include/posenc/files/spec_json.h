// Convert specs to and from JSON.
//
//     posenc::Json json = posenc::to_json(spec);   // {"schema": "posenc/1", "kind": "sinusoidal", "width": 4, ...}
//     posenc::Spec spec = posenc::spec_from_json(json, "my-encoding.json");
//
// Reading accepts any subset of the fields and fills in defaults; an unknown field is an error that names the nearest
// known one, as in the text form. Writing includes every field, so that the file does not depend on defaults.
#pragma once

#include <string_view>

#include "posenc/export.h"
#include "posenc/files/json.h"
#include "posenc/spec.h"

namespace posenc {

inline constexpr std::string_view kSchema = "posenc/1";

// Returns the spec as a JSON object with all its fields.
POSENC_API Json to_json(const Spec& spec);

// Reads a spec. `json` must be an object with "kind"; "schema", if present, must be "posenc/1". Messages begin with
// `source`.
POSENC_API Spec spec_from_json(const Json& json, std::string_view source);

}  // namespace posenc
