// Load specs, positions and arrays from what a user types: text or the name of a file.
//
//     posenc::Spec spec = posenc::load_spec("sinusoidal:width=512");   // text, or the path of a spec file
//     posenc::Positions ids = posenc::load_positions("@ids.npy");      // text, or the numbers of a file
#pragma once

#include <string>

#include "posenc/export.h"
#include "posenc/files/array.h"
#include "posenc/position.h"
#include "posenc/spec.h"

namespace posenc {

// Accepts a kind with fields, or the path of a JSON file that holds a posenc spec, and tries them in this order. The
// error for anything else says what was tried and names the nearest kind.
POSENC_API Spec load_spec(const std::string& text);

// Like load_spec, with fields filled in as complete_spec does. A file is read as it is.
POSENC_API NamedSpec load_complete_spec(const std::string& text, const FillIn& fill_in);

// Reads the numbers of `file.npy` or `file.safetensors:tensor`; the tensor's name may be omitted if the file has only
// one. The format is recognised by the contents, not by the name. If the text contains several ':', the longest prefix
// that is an existing file is the file. A pipe or device is read as .npy.
POSENC_API Array load_array(const std::string& text);

// An array with the name of the tensor that was read; the name is empty for an .npy file.
struct NamedArray {
  std::string tensor;
  Array array;
};
POSENC_API NamedArray load_named_array(const std::string& text);

// Reads positions from text that parse_positions accepts, or from `@` and a name that load_array accepts, up to 2^27
// numbers of 8 bytes: [N], or [N, A] for tuples; integers or real numbers.
POSENC_API Positions load_positions(const std::string& text);
// Converts an array to positions. Messages begin with `source`, the name of its file.
POSENC_API Positions positions_of(const Array& array, const std::string& source);

}  // namespace posenc
