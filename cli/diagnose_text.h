// What `posenc diagnose` prints.
#pragma once

#include <string>

#include "cli/shared_options.h"
#include "posenc/files/json.h"
#include "posenc/insight/diagnose.h"

namespace posenc::cli {

// The verdict, what explains it, what separates it from the next best, how to mend it, and what cannot be told.
std::string diagnosis_text(const Diagnosis& answer);

// Right and wrong numbers, position by position.
std::string injected_text(const InjectedFault& fault);
Json::Object injected_json(const InjectedFault& fault, const std::string& spec, const std::string& name);

// The table of mistakes as text, json or md, the page docs/faults.md.
void write_faults(const OutputOptions& output, const std::string& format);

}  // namespace posenc::cli
