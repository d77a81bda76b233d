#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "cli/commands.h"
#include "cli/input_table.h"
#include "cli/output.h"
#include "cli/table_text.h"
#include "posenc/error.h"
#include "posenc/load.h"
#include "posenc/nearest.h"
#include "posenc/table.h"
#include "posenc/terminal.h"

namespace posenc::cli {
namespace {

constexpr std::int64_t kMaxCells = std::int64_t{1} << 26;
constexpr std::int64_t kGutter = 12;  // columns that row numbers and margins take

struct TerminalSize {
  std::int64_t columns = 80;
  std::int64_t lines = 40;
};

TerminalSize terminal_size() {
  TerminalSize size;
  winsize window = {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0) {
    size = {window.ws_col, window.ws_row};
  } else if (const char* columns = std::getenv("COLUMNS"); columns != nullptr && std::atoi(columns) > 0) {
    size.columns = std::atoi(columns);
  }
  return size;
}

TerminalStyle choose_style(const PlotOptions& options) {
  if (options.color == "never" && (options.style == "truecolor" || options.style == "color256")) {
    fail(ErrorKind::usage, fmt::format("--style {} has colours but --color is never", options.style));
  }
  if (options.style == "ascii") return TerminalStyle::ascii;
  if (options.style == "truecolor") return TerminalStyle::truecolor;
  if (options.style == "color256") return TerminalStyle::color256;
  if (!use_color(options.color, options.output)) return TerminalStyle::ascii;
  const char* colors = std::getenv("COLORTERM");
  const bool truecolor =
      colors != nullptr && (std::strcmp(colors, "truecolor") == 0 || std::strcmp(colors, "24bit") == 0);
  return truecolor ? TerminalStyle::truecolor : TerminalStyle::color256;
}

HeatmapOptions heatmap_options(const PlotOptions& options, const PositionView& positions, double largest) {
  const TerminalSize size = terminal_size();
  HeatmapOptions heatmap;
  heatmap.columns = options.columns > 0 ? options.columns : std::max<std::int64_t>(size.columns - kGutter, 20);
  heatmap.lines = options.lines > 0 ? options.lines : std::max<std::int64_t>(size.lines - 6, 10);
  heatmap.style = choose_style(options);
  heatmap.high = largest == 0.0 ? 1.0 : largest;
  heatmap.low = -heatmap.high;
  heatmap.row_label = "position";
  heatmap.column_label = "channel";
  heatmap.first_row = positions.real(0, 0);
  heatmap.row_step = positions.count > 1 ? positions.real(0, 1) - positions.real(0, 0) : 1.0;
  return heatmap;
}

// Row numbers are counted on, so the positions must be evenly spaced.
void check_even_steps(const PositionView& positions) {
  for (std::int64_t n = 2; n < positions.count && positions.source != PositionView::Source::range; ++n) {
    const double step = positions.real(0, n) - positions.real(0, n - 1);
    const double first_step = positions.real(0, 1) - positions.real(0, 0);
    // The doubles of 0:1:0.1 are not evenly spaced to the last bit.
    if (std::fabs(step - first_step) <= 1e-6 * std::fabs(first_step)) continue;
    fail(ErrorKind::usage, "a heatmap needs evenly spaced positions, like 0:100 or 0:1000:10");
  }
}

int plot_heatmap(const PlotOptions& options) {
  const std::string format = choose_format(options.output, {"text", "json"});
  const Spec spec = load_spec(options.spec);
  const Positions positions = load_positions(options.positions);
  if (std::holds_alternative<Rotary>(spec)) {
    fail(ErrorKind::unsupported,
         "a heatmap shows rows that are added to embeddings, and a rotary encoding has none: posenc table shows its "
         "cosines and sines");
  }
  check_one_axis(spec, positions.axes(), options.positions);
  const std::unique_ptr<Encoding> encoding = load_encoding(spec, options.weights);
  const std::int64_t width = encoding->width();
  if (positions.count() > kMaxCells / width) {
    fail(ErrorKind::usage, fmt::format("'{}' with width {} has more than 2^26 cells: take every tenth position or so",
                                       options.positions, width));
  }
  check_even_steps(positions);
  if (format == "json") {
    TableHead head = input_table(*encoding, positions, DType::f64);
    head.members.insert(head.members.begin(), {"figure", Json("heatmap")});
    write_table(head, format, options.output);
    return 0;
  }
  std::vector<double> values(static_cast<std::size_t>(positions.count() * width));
  const View view = make_view(values.data(), {positions.count(), width});
  fill_rows(encoding->rows(), positions, view);
  const std::string heading = fmt::format("{}, positions {}\n", options.spec, options.positions);
  write_text(options.output,
             heading + terminal_heatmap(view, heatmap_options(options, positions, encoding->largest())));
  return 0;
}

}  // namespace

int run_plot(const PlotOptions& options) {
  if (options.figure == "heatmap") return plot_heatmap(options);
  const std::string_view near = nearest(options.figure, {"heatmap"});
  fail(ErrorKind::usage,
       fmt::format("there is no figure '{}'; {}", options.figure,
                   near.empty() ? "known figures: heatmap" : fmt::format("did you mean '{}'?", near)));
}

}  // namespace posenc::cli
