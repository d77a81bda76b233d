// The scripts of cli/completion, which complete commands in a shell. A JSON tree fills their placeholders:
//
//     {{name}}                a text
//     {{#name}}..{{/name}}    once per item of a list, whose members come first in the lookup;
//                             or once if the value is true or a text that is not empty
//     {{^name}}..{{/name}}    once if the section above would print nothing
//     {{! a comment }}
//
// A line with only a comment, or the begin or end of a section, prints nothing.
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

// The files of cli/completion, written by cmake/EmbedText.cmake.
extern const CompletionScript kCompletionScripts[];
extern const std::size_t kCompletionScriptCount;

// The script of bash, zsh or fish.
std::string completion_script(std::string_view shell, const Json& values);

}  // namespace posenc::cli
