#include <memory>
#include <string>
#include <vector>

#include "cli/commands/commands.h"

namespace posenc::cli {

// run_app reads `posenc help COMMAND` as `posenc COMMAND --help`; this lists it beside the other commands.
void add_help(Command& app) {
  const auto words = std::make_shared<std::vector<std::string>>();
  Command command = app.command("help", "Show the commands, or the options and examples of one of them",
                                "  posenc help\n  posenc help plot\n  posenc help demo order");
  command.add("COMMAND", *words, "the command to describe (default: all, a line each)");
  command.runs([words] { return 0; });
}

}  // namespace posenc::cli
