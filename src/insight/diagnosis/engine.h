// A possible engine: the right encoding, and every mistake that the engine may have made. Plain data; a fault is a
// function that changes it.
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

// The fault that changed an engine, with its number and its words.
struct Blame {
  const Fault* fault = nullptr;
  std::optional<double> value = {};
  std::string words = {};  // "10000 instead of 500000"; may be empty
};

// Kinds that add a computed bias to scores.
bool is_bias(const Spec& spec) noexcept;

// The position that an engine uses for token n, which should have `position`.
using IdMap = std::function<double(std::int64_t n, double position)>;

// Which token's position a head uses.
enum class HeadOrder {
  right,
  by_head,     // the index of the head instead of the token
  flat_heads,  // [N, H] is read as [H, N]
};

struct TurnQuirks {
  int gathered_before = 0;  // how often the window was de-interleaved before the rotation; negative: interleaved
  int gathered_after = 0;
  bool negative = false;  // rotated in the other direction
  bool cos_sin_swapped = false;
  int turns = 1;
  double factor = 1.0;  // on all channels of the rotated vectors
  HeadOrder heads = HeadOrder::right;
  std::vector<std::int64_t> axis_order = {};  // axis a reads coordinate axis_order[a]; empty: coordinate a
  Rounding ids = Rounding::none;
  Rounding frequencies = Rounding::none;
  Rounding angle = Rounding::none;
  Rounding table = Rounding::none;
};

// One side of a score: queries or keys.
struct SideQuirks {
  bool turned = true;
  double factor = 1.0;  // in addition to the factor on cos and sin
  IdMap ids = {};
};

// Where T5's buckets start to grow, and how they are rounded.
enum class BucketBorder {
  right,
  ceiling,        // rounded up
  nearest,        // rounded to the nearest integer
  one_more,       // one more distance has a bucket of its own
  exact_of_all,   // half of all buckets, of both directions, hold one distance each
  exact_quarter,  // a quarter of the buckets of a direction hold one distance each
};

struct BiasQuirks {
  double factor = 1.0;
  std::vector<double> slopes = {};  // instead of those of the spec
  bool rounded_slopes = false;      // to bfloat16, and nothing else
  bool swapped = false;             // queries and keys swapped
  BucketBorder border = BucketBorder::right;
};

struct Engine {
  Spec spec;
  std::vector<Blame> blames = {};
  std::int64_t head_start = 0;  // the channel of the head at which the spec's head starts
  TurnQuirks turn = {};
  IdMap ids = {};  // empty: the given positions
  SideQuirks query = {};
  SideQuirks key = {};
  double score_factor = 1.0;
  bool query_scale = true;  // whether queries are scaled with their position, if the model does so
  BiasQuirks bias = {};
  double row_factor = 1.0;                                        // of input rows
  mutable std::shared_ptr<const std::vector<double>> table = {};  // learned numbers, fitted to the observed numbers
  mutable std::shared_ptr<const SinusoidalSchedule> schedule = {};
  mutable std::shared_ptr<const HeadPlan> plan = {};  // computed from the fields above; null: not yet

  double id(std::int64_t n, double position) const { return ids ? ids(n, position) : position; }
};

// make_schedule in plain double and without checks: accurate to a few units in the last place, and twenty times as
// fast, because thousands of engines are tried.
RotarySchedule plain_schedule(const Rotary& spec);

// One channel of a rotated head: x[main] * cos[column] + sign * x[partner] * sin[column], or x[main] if column is
// negative.
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
  bool rotation = true;          // whether every column rotates two channels
};
// `head_dim` is the width of the observed vectors. The spec must be a Rotary.
HeadPlan make_plan(const Engine& engine, std::int64_t head_dim);

// cos and sin of a token's columns as the engine computes them, attention factor included.
void fill_turns(const Engine& engine, const HeadPlan& plan, std::int64_t token, const double* position, double* cos,
                double* sin);
// The angles, without the table's sign conventions.
double angle_of(const Engine& engine, const HeadPlan& plan, std::int64_t token, const double* position,
                std::int64_t column);

// Rotates one head, as many times as the engine does.
void turn_head(const Engine& engine, const HeadPlan& plan, const double* cos, const double* sin, const double* x,
               double* out);

}  // namespace posenc::diagnosis
