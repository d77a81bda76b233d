#include "bench/bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "posenc/error.h"

namespace posenc::bench {
namespace {

using Clock = std::function<std::int64_t()>;

std::int64_t steady_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

// One of the functions that are timed in turn.
struct Subject {
  const std::function<void()>* run;
  double scale = 1.0;
  std::vector<double> samples = {};
  double spent = 0.0;

  void time_once(const Clock& now) {
    const std::int64_t begin = now();
    (*run)();
    const double ns = std::max(1.0, static_cast<double>(now() - begin));
    spent += ns;
    samples.push_back(ns * scale);
  }

  bool done(double budget) const { return samples.size() >= kMinRepetitions && spent >= budget; }

  double best() const { return *std::min_element(samples.begin(), samples.end()); }

  double median() const {
    std::vector<double> sorted = samples;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2.0;
  }
};

void time_in_turns(std::vector<Subject>& subjects, double nanoseconds, const Clock& now) {
  const double budget = nanoseconds / static_cast<double>(subjects.size());
  for (bool busy = true; busy;) {
    busy = false;
    for (Subject& subject : subjects) {
      if (subject.done(budget)) continue;
      subject.time_once(now);
      busy = true;
    }
  }
}

Row run_case(const Case& one, const Options& options) {
  const Prepared prepared = one.setup();
  Row row;
  row.name = one.name;
  row.bytes = prepared.bytes;
  row.flops = prepared.flops;
  row.limit_name = prepared.limit_name;
  row.checked = prepared.check();

  // Without this, only the first repetition would pay for page faults and cache misses.
  prepared.run();
  prepared.limit();

  std::vector<Subject> subjects = {{.run = &prepared.run}, {.run = &prepared.limit}};
  for (const Peer& peer : prepared.peers) subjects.push_back({.run = &peer.run, .scale = peer.scale});
  time_in_turns(subjects, options.seconds * 1e9, options.now ? options.now : steady_now);

  const auto calls = static_cast<double>(prepared.calls);
  row.ns = subjects[0].best() / calls;
  row.median_ns = subjects[0].median() / calls;
  row.limit_ns = subjects[1].best() / calls;
  row.ratio = row.limit_ns / row.ns;
  for (std::size_t i = 0; i < prepared.peers.size(); ++i) {
    const Peer& peer = prepared.peers[i];
    row.peers.emplace_back(peer.name, subjects[i + 2].best() / calls);
    if (!peer.note.empty()) row.notes.push_back(peer.name + ": " + peer.note);
  }
  return row;
}

std::vector<Case> select(const std::vector<Case>& cases, const std::string& filter) {
  std::vector<Case> selected;
  std::vector<std::string> groups;  // the first words of the names
  for (const Case& one : cases) {
    if (one.name.find(filter) != std::string::npos) selected.push_back(one);
    const std::string group = one.name.substr(0, one.name.find('/'));
    if (groups.empty() || groups.back() != group) groups.push_back(group);
  }
  if (selected.empty()) {
    std::string names;
    for (const std::string& group : groups) names += (names.empty() ? "" : ", ") + group + "/...";
    fail(ErrorKind::usage, "--filter: no case has '" + filter + "' in its name; the names are " + names);
  }
  return selected;
}

}  // namespace

std::vector<Row> run_cases(const std::vector<Case>& cases, const Options& options, const Progress& progress) {
  if (!(options.seconds > 0.0) || !std::isfinite(options.seconds)) {
    fail(ErrorKind::usage, "[bench] seconds must be above 0 but got " + std::to_string(options.seconds));
  }
  const std::vector<Case> selected = select(cases, options.filter);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < selected.size(); ++i) {
    if (progress) progress(selected[i].name, i, selected.size());
    rows.push_back(run_case(selected[i], options));
  }
  return rows;
}

}  // namespace posenc::bench
