// The table of mistakes: each is a change of an engine, with its name, what one sees of it and how it is mended.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "insight/diagnosis/engine.h"
#include "insight/diagnosis/evidence.h"
#include "posenc/insight/diagnose.h"

namespace posenc::diagnosis {

// What there is to go by when a fault with a free number is tried: numbers that were seen, or the number itself.
class Clues {
 public:
  Clues(const Evidence* whole, const Evidence* quick, const DiagnoseOptions& options, KnownBins& bins)
      : whole_(whole), quick_(quick), options_(&options), bins_(&bins) {}
  Clues(const DiagnoseOptions& options, std::optional<double> value) : options_(&options), value_(value) {}

  bool seen() const { return whole_ != nullptr; }
  const DiagnoseOptions& options() const { return *options_; }
  const Evidence* quick() const { return quick_; }
  std::optional<double> value() const { return value_; }  // as a user gave it

  // The frequencies behind the numbers, by the channels and positions of this engine; empty: not to be seen.
  std::vector<Frequency> frequencies(const Engine& engine) const;
  // What multiplies the numbers of this engine's pairs; none where it differs or is not to be seen.
  std::optional<double> magnitude(const Engine& engine) const;
  // The whole positions at which this engine would have made the numbers, by token; none where it could not.
  const std::vector<std::optional<std::int64_t>>& positions(const Engine& engine) const;
  // By how many positions all tokens are off; none where there is no such number.
  std::optional<std::int64_t> shift(const Engine& engine) const;
  // Numbers that make the seen frequencies (or scores), the plain one first; none where there is nothing to go by.
  using MakeEngine = std::function<std::optional<Engine>(double)>;
  // `engine` is the one whose number it is.
  std::vector<double> fitted(const MakeEngine& make, double low, double high, const Engine& engine) const;

 private:
  std::vector<Frequency> new_frequencies(const Engine& engine, const Measured& measured) const;
  double cost(const MakeEngine& make, double x, const std::vector<Frequency>& seen) const;

  const Evidence* whole_ = nullptr;
  const Evidence* quick_ = nullptr;
  const DiagnoseOptions* options_;
  std::optional<double> value_;
  KnownBins* bins_ = nullptr;
  // By the channels of the engine that was asked for last; its positions do not change while faults are tried on it.
  mutable std::shared_ptr<const Measured> measured_for_;
  mutable std::vector<Frequency> frequencies_;
  mutable const HeadPlan* decoded_for_ = nullptr;
  mutable std::shared_ptr<const HeadPlan> decoded_plan_;  // so that its address stays its own
  mutable std::vector<std::optional<std::int64_t>> decoded_;
};

// One way in which a fault may have been made.
struct Variation {
  Engine engine;
  std::string words = {};
  std::optional<double> value = {};
};
using Variations = std::vector<Variation>;

// What makes a mistake of an engine; its words stand in a row of faults.jsonl.
struct FaultChange {
  std::string_view name;
  // None where it does not apply to this engine.
  Variations (*change)(const Engine& engine, const Clues& clues);
  bool keeps_plan = false;  // whether pairs and frequencies stay as they are
};

std::span<const FaultChange> row_changes();
std::span<const FaultChange> bias_changes();
std::span<const FaultChange> channel_changes();
std::span<const FaultChange> scaling_changes();
std::span<const FaultChange> frequency_changes();
std::span<const FaultChange> factor_changes();
std::span<const FaultChange> position_changes();
std::span<const FaultChange> precision_changes();
std::span<const FaultChange> axis_changes();

// The lines of faults.jsonl, by cmake/EmbedText.cmake.
extern const std::string_view kFaultLines[];
extern const std::size_t kFaultLinesCount;

struct Fault {
  std::string name;
  std::string about;
  std::string sentence;  // what was done, without its end; a variation's words follow behind a colon
  std::string symptom;
  std::string fix;
  std::string reports;      // where it was reported; may be empty
  std::string example;      // a spec or a model that shows it
  std::int64_t layer = -1;  // of the example, where its layers differ
  Variations (*change)(const Engine& engine, const Clues& clues) = nullptr;
  bool keeps_plan = false;
};

// All of them, in the order in which they are preferred where several explain the same numbers.
const std::vector<const Fault*>& all_faults();
// The row of a name; an error with the nearest where there is none.
const Fault& fault_named(std::string_view name);

// The variations of a fault, each blamed on it.
std::vector<Engine> variations_of(const Fault& fault, const Engine& engine, const Clues& clues);

// The rotary encoding of an engine that turns, and the same where its frequencies follow a rule; null: it has none.
const Rotary* turning(const Engine& engine);
const Rotary* ruled(const Engine& engine);

// With other frequencies, [axes][columns] as in the schedule that the right engine has.
Engine with_frequencies(const Engine& engine, const RotarySchedule& right, std::vector<double> frequencies,
                        double attention_factor);

// "10000", "0.25": numbers in words of faults.
std::string short_number(double value);

}  // namespace posenc::diagnosis
