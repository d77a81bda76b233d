// From what a user types to a spec or positions, files included.
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

// Tried in this order: a known kind with fields, an existing JSON file that holds a posenc spec. Anything else is an
// error that says what was tried and names the nearest kind.
POSENC_API Spec load_spec(const std::string& text);

// The numbers of a file: `file.npy`, or `file.safetensors:tensor` (the tensor's name may be left out where the file has
// one only). What a file is shows in its bytes, not in its name. Where names contain ':' the longest part that is a
// file is the file. A pipe or device is read as .npy.
POSENC_API Array load_array(const std::string& text);

// The same, with the name of the tensor that was read; empty for an .npy file.
struct NamedArray {
  std::string tensor;
  Array array;
};
POSENC_API NamedArray load_named_array(const std::string& text);

// What parse_positions reads, and `@` before what load_array reads, up to 2^27 numbers of 8 bytes: [N], or [N, A] for
// tuples; integers or real numbers.
POSENC_API Positions load_positions(const std::string& text);
// The positions of an array that was read from `source`, which opens messages.
POSENC_API Positions positions_of(const Array& array, const std::string& source);

}  // namespace posenc
