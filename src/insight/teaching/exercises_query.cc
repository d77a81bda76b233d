// Questions about what acts on queries and keys besides rotary encodings: PoPE, xPos, temperatures.
#include <cmath>
#include <numbers>

#include "insight/properties/formulas.h"
#include "insight/teaching/exercise_kinds.h"
#include "posenc/query_temperature.h"
#include "posenc/xpos.h"

namespace posenc::teaching {

void add_questions(Sheet& sheet, const Pope& spec) {
  Draw draw = sheet.draw("pope");
  const double x = draw.tenths(-20, 20);
  const auto magnitude = [](const properties::Formula& of) {
    return plain_text(properties::pope_magnitude(Magnitude::softplus, of));
  };
  sheet.ask("queries/pope magnitude",
            {{"x", decimals_text(x, 1)}, {"formula", magnitude("x")}, {"worked", magnitude(x)}},
            {std::log1p(std::exp(x))});
  const std::int64_t channels = spec.rotary_dim != 0 ? spec.rotary_dim : spec.head_dim;
  sheet.ask("queries/pope width",
            {{"head_dim", spec.head_dim}, {"channels", channels}, {"passed", spec.head_dim - channels}},
            {static_cast<double>(spec.head_dim + channels)});
  const std::int64_t head_dim = spec.head_dim < 4 ? 64 : spec.head_dim;  // the choices of narrow heads are alike
  sheet.ask_choice("queries/pope scale", draw, {{"head_dim", head_dim}, {"twice", 2 * head_dim}});
  const double d = draw.real(1, 5), log2 = std::numbers::ln2;
  sheet.ask("queries/pope kernel", {{"d", d}, {"slow", decimals_text(0.1 * d, 1)}},
            {log2 * log2 * (std::cos(d) + std::cos(0.1 * d))});
  sheet.ask("queries/pope content");
  add_long_context_question(sheet);
}

void add_questions(Sheet& sheet, const Xpos& given) {
  Draw draw = sheet.draw("xpos");
  const Xpos spec{.head_dim = 8, .gamma = given.gamma, .scale_base = 16.0};
  const std::int64_t pair = draw.between(0, 3), distance = 8 * draw.between(1, 4);
  const double zeta = make_schedule(spec).zeta[static_cast<std::size_t>(pair)];
  sheet.ask("queries/xpos zeta",
            {{"gamma", spec.gamma},
             {"pair", pair},
             {"formula", plain_text(properties::xpos_decay("i", 8, "gamma"))},
             {"worked", plain_text(properties::xpos_decay(pair, 8, spec.gamma))}},
            {zeta});
  sheet.ask("queries/xpos score",
            {{"gamma", spec.gamma}, {"pair", pair}, {"distance", distance}, {"zeta", decimals_text(zeta, 5)}},
            {std::pow(zeta, static_cast<double>(distance) / 16.0)});
  sheet.ask("queries/xpos center", {{"center", draw.between(100, 900)}}, {1.0});
  sheet.ask_choice("queries/xpos moved center", draw);
  sheet.ask("queries/xpos causal");
}

void add_questions(Sheet& sheet, const QueryTemperature& given) {
  Draw draw = sheet.draw("temperature");
  const QueryTemperature spec{.scale = given.scale, .length = 1000, .first = 0};
  const std::int64_t position = 1000 * draw.between(2, 9) + draw.between(1, 999);
  sheet.ask("queries/temperature",
            {{"formula", plain_text(properties::temperature_factor(spec, "p"))},
             {"p", position},
             {"worked", plain_text(properties::temperature_factor(spec, position))}},
            {query_factor(spec, static_cast<double>(position))});
  const std::int64_t length = 1024 * draw.between(1, 16);
  const QueryTemperature counted{.scale = 0.1, .length = length, .first = 1};
  sheet.ask("queries/temperature first",
            {{"formula", plain_text(properties::temperature_factor(counted, "p"))}, {"length", length}},
            {static_cast<double>(length - 1)});
  const double sharp = draw.tenths(11, 15);
  sheet.ask("queries/temperature weight",
            {{"factor", decimals_text(sharp, 1)}, {"twice", decimals_text(2.0 * sharp, 1)}},
            {1.0 / (1.0 + std::exp(-sharp) + std::exp(-2.0 * sharp))});
  sheet.ask_choice("queries/temperature order", draw);
  add_long_context_question(sheet);
}

}  // namespace posenc::teaching
