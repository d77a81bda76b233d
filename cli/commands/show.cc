#include <fmt/format.h>

#include <utility>
#include <variant>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "cli/show_text.h"
#include "posenc/error.h"
#include "posenc/models/encoding.h"

namespace posenc::cli {
namespace {

struct ShowCommand {
  std::string spec;      // a config.json, a GGUF file or a catalog model
  bool catalog = false;  // instead: list the catalog
  bool types = false;    // instead: list the known model types
  std::string uses;      // with either: only entries that use this kind, scaling or layout
  EncodingOptions encoding;
  OutputOptions output;
};

void keep_only(Model& model, const EncodingOptions& options) {
  if (options.layer) {
    model.groups = {ModelGroup(group_of_layer(model, *options.layer, options.part))};
  } else if (!options.part.empty()) {
    check_part(model, options.part);
    std::erase_if(model.groups, [&](const ModelGroup& group) { return group.part != options.part; });
  }
}

[[noreturn]] void fail_encoding(const std::string& text, const std::string& kind) {
  fail(ErrorKind::usage, fmt::format("'{0}' is an encoding, not a model; posenc explain {0} shows how it works, posenc "
                                     "list models {1} which models use it",
                                     text, kind));
}

int run(const ShowCommand& options) {
  if (options.catalog || options.types) {
    if (!options.spec.empty()) {
      fail(ErrorKind::usage, "--catalog and --types list models and take no MODEL but got '" + options.spec + "'");
    }
    if (options.catalog && options.types) fail(ErrorKind::usage, "--catalog and --types are two lists: give one");
    write_model_list(options.output, options.types, options.uses);
    return 0;
  }
  if (!options.uses.empty()) fail(ErrorKind::usage, "--uses goes with --catalog or --types");
  if (options.spec.empty()) {
    fail(ErrorKind::usage,
         "MODEL is missing: a config.json, a GGUF file or a catalog model; for example: posenc show llama-3.1-8b");
  }
  // The name of a kind alone is neither a complete spec nor a model.
  if (const auto kind = kind_called(options.spec); kind && !is_there(options.spec)) fail_encoding(options.spec, *kind);
  std::variant<Spec, Model> loaded = load_spec_or_model(options.spec, options.encoding.model);
  if (const auto* spec = std::get_if<Spec>(&loaded)) fail_encoding(options.spec, std::string(kind_of(*spec)));
  Model model = std::get<Model>(std::move(loaded));
  keep_only(model, options.encoding);
  std::vector<Spec> specs;
  for (const ModelGroup& group : model.groups) specs.push_back(group.spec);
  check_choices({options.spec}, specs, true, options.encoding);
  const bool json = choose_format(options.output, {"text", "json"}) == "json";
  const std::optional<std::int64_t> length = options.encoding.sequence_length;
  write_text(options.output, json ? to_text(to_json(model, length)) : model_text(model, length));
  return 0;
}

}  // namespace

void add_show(Command& app) {
  const auto options = std::make_shared<ShowCommand>();
  Command command = app.command("show", "Show which encoding a model uses in each layer, and the source of each number",
                                "  posenc show config.json\n"
                                "  posenc show llama-3.1-8b --format json\n"
                                "  posenc show model.gguf\n"
                                "  posenc show --catalog --uses yarn");
  command.add("MODEL", options->spec, "a model by name (posenc list models), or its config.json or GGUF file");
  command.flag("--catalog", options->catalog, "list the catalog models with their encodings");
  command.flag("--types", options->types, "list the known model types with the encodings that they have by default");
  command.text("--uses", options->uses,
               "with --catalog or --types: list only those that use this kind, scaling, layout or model type");
  command
      .add("--sequence-length", options->encoding.sequence_length,
           "length of the sequence, for scalings that depend on it (dynamic, longrope)")
      .within(1, std::int64_t{1} << 52);
  command.add("--layer", options->encoding.layer, "show only this layer and those like it").not_negative();
  command.text("--part", options->encoding.part, "show only this part, such as text or vision");
  command.flag("--lenient", options->encoding.model.lenient, "accept unknown keys about positions, with a warning");
  command
      .add("--reading", options->encoding.model.other_readings,
           "read an ambiguous key the other way, by the name that show prints; repeat for each")
      .not_empty()
      .one_value();
  command.text("--as", options->encoding.model.as, "read the file as if it had this model type");
  add_output(command, options->output, "text, json, md (with --types)");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
