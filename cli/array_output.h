// A whole array as text, JSON, npy or safetensors.
#pragma once

#include <string>

#include "cli/output.h"
#include "cli/shared_options.h"
#include "posenc/files/json.h"
#include "posenc/files/safetensors.h"
#include "posenc/view.h"

namespace posenc::cli {

// The element at `index` of a view of one axis, exactly; i64 beyond 2^53 is rounded.
double number_at(const ConstView& row, std::int64_t index);

struct ArrayOutput {
  std::string format;      // text, json, npy or safetensors
  std::string name;        // its key in JSON, its tensor in safetensors
  Json::Object head = {};  // in JSON, what is said before it
  Metadata metadata = {};  // in safetensors
};

// The array, not yet at its place: finish() puts it there. Of several outputs, finish when all have been started.
// `view` is contiguous, with one to four axes, of any type. In text a line per row, a blank line between batch rows.
Output start_array(const ConstView& view, const ArrayOutput& what, const OutputOptions& options);
// At once.
void write_array(const ConstView& view, const ArrayOutput& what, const OutputOptions& options);

}  // namespace posenc::cli
