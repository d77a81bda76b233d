#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/table_text.h"
#include "posenc/error.h"
#include "posenc/load.h"

namespace posenc::cli {
namespace {

std::string bytes_text(double bytes) {
  if (bytes >= 1e12) return fmt::format("{:.3g} TB", bytes / 1e12);
  if (bytes >= 1e9) return fmt::format("{:.3g} GB", bytes / 1e9);
  if (bytes >= 1e6) return fmt::format("{:.3g} MB", bytes / 1e6);
  return fmt::format("{:.0f} bytes", bytes);
}

// Before anything is computed: a range of two thousand million rows is more likely a slip than a wish.
void check_size(const TableOptions& options, const TableHead& head) {
  const double bytes = static_cast<double>(head.positions.count) * static_cast<double>(head.schedule.width) *
                       static_cast<double>(size_of(head.dtype));
  if (bytes <= static_cast<double>(options.max_bytes)) return;
  fail(ErrorKind::usage,
       fmt::format(
           "'{}' has {} positions: with width {} in {} that is {}, more than the limit of {}; --max-bytes raises it",
           options.positions, head.positions.count, head.schedule.width, to_text(head.dtype), bytes_text(bytes),
           bytes_text(static_cast<double>(options.max_bytes))));
}

}  // namespace

int run_table(const TableOptions& options) {
  const std::string format = choose_format(options.output, {"text", "json", "csv", "npy", "safetensors"});
  const Spec spec = load_spec(options.spec);
  const Positions positions = load_positions(options.positions);
  TableHead head = make_table_head(spec, positions, options.positions);
  head.dtype = parse_dtype(!options.dtype.empty() ? options.dtype : is_binary(format) ? "f32" : "f64");
  head.rows = options.derivative ? Rows::derivative : Rows::values;
  check_size(options, head);
  write_table(head, format, options.output);
  return 0;
}

}  // namespace posenc::cli
