// Mistakes about the scaling of frequencies for longer contexts.
#include <algorithm>
#include <cmath>
#include <variant>

#include "insight/diagnosis/fault.h"
#include "insight/properties/property.h"

namespace posenc::diagnosis {
namespace {

using properties::factor_of;

const Rotary* scaled(const Engine& engine) {
  const Rotary* rotary = ruled(engine);
  return rotary != nullptr && !std::holds_alternative<NoScaling>(rotary->scaling) ? rotary : nullptr;
}

void set_factor(Scaling& scaling, double factor) {
  std::visit(
      [factor](auto& s) {
        if constexpr (requires { s.factor; }) {
          s.factor = factor;
        } else if constexpr (requires { s.alpha; }) {
          s.alpha = factor;
        }
      },
      scaling);
}

Engine with(const Engine& engine, const Scaling& scaling, std::optional<double> factor) {
  Engine changed = engine;
  Rotary& rotary = std::get<Rotary>(changed.spec);
  rotary.scaling = scaling;
  rotary.attention_factor = factor;
  changed.plan = nullptr;
  return changed;
}

// The scaling, once with the attention factor of the right scaling and once without it.
Variations both_factors(const Engine& engine, const Scaling& scaling, const std::string& words,
                        std::optional<double> value = {}) {
  const double right = plain_schedule(std::get<Rotary>(engine.spec)).attention_factor;
  Variations variations = {{with(engine, scaling, 1.0), words, value}};
  if (right != 1.0) {
    variations.push_back({with(engine, scaling, right), words + "; the attention factor is kept", value});
  }
  return variations;
}

Variations scaling_dropped(const Engine& engine, const Clues&) {
  const Rotary* rotary = scaled(engine);
  if (rotary == nullptr) return {};
  const std::string kind(kind_of(rotary->scaling));
  return both_factors(engine, NoScaling{}, "the frequencies are those without scaling=" + kind);
}

// The scaling applied to frequencies that it has scaled already.
std::vector<double> scaled_again(const Rotary& rotary, const RotarySchedule& right) {
  Rotary plain = rotary;
  plain.scaling = NoScaling{};
  plain.attention_factor = 1.0;
  const std::vector<double> before = plain_schedule(plain).inv_freq;
  std::vector<double> twice = right.inv_freq;
  for (std::size_t i = 0; i < twice.size(); ++i) {
    if (before[i] != 0.0) twice[i] *= right.inv_freq[i] / before[i];
  }
  return twice;
}

// Llama 3's rule applied to the scaled wavelengths instead of the unscaled ones.
std::vector<double> llama3_again(const Llama3& rule, std::vector<double> frequencies) {
  const auto length = static_cast<double>(rule.original_positions);
  for (double& f : frequencies) {
    const double turns = length * f / (2.0 * 3.14159265358979323846);
    if (turns >= rule.high_freq_factor) continue;
    const double share = std::clamp(
        (turns - rule.low_freq_factor) / std::max(rule.high_freq_factor - rule.low_freq_factor, 1e-9), 0.0, 1.0);
    f = (1.0 - share) * f / rule.factor + share * f;
  }
  return frequencies;
}

Variations scaling_twice(const Engine& engine, const Clues&) {
  const Rotary* rotary = scaled(engine);
  if (rotary == nullptr) return {};
  const RotarySchedule right = plain_schedule(*rotary);
  if (!is_rotation(right.layout)) return {};
  const std::string kind(kind_of(rotary->scaling));
  if (const auto* linear = std::get_if<LinearScaling>(&rotary->scaling)) {
    return {{with(engine, LinearScaling{linear->factor * linear->factor}, right.attention_factor),
             "positions are divided by " + short_number(linear->factor) + " twice"}};
  }
  Variations variations;
  const double factor = right.attention_factor;
  const std::string words = "scaling=" + kind + " is applied to frequencies that have it already";
  variations.push_back({with_frequencies(engine, right, scaled_again(*rotary, right), factor), words});
  if (factor != 1.0)
    variations.push_back({with_frequencies(engine, right, scaled_again(*rotary, right), factor * factor),
                          words + ", and so is its attention factor"});
  if (const auto* llama3 = std::get_if<Llama3>(&rotary->scaling)) {
    variations.push_back({with_frequencies(engine, right, llama3_again(*llama3, right.inv_freq), factor), words});
  }
  return variations;
}

Variations longrope_list(const Engine& engine, const Clues&) {
  const Rotary* rotary = scaled(engine);
  if (rotary == nullptr || !std::holds_alternative<LongRope>(rotary->scaling)) return {};
  const LongRope& right = std::get<LongRope>(rotary->scaling);
  const double factor = plain_schedule(*rotary).attention_factor;
  bool is_long = right.list == LongRopeList::long_factor;
  if (right.list == LongRopeList::by_length) is_long = rotary->sequence_length.value_or(0) > right.original_positions;
  LongRope other = right;
  other.list = is_long ? LongRopeList::short_factor : LongRopeList::long_factor;
  const std::string words =
      is_long ? "the short list instead of the long one" : "the long list instead of the short one";
  Variations variations = {{with(engine, other, factor), words}};
  const std::optional<double>& mscale = is_long ? right.short_mscale : right.long_mscale;
  if (mscale && *mscale != factor) {
    variations.push_back({with(engine, other, *mscale), words + ", with its attention factor"});
  }
  return variations;
}

// The number that the slowest measurable pair is divided by: most scalings divide that pair by their whole factor.
std::vector<double> factor_of_slowest(const Engine& engine, const Clues& clues) {
  Rotary plain = std::get<Rotary>(engine.spec);
  plain.scaling = NoScaling{};
  const std::vector<double> before = plain_schedule(plain).inv_freq;
  const std::vector<Frequency> seen = clues.frequencies(engine);
  for (std::size_t c = std::min(before.size(), seen.size()); c-- > 0;) {
    if (axes_of(plain) > 1 || seen[c].value == 0.0 || seen[c].error > 0.02 * std::abs(seen[c].value)) continue;
    const double factor = std::abs(before[c] / seen[c].value);
    return {plain_number(factor, 0.03), plain_number(factor, 1e-3), factor};
  }
  return {};
}

Variations wrong_factor(const Engine& engine, const Clues& clues) {
  const Rotary* rotary = scaled(engine);
  if (rotary == nullptr) return {};
  const double right = factor_of(rotary->scaling);
  if (right == 0.0 || std::holds_alternative<LongRope>(rotary->scaling)) return {};
  const double attention = plain_schedule(*rotary).attention_factor;
  const auto make = [&](double factor) -> std::optional<Engine> {
    Scaling scaling = rotary->scaling;
    set_factor(scaling, factor);
    return with(engine, scaling, attention);
  };
  std::vector<double> tried;
  if (clues.value()) tried = {*clues.value()};
  if (!clues.value() && clues.seen()) {
    tried = factor_of_slowest(engine, clues);
    for (const double factor : clues.fitted(make, 1.02, 4096.0, engine)) tried.push_back(factor);
  }
  if (!clues.value()) tried.insert(tried.end(), {right * 2.0, right / 2.0, right * 4.0});
  Variations variations;
  for (const double factor : tried) {
    if (std::abs(factor - right) < 1e-4 * right || factor <= 1.0 + 1e-6) continue;
    const std::string words = short_number(factor) + " instead of " + short_number(right);
    Scaling scaling = rotary->scaling;
    set_factor(scaling, factor);
    const bool follows = std::holds_alternative<Yarn>(scaling) && !rotary->attention_factor;
    if (follows) variations.push_back({with(engine, scaling, std::nullopt), words, factor});
    variations.push_back({*make(factor), words + (follows ? "; the attention factor is the right one" : ""), factor});
  }
  return variations;
}

std::optional<Engine> with_length(const Engine& engine, double length) {
  const Rotary& rotary = std::get<Rotary>(engine.spec);
  const auto whole = static_cast<std::int64_t>(std::llround(length));
  Scaling scaling = rotary.scaling;
  const double factor = factor_of(scaling);
  bool has = false;
  std::visit(
      [&](auto& s) {
        if constexpr (requires { s.original_positions; }) {
          s.original_positions = whole;
          has = true;
        }
        if constexpr (requires { s.max_positions; }) s.factor = factor;
      },
      scaling);
  if (!has || whole < 2) return std::nullopt;
  return with(engine, scaling, plain_schedule(rotary).attention_factor);
}

Variations original_length(const Engine& engine, const Clues& clues) {
  const Rotary* rotary = scaled(engine);
  if (rotary == nullptr || std::holds_alternative<LongRope>(rotary->scaling)) return {};
  const std::optional<std::int64_t> length = trained_length(rotary->scaling);
  if (!length || *length == 0) return {};
  const auto right = static_cast<double>(*length);
  const double factor = factor_of(rotary->scaling);
  std::vector<double> tried;
  if (clues.value()) tried = {*clues.value()};
  if (!clues.value()) {
    if (clues.seen()) {
      for (const double fitted :
           clues.fitted([&](double l) { return with_length(engine, l); }, 64.0, 4194304.0, engine))
        tried.push_back(std::round(fitted));
    }
    for (const double times : {factor, 1.0 / factor, 2.0, 0.5}) tried.push_back(right * times);
  }
  Variations variations;
  for (const double l : tried) {
    if (std::round(l) == right || l < 2.0 || l > 1e9) continue;
    if (std::optional<Engine> changed = with_length(engine, l)) {
      variations.push_back(
          {*changed, short_number(std::round(l)) + " instead of " + short_number(right), std::round(l)});
    }
  }
  return variations;
}

Variations scaling_ramp(const Engine& engine, const Clues& clues) {
  const Rotary* rotary = scaled(engine);
  if (rotary == nullptr) return {};
  Variations variations;
  const double attention = plain_schedule(*rotary).attention_factor;
  if (const auto* yarn = std::get_if<Yarn>(&rotary->scaling)) {
    Yarn other = *yarn;
    other.truncate = !yarn->truncate;
    variations.push_back({with(engine, other, attention), yarn->truncate ? "its ends are not rounded to whole pairs"
                                                                         : "its ends are rounded to whole pairs"});
    if (yarn->beta_fast != 32.0 || yarn->beta_slow != 1.0) {
      other = *yarn;
      other.beta_fast = 32.0;
      other.beta_slow = 1.0;
      variations.push_back({with(engine, other, attention), "its ends are those of beta_fast 32 and beta_slow 1"});
    }
    const NtkByParts parts{.factor = factor_of(*yarn),
                           .original_positions = yarn->original_positions,
                           .beta_fast = yarn->beta_fast,
                           .beta_slow = yarn->beta_slow};
    if (parts.beta_fast > parts.beta_slow)
      variations.push_back(
          {with(engine, parts, attention), "linear in the turns (NTK-by-parts) instead of the index of the pair"});
  }
  if (const auto* llama3 = std::get_if<Llama3>(&rotary->scaling);
      llama3 && llama3->high_freq_factor > llama3->low_freq_factor) {
    const RotarySchedule right = plain_schedule(*rotary);
    Rotary plain = *rotary;
    plain.scaling = NoScaling{};
    const std::vector<double> before = plain_schedule(plain).inv_freq;
    std::vector<double> inverted = right.inv_freq, hard = right.inv_freq;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const bool between = right.inv_freq[i] < before[i] * (1.0 - 1e-12) &&
                           right.inv_freq[i] > before[i] / llama3->factor * (1.0 + 1e-12);
      if (!between) continue;
      inverted[i] = before[i] + before[i] / llama3->factor - right.inv_freq[i];
      hard[i] = before[i] / llama3->factor;
    }
    variations.push_back(
        {with_frequencies(engine, right, inverted, attention), "kept and divided are swapped in the smooth band"});
    variations.push_back({with_frequencies(engine, right, hard, attention), "the whole smooth band is divided"});
    const auto with_high = [&](double high) -> std::optional<Engine> {
      Llama3 other = *llama3;
      other.high_freq_factor = high;
      return with(engine, other, attention);
    };
    std::vector<double> borders;
    if (clues.seen())
      borders = clues.fitted(with_high, 1.01 * llama3->low_freq_factor, 64.0 * llama3->low_freq_factor, engine);
    for (const double high : borders) {
      if (std::abs(high - llama3->high_freq_factor) < 1e-4 * high) continue;
      variations.push_back({*with_high(high), "high_freq_factor is " + short_number(high) + " instead of " +
                                                  short_number(llama3->high_freq_factor)});
    }
  }
  return variations;
}

// Scalings of other kinds with the same factor and length.
std::vector<Scaling> kinds_like(const Rotary& rotary) {
  const double factor = factor_of(rotary.scaling);
  if (factor <= 0.0) return {};
  const std::int64_t length = trained_length(rotary.scaling).value_or(0);
  std::vector<Scaling> kinds = {LinearScaling{factor}};
  const bool wide = plain_schedule(rotary).rotary_dim > 2 && axes_of(rotary) == 1;
  if (wide) kinds.emplace_back(Ntk{factor});
  if (length > 0) {
    if (rotary.base > 1.0) kinds.emplace_back(Yarn{.factor = factor, .original_positions = length});
    kinds.emplace_back(NtkByParts{.factor = factor, .original_positions = length});
    kinds.emplace_back(Llama3{.factor = factor, .original_positions = length});
  }
  return kinds;
}

Variations scaling_kind(const Engine& engine, const Clues&) {
  const Rotary* rotary = scaled(engine);
  if (rotary == nullptr || std::holds_alternative<Proportional>(rotary->scaling)) return {};
  Variations variations;
  for (const Scaling& scaling : kinds_like(*rotary)) {
    if (scaling.index() == rotary->scaling.index()) continue;
    const std::string words = std::string(kind_of(scaling)) + " instead of " + std::string(kind_of(rotary->scaling));
    for (Variation& variation : both_factors(engine, scaling, words)) variations.push_back(std::move(variation));
    if (std::holds_alternative<Yarn>(scaling))
      variations.push_back({with(engine, scaling, std::nullopt), words + ", with yarn's attention factor"});
  }
  return variations;
}

Variations scaling_added(const Engine& engine, const Clues& clues) {
  const Rotary* rotary = ruled(engine);
  if (rotary == nullptr || !std::holds_alternative<NoScaling>(rotary->scaling)) return {};
  const double attention = plain_schedule(*rotary).attention_factor;
  std::vector<double> tried;
  if (clues.value()) tried = {*clues.value()};
  if (!clues.value()) {
    tried =
        clues.fitted([&](double f) { return with(engine, LinearScaling{f}, attention); }, 1.0 / 64.0, 128.0, engine);
    if (!clues.seen()) tried = {4.0};
  }
  Variations variations;
  for (const double factor : tried) {
    if (std::abs(factor - 1.0) < 1e-5) continue;
    variations.push_back(
        {with(engine, LinearScaling{factor}, attention), "positions are divided by " + short_number(factor), factor});
  }
  if (plain_schedule(*rotary).rotary_dim > 2 && axes_of(*rotary) == 1 && clues.seen()) {
    for (const std::int64_t length : {8192, 4096, 32768}) {
      variations.push_back({with(engine, Llama3{.factor = 8.0, .original_positions = length}, attention),
                            "llama3 with factor 8 and " + std::to_string(length) + " original positions"});
      for (const double factor : {4.0, 8.0, 32.0, 40.0}) {
        if (rotary->base <= 1.0) continue;
        const Yarn yarn{.factor = factor, .original_positions = length};
        for (const std::optional<double> kept : {std::optional<double>(), std::optional<double>(attention)}) {
          variations.push_back({with(engine, yarn, kept), "yarn with factor " + short_number(factor) + " and " +
                                                              std::to_string(length) + " original positions"});
        }
      }
    }
  }
  return variations;
}

Variations sequence_length(const Engine& engine, const Clues& clues) {
  const Rotary* rotary = scaled(engine);
  if (rotary == nullptr || !std::holds_alternative<DynamicNtk>(rotary->scaling)) return {};
  const auto right = static_cast<double>(rotary->sequence_length.value_or(1));
  const std::int64_t trained = std::get<DynamicNtk>(rotary->scaling).original_positions;
  const auto make = [&](double length) -> std::optional<Engine> {
    Engine changed = engine;
    std::get<Rotary>(changed.spec).sequence_length = std::max<std::int64_t>(std::llround(length), 1);
    changed.plan = nullptr;
    return changed;
  };
  std::vector<double> tried = {static_cast<double>(trained), 2.0 * static_cast<double>(trained)};
  if (clues.value()) tried = {*clues.value()};
  if (!clues.value() && clues.seen()) {
    for (const double l : clues.fitted(make, static_cast<double>(trained), 64.0 * static_cast<double>(trained), engine))
      tried.push_back(std::round(l));
  }
  Variations variations;
  for (const double length : tried) {
    if (length == right) continue;
    variations.push_back(
        {*make(length), "those of " + short_number(length) + " tokens instead of " + short_number(right), length});
  }
  return variations;
}

constexpr FaultChange kScalingChanges[] = {
    {"scaling_dropped", scaling_dropped}, {"longrope_list", longrope_list}, {"scaling_twice", scaling_twice},
    {"scaling_kind", scaling_kind},       {"wrong_factor", wrong_factor},   {"original_length", original_length},
    {"scaling_ramp", scaling_ramp},       {"scaling_added", scaling_added}, {"sequence_length", sequence_length},
};

}  // namespace

std::span<const FaultChange> scaling_changes() { return kScalingChanges; }

}  // namespace posenc::diagnosis
