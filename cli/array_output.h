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
// Writes a number there, rounded to the type, which is one of floats.
void set_number(const View& row, std::int64_t index, double value);

// Whether numbers go out as they lie in memory.
bool is_binary(const std::string& format);
// What --dtype says, or without it f64 where numbers are text and f32 in files of numbers.
DType choose_dtype(const std::string& dtype, const std::string& format);
// The format of an array's output; --tensor, which may be empty, is for safetensors only.
std::string choose_array_format(const OutputOptions& options, const std::string& tensor = "");
// Throws if so many bytes are more than --max-bytes; `what` takes them. Before anything is computed: a range of two
// thousand million rows is more likely a slip than a wish.
void check_bytes(double bytes, std::int64_t max_bytes, const std::string& what);

struct ArrayOutput {
  std::string format;      // text, json, npy or safetensors
  std::string name;        // its key in JSON, its tensor in safetensors
  Json::Object head = {};  // in JSON, what is said before it
  Metadata metadata = {};  // in safetensors
};

// The array, not yet at its place: finish() puts it there. Of several outputs, finish when all have been started.
// `view` is contiguous, with one to four axes, of any type. In text a line per row, a blank line between batch rows.
Output start_array(const ConstView& view, const ArrayOutput& what, const OutputOptions& options);
// The result of a command, called `tensor` or values. `head` is everything that the numbers depend on.
Output start_result(const ConstView& view, const std::string& format, const std::string& tensor, Json::Object head,
                    const OutputOptions& options);
// At once.
void write_array(const ConstView& view, const ArrayOutput& what, const OutputOptions& options);

}  // namespace posenc::cli
