// The learned numbers of an encoding inside attention, read from files or from the command line.
#pragma once

#include <string>
#include <vector>

#include "posenc/files/array.h"
#include "posenc/parameters.h"
#include "posenc/spec.h"

namespace posenc::cli {

// What a user gave: files by name, and the first parameter as one file or as numbers.
struct ParameterOptions {
  std::string file;
  std::vector<std::string> named;
  std::string values;
};

struct LoadedParameters {
  std::vector<std::string> names;
  std::vector<Array> arrays;

  // Views of the members: valid while this lives where it is.
  Parameters views() const;
};

// The options of each of several specs: a name goes to the spec that has it, or that stands in front of it
// (shaw.values=r.npy); the first parameter to the only spec that needs one, or else that can have one. What has no
// place, or two, is an error.
std::vector<ParameterOptions> share_parameters(const std::vector<Spec>& specs, const ParameterOptions& options);

// Whether they are those of the spec is for who uses them to say.
LoadedParameters load_parameters(const Spec& spec, const ParameterOptions& options);

// The options that give them again: "--values 0.5/0/-0.5".
std::string parameters_text(const ParameterOptions& options);

// "0.5/0/-0.5"; `option` opens the message where it is something else.
std::vector<double> slashed_numbers(const std::string& text, const char* option);

}  // namespace posenc::cli
