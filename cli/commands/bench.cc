#include "bench/bench.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/cases.h"
#include "bench/machine.h"
#include "bench/report.h"
#include "cli/commands/commands.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/shared_options.h"

namespace posenc::cli {
namespace {

struct BenchCommand {
  std::string filter;
  double seconds = 0.4;
  OutputOptions output;
};

int run(const BenchCommand& options) {
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

}  // namespace

void add_bench(Command& app) {
  const auto options = std::make_shared<BenchCommand>();
  Command command = app.command("bench", "Time posenc, next to the limit of the machine and other implementations",
                                "  posenc bench\n  posenc bench --filter table --format json -o bench.json");
  command.add("--filter", options->filter, "only cases whose name contains this");
  command.add("--seconds", options->seconds, "time per case").between(0.001, 60.0).show_default();
  add_output(command, options->output, "text, json");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
