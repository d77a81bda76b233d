// Properties of an encoding with verdicts: what it promises, what holds, and what does not by its nature.
//
//     for (const posenc::Property& p : posenc::check({posenc::Sinusoidal{.width = 64}}, {})) {
//       print(p.name, p.verdict, p.finding);
//     }
//
// posenc/insight/analysis.h has the functions behind them. Const objects may be shared between threads.
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
  holds_to,       // up to Property::until, the last position or distance where it does
  does_not_hold,  // by its nature: no fault
  violated,       // the formula promises it and the numbers break it: a fault
};
// "holds", "holds to 2048", "does not hold", "violated".
POSENC_API std::string_view to_text(Verdict verdict) noexcept;  // of holds_to: "holds to"

struct Property {
  std::string name;   // "bounded": stable, for programs
  std::string title;  // the promise: "every value lies within [-1, 1]"
  Verdict verdict = Verdict::holds;
  std::optional<double> until = {};                          // of holds_to
  std::string finding;                                       // what was found, with its numbers, in a sentence
  std::vector<std::pair<std::string, double>> numbers = {};  // the same in full: {"smallest", -1.0}, ...
  std::string command = {};                                  // shows the numbers; may be empty
};

struct CheckOptions {
  KeptPositions positions = {};  // where it is looked at; none: 0 to 1000, or what a learned table has
  std::int64_t train_length =
      2048;                 // what "past the length" counts from, unless the spec or its table says; at least 1
  ConstView observed = {};  // numbers of another engine that claim to be this encoding at `positions`: [N, M]
                            // of an encoding at the input, [N, 2 pairs] (cosines, then sines) of a rotary
                            // one, [H, N, N] of a bias
  std::uint64_t seed = 0;   // of what is drawn at random
};

// What a spec says that it was trained on (original_positions of a scaling), else 2048.
POSENC_API std::int64_t usual_train_length(const Spec& spec) noexcept;

// Every property that applies to the kind, always in the same order. With `observed`, only those that can be seen in
// the numbers: they are looked for there, and what breaks a promise is violated. Learned numbers must then be given.
POSENC_API std::vector<Property> check(const Encoding& subject, const CheckOptions& options);

}  // namespace posenc
