// What an Encoding holds.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "posenc/models/encoding.h"
#include "posenc/pope.h"
#include "posenc/xpos.h"

namespace posenc::models {

// What is given. All else is computed from it.
struct EncodingSource {
  Spec spec = NoPosition{};
  std::string text = {}, data_text = {};
  std::shared_ptr<const Model> model = {};
  const ModelGroup* group = nullptr;  // of the model
  LearnedNumbers numbers = {};
  std::vector<std::string> given_by = {};  // the option of each parameter, in their order
  bool drawn = false;                      // whether some of the numbers were
};

struct EncodingState : EncodingSource {
  explicit EncodingState(EncodingSource source) : EncodingSource(std::move(source)) {}

  bool computed = false;  // whether what follows was

  // Views of the numbers, which stay where they are.
  ConstView table;
  std::vector<ConstView> tables;
  Parameters parameters;

  std::optional<SinusoidalSchedule> sinusoidal;
  std::optional<FourierSchedule> fourier;
  ConcatSchedule parts;  // of a concat
  std::optional<RotarySchedule> rotary;
  std::optional<PopeAngles> pope;
  std::optional<XposAngles> xpos;
  std::optional<Bias> bias;
  std::optional<ScoreTerm> term;

  static const EncodingState& of(const Encoding& encoding) { return *encoding.state_; }
  // Nothing is computed.
  static Encoding found(EncodingSource source) {
    return Encoding(std::make_shared<const EncodingState>(std::move(source)));
  }
  // Draws what is missing, if asked to, and computes the rest. Throws where the numbers do not fit the spec.
  static Encoding complete(EncodingSource source, Missing missing, std::uint64_t seed, std::int64_t positions = 64);
};

// Fills in the numbers that the spec needs and that are not there; in draw_learned.cc.
void draw_missing(EncodingState& state, std::uint64_t seed, std::int64_t positions);

}  // namespace posenc::models
