// Models: the exact encoding that a model uses in each layer, read from its config.json or GGUF file.
//
//     posenc::Model model = posenc::load_model("config.json");
//     const posenc::Rotary& spec = std::get<posenc::Rotary>(posenc::group_of_layer(model, 0).spec);
//     posenc::RotaryTable table(spec, 4096);                                    // and posenc::rotate_qk(...)
//     for (const std::string& guess : model.guesses) std::puts(guess.c_str());  // not given by the file
//
// What a file does not say comes from a table of model types (docs/model-types.md), and every number carries its
// source. An unknown key about positions is an error, because silent defaults are the most common mistake of all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "posenc/export.h"
#include "posenc/files/json.h"
#include "posenc/spec.h"

namespace posenc {

// Where a number came from.
struct Provenance {
  std::string field;  // of the group: "base", "scaling.factor", "softmax_scale"
  std::string from;   // "rope_scaling.factor", "default of llama", "hidden_size / num_attention_heads"
};

// The head of multi-head latent attention, [nope | rope]. The spec describes only the rope part.
struct LatentHead {
  std::int64_t nope = 0;
  std::int64_t rope = 0;
};

// Layers that use the same encoding in the same way.
struct POSENC_API ModelGroup {
  std::string part = "text";         // "text", "vision", "audio", "encoder", "decoder", ...
  std::vector<std::int64_t> layers;  // indices, counted from 0 within the part; may be empty
  std::string layer_type;            // "sliding_attention", ...; empty if all layers are alike
  Spec spec = NoPosition{};
  // A kind that posenc recognises but does not compute ("disentangled", "convolution", ...), with its parameters; then
  // spec is NoPosition.
  std::string other_kind;
  Json parameters;
  std::optional<double> softmax_scale;          // factor on q.k; none if unknown
  std::optional<QueryTemperature> query_scale;  // position-dependent factor on queries
  std::optional<LatentHead> latent_head;
  std::optional<std::int64_t> sliding_window;  // how many keys a query sees; none: all
  std::int64_t trained_positions = 0;          // the trained length; 0 if unknown
  std::vector<Provenance> provenance;
  std::vector<std::string> notes;  // what else an engine must know: "values are rotated too"

  // "rotary", ..., or other_kind.
  std::string_view kind() const noexcept;
};

// Hugging Face reads some keys in a way that the file does not suggest. This records such a case and which way was
// used.
struct Reading {
  std::string name;      // "nested_truncate": what ModelOptions::other_readings takes
  std::string sentence;  // what the file says and how it is read
  bool other = false;    // whether the other way was used
};

struct POSENC_API Model {
  std::string source;      // the file, or the name in the catalog
  std::string model_type;  // "llama"; for a GGUF file its architecture
  std::string format;      // "config.json" or "GGUF"
  std::vector<ModelGroup> groups;
  std::vector<std::string> guesses;   // values that neither the file nor the table gives
  std::vector<std::string> warnings;  // contradictions in the file, and keys without effect
  std::vector<Reading> readings;
};

struct ModelOptions {
  bool lenient = false;                     // unknown keys about positions become warnings
  std::vector<std::string> other_readings;  // names of readings for which the other way is wanted
  std::string as;                           // read the file as this model type, whatever it says
};

// Reads a config.json, a GGUF file, or the text of a config.json (which starts with a brace). Files are recognised by
// their contents.
POSENC_API Model load_model(const std::string& path_or_text, const ModelOptions& options = {});

// The same for parsed JSON; every message starts with `source`.
POSENC_API Model model_from_json(const Json& config, const std::string& source, const ModelOptions& options = {});

// All model types in the table, sorted: the known values of `model_type` in a config.json.
POSENC_API std::vector<std::string> known_model_types();

// The group of a layer. An empty `part` means the first part of the model, its text. Throws if there is no such layer.
POSENC_API const ModelGroup& group_of_layer(const Model& model, std::int64_t layer, std::string_view part = {});

// The model as `posenc show --format json` prints it: groups with their numbers, guesses, warnings, readings. If a
// scaling depends on the length, the frequencies are those of `sequence_length`, or else of short sequences.
POSENC_API Json to_json(const Model& model, std::optional<std::int64_t> sequence_length = {});

}  // namespace posenc
