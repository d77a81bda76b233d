// Specs as JSON, both ways.
//
//     posenc::Json json = posenc::to_json(spec);   // {"schema": "posenc/1", "kind": "sinusoidal", "width": 4, ...}
//     posenc::Spec spec = posenc::spec_from_json(json, "my-encoding.json");
//
// Reading accepts any subset of the fields and fills in defaults; unknown fields are errors that name the nearest known
// one, as in the text form. Writing gives every field, so that the file says all that it means.
#pragma once

#include <string_view>

#include "posenc/export.h"
#include "posenc/files/json.h"
#include "posenc/spec.h"

namespace posenc {

inline constexpr std::string_view kSchema = "posenc/1";

POSENC_API Json to_json(const Spec& spec);

// `json` must be an object with "kind"; "schema", if there, must be "posenc/1". `source` opens every message.
POSENC_API Spec spec_from_json(const Json& json, std::string_view source);

}  // namespace posenc
