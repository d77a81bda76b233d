// Progress of long work, shown on the standard error of a terminal, and a clean way to stop it.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <string>

namespace posenc::cli {

// Thrown from long work after SIGINT, SIGTERM or SIGHUP, so that destructors clean up.
struct Interrupted : std::exception {
  explicit Interrupted(int signal_number) : signal(signal_number) {}
  int signal;
};

// From now on the three signals are remembered instead of ending the program at once.
void catch_interrupts();

// Throws Interrupted if one of them came.
void stop_if_interrupted();

class Progress {
 public:
  Progress(std::string what, std::int64_t total);
  ~Progress();  // wipes the line

  // Throws Interrupted if a signal came. After half a second it shows "table 42 %, 3 s left".
  void update(std::int64_t done);

 private:
  std::string what_;
  std::int64_t total_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace posenc::cli
