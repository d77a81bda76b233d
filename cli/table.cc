#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/input_table.h"
#include "cli/output.h"
#include "cli/query_table.h"
#include "cli/rotary_table.h"
#include "cli/table_text.h"
#include "posenc/error.h"
#include "posenc/files/load.h"

namespace posenc::cli {
namespace {

DType dtype_of(const TableOptions& options, const std::string& format) {
  return parse_dtype(!options.dtype.empty() ? options.dtype : is_binary(format) ? "f32" : "f64");
}

void write_input_table(const TableOptions& options, const std::string& format, const Spec& spec) {
  if (!options.tiling.empty() || !options.only.empty()) {
    fail(ErrorKind::usage, fmt::format("{} is for the cosines and sines of a rotary encoding but the spec is {}",
                                       options.tiling.empty() ? "--only" : "--tiling", kind_of(spec)));
  }
  const Positions positions = load_positions(options.positions);
  check_input_axes(spec, positions.axes(), options.positions);
  const std::unique_ptr<Encoding> encoding = load_encoding(spec, options.weights);
  const TableHead head = input_table(*encoding, positions, dtype_of(options, format),
                                     options.derivative ? Rows::derivative : Rows::values);
  check_size(head, options.positions, options.max_bytes);
  write_table(head, format, options.output);
}

// Of xpos and temperature: all there is of them.
void write_query_table(const TableOptions& options, const std::string& format, const Spec& spec) {
  if (options.derivative || !options.tiling.empty() || !options.only.empty()) {
    fail(ErrorKind::usage, fmt::format("--derivative, --tiling and --only are not for {}", kind_of(spec)));
  }
  refuse_weights(spec, options.weights);
  const Positions positions = load_positions(options.positions);
  check_input_axes(spec, positions.axes(), options.positions);
  const TableHead head = query_table(spec, positions, dtype_of(options, format), format);
  check_size(head, options.positions, options.max_bytes);
  write_table(head, format, options.output);
}

void write_rotary_table(const TableOptions& options, const std::string& format, const Spec& spec) {
  if (options.derivative) {
    fail(ErrorKind::unsupported,
         "--derivative is for sinusoidal encodings: the derivative of cos and sin by the position is -inv_freq sin and "
         "inv_freq cos");
  }
  refuse_weights(spec, options.weights);
  const RotaryParts parts = choose_parts(options.tiling, options.only, format);
  const Positions positions = load_positions(options.positions);
  check_axes(spec, positions.view(), options.positions);
  const TableHead head = rotary_table(spec, positions, dtype_of(options, format), parts);
  check_size(head, options.positions, options.max_bytes);
  write_table(head, format, options.output);
}

}  // namespace

int run_table(const TableOptions& options) {
  const std::string format = choose_format(options.output, {"text", "json", "csv", "npy", "safetensors"});
  const Spec spec = load_spec(options.spec);
  if (std::holds_alternative<Rotary>(spec) || std::holds_alternative<Pope>(spec)) {
    write_rotary_table(options, format, spec);
  } else if (std::holds_alternative<Xpos>(spec) || std::holds_alternative<QueryTemperature>(spec)) {
    write_query_table(options, format, spec);
  } else {
    write_input_table(options, format, spec);
  }
  return 0;
}

}  // namespace posenc::cli
