#include "cli/array_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "cli/array_output.h"
#include "cli/output.h"

namespace posenc::cli {
namespace {

constexpr std::int64_t kShownRows = 4;
constexpr std::int64_t kShownColumns = 8;

struct Moments {
  double count = 0.0, sum = 0.0, squares = 0.0;

  void add(const ConstView& view) {
    if (view.rank > 1) {
      for (std::int64_t i = 0; i < view.shape[0]; ++i) add(view[i]);
      return;
    }
    for (std::int64_t i = 0; i < view.shape[0]; ++i) {
      const double value = number_at(view, i);
      count += 1.0;
      sum += value;
      squares += value * value;
    }
  }
  double mean() const { return sum / count; }
  double std() const { return std::sqrt(std::max(squares / count - mean() * mean(), 0.0)); }
};

// Four decimals. A number that rounds to zero has no sign.
std::string rounded(double value) {
  if (std::isfinite(value) && std::fabs(value) < 5e-5) value = 0.0;
  return fmt::format("{:.4f}", value);
}

bool to_standard_output(const OutputOptions& options) { return options.path.empty() || options.path == "-"; }

}  // namespace

void ArrayReport::shape(std::string_view name, const std::string& shape, std::string_view note) {
  std::string line = fmt::format("{:<12} {:<15} {}", name, shape, note);
  line.erase(line.find_last_not_of(' ') + 1);
  text_ += line + "\n";
}

void ArrayReport::array(std::string_view name, const ConstView& view, std::string_view note) {
  Moments moments;
  moments.add(view);
  shape(name, shape_text(view),
        fmt::format("mean {:>7}  std {:>6}  {}", rounded(moments.mean()), rounded(moments.std()), note));
}

void ArrayReport::text(std::string_view text) { text_ += fmt::format("{}\n", text); }

void ArrayReport::first_numbers(const std::string& title, std::string_view row, const ConstView& view) {
  const std::int64_t rows = std::min(view.shape[0], kShownRows), columns = std::min(view.shape[1], kShownColumns);
  text_ += "\n" + title + "\n";
  for (std::int64_t n = 0; n < rows; ++n) {
    text_ += fmt::format("  {} {:<2}", row, n);
    for (std::int64_t m = 0; m < columns; ++m) text_ += fmt::format(" {:>8}", rounded(number_at(view[n], m)));
    text_ += columns < view.shape[1] ? " ...\n" : "\n";
  }
  if (rows < view.shape[0]) text_ += "  ...\n";
}

bool wants_report(const std::string& format, const OutputOptions& options) {
  return !to_standard_output(options) || format == "text";
}

Output start_result(const ConstView& view, const Result& result, const OutputOptions& options) {
  if (result.report.empty() || result.format != "text" || !to_standard_output(options)) {
    return start_result(view, result.format, result.tensor, result.head, options);
  }
  Output output(options, /*binary=*/false);
  output.write(result.report + "\n-o out.npy writes all numbers to a file, --format json prints them.\n");
  return output;
}

void print_report(const Result& result, const OutputOptions& options) {
  if (result.report.empty() || to_standard_output(options)) return;
  write_text({}, fmt::format("{}\nAll numbers are in {}.\n", result.report, options.path));
}

void write_result(const ConstView& view, const Result& result, const OutputOptions& options) {
  start_result(view, result, options).finish();
  print_report(result, options);
}

}  // namespace posenc::cli
