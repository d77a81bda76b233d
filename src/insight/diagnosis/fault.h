// The table of mistakes: each changes an engine, and has a name, a symptom and a fix.
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

// What a fault with a free number can find it from: the observed numbers, or the number that the user gave.
class Clues {
 public:
  Clues(const Evidence* whole, const Evidence* quick, const DiagnoseOptions& options, KnownBins& bins)
      : whole_(whole), quick_(quick), options_(&options), bins_(&bins) {}
  Clues(const DiagnoseOptions& options, std::optional<double> value) : options_(&options), value_(value) {}

  bool seen() const { return whole_ != nullptr; }
  const DiagnoseOptions& options() const { return *options_; }
  const Evidence* quick() const { return quick_; }
  std::optional<double> value() const { return value_; }  // given by the user

  // The frequencies that the numbers show, assuming the channels and positions of this engine; empty if they show none.
  std::vector<Frequency> frequencies(const Engine& engine) const;
  // The factor on the numbers of this engine's pairs; none if it differs between pairs or cannot be measured.
  std::optional<double> magnitude(const Engine& engine) const;
  // For each token, the integer position at which this engine would compute the observed numbers; none if there is
  // none.
  const std::vector<std::optional<std::int64_t>>& positions(const Engine& engine) const;
  // The offset of the positions of all tokens; none if it is not constant.
  std::optional<std::int64_t> shift(const Engine& engine) const;
  // Values that give the observed frequencies (or scores), the roundest first; empty if nothing determines them.
  using MakeEngine = std::function<std::optional<Engine>(double)>;
  // `engine` is the one that has the number.
  std::vector<double> fitted(const MakeEngine& make, double low, double high, const Engine& engine) const;

 private:
  std::vector<Frequency> new_frequencies(const Engine& engine, const Measured& measured) const;
  double cost(const MakeEngine& make, double x, const std::vector<Frequency>& seen) const;

  const Evidence* whole_ = nullptr;
  const Evidence* quick_ = nullptr;
  const DiagnoseOptions* options_;
  std::optional<double> value_;
  KnownBins* bins_ = nullptr;
  // Cached for the channels of the engine that was asked for last; its positions do not change while faults are tried.
  mutable std::shared_ptr<const Measured> measured_for_;
  mutable std::vector<Frequency> frequencies_;
  mutable const HeadPlan* decoded_for_ = nullptr;
  mutable std::shared_ptr<const HeadPlan> decoded_plan_;  // keeps its address unique
  mutable std::vector<std::optional<std::int64_t>> decoded_;
};

// One form that a fault can take.
struct Variation {
  Engine engine;
  std::string words = {};
  std::optional<double> value = {};
};
using Variations = std::vector<Variation>;

// The function that makes a mistake in an engine; its texts are in a row of faults.jsonl.
struct FaultChange {
  std::string_view name;
  // Empty if it does not apply to this engine.
  Variations (*change)(const Engine& engine, const Clues& clues);
  bool keeps_plan = false;  // whether it leaves pairs and frequencies unchanged
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

// The lines of faults.jsonl, written by cmake/EmbedText.cmake.
extern const std::string_view kFaultLines[];
extern const std::size_t kFaultLinesCount;

struct Fault {
  std::string name;
  std::string about;
  std::string sentence;  // what is wrong, without a full stop; the words of a variation follow after a colon
  std::string symptom;
  std::string fix;
  std::string reports;      // where it was reported; may be empty
  std::string example;      // a spec or a model that shows it
  std::int64_t layer = -1;  // of the example, if its layers differ; else -1
  Variations (*change)(const Engine& engine, const Clues& clues) = nullptr;
  bool keeps_plan = false;
};

// All faults. If several explain the same numbers, the first is preferred.
const std::vector<const Fault*>& all_faults();
// The row with this name; otherwise throws, naming the nearest.
const Fault& fault_named(std::string_view name);

// The engines that a fault makes, one per variation.
std::vector<Engine> variations_of(const Fault& fault, const Engine& engine, const Clues& clues);

// The rotary encoding of an engine that rotates, else null. `ruled` is also null if its frequencies are given one by
// one.
const Rotary* turning(const Engine& engine);
const Rotary* ruled(const Engine& engine);

// The engine with other frequencies, [axes][columns] as in the schedule of the right engine.
Engine with_frequencies(const Engine& engine, const RotarySchedule& right, std::vector<double> frequencies,
                        double attention_factor);

// A number as sentences show it: "10000", "0.25".
std::string short_number(double value);

}  // namespace posenc::diagnosis
