#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace posenc::cli {
namespace {

using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t caught_signal = 0;

void remember(int signal_number) { caught_signal = signal_number; }

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = remember;
  // A second signal ends the program at once, as it would without this handler.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGHUP, &action, nullptr);
}

void stop_if_interrupted() {
  if (caught_signal != 0) throw Interrupted(caught_signal);
}

Progress::Progress(std::string what, std::int64_t total)
    : what_(std::move(what)),
      total_(total),
      terminal_(::isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::update(std::int64_t done) {
  stop_if_interrupted();
  const auto now = Clock::now();
  if (!terminal_ || done <= 0 || now - start_ < std::chrono::milliseconds(500) ||
      now - last_ < std::chrono::milliseconds(100)) {
    return;
  }
  last_ = now;
  shown_ = true;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double share = static_cast<double>(done) / static_cast<double>(total_);
  fmt::print(stderr, "\r\033[K{} {:.0f} %, {:.0f} s left", what_, 100.0 * share, elapsed / share - elapsed);
  std::fflush(stderr);
}

}  // namespace posenc::cli
