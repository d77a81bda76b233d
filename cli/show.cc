#include "cli/commands.h"
#include "cli/model_source.h"
#include "cli/output.h"
#include "posenc/model.h"

namespace posenc::cli {

int run_show(const ShowOptions& options) {
  const Model model =
      load_model_source(options.spec, {.lenient = options.lenient, .other_readings = options.readings, .as = options.as});
  write_text(options.output, to_text(to_json(model, options.sequence_length)));
  return 0;
}

}  // namespace posenc::cli
