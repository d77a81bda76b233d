// Searches for a mistake and puts the answer into words.
#pragma once

#include <string>
#include <string_view>

#include "insight/diagnosis/search.h"
#include "posenc/insight/diagnose.h"

namespace posenc::diagnosis {

enum class Seen { frequencies, tables, rotation, scores, bias, rows };

struct Inquiry {
  const Evidence* evidence = nullptr;
  const DiagnoseOptions* options = nullptr;
  Engine right;
  Seen seen = Seen::rotation;
  std::string spec_text;  // as written in commands
};

// The diagnosis, without Diagnosis::errors.
Diagnosis answered(const Inquiry& question);

// "The base is wrong: 10000 instead of 500000."
std::string sentence_of(const Blame& blame);

}  // namespace posenc::diagnosis
