// The framework of `posenc bench`: checks the answer of a case, then times it together with a limit and its peers.
//
//     std::vector<Row> rows = run_cases(cases(), {.filter = "table/f32"}, {});
//     std::string text = report_text(machine(), rows);   // bench/report.h
//
// The case, the limit and the peers are timed in turn, so that a machine that slows down affects all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace posenc::bench {

// Another implementation of the same task.
struct Peer {
  std::string name;
  std::function<void()> run;
  double scale = 1.0;     // factor on its time: above 1 if it does only a part of the work
  std::string note = {};  // a sentence that explains the factor
};

// A case that is ready to run. One run should take at least some microseconds, because each run is timed.
struct Prepared {
  std::function<std::string()> check;  // runs once before timing; describes the comparison, or throws Error
  std::function<void()> run;
  std::function<void()> limit;  // a task that no implementation can beat
  std::string limit_name = {};  // the name of that task: "memset"
  std::vector<Peer> peers;
  std::int64_t bytes = 0;  // written by one call
  std::int64_t flops = 0;  // needed by one call, if arithmetic is the limit
  std::int64_t calls = 1;  // calls per run, also of limit and peers: times are given per call
};

// `setup` allocates, so that only the current case uses memory.
struct Case {
  std::string name;
  std::function<Prepared()> setup;
};

// The measurements of a case. Every time is in nanoseconds and at least 1, so that ratios are finite.
struct Row {
  std::string name;
  double ns = 0.0;  // the best repetition; also for limit and peers
  double median_ns = 0.0;
  double limit_ns = 0.0;
  std::string limit_name;
  double ratio = 0.0;  // limit_ns / ns: 1 is as fast as the machine can
  std::vector<std::pair<std::string, double>> peers;
  std::int64_t bytes = 0;
  std::int64_t flops = 0;
  std::string checked;  // the result of check
  std::vector<std::string> notes;
};

struct Options {
  std::string filter = {};                 // cases whose name contains it; empty: all
  double seconds = 0.4;                    // per case; slow cases take longer, because every case is repeated
  std::function<std::int64_t()> now = {};  // nanoseconds; empty: std::chrono::steady_clock
};

inline constexpr int kMinRepetitions = 5;

// Called before each case with its name, its index and the number of cases.
using Progress = std::function<void(const std::string& name, std::size_t index, std::size_t count)>;

// Runs the cases selected by the filter, in order. If the filter selects no case, the error lists how names begin.
std::vector<Row> run_cases(const std::vector<Case>& cases, const Options& options, const Progress& progress);

// Makes the compiler assume that the memory at `data` is read, so that it keeps all writes to it.
inline void keep(const void* data) { asm volatile("" : : "g"(data) : "memory"); }

}  // namespace posenc::bench
