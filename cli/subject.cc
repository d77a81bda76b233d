#include "cli/subject.h"

#include <fmt/format.h>

#include "cli/encoding.h"
#include "posenc/error.h"
#include "posenc/files/load.h"

namespace posenc::cli {
namespace {

void load_table(LoadedSubject& loaded, const WeightOptions& weights) {
  if (!weights.given()) {
    refuse_weights(loaded.subject.spec, weights);
    return;
  }
  const std::unique_ptr<Encoding> encoding = load_encoding(loaded.subject.spec, weights);
  loaded.table = std::move(encoding->table);
  loaded.tables = std::move(encoding->tables);
  if (!loaded.table && loaded.tables.empty()) return;
  if (loaded.table) loaded.subject.table = loaded.table->view();
  for (const Array& array : loaded.tables) loaded.subject.tables.push_back(array.view());
  loaded.subject.data_text = weights_text(weights);
}

}  // namespace

std::unique_ptr<LoadedSubject> load_subject(const std::string& spec_text, const WeightOptions& weights,
                                            const std::vector<std::string>& parameters, const std::string& values) {
  auto loaded = std::make_unique<LoadedSubject>();
  Subject& subject = loaded->subject;
  subject.spec = load_spec(spec_text);
  subject.spec_text = spec_text;
  if (place_of(subject.spec) == Place::input) {
    if (!parameters.empty() || !values.empty()) {
      fail(ErrorKind::usage, fmt::format("--parameter and --values are for what acts inside attention: {} has a table, "
                                         "given by --file, or none",
                                         kind_of(subject.spec)));
    }
    load_table(*loaded, weights);
    return loaded;
  }
  if (!weights.init.empty() || weights.std || !weights.seed.empty()) {
    fail(ErrorKind::usage,
         fmt::format("--init, --std and --seed make a learned table: {} has none", kind_of(subject.spec)));
  }
  const ParameterOptions options{one_file(weights), parameters, values};
  loaded->parameters = load_parameters(subject.spec, options);
  subject.parameters = loaded->parameters.views();
  subject.data_text = parameters_text(options);
  return loaded;
}

}  // namespace posenc::cli
