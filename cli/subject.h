// An encoding of any kind with the learned numbers that a user gave, if any: what is checked and drawn.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/bias_parameters.h"
#include "cli/shared_options.h"
#include "posenc/files/array.h"
#include "posenc/insight/subject.h"

namespace posenc::cli {

struct LoadedSubject {
  std::optional<Array> table;
  std::vector<Array> tables;  // of the learned parts of a concat
  LoadedParameters parameters;
  Subject subject;  // views of both: valid while this lives where it is
};

// Learned numbers may be left out: the library then draws them. Those that the kind does not have are errors.
std::unique_ptr<LoadedSubject> load_subject(const std::string& spec_text, const WeightOptions& weights,
                                            const std::vector<std::string>& parameters, const std::string& values);

}  // namespace posenc::cli
