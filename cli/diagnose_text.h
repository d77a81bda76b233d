// What `posenc diagnose` prints.
#pragma once

#include <string>

#include "cli/commands.h"
#include "posenc/files/json.h"
#include "posenc/insight/diagnose.h"

namespace posenc::cli {

// The verdict, what explains it, what separates it from the next best, how to mend it, and what cannot be told.
std::string diagnosis_text(const Diagnosis& answer);

// Right and wrong numbers, position by position.
std::string injected_text(const InjectedFault& fault);
Json::Object injected_json(const InjectedFault& fault, const std::string& spec, const std::string& name);

// What the mistake of --inject does, at the positions of the options or at usual ones, each so many times the last.
InjectedFault injected(const DiagnoseCommandOptions& options, double growth);
// An SVG of it, with more positions.
void draw_injected(const DiagnoseCommandOptions& options, const std::string& path);

// The table of mistakes, in one of the formats.
int list_faults(const DiagnoseCommandOptions& options, const std::string& format);

}  // namespace posenc::cli
