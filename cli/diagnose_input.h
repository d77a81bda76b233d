// The numbers of another engine as posenc diagnose reads them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/token_positions.h"
#include "posenc/files/array.h"

namespace posenc::cli {

// Owns the arrays that an observation views.
struct Loaded {
  std::vector<Array> arrays;
  TokenPositions positions, keys;
  std::vector<std::pair<std::string, std::string>> names;  // the library's name of an input, and the user's
  std::string option = "diagnose";                         // begins messages that name no input
};

// Floats of at least `least_rank` axes and one element. `help` begins with what the message expects: "biases, [N, S];
// ..."
Array load_observed(const std::string& file, const std::string& help, std::size_t least_rank);

// The size that an array shows: "{words} FILE{reason}".
struct SizeInFile {
  std::int64_t size = 0;  // 0: none
  std::string words = "the size in";
  std::string reason = {};
};
// The width of the heads that a table of cosines is for: its own if it has every column twice, else twice as much.
SizeInFile heads_of_table(const Array& cos);

// The positions of the tokens of an array; the library checks their number.
TokenPositions load_ids(const char* name, const std::string& text, std::int64_t axes, const Array& array,
                        std::size_t axis, Loaded& loaded);

// The token axis of an array, which may have leading axes of length 1.
std::size_t token_axis(const Array& array);

// The message with the user's names of files instead of the library's names.
std::string with_file_name(std::string message, const Loaded& loaded, const std::string& option);

}  // namespace posenc::cli
