// The frame of `posenc bench`: checks the answer of a case, then times it beside the machine's limit and its peers.
//
//     std::vector<Row> rows = run_cases(cases(), {.filter = "table/f32"}, {});
//     std::string text = report_text(machine(), rows);   // bench/report.h
//
// Ours, the limit and the peers take turns, so that a machine that slows down slows down for all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace posenc::bench {

// Another way to the same answer.
struct Peer {
  std::string name;
  std::function<void()> run;
  double scale = 1.0;     // what its time is multiplied by, where it does only a part of the work ...
  std::string note = {};  // ... and then a sentence that says so
};

// A case that is ready to run. One run should take some microseconds at least: each is timed by itself.
struct Prepared {
  std::function<std::string()> check;  // runs once, before any timing; says what was compared, throws Error if wrong
  std::function<void()> run;
  std::function<void()> limit;  // what no implementation can beat ...
  std::string limit_name = {};  // ... and what that is: "memset"
  std::vector<Peer> peers;
  std::int64_t bytes = 0;  // that one call writes
  std::int64_t flops = 0;  // that one call takes, where it is bound by them
  std::int64_t calls = 1;  // of the work in one run, also of limit and peers: times are given per call
};

// `setup` allocates, so only what runs takes memory.
struct Case {
  std::string name;
  std::function<Prepared()> setup;
};

// What was measured; every time is in nanoseconds and at least 1, so that ratios are finite.
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
  std::string checked;  // what the check said
  std::vector<std::string> notes;
};

struct Options {
  std::string filter = {};                 // cases whose name contains it; empty: all
  double seconds = 0.4;                    // per case; a case that is too slow for it still gets its repetitions
  std::function<std::int64_t()> now = {};  // nanoseconds; empty: std::chrono::steady_clock
};

inline constexpr int kMinRepetitions = 5;

// Called before each case: its name, its number from 0, how many there are.
using Progress = std::function<void(const std::string& name, std::size_t index, std::size_t count)>;

// Runs the cases that the filter selects, in order. If it selects none: an error that lists the names.
std::vector<Row> run_cases(const std::vector<Case>& cases, const Options& options, const Progress& progress);

// Makes the compiler believe that the memory at `data` is read, so that no write to it may be dropped.
inline void keep(const void* data) { asm volatile("" : : "g"(data) : "memory"); }

}  // namespace posenc::bench
