// The scripts of cli/completion, which complete commands in a shell. Their places are filled from a tree:
//
//     {{name}}                     a text
//     {{#name}}..{{/name}}         once per item of a list, whose members are then seen first; else once, if the text
//     is
//                                  not empty or the value is true
//     {{^name}}..{{/name}}         once, if there would be none of the above
//     {{! a comment }}
//
// A line that has nothing but a section's begin or end, or a comment, is left out.
#pragma once

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "posenc/files/json.h"

namespace posenc::cli {

struct CompletionScript {
  std::string_view name;  // posenc.bash
  std::string_view text;
};

// By cmake/EmbedText.cmake.
extern const CompletionScript kCompletionScripts[];
extern const std::size_t kCompletionScriptCount;

// The script of bash, zsh or fish.
std::string completion_script(std::string_view shell, const Json& values);

}  // namespace posenc::cli
