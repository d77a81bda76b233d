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
// Writes a number there, rounded to the type, which must be a float type.
void set_number(const View& row, std::int64_t index, double value);

// Whether a format stores the bytes of the numbers.
bool is_binary(const std::string& format);
// --dtype; without it f32 for binary formats and f64 for text.
DType choose_dtype(const std::string& dtype, const std::string& format);
// The format of an array's output; --tensor, which may be empty, is for safetensors only.
std::string choose_array_format(const OutputOptions& options, const std::string& tensor = "");
// Throws if the bytes exceed --max-bytes; `what` begins the message. Called before anything is computed: a range of two
// billion rows is probably a typing mistake.
void check_bytes(double bytes, std::int64_t max_bytes, const std::string& what);

struct ArrayOutput {
  std::string format;      // text, json, npy or safetensors
  std::string name;        // its key in JSON, its tensor in safetensors
  Json::Object head = {};  // JSON: written before the array
  Metadata metadata = {};  // safetensors only
};

// Writes the array; finish() puts the file at its path. Start all outputs of a command before finishing any. `view` is
// contiguous, with one to four axes, of any type. Text has a line per row and a blank line between batch rows.
Output start_array(const ConstView& view, const ArrayOutput& what, const OutputOptions& options);
// The same for the result of a command, whose name is `tensor`, or "values" if that is empty. `head` is everything that
// the numbers depend on.
Output start_result(const ConstView& view, const std::string& format, const std::string& tensor, Json::Object head,
                    const OutputOptions& options);
// start_array and finish in one call.
void write_array(const ConstView& view, const ArrayOutput& what, const OutputOptions& options);

}  // namespace posenc::cli
