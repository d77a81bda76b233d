// From what a user types to a model or to one of its encodings: config.json, GGUF file, name in the catalog.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "posenc/models/model.h"
#include "posenc/spec.h"

namespace posenc::cli {

// A spec, or a model: by the first of a known kind with fields, a file with a posenc spec, a model's file (or the
// folder of its config.json), a name of the catalog. Anything else is an error that says what was tried and names the
// nearest.
std::variant<Spec, Model> load_spec_or_model(const std::string& text, const ModelOptions& options = {});

// The model; an error where the text is a spec.
Model load_model_source(const std::string& text, const ModelOptions& options = {});

// One group that posenc computes. Where the groups of a part differ, a layer must be given; the text's part is taken
// where no part is given.
const ModelGroup& chosen_group(const Model& model, const std::optional<std::int64_t>& layer, const std::string& part);
// Its spec.
Spec spec_of(const Model& model, const std::optional<std::int64_t>& layer, const std::string& part);

// Throws where the model has no such part; says which it has.
void check_part(const Model& model, const std::string& part);

}  // namespace posenc::cli
