#include "bench/bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bench/cases.h"
#include "bench/machine.h"
#include "bench/report.h"
#include "posenc/error.h"

namespace posenc::bench::bench_test {
namespace {

// A clock that only the work moves, and a diary of what was called.
struct Fake {
  std::int64_t now = 0;
  std::vector<std::string> calls;

  std::function<void()> work(const std::string& name, std::int64_t ns) {
    return [this, name, ns] {
      calls.push_back(name);
      now += ns;
    };
  }

  Case make(const std::string& name) {
    return {name, [this] {
              Prepared prepared;
              prepared.check = [this] {
                calls.push_back("check");
                return std::string("all right");
              };
              prepared.run = work("run", 2000);
              prepared.limit = work("limit", 500);
              prepared.limit_name = "memset";
              prepared.peers = {{.name = "slow", .run = work("slow", 40000)},
                                {.name = "part", .run = work("part", 1000), .scale = 8.0, .note = "an eighth"}};
              prepared.bytes = 4000;
              return prepared;
            }};
  }

  Options options(double seconds, const std::string& filter = "") {
    return {.filter = filter, .seconds = seconds, .now = [this] { return now; }};
  }
};

std::int64_t count(const std::vector<std::string>& calls, const std::string& name) {
  return std::count(calls.begin(), calls.end(), name);
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(RunCases, ChecksBeforeItTimes) {
  Fake fake;
  run_cases({fake.make("a")}, fake.options(1e-9), {});
  ASSERT_FALSE(fake.calls.empty());
  EXPECT_EQ(fake.calls.front(), "check");
  EXPECT_EQ(count(fake.calls, "check"), 1);
}

TEST(RunCases, AWrongAnswerIsNotTimed) {
  Fake fake;
  Case wrong = fake.make("wrong");
  wrong.setup = [setup = wrong.setup] {
    Prepared prepared = setup();
    prepared.check = []() -> std::string { fail(ErrorKind::bad_input, "[bench] wrong must be 1 but got 2"); };
    return prepared;
  };
  EXPECT_EQ(error_of([&] { run_cases({wrong}, fake.options(1.0), {}); }), "[bench] wrong must be 1 but got 2");
  EXPECT_TRUE(fake.calls.empty());
}

TEST(RunCases, TimesAreThoseOfTheClock) {
  Fake fake;
  const Row row = run_cases({fake.make("a")}, fake.options(1e-9), {}).at(0);
  EXPECT_EQ(row.name, "a");
  EXPECT_EQ(row.ns, 2000.0);
  EXPECT_EQ(row.median_ns, 2000.0);
  EXPECT_EQ(row.limit_ns, 500.0);
  EXPECT_EQ(row.ratio, 0.25);
  EXPECT_EQ(row.peers, (std::vector<std::pair<std::string, double>>{{"slow", 40000.0}, {"part", 8000.0}}));
  EXPECT_EQ(row.bytes, 4000);
  EXPECT_EQ(row.checked, "all right");
  EXPECT_EQ(row.notes, std::vector<std::string>{"part: an eighth"});
}

TEST(RunCases, BestAndMedianDiffer) {
  Fake fake;
  Case uneven = fake.make("uneven");
  uneven.setup = [&fake, setup = uneven.setup] {
    Prepared prepared = setup();
    // The first call warms up and is not timed; then 500, 700, 300, 900, 100.
    prepared.run = [&fake, calls = std::make_shared<std::size_t>(0)] {
      constexpr std::int64_t kTimes[] = {1, 500, 700, 300, 900, 100};
      fake.now += kTimes[(*calls)++];
    };
    return prepared;
  };
  const Row row = run_cases({uneven}, fake.options(1e-9), {}).at(0);
  EXPECT_EQ(row.ns, 100.0);
  EXPECT_EQ(row.median_ns, 500.0);
}

TEST(RunCases, TakesTurnsAtLeastFiveTimes) {
  Fake fake;
  run_cases({fake.make("a")}, fake.options(1e-9), {});
  const std::vector<std::string> begin(fake.calls.begin(), fake.calls.begin() + 11);
  EXPECT_EQ(begin, (std::vector<std::string>{"check", "run", "limit", "run", "limit", "slow", "part", "run", "limit",
                                             "slow", "part"}));
  EXPECT_EQ(count(fake.calls, "slow"), 5);
  EXPECT_EQ(count(fake.calls, "run"), 6);
}

TEST(RunCases, SpendsTheBudget) {
  Fake fake;
  run_cases({fake.make("a")}, fake.options(0.004), {});  // 1 ms for each of four
  EXPECT_EQ(count(fake.calls, "run"), 1 + 500);
  EXPECT_EQ(count(fake.calls, "limit"), 1 + 2000);
  EXPECT_EQ(count(fake.calls, "slow"), 25);
}

TEST(RunCases, AClockThatStandsStillGivesFiniteNumbers) {
  Fake fake;
  Options options = fake.options(1e-9);
  options.now = [] { return std::int64_t{7}; };
  const Row row = run_cases({fake.make("a")}, options, {}).at(0);
  EXPECT_EQ(row.ns, 1.0);
  EXPECT_EQ(row.ratio, 1.0);
}

TEST(RunCases, FilterSelectsByPartOfTheName) {
  Fake fake;
  const std::vector<Case> all = {fake.make("table/f32"), fake.make("table/f64"), fake.make("rotate/f32")};
  std::vector<std::string> seen;
  const Progress progress = [&](const std::string& name, std::size_t index, std::size_t of) {
    seen.push_back(name + " " + std::to_string(index) + "/" + std::to_string(of));
  };
  const std::vector<Row> rows = run_cases(all, fake.options(1e-9, "f32"), progress);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].name, "rotate/f32");
  EXPECT_EQ(seen, (std::vector<std::string>{"table/f32 0/2", "rotate/f32 1/2"}));
  EXPECT_EQ(run_cases(all, fake.options(1e-9), {}).size(), 3u);
}

TEST(RunCases, WrongOptionsAreErrors) {
  Fake fake;
  const std::vector<Case> all = {fake.make("table/f32"), fake.make("table/f64")};
  EXPECT_EQ(error_of([&] { run_cases(all, fake.options(1e-9, "nosuch"), {}); }),
            "--filter: no case has 'nosuch' in its name; the names are table/...");
  EXPECT_EQ(error_of([&] { run_cases(all, fake.options(0.0), {}); }),
            "[bench] seconds must be above 0 but got 0.000000");
  EXPECT_NE(error_of([&] { run_cases(all, fake.options(std::nan("")), {}); }), "no error");
  EXPECT_NE(error_of([&] { run_cases(all, fake.options(INFINITY), {}); }), "no error");
  EXPECT_TRUE(fake.calls.empty());
}

const Machine kMachine = {"A Chip", 2, "avx2", "g++ 12", "0.1.0", "Release"};

TEST(Report, Json) {
  Fake fake;
  const Json json = report_json(kMachine, run_cases({fake.make("a"), fake.make("b")}, fake.options(1e-9), {}));
  EXPECT_EQ(json.find("schema")->string(), "posenc/1");
  EXPECT_EQ(json.find("machine")->find("cpu")->string(), "A Chip");
  EXPECT_EQ(json.find("machine")->find("cores")->integer(), 2);
  ASSERT_EQ(json.find("rows")->array().size(), 2u);
  const Json& row = json.find("rows")->array()[1];
  EXPECT_EQ(row.find("name")->string(), "b");
  EXPECT_EQ(row.find("ns")->number(), 2000.0);
  EXPECT_EQ(row.find("median_ns")->number(), 2000.0);
  EXPECT_EQ(row.find("limit_ns")->number(), 500.0);
  EXPECT_EQ(row.find("ratio")->number(), 0.25);
  EXPECT_EQ(row.find("peers")->find("part")->number(), 8000.0);
  EXPECT_EQ(row.find("peers")->object().size(), 2u);
  EXPECT_EQ(row.find("checked")->string(), "all right");
  EXPECT_NO_THROW(parse_json(to_text(json), "report"));
}

TEST(Report, Text) {
  Fake fake;
  EXPECT_EQ(
      report_text(kMachine, run_cases({fake.make("a"), fake.make("longer")}, fake.options(1e-9), {})),
      "A Chip, 2 cores, avx2; g++ 12, posenc 0.1.0, Release\n"
      "Each answer was checked first; times are of one thread unless the name says workers.\n"
      "\n"
      "case       best   median       rate   limit              ours  peers\n"
      "a       2.00 us  2.00 us  2.00 GB/s  500 ns  25.0 % of memset  20.0x faster than slow, 4.00x faster than part\n"
      "longer  2.00 us  2.00 us  2.00 GB/s  500 ns  25.0 % of memset  20.0x faster than slow, 4.00x faster than part\n"
      "\n"
      "part: an eighth (a, longer)\n");
}

TEST(Report, OperationsHaveARateOfTheirOwn) {
  Row row;
  row.name = "b";
  row.ns = 500.0;
  row.bytes = 4000;
  row.flops = 8000;
  EXPECT_NE(report_text(kMachine, {row}).find("16.0 GFLOP/s"), std::string::npos);
}

TEST(Report, SlowerPeersSaySo) {
  Row row;
  row.ns = 300.0;
  row.median_ns = row.limit_ns = 300.0;
  row.peers = {{"quick", 100.0}};
  EXPECT_NE(report_text(kMachine, {row}).find("3.00x slower than quick"), std::string::npos);
}

TEST(Report, Times) {
  EXPECT_EQ(time_text(1.0), "1.00 ns");
  EXPECT_EQ(time_text(999.4), "999 ns");
  EXPECT_EQ(time_text(999.6), "1.00 us");
  EXPECT_EQ(time_text(12345.0), "12.3 us");
  EXPECT_EQ(time_text(9.996e6), "10.0 ms");
  EXPECT_EQ(time_text(7.2e12), "7200 s");
}

TEST(Machine, ReadsTheModelName) {
  EXPECT_EQ(cpu_model("processor\t: 0\nmodel\t\t: 1\nmodel name\t: Fast Chip 9000\nflags\t: x\n"), "Fast Chip 9000");
  EXPECT_EQ(cpu_model("model name\n"), "unknown");
  EXPECT_EQ(cpu_model("model name :\n"), "unknown");
  EXPECT_EQ(cpu_model(""), "unknown");
  EXPECT_FALSE(machine().cpu.empty());
  EXPECT_FALSE(machine().simd.empty());
}

TEST(Cases, NamesAreUnique) {
  std::set<std::string> names;
  for (const Case& one : cases()) EXPECT_TRUE(names.insert(one.name).second) << one.name;
  EXPECT_GE(names.size(), 10u);
}

// One row of each kind; the answer is checked against the reference inside.
TEST(Cases, TablesAnswerRightAndHaveAPeer) {
  for (const Case& one : cases()) {
    if (one.name.find("5000x512") == std::string::npos) continue;
    const Prepared prepared = one.setup();
    EXPECT_EQ(prepared.check().find("64 rows within"), 0u) << one.name;
    EXPECT_FALSE(prepared.peers.empty()) << one.name;
    EXPECT_GT(prepared.bytes, 0) << one.name;
  }
}

TEST(Cases, TheStreamAnswersRight) {
  for (const Case& one : cases()) {
    if (!one.name.starts_with("table/stream")) continue;
    const Prepared prepared = one.setup();
    EXPECT_EQ(prepared.check().find("64 rows within"), 0u);
    EXPECT_EQ(prepared.bytes, 65536 * 512 * 4);
  }
}

TEST(Cases, AddingPositionsAnswersRight) {
  int checked = 0;
  for (const Case& one : cases()) {
    if (!one.name.starts_with("embed/")) continue;
    const Prepared prepared = one.setup();
    EXPECT_EQ(prepared.check().find("64 rows within"), 0u) << one.name;
    EXPECT_EQ(prepared.bytes, 8 * 2048 * 1024 * (one.name.find("bf16") == std::string::npos ? 4 : 2)) << one.name;
    ++checked;
  }
  EXPECT_EQ(checked, 7);
}

}  // namespace
}  // namespace posenc::bench::bench_test
