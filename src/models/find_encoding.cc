// Finds the spec, or the encoding of a model, that a user's text names.
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/spec/fields.h"
#include "core/text/joined.h"
#include "core/text/nearest.h"
#include "models/encoding_state.h"
#include "models/gguf.h"
#include "models/source_file.h"
#include "posenc/error.h"
#include "posenc/files/load.h"
#include "posenc/files/spec_json.h"
#include "posenc/models/catalog.h"
#include "posenc/models/encoding.h"

namespace posenc {
namespace {

bool is_there(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

bool is_folder(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// The path itself, or, for the folder of a model, the config.json in it.
std::string file_of(const std::string& text) {
  const std::string config = text + (text.ends_with('/') ? "" : "/") + "config.json";
  return is_folder(text) && is_there(config) ? config : text;
}

// The name of a kind that a text begins with, if something else than ':' follows: sinusoidal(width=4).
std::string kind_before_punctuation(const std::string& text) {
  const auto part_of_name = [](unsigned char c) { return c == '_' || c == '-' || std::isalnum(c) != 0; };
  const std::string word(text.begin(), std::find_if_not(text.begin(), text.end(), part_of_name));
  return word.size() < text.size() && spec::default_spec(word) ? word : "";
}

bool is_named_as_file(const std::string& text) {
  constexpr std::string_view kEndings[] = {".json",        ".gguf", ".txt", ".npy", ".npz",
                                           ".safetensors", ".pt",   ".bin", "/"};
  constexpr std::string_view kStarts[] = {"/", "./", "../", "~"};
  return std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](std::string_view end) { return text.ends_with(end); }) ||
         std::any_of(std::begin(kStarts), std::end(kStarts),
                     [&](std::string_view start) { return text.starts_with(start); });
}

// "opt-125m, opt-350m and opt-1.3b"; the first of a long list.
std::string some_of(std::vector<std::string_view> names) {
  constexpr std::size_t kMost = 9;
  if (names.size() == 1) return std::string(names[0]);
  const std::size_t more = names.size() > kMost ? names.size() - kMost + 1 : 0;
  const std::string last = more > 0 ? std::to_string(more) + " more (posenc list models)" : std::string(names.back());
  names.resize(more > 0 ? kMost - 1 : names.size() - 1);
  return text::joined(names, ", ") + " and " + last;
}

// A model that the catalog does not have: one misspelt, one of a known family, or one of the hub (owner/name).
void fail_if_model(const std::string& text) {
  const std::string start = "'" + text + "' is not in the catalog";
  if (const std::string_view meant = misspelt_in_catalog(text); !meant.empty()) {
    fail(ErrorKind::bad_input, start + "; did you mean " + std::string(meant) + "?");
  }
  const std::vector<std::string_view> family = family_in_catalog(text);
  if (family.empty() && text.find('/') == std::string::npos) return;
  fail(ErrorKind::bad_input,
       start + (family.empty() ? "" : "; of this family it has " + some_of(family)) +
           "; posenc has no network access: for another model, give its config.json or GGUF file");
}

[[noreturn]] void fail_unknown(const std::string& text) {
  const std::string quoted = "'" + text + "'";
  if (is_named_as_file(text)) fail(ErrorKind::io, "there is no file " + quoted);
  if (text.starts_with('{')) {
    const std::string spec = to_text(spec_from_json(parse_json(text, "SPEC"), "SPEC"));
    fail(ErrorKind::bad_input, quoted + " is JSON, which is read from a file; write " + spec);
  }
  if (const std::string meant = spec::repaired(text); !meant.empty()) {
    fail(ErrorKind::bad_input, quoted + " is not a spec; write " + meant);
  }
  if (const std::string kind = kind_before_punctuation(text); !kind.empty()) {
    const NamedSpec example = load_complete_spec(kind, {.example = ExampleSize::picture});
    fail(ErrorKind::bad_input, quoted + " is not a spec; write fields as in " + to_text(example.spec));
  }
  if (const std::string kinds = spec::kind_candidates(text.substr(0, text.find(':'))); !kinds.empty()) {
    fail(ErrorKind::bad_input, quoted + " may mean several encodings: write " + kinds);
  }
  if (const std::string form = spec::form_hint(text); !form.empty()) fail(ErrorKind::bad_input, quoted + form);
  if (const std::string hint = spec::scaling_hint(text); !hint.empty()) {
    const std::vector<std::string_view> family = family_in_catalog(text);
    fail(ErrorKind::bad_input, quoted + hint + (family.empty() ? "" : ", or name a model: " + some_of(family)));
  }
  if (text.find('=') == std::string::npos) fail_if_model(text);
  const std::string_view kind = spec::nearest_kind(text.substr(0, text.find(':')));
  fail(ErrorKind::bad_input,
       quoted + " is not a spec, a file or a catalog model" +
           (kind.empty()
                ? ": posenc list shows the encodings, posenc list models the models; for another model, give its "
                  "config.json or GGUF file"
                : "; did you mean " + std::string(kind) + "?"));
}

const ModelGroup& computed(const Model& model, const ModelGroup& group) {
  if (group.other_kind.empty()) return group;
  fail(ErrorKind::unsupported,
       model.source + ": the encoding of these layers, " + group.other_kind + ", is named by posenc but not computed");
}

// A length for an example of a scaling that depends on it: that of the model, or four times the trained one.
std::int64_t example_length(const models::EncodingSource& source, const Scaling& scaling) {
  const std::int64_t made_for = source.group != nullptr ? source.group->trained_positions : 0;
  return made_for > 0 ? made_for : std::min(4 * trained_length(scaling).value_or(1), kMaxPosition);
}

// The encoding with the sequence length and the layer of the options.
Encoding settled(models::EncodingSource source, const EncodingOptions& options) {
  auto* rotary = std::get_if<Rotary>(&source.spec);
  const bool length = rotary != nullptr && options.sequence_length && needs_length(rotary->scaling);
  const bool layer = rotary != nullptr && source.model == nullptr && options.layer && rotary->local_base != 0.0;
  if (length) rotary->sequence_length = options.sequence_length;
  const bool open = options.example && rotary != nullptr && needs_length(rotary->scaling) && !rotary->sequence_length;
  if (open) {
    rotary->sequence_length = example_length(source, rotary->scaling);
    source.assumed +=
        (source.assumed.empty() ? "" : ",") + ("sequence_length=" + std::to_string(*rotary->sequence_length));
  }
  if (layer) rotary->layer = options.layer;
  if (length || layer || open) {
    validate(source.spec);
    source.text = to_text(source.spec);
  }
  return models::EncodingState::found(std::move(source));
}

// Whether a text begins with the name of a kind, or with an alias of one if no file has the same name.
bool is_spec(const std::string& text) {
  const std::string kind = text.substr(0, text.find(':'));
  const std::optional<Spec> spec = spec::default_spec(kind);
  const std::string path = file_of(text);
  return spec && (kind_of(*spec) == kind || !is_there(path) || is_folder(path));
}

Encoding chosen(const std::string& text, const EncodingOptions& options) {
  if (options.example && !is_there(file_of(text)) && find_in_catalog(text) == nullptr) {
    if (const auto rotary = spec::with_scaling(text)) return chosen(*rotary, options);
  }
  models::EncodingSource source;
  if (is_spec(text)) {
    NamedSpec named = load_complete_spec(text, {.example = options.example, .sizes = !options.reads_numbers()});
    source.spec = std::move(named.spec);
    source.text = std::move(named.text);
    source.assumed = std::move(named.assumed);
    return settled(std::move(source), options);
  }
  std::variant<Spec, Model> loaded = load_spec_or_model(text, options.model);
  if (auto* model = std::get_if<Model>(&loaded)) {
    source.model = std::make_shared<const Model>(std::move(*model));
    source.group = &chosen_group(*source.model, options.layer, options.part);
    source.spec = source.group->spec;
    source.text = to_text(source.spec);
  } else {
    source.spec = std::get<Spec>(std::move(loaded));
    source.text = text;
  }
  return settled(std::move(source), options);
}

}  // namespace

void check_choices(const std::vector<std::string>& texts, const std::vector<Spec>& specs, bool models,
                   const EncodingOptions& options) {
  const auto turns = [](const Spec& spec) { return std::holds_alternative<Rotary>(spec); };
  const auto by_length = [&](const Spec& spec) { return turns(spec) && needs_length(std::get<Rotary>(spec).scaling); };
  const auto has_layers = [&](const Spec& spec) { return turns(spec) && std::get<Rotary>(spec).local_base != 0.0; };
  std::string one = "all of these are one encoding each", independent = "none of these depends on it";
  if (texts.empty()) one = independent = "no SPEC is given";
  if (texts.size() == 1) {
    one = "'" + texts[0] + "' is one encoding";
    independent = "'" + texts[0] + "' does not depend on it";
  }
  if (!options.part.empty() && !models) fail(ErrorKind::usage, "--part is for models: " + one);
  if (options.layer && !models && std::none_of(specs.begin(), specs.end(), has_layers)) {
    fail(ErrorKind::usage, "--layer is for models and for specs whose layers differ: " + one);
  }
  if (options.sequence_length && std::none_of(specs.begin(), specs.end(), by_length)) {
    fail(ErrorKind::usage, "--sequence-length is for scalings that depend on it (dynamic, longrope): " + independent);
  }
}

std::variant<Spec, Model> load_spec_or_model(const std::string& text, const ModelOptions& options) {
  if (is_spec(text)) return load_spec(text);
  const std::string path = file_of(text);
  if (is_there(path) && !is_folder(path)) {
    const models::SourceFile file = models::open_source(path);
    if (file.gguf) return models::model_from_gguf(file.reader, options);
    if (file.holds_spec()) return spec_from_json(file.json, path);
    return model_from_json(file.json, path, options);
  }
  if (const CatalogEntry* entry = find_in_catalog(text)) {
    const std::string name(entry->name);
    Model model = model_from_json(parse_json(entry->config, name), name, options);
    model.format = "catalog";
    return model;
  }
  if (is_there(path)) fail(ErrorKind::bad_input, path + ": Is a directory, and has no config.json");
  fail_unknown(text);
}

void check_part(const Model& model, std::string_view part) {
  std::vector<std::string> parts;
  for (const ModelGroup& group : model.groups) {
    if (std::find(parts.begin(), parts.end(), group.part) == parts.end()) parts.push_back(group.part);
  }
  if (parts.empty()) fail(ErrorKind::usage, model.source + ": the model has no layers");
  if (part.empty() || std::find(parts.begin(), parts.end(), part) != parts.end()) return;
  fail(ErrorKind::usage,
       model.source + ": there is no part '" + std::string(part) + "'; it has " + text::joined(parts, ", "));
}

namespace {

bool is_in(const ModelGroup& group, std::int64_t layer) {
  return std::find(group.layers.begin(), group.layers.end(), layer) != group.layers.end();
}

// Groups of a part that differ; of those with the same layers, the specs are listed.
[[noreturn]] void fail_several(const Model& model, const std::vector<const ModelGroup*>& groups) {
  const bool same_layers = is_in(*groups[1], groups[0]->layers[0]);
  std::vector<std::string> examples;
  for (const ModelGroup* group : groups) {
    const std::string type = group->layer_type.empty() ? std::string(group->kind()) : group->layer_type;
    if (!same_layers) {
      examples.push_back("--layer " + std::to_string(group->layers[0]) + " (" + type + ")");
    } else if (group->other_kind.empty()) {
      examples.push_back(to_text(group->spec));
    }
  }
  fail(ErrorKind::usage, model.source +
                             (same_layers ? ": it has several encodings in the same layers; write one of them as SPEC: "
                                          : ": its layers differ, say which: ") +
                             text::joined(examples, " or "));
}

}  // namespace

const ModelGroup& chosen_group(const Model& model, const std::optional<std::int64_t>& layer, const std::string& part) {
  check_part(model, part);
  if (layer) group_of_layer(model, *layer, part);  // throws if there is no such layer
  std::vector<const ModelGroup*> groups;
  const std::string_view wanted = part.empty() ? std::string_view(model.groups.front().part) : part;
  for (const ModelGroup& group : model.groups) {
    if (group.part == wanted && !group.layers.empty() && (!layer || is_in(group, *layer))) groups.push_back(&group);
  }
  if (groups.empty()) fail(ErrorKind::usage, model.source + ": the model has no layers");
  const auto same = [&](const ModelGroup* group) {
    return group->other_kind.empty() && to_text(group->spec) == to_text(groups[0]->spec);
  };
  if (std::all_of(groups.begin() + 1, groups.end(), same)) return computed(model, *groups[0]);
  fail_several(model, groups);
}

std::vector<Encoding> find_encodings(const std::vector<std::string>& texts, const EncodingOptions& options) {
  std::vector<Encoding> found;
  std::vector<Spec> specs;
  bool models = false;
  for (const std::string& text : texts) {
    found.push_back(chosen(text, options));
    specs.push_back(found.back().spec());
    models |= found.back().model() != nullptr;
  }
  check_choices(texts, specs, models, options);
  return found;
}

Encoding find_encoding(const std::string& text, const EncodingOptions& options) {
  return find_encodings({text}, options)[0];
}

Encoding load_encoding(const std::string& text, const EncodingOptions& options) {
  return with_learned(find_encoding(text, options), options);
}

}  // namespace posenc
