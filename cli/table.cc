#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/table_text.h"
#include "posenc/error.h"
#include "posenc/load.h"

namespace posenc::cli {
namespace {

// Before anything is computed: a range of two thousand million rows is more likely a slip than a wish.
void check_size(const TableOptions& options, const TableHead& head) {
  const double bytes = static_cast<double>(head.positions.count) * static_cast<double>(head.width()) *
                       static_cast<double>(size_of(head.dtype));
  if (bytes <= static_cast<double>(options.max_bytes)) return;
  fail(ErrorKind::usage,
       fmt::format(
           "'{}' has {} positions: with width {} in {} that is {}, more than the limit of {}; --max-bytes raises it",
           options.positions, head.positions.count, head.width(), to_text(head.dtype), bytes_text(bytes),
           bytes_text(static_cast<double>(options.max_bytes))));
}

}  // namespace

int run_table(const TableOptions& options) {
  const std::string format = choose_format(options.output, {"text", "json", "csv", "npy", "safetensors"});
  const Spec spec = load_spec(options.spec);
  const Positions positions = load_positions(options.positions);
  check_one_axis(spec, positions, options.positions);
  const std::unique_ptr<Encoding> encoding = load_encoding(spec, options.weights);
  TableHead head{*encoding, positions.view()};
  head.dtype = parse_dtype(!options.dtype.empty() ? options.dtype : is_binary(format) ? "f32" : "f64");
  head.rows = options.derivative ? Rows::derivative : Rows::values;
  check_size(options, head);
  write_table(head, format, options.output);
  return 0;
}

}  // namespace posenc::cli
