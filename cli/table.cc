#include "posenc/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/table_text.h"
#include "posenc/error.h"
#include "posenc/load.h"

namespace posenc::cli {
namespace {

constexpr std::int64_t kBlockBytes = std::int64_t{1} << 20;

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

// Fills block after block: one RowStream for the table, so that what it keeps is made once.
void write_rows(const TableHead& head, TableWriter& writer, Output& output) {
  const std::int64_t row_bytes = head.schedule.width * size_of(head.dtype);
  const std::int64_t block_rows = std::clamp<std::int64_t>(kBlockBytes / row_bytes, 1, head.positions.count);
  std::vector<std::byte> memory(static_cast<std::size_t>(block_rows * row_bytes));
  RowStream stream(head.schedule, head.positions);
  Progress progress("table", head.positions.count);
  for (std::int64_t done = 0; done < head.positions.count;) {
    const std::int64_t rows = std::min(block_rows, head.positions.count - done);
    const View block = make_view(static_cast<void*>(memory.data()), head.dtype, {rows, head.schedule.width});
    const PositionView positions = head.positions.slice(done, rows);
    if (head.derivative) {
      fill_derivative(head.schedule, positions, block);
    } else {
      stream.next(block);
    }
    writer.rows(output, positions, block);
    done += rows;
    progress.update(done);
  }
}

}  // namespace

int run_table(const TableOptions& options) {
  const std::string format = choose_format(options.output, {"text", "json", "csv", "npy"});
  const Spec spec = load_spec(options.spec);
  const Positions positions = load_positions(options.positions);
  const std::string dtype = !options.dtype.empty() ? options.dtype : format == "npy" ? "f32" : "f64";
  const TableHead head{spec, make_schedule(std::get<Sinusoidal>(spec)), positions.view(), parse_dtype(dtype),
                       options.derivative};
  check_size(options, head);
  // Everything that can be wrong is found before the output exists.
  RowStream(head.schedule, head.positions);
  const std::unique_ptr<TableWriter> writer = make_table_writer(format, head);
  Output output(options.output, /*binary=*/format == "npy");
  writer->begin(output);
  write_rows(head, *writer, output);
  writer->end(output);
  output.finish();
  return 0;
}

}  // namespace posenc::cli
