// An engine as it may be: what it should be, with whatever is wrong with it. Plain data; a fault is a change of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "insight/diagnosis/numbers.h"
#include "posenc/schedule.h"
#include "posenc/spec.h"

namespace posenc::diagnosis {

struct Fault;
struct HeadPlan;

// Which fault changed an engine, with its number and what there is to say of it.
struct Blame {
  const Fault* fault = nullptr;
  std::optional<double> value = {};
  std::string words = {};  // "10000 instead of 500000"; empty: the fault's own sentence says all
};

// Kinds that add to scores by a rule.
bool is_bias(const Spec& spec) noexcept;

// The position that an engine takes for token n, which should have `position`.
using IdMap = std::function<double(std::int64_t n, double position)>;

// Which token's position a head takes.
enum class HeadOrder {
  right,
  by_head,     // the head's number is taken for the token's
  flat_heads,  // [N, H] is read as [H, N]
};

struct TurnQuirks {
  int gathered_before = 0;  // how often the window was de-interleaved before; negative: interleaved
  int gathered_after = 0;
  bool negative = false;  // turned the other way
  bool cos_sin_swapped = false;
  int turns = 1;
  HeadOrder heads = HeadOrder::right;
  std::vector<std::int64_t> axis_order = {};  // axis a reads coordinate axis_order[a]; empty: its own
  Rounding ids = Rounding::none;
  Rounding frequencies = Rounding::none;
  Rounding angle = Rounding::none;
  Rounding table = Rounding::none;
};

// Of one side of a score.
struct SideQuirks {
  bool turned = true;
  double factor = 1.0;  // beside what cos and sin have
  IdMap ids = {};
};

// Where T5's buckets begin to grow, and how they are rounded.
enum class BucketBorder {
  right,
  ceiling,        // rounded up
  nearest,        // rounded to the nearest
  one_more,       // one distance more has a bucket of its own
  exact_of_all,   // half of all buckets, of both directions, hold one distance each
  exact_quarter,  // a quarter of the buckets of a direction hold one distance each
};

struct BiasQuirks {
  double factor = 1.0;
  std::vector<double> slopes = {};  // instead of those of the spec
  bool rounded_slopes = false;      // to bfloat16, alone
  bool swapped = false;             // queries and keys exchanged
  BucketBorder border = BucketBorder::right;
};

struct Engine {
  Spec spec;
  std::vector<Blame> blames = {};
  std::int64_t head_start = 0;  // channels of the head in front of the spec's
  TurnQuirks turn = {};
  IdMap ids = {};  // empty: as given
  SideQuirks query = {};
  SideQuirks key = {};
  double score_factor = 1.0;
  bool query_scale = true;  // whether queries are multiplied by what grows with their position, where a model has it
  BiasQuirks bias = {};
  double row_factor = 1.0;                                        // of input rows
  mutable std::shared_ptr<const std::vector<double>> table = {};  // learned numbers, as they explain what was seen
  mutable std::shared_ptr<const SinusoidalSchedule> schedule = {};
  mutable std::shared_ptr<const HeadPlan> plan = {};  // what the fields above make; null: not made yet

  double id(std::int64_t n, double position) const { return ids ? ids(n, position) : position; }
};

// make_schedule in plain double, without its checks: good to some units in the last place of a double, and twenty times
// as fast, for thousands of engines are tried.
RotarySchedule plain_schedule(const Rotary& spec);

// What one channel of a turned head is: x[main] * cos[column] + sign * x[partner] * sin[column]; x[main] where column
// is negative.
struct Output {
  std::int64_t main = 0;
  std::int64_t partner = 0;
  std::int64_t column = -1;
  double sign = 0.0;

  bool operator==(const Output&) const = default;
};

// A rotary engine in numbers.
struct HeadPlan {
  std::int64_t head_dim = 0;
  std::int64_t columns = 0;
  std::int64_t axes = 1;
  std::vector<double> inv_freq;  // [axes][columns]
  double factor = 1.0;           // on cos and sin
  std::vector<Output> outputs;   // [head_dim]
  bool rotation = true;          // whether every column turns two channels
};
// `head_dim` is that of the observed vectors. The spec must be a Rotary.
HeadPlan make_plan(const Engine& engine, std::int64_t head_dim);

// cos and sin of a token's columns, factor included, as the engine has them.
void fill_turns(const Engine& engine, const HeadPlan& plan, std::int64_t token, const double* position, double* cos,
                double* sin);
// The angles alone, without sign quirks of the table.
double angle_of(const Engine& engine, const HeadPlan& plan, std::int64_t token, const double* position,
                std::int64_t column);

// One head, as often as the engine turns it.
void turn_head(const Engine& engine, const HeadPlan& plan, const double* cos, const double* sin, const double* x,
               double* out);

}  // namespace posenc::diagnosis
