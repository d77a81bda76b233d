// The output of `posenc diagnose`.
#pragma once

#include <string>

#include "cli/shared_options.h"
#include "posenc/files/json.h"
#include "posenc/insight/diagnose.h"

namespace posenc::cli {

// The verdict, its explanation, where the runner-up differs, the fix, and what these numbers cannot show.
std::string diagnosis_text(const Diagnosis& answer);

// Right and wrong numbers at each position.
std::string injected_text(const InjectedFault& fault);
Json::Object injected_json(const InjectedFault& fault, const std::string& spec, const std::string& name);

// Writes the table of mistakes as text, JSON or Markdown (for docs/faults.md).
void write_faults(const OutputOptions& output, const std::string& format);

}  // namespace posenc::cli
