// The demonstrations; without a name, a list of them.
#include "cli/commands/commands.h"
#include "cli/output.h"

namespace posenc::cli {
namespace {

constexpr const char* kDemonstrations =
    "Demonstrations, with numbers that you can check:\n\n"
    "  posenc demo permutation   attention does not see word order; what each encoding changes about that\n"
    "  posenc demo order         [A, B] and [B, A], small enough to follow by hand\n"
    "  posenc demo gradient      which encodings training changes, and which it cannot change\n\n"
    "Start with posenc demo permutation, or with your own sentence:\n\n"
    "  posenc demo permutation --words \"dog bites man\" --other \"man bites dog\"\n";

}  // namespace

void add_demo(Command& app) {
  Command demo = app.command("demo", "Show why positions are needed, with numbers",
                             "  posenc demo\n  posenc demo permutation\n  posenc demo order\n  posenc demo gradient");
  add_demo_permutation(demo);
  add_demo_order(demo);
  add_demo_gradient(demo);
  demo.runs([] {
    write_text({}, kDemonstrations);
    return 0;
  });
}

}  // namespace posenc::cli
