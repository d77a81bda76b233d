// What an Encoding holds.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "posenc/models/encoding.h"

namespace posenc::models {

struct EncodingState {
  Spec spec = NoPosition{};
  std::string text, data_text;
  std::shared_ptr<const Model> model;
  const ModelGroup* group = nullptr;  // of the model

  LearnedNumbers numbers;
  bool drawn = false;
  bool computed = false;  // whether complete() was called

  // Views of the numbers, which stay where they are.
  ConstView table;
  std::vector<ConstView> tables;
  Parameters parameters;

  std::optional<SinusoidalSchedule> sinusoidal;
  std::optional<FourierSchedule> fourier;
  ConcatSchedule parts;  // of a concat
  std::optional<RotarySchedule> rotary;
  std::optional<Bias> bias;
  std::optional<ScoreTerm> term;
};

// Draws what is missing, if asked to, and computes the rest from the spec and the numbers.
void complete(EncodingState& state, Missing missing, std::uint64_t seed);

// Fills in the numbers that the spec needs and that are not there; in draw_learned.cc.
void draw_missing(EncodingState& state, std::uint64_t seed);

}  // namespace posenc::models
