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
  std::string spec;      // a config.json, a GGUF, a name of the catalog
  bool catalog = false;  // instead: what the catalog has
  bool types = false;    // instead: the model types that are known
  std::string uses;      // with either: only those that use this kind, scaling or layout
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

int run(const ShowCommand& options) {
  if (options.catalog || options.types) {
    if (!options.spec.empty()) {
      fail(ErrorKind::usage, "--catalog and --types list what there is: leave out '" + options.spec + "'");
    }
    if (options.catalog && options.types) fail(ErrorKind::usage, "--catalog and --types exclude each other");
    write_model_list(options.output, options.types, options.uses);
    return 0;
  }
  if (!options.uses.empty()) fail(ErrorKind::usage, "--uses goes with --catalog or --types");
  if (options.spec.empty()) {
    fail(ErrorKind::usage,
         "say which model: a config.json, a GGUF file or a name of the catalog (posenc show --catalog)");
  }
  std::variant<Spec, Model> loaded = load_spec_or_model(options.spec, options.encoding.model);
  if (const auto* spec = std::get_if<Spec>(&loaded)) {
    fail(ErrorKind::usage,
         fmt::format("'{}' is an encoding, not a model: see posenc list {}", options.spec, kind_of(*spec)));
  }
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
  Command command = app.command("show", "Which encoding a model uses, layer by layer, and where each number came from.",
                                "  posenc show config.json\n"
                                "  posenc show llama-3.1-8b --format json\n"
                                "  posenc show model.gguf\n"
                                "  posenc show --catalog --uses yarn");
  command.add("MODEL", options->spec, "a model's config.json or GGUF file, or a name of the catalog");
  command.flag("--catalog", options->catalog, "the models of the catalog, with what each uses");
  command.flag("--types", options->types, "the model types that are known, with what each uses where a file is silent");
  command.text("--uses", options->uses,
               "with --catalog or --types: only those that use this kind, scaling, layout or model type");
  command
      .add("--sequence-length", options->encoding.sequence_length,
           "the length of the sequence, for scalings that depend on it (dynamic, longrope)")
      .within(1, std::int64_t{1} << 52);
  command.add("--layer", options->encoding.layer, "only the group of this layer").natural();
  command.text("--part", options->encoding.part, "only this part: text, vision, ...");
  command.flag("--lenient", options->encoding.model.lenient, "keys about positions that are not known are warnings");
  command
      .add("--reading", options->encoding.model.other_readings,
           "take the other way of this reading; may be given again")
      .not_empty()
      .one_value();
  command.text("--as", options->encoding.model.as, "read the file as this model type");
  add_output(command, options->output, "text, json, md (of --types)");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
