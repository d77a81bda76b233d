// The command line. Exit codes: 0 success; 1 a check found a difference; 2 wrong usage, bad input or an I/O error; 3 a
// bug or out of memory.
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "cli/app.h"
#include "cli/complaints.h"
#include "cli/progress.h"
#include "posenc/error.h"

int main(int argc, char** argv) {
  // A reader that has seen enough, like head, ends the program silently, even if the parent ignores the signal.
  std::signal(SIGPIPE, SIG_DFL);
  // Writing past the shell's file size limit then fails with an error instead of ending the program.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return posenc::cli::run_app(argc, argv);
  } catch (const posenc::Error& error) {
    std::fprintf(stderr, "posenc: %s\n", posenc::cli::for_command_line(error.what()).c_str());
    return 2;
  } catch (const posenc::cli::Interrupted& interrupted) {
    return 128 + interrupted.signal;
  } catch (const std::bad_alloc&) {
    std::fputs("posenc: not enough memory\n", stderr);
    return 3;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "posenc: internal error, please report it: %s\n", error.what());
    return 3;
  }
}
