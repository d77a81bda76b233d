// Measured properties of an encoding, with verdicts.
//
//     for (const posenc::Property& p : posenc::check({posenc::Sinusoidal{.width = 64}}, {})) {
//       print(p.name, p.verdict, p.finding);
//     }
//
// posenc/insight/analysis.h has the functions that measure them. Const objects may be shared between threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "posenc/export.h"
#include "posenc/insight/kind_facts.h"
#include "posenc/position.h"
#include "posenc/view.h"

namespace posenc {

enum class Verdict : int {
  holds,
  holds_to,       // up to Property::until, the last position or distance where it holds
  does_not_hold,  // by design of the encoding: not a fault
  violated,       // the formula promises it, but the numbers break it: a fault
  not_measured,   // there are too few positions to see it
};
// "holds", "holds to 2048", "does not hold", "violated", "not measured".
POSENC_API std::string_view to_text(Verdict verdict) noexcept;  // holds_to gives "holds to"

struct Property {
  std::string name;   // "bounded": stable, for programs
  std::string title;  // the property: "every value is within [-1, 1]"
  Verdict verdict = Verdict::holds;
  std::optional<double> until = {};                          // with holds_to
  std::string finding;                                       // the measurement as a sentence
  std::vector<std::pair<std::string, double>> numbers = {};  // the same in full: {"smallest", -1.0}, ...
  std::string command = {};                                  // prints the numbers; may be empty
};

struct CheckOptions {
  KeptPositions positions = {};      // where to measure; empty: 0 to 999, or the rows of a learned table
  std::int64_t train_length = 2048;  // the trained length, for what happens past it; at least 1
  ConstView observed = {};           // numbers of another engine for this encoding at `positions`: [N, M] for an
                                     // encoding at the input, [N, 2 pairs] (cosines, then sines) for a rotary one,
                                     // [H, N, N] for a bias
  std::uint64_t seed = 0;            // for numbers that are drawn at random
};

// The length that an encoding was trained on: original_positions of its scaling, else the length of its model, else
// 2048.
struct TrainedLength {
  enum class Source { scaling, model, usual };

  std::int64_t positions;
  Source source;
};
POSENC_API TrainedLength trained_length_of(const Encoding& encoding) noexcept;

// Every property that applies to the kind, always in the same order. With `observed`, only the properties that such
// numbers can show: a broken promise is then violated, and learned numbers must be given.
POSENC_API std::vector<Property> check(const Encoding& subject, const CheckOptions& options);

}  // namespace posenc
