// Mistakes about the frequencies: their base, exponents and width.
#include <cmath>
#include <numbers>
#include <type_traits>
#include <variant>

#include "insight/diagnosis/fault.h"

namespace posenc::diagnosis {
namespace {

bool has_lists(const Rotary& rotary) {
  return std::holds_alternative<LongRope>(rotary.scaling) || std::holds_alternative<LearnedMultipliers>(rotary.scaling);
}

Engine with_base(const Engine& engine, double base) {
  Engine changed = engine;
  std::visit(
      [&](auto& kind) {
        if constexpr (requires { kind.base; }) kind.base = base;
      },
      changed.spec);
  changed.plan = nullptr;
  return changed;
}

// The base; 0 if the encoding has none, or if its frequencies are given one by one.
double base_of(const Engine& engine) {
  if (std::holds_alternative<Rotary>(engine.spec)) return ruled(engine) ? ruled(engine)->base : 0.0;
  return std::visit(
      [](const auto& kind) {
        double base = 0.0;
        if constexpr (requires { kind.base; }) base = kind.base;
        if constexpr (requires { kind.inv_freq; }) base = kind.inv_freq.empty() ? base : 0.0;
        return base;
      },
      engine.spec);
}

Variations base(const Engine& engine, const Clues& clues) {
  const double right = base_of(engine);
  if (right == 0.0) return {};
  std::vector<double> tried;
  if (clues.value()) {
    tried = {*clues.value()};
  } else {
    tried = clues.fitted([&](double b) { return with_base(engine, b); }, 20.0, 1e9, engine);
    for (const double usual : {10000.0, 500000.0, 1000000.0}) tried.push_back(usual);
  }
  Variations variations;
  for (const double b : tried) {
    if (b > 1.0 && std::abs(b - right) > 1e-5 * right) {
      variations.push_back({with_base(engine, b), short_number(b) + " instead of " + short_number(right), b});
    }
  }
  return variations;
}

Variations exponent_step(const Engine& engine, const Clues&) {
  Variations variations;
  if (const Rotary* rotary = ruled(engine)) {
    const std::int64_t dim = plain_schedule(*rotary).exponent_dim;
    if (dim == 0) return {};
    Variation slow{engine, "i / d instead of 2i / d"}, fast{engine, "4i / d instead of 2i / d"};
    std::get<Rotary>(slow.engine.spec).exponent_dim = 2 * dim;
    variations.push_back(slow);
    if (dim % 2 == 0 && dim > 2) {
      std::get<Rotary>(fast.engine.spec).exponent_dim = dim / 2;
      variations.push_back(fast);
    }
  }
  if (const auto* sinusoidal = std::get_if<Sinusoidal>(&engine.spec); sinusoidal && sinusoidal->inv_freq.empty()) {
    for (const double factor : {0.5, 2.0, -1.0}) {
      Variation variation{engine, factor == 0.5   ? "j / d instead of 2j / d"
                                  : factor == 2.0 ? "4j / d instead of 2j / d"
                                                  : "its sign is flipped: base^(+2j / d)"};
      std::get<Sinusoidal>(variation.engine.spec).exponent_factor = factor * sinusoidal->exponent_factor;
      variations.push_back(variation);
    }
  }
  return variations;
}

// Gives frequencies one by one over the whole head: the first ones rotate channels paired with the other half of the
// head.
Variation over_whole_head(const Engine& engine, const std::vector<double>& frequencies, const std::string& words) {
  const RotarySchedule schedule = plain_schedule(std::get<Rotary>(engine.spec));
  Variation variation{engine, words};
  std::vector<double> all = frequencies;
  all.resize(static_cast<std::size_t>(schedule.head_dim / 2), 0.0);
  variation.engine.spec = Rotary{.head_dim = schedule.head_dim,
                                 .layout = schedule.layout,
                                 .inv_freq = all,
                                 .attention_factor = schedule.attention_factor,
                                 .attention_factor_in = schedule.attention_factor_in};
  return variation;
}

Variations partial_exponent(const Engine& engine, const Clues&) {
  const Rotary* rotary = ruled(engine);
  if (rotary == nullptr || axes_of(*rotary) != 1) return {};
  const RotarySchedule schedule = plain_schedule(*rotary);
  Variations variations;
  if (const auto* proportional = std::get_if<Proportional>(&rotary->scaling)) {
    const auto width = 2 * static_cast<std::int64_t>(proportional->share * static_cast<double>(rotary->head_dim) / 2.0);
    if (width < 2 || width == rotary->head_dim) return {};
    Variation partial{engine, "a window of " + std::to_string(width) + " channels with exponents 2i / " +
                                  std::to_string(width) + " instead of exponents over the whole head"};
    Rotary& changed = std::get<Rotary>(partial.engine.spec);
    changed.scaling = LinearScaling{proportional->factor};
    if (proportional->factor == 1.0) changed.scaling = NoScaling{};
    changed.rotary_dim = width;
    changed.partial_rotary_factor = 1.0;
    variations.push_back(partial);
    return variations;
  }
  if (schedule.rotary_dim == schedule.head_dim || schedule.exponent_dim == 0) return {};
  const bool by_window = schedule.exponent_dim != schedule.head_dim;
  const std::int64_t dim = by_window ? schedule.head_dim : schedule.rotary_dim;
  Variation other{engine, "2i / " + std::to_string(dim) + " instead of 2i / " + std::to_string(schedule.exponent_dim)};
  std::get<Rotary>(other.engine.spec).exponent_dim = dim;
  variations.push_back(other);
  if (schedule.layout == Layout::half && schedule.head_dim % 2 == 0 && schedule.first_channel == 0) {
    const std::vector<double> moved = plain_schedule(std::get<Rotary>(other.engine.spec)).inv_freq;
    variations.push_back(
        over_whole_head(engine, moved,
                        "2i / " + std::to_string(dim) + " instead of 2i / " + std::to_string(schedule.exponent_dim) +
                            ", and channel i paired with i + " + std::to_string(schedule.head_dim / 2)));
    variations.push_back(over_whole_head(engine, schedule.inv_freq,
                                         "channel i paired with i + " + std::to_string(schedule.head_dim / 2) +
                                             " instead of i + " + std::to_string(schedule.rotary_dim / 2)));
  }
  return variations;
}

Variations partial_width(const Engine& engine, const Clues& clues) {
  const Rotary* rotary = ruled(engine);
  if (rotary == nullptr || axes_of(*rotary) != 1 || has_lists(*rotary)) return {};
  if (std::holds_alternative<Proportional>(rotary->scaling) || std::holds_alternative<PRope>(rotary->scaling))
    return {};
  const RotarySchedule schedule = plain_schedule(*rotary);
  std::vector<std::int64_t> widths = {schedule.head_dim,     schedule.rotary_dim / 2,   schedule.head_dim / 2,
                                      schedule.head_dim / 4, 3 * schedule.head_dim / 4, 2 * schedule.rotary_dim};
  for (std::int64_t w = 8; w < schedule.head_dim && engine.blames.empty() && clues.seen(); w += 8) widths.push_back(w);
  if (clues.value()) widths = {static_cast<std::int64_t>(*clues.value())};
  Variations variations;
  for (std::size_t w = 0; w < widths.size(); ++w) {
    const std::int64_t width = widths[w];
    const bool repeated = std::find(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(w), width) !=
                          widths.begin() + static_cast<std::ptrdiff_t>(w);
    if (repeated || width < 4 || width % 2 != 0 || width == schedule.rotary_dim ||
        width + schedule.first_channel > schedule.head_dim)
      continue;
    for (const std::int64_t exponent : {width, schedule.exponent_dim}) {
      Variation variation{engine,
                          std::to_string(width) + " channels rotate instead of " + std::to_string(schedule.rotary_dim),
                          static_cast<double>(width)};
      Rotary& changed = std::get<Rotary>(variation.engine.spec);
      changed.rotary_dim = width;
      changed.partial_rotary_factor = 1.0;
      changed.exponent_dim = exponent;
      variations.push_back(variation);
      if (exponent == schedule.exponent_dim && exponent == width) break;
    }
  }
  return variations;
}

// cos and sin of degrees, or of radians that were converted to degrees.
Variations angle_degrees(const Engine& engine, const Clues&) {
  if (std::holds_alternative<Rotary>(engine.spec) && turning(engine) == nullptr) return {};
  Variations variations;
  std::visit(
      [&](const auto& kind) {
        if constexpr (requires { kind.frequency_scale; }) {
          for (const bool read : {true, false}) {
            Variation variation{engine,
                                read ? "the angles are taken as degrees" : "the angles are converted to degrees"};
            auto& changed = std::get<std::decay_t<decltype(kind)>>(variation.engine.spec);
            changed.frequency_scale *= read ? std::numbers::pi / 180.0 : 180.0 / std::numbers::pi;
            variations.push_back(std::move(variation));
          }
        }
      },
      engine.spec);
  return variations;
}

constexpr FaultChange kFrequencyChanges[] = {
    {"partial_exponent", partial_exponent}, {"partial_width", partial_width},
    {"exponent_step", exponent_step},       {"base", base},
    {"angle_degrees", angle_degrees},
};

}  // namespace

std::span<const FaultChange> frequency_changes() { return kFrequencyChanges; }

}  // namespace posenc::diagnosis
