// posenc: the command line. Exit codes: 0 success, 1 a check found a difference, 2 wrong use, bad input or io, 3 a bug
// or no memory.
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "cli/app.h"
#include "cli/progress.h"
#include "posenc/error.h"

int main(int argc, char** argv) {
  // A reader that has seen enough, like head, ends the program silently, also where the parent ignores the signal.
  std::signal(SIGPIPE, SIG_DFL);
  // A file that grows past the limit of the shell is an error like any other, not the end.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return posenc::cli::run_app(argc, argv);
  } catch (const posenc::Error& error) {
    std::fprintf(stderr, "posenc: %s\n", error.what());
    return 2;
  } catch (const posenc::cli::Interrupted& interrupted) {
    return 128 + interrupted.signal;
  } catch (const std::bad_alloc&) {
    std::fputs("posenc: there is not enough memory for this\n", stderr);
    return 3;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "posenc: internal error, please report it: %s\n", error.what());
    return 3;
  }
}
