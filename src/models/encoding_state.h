// The shared state behind an Encoding.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "posenc/models/encoding.h"
#include "posenc/pope.h"
#include "posenc/random.h"
#include "posenc/xpos.h"

namespace posenc::models {

// The inputs. Everything else is computed from them.
struct EncodingSource {
  Spec spec = NoPosition{};
  std::string text = {}, data_text = {}, assumed = {};
  std::shared_ptr<const Model> model = {};
  const ModelGroup* group = nullptr;  // points into the model
  LearnedNumbers numbers = {};
  std::vector<std::string> given_by = {};  // the option that gave each parameter, in order
  bool drawn = false;                      // whether some of the numbers were drawn
  bool made_by_init = false;               // whether --init made some of the numbers
};

struct EncodingState : EncodingSource {
  explicit EncodingState(EncodingSource source) : EncodingSource(std::move(source)) {}

  bool computed = false;  // whether the members below are computed

  // Views into `numbers`.
  ConstView table;
  std::vector<ConstView> tables;
  Parameters parameters;

  std::optional<SinusoidalSchedule> sinusoidal;
  std::optional<FourierSchedule> fourier;
  ConcatSchedule parts;  // concat only
  std::optional<RotarySchedule> rotary;
  std::optional<PopeAngles> pope;
  std::optional<XposAngles> xpos;
  std::optional<Bias> bias;
  std::optional<ScoreTerm> term;

  static const EncodingState& of(const Encoding& encoding) { return *encoding.state_; }
  // Leaves everything uncomputed.
  static Encoding found(EncodingSource source) {
    return Encoding(std::make_shared<const EncodingState>(std::move(source)));
  }
  // Draws missing numbers if `missing` says so and computes the rest. Throws if the numbers do not fit the spec.
  static Encoding complete(EncodingSource source, Missing missing, std::uint64_t seed, std::int64_t positions = 64);
};

// Draws the learned numbers that the spec needs and the state lacks. Defined in draw_learned.cc.
void draw_missing(EncodingState& state, std::uint64_t seed, std::int64_t positions);
// Makes a parameter of known shape with the values that training starts from: random ones, or fixed ones if its kind
// starts from those.
Array random_parameter(const ParameterInfo& info, const Random& random);

}  // namespace posenc::models
