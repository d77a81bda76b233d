#include "bench/bench.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/cases.h"
#include "bench/machine.h"
#include "bench/report.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"

namespace posenc::cli {

int run_bench(const BenchOptions& options) {
  const std::string format = choose_format(options.output, {"text", "json"});
  std::unique_ptr<Progress> progress;
  const auto show = [&](const std::string&, std::size_t index, std::size_t count) {
    if (!progress) progress = std::make_unique<Progress>("bench", static_cast<std::int64_t>(count));
    progress->update(static_cast<std::int64_t>(index));
  };
  const std::vector<bench::Row> rows =
      bench::run_cases(bench::cases(), {.filter = options.filter, .seconds = options.seconds}, show);
  progress.reset();
  const bench::Machine machine = bench::machine();
  write_text(options.output,
             format == "json" ? to_text(bench::report_json(machine, rows)) : bench::report_text(machine, rows));
  return 0;
}

}  // namespace posenc::cli
