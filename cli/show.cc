#include <vector>

#include "cli/commands.h"
#include "cli/model_source.h"
#include "cli/output.h"
#include "cli/show_text.h"
#include "posenc/error.h"
#include "posenc/models/model.h"

namespace posenc::cli {
namespace {

void keep_only(Model& model, const ShowOptions& options) {
  if (options.layer) {
    model.groups = {ModelGroup(group_of_layer(model, *options.layer, options.part))};
  } else if (!options.part.empty()) {
    check_part(model, options.part);
    std::erase_if(model.groups, [&](const ModelGroup& group) { return group.part != options.part; });
  }
}

}  // namespace

int run_show(const ShowOptions& options) {
  if (options.catalog || options.types) {
    if (options.spec.empty()) return run_show_list(options);
    fail(ErrorKind::usage, "--catalog and --types list what there is: leave out '" + options.spec + "'");
  }
  if (!options.uses.empty()) fail(ErrorKind::usage, "--uses goes with --catalog or --types");
  if (options.spec.empty()) {
    fail(ErrorKind::usage,
         "say which model: a config.json, a GGUF file or a name of the catalog (posenc show --catalog)");
  }
  Model model = load_model_source(options.spec,
                                  {.lenient = options.lenient, .other_readings = options.readings, .as = options.as});
  keep_only(model, options);
  const bool json = choose_format(options.output, {"text", "json"}) == "json";
  write_text(options.output,
             json ? to_text(to_json(model, options.sequence_length)) : model_text(model, options.sequence_length));
  return 0;
}

}  // namespace posenc::cli
