// Models: which encoding a model uses, exactly, in each layer, read from its config.json or its GGUF file.
//
//     posenc::Model model = posenc::load_model("config.json");
//     const posenc::Rotary& spec = std::get<posenc::Rotary>(posenc::group_of_layer(model, 0).spec);
//     posenc::RotaryTable table(spec, 4096);                                    // and posenc::rotate_qk(...)
//     for (const std::string& guess : model.guesses) std::puts(guess.c_str());  // what no file says
//
// What a file does not say comes from one table of model types (docs/models.md); every number carries where it came
// from. A key about positions that was not understood is an error: a silent default is the commonest mistake of all.
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

// The head of multi-head latent attention: [nope | rope]. The spec is that of the rope part alone.
struct LatentHead {
  std::int64_t nope = 0;
  std::int64_t rope = 0;
};

// Layers that use one encoding in one way.
struct POSENC_API ModelGroup {
  std::string part = "text";         // "text", "vision", "audio", "encoder", "decoder", ...
  std::vector<std::int64_t> layers;  // indices, counted from 0 within the part; may be empty where no layer has it
  std::string layer_type;            // "sliding_attention", ...; empty where layers are not told apart
  Spec spec = NoPosition{};
  // A kind that posenc does not compute ("disentangled", "convolution", ...), with all its parameters. Then spec is
  // none.
  std::string other_kind;
  Json parameters;
  std::optional<double> softmax_scale;          // what q.k is multiplied by; none where it is not known
  std::optional<QueryTemperature> query_scale;  // what queries are multiplied by, by position
  std::optional<LatentHead> latent_head;
  std::optional<std::int64_t> sliding_window;  // how many keys a query of these layers sees; none: all
  std::int64_t trained_positions = 0;          // the length that the model was made for; 0: not known
  std::vector<Provenance> provenance;
  std::vector<std::string> notes;  // what an engine must know besides: "values are turned too"

  // "rotary", ..., or other_kind.
  std::string_view kind() const noexcept;
};

// Where Hugging Face does something that a reader of the file would not expect: what was done here, and the other way.
struct Reading {
  std::string name;      // "nested_truncate": what ModelOptions::other_readings takes
  std::string sentence;  // what the file says and what is made of it
  bool other = false;    // whether the other way was taken
};

struct POSENC_API Model {
  std::string source;      // the file, or the name in the catalog
  std::string model_type;  // "llama"; of a GGUF its architecture
  std::string format;      // "config.json" or "GGUF"
  std::vector<ModelGroup> groups;
  std::vector<std::string> guesses;   // what neither the file nor the table says
  std::vector<std::string> warnings;  // what the file says twice, or to no effect
  std::vector<Reading> readings;
};

struct ModelOptions {
  bool lenient = false;                     // keys about positions that are not known become warnings
  std::vector<std::string> other_readings;  // names of readings where the other way is wanted
  std::string as;                           // a model type to read the file as, whatever it says
};

// Reads a config.json, a GGUF file, or the text of a config.json (which begins with a brace). Files are recognised by
// their contents.
POSENC_API Model load_model(const std::string& path_or_text, const ModelOptions& options = {});

// The same of JSON that was read already; `source` opens every message.
POSENC_API Model model_from_json(const Json& config, const std::string& source, const ModelOptions& options = {});

// Every model type that the table has, sorted: what `model_type` in a config.json may say.
POSENC_API std::vector<std::string> known_model_types();

// The group of a layer. `part` is empty where the model has only one, or to take its text. Throws where there is none.
POSENC_API const ModelGroup& group_of_layer(const Model& model, std::int64_t layer, std::string_view part = {});

// All of it, as `posenc show --format json` prints: groups with their numbers, guesses, warnings, readings. The
// frequencies of scalings that depend on the length are those of `sequence_length`, else of short sequences.
POSENC_API Json to_json(const Model& model, std::optional<std::int64_t> sequence_length = {});

}  // namespace posenc
