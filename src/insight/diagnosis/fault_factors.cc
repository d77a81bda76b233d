// Mistakes about magnitudes: the attention factor on cos and sin, and the scale of scores.
#include <cmath>

#include "insight/diagnosis/fault.h"

namespace posenc::diagnosis {
namespace {

// A rotary encoding whose attention factor is a given number.
struct Factored {
  const Rotary* rotary = nullptr;
  double factor = 1.0;
};
Factored factored(const Engine& engine) {
  const auto* rotary = std::get_if<Rotary>(&engine.spec);
  if (rotary == nullptr || engine.turn.turns == 0) return {};
  const RotarySchedule schedule = plain_schedule(*rotary);
  if (schedule.attention_factor_in != FactorIn::table) return {};
  return {rotary, schedule.attention_factor};
}

Engine with_factor(const Engine& engine, double factor) {
  Engine changed = engine;
  std::get<Rotary>(changed.spec).attention_factor = factor;
  changed.plan = nullptr;
  return changed;
}

Variations attention_factor_missing(const Engine& engine, const Clues&) {
  const Factored right = factored(engine);
  if (right.rotary == nullptr || right.factor == 1.0) return {};
  return {{with_factor(engine, 1.0), "1 instead of " + short_number(right.factor)}};
}

Variations attention_factor_squared(const Engine& engine, const Clues&) {
  const Factored right = factored(engine);
  if (right.rotary == nullptr || right.factor == 1.0) return {};
  const double square = right.factor * right.factor;
  return {{with_factor(engine, square), short_number(square) + " instead of " + short_number(right.factor)}};
}

Variations attention_factor_one_side(const Engine& engine, const Clues&) {
  const Factored right = factored(engine);
  if (right.rotary == nullptr || right.factor == 1.0) return {};
  Variations variations(2, Variation{engine});
  variations[0].engine.key.factor /= right.factor;
  variations[0].words = "to queries but not to keys";
  variations[1].engine.query.factor /= right.factor;
  variations[1].words = "to keys but not to queries, or scores are multiplied by it once for another reason";
  return variations;
}

Variations attention_factor_wrong(const Engine& engine, const Clues& clues) {
  const Factored right = factored(engine);
  if (right.rotary == nullptr) return {};
  std::vector<double> tried;
  if (clues.value()) {
    tried = {*clues.value()};
  } else if (const std::optional<double> seen = clues.magnitude(engine)) {
    for (const double tolerance : {1e-3, 1e-5, 0.0}) tried.push_back(plain_number(*seen, tolerance));
  } else if (clues.seen()) {
    tried = clues.fitted([&](double f) { return with_factor(engine, f); }, 0.3, 4.0, engine);
  } else {
    tried = {1.2 * right.factor};
  }
  if (const auto* yarn = std::get_if<Yarn>(&right.rotary->scaling)) {
    tried.insert(tried.begin(), yarn_magnitude(yarn->factor.value_or(1.0), 1.0));
    tried.insert(tried.begin() + 1, yarn_magnitude(yarn->factor.value_or(1.0), right.factor));
  }
  Variations variations;
  for (const double factor : tried) {
    if (factor < 1e-6 || factor > 1e6 || std::abs(factor - right.factor) < 1e-6 * right.factor) continue;
    variations.push_back(
        {with_factor(engine, factor), short_number(factor) + " instead of " + short_number(right.factor), factor});
  }
  return variations;
}

// A factor on whole vectors. If the whole head rotates, a factor on cos and sin gives the same numbers, so that only
// the scale of attention is tried.
Variations vectors_scaled(const Engine& engine, const Clues& clues) {
  const Rotary* rotary = turning(engine);
  if (rotary == nullptr || engine.turn.turns != 1) return {};
  if (clues.seen() && (clues.quick() == nullptr || clues.quick()->channel_name() != "channel")) return {};
  const std::int64_t width = clues.seen() ? clues.quick()->head_dim() : rotary->head_dim;
  const double root = std::sqrt(static_cast<double>(width));
  std::vector<double> tried;
  if (clues.value()) {
    tried = {*clues.value()};
  } else if (!clues.seen()) {
    tried = {1.0 / root};
  } else if (const std::optional<double> seen = clues.magnitude(engine)) {
    const double factor = *seen / plan_of(engine, width).factor;
    for (const double scale : {1.0 / root, root}) {
      if (std::abs(factor - scale) < 1e-2 * scale) tried.push_back(scale);
    }
    if (plain_schedule(*rotary).rotary_dim < width) {
      for (const double tolerance : {1e-3, 1e-5, 0.0}) tried.push_back(plain_number(factor, tolerance));
    }
  }
  Variations variations;
  for (const double factor : tried) {
    if (factor < 1e-6 || factor > 1e6 || std::abs(factor - 1.0) < 1e-6) continue;
    const char* known = factor == 1.0 / root ? ", which is 1/sqrt(D)" : factor == root ? ", which is sqrt(D)" : "";
    variations.push_back({engine, short_number(factor) + known, factor});
    variations.back().engine.turn.factor = factor;
  }
  return variations;
}

// The factor on the scores that brings the engine closest to the observed numbers.
std::optional<double> seen_scale(const Engine& engine, const Clues& clues) {
  const Evidence* quick = clues.quick();
  if (quick == nullptr || quick->channel_name() != "key") return std::nullopt;
  return quick->best_scale(engine);
}

// Another scale for q.k only, if scores have a bias, which is not scaled.
Variations scaled_products(const Engine& engine, const Clues& clues) {
  if (clues.quick() == nullptr || clues.quick()->head_dim() == 0) return {};
  const auto make = [&](double scale) -> std::optional<Engine> {
    Engine changed = engine;
    changed.score_factor *= scale;
    return changed;
  };
  Variations variations;
  for (const double scale : clues.fitted(make, 1.0 / 64.0, 64.0, engine)) {
    if (std::abs(scale - 1.0) < 1e-4) continue;
    variations.push_back(
        {*make(scale), "scores are " + short_number(scale) + " times what they should be, except for the bias", scale});
  }
  return variations;
}

Variations softmax_scale(const Engine& engine, const Clues& clues) {
  Variations variations;
  if (!clues.seen()) {
    if (!std::holds_alternative<Rotary>(engine.spec)) return {};
    const double factor = clues.value().value_or(0.5);
    Variation variation{engine, "scores are " + short_number(factor) + " times what they should be", factor};
    variation.engine.score_factor *= factor;
    return {variation};
  }
  const bool turns =
      std::holds_alternative<Rotary>(engine.spec) && clues.quick() != nullptr && clues.quick()->head_dim() > 0;
  if (!turns) return scaled_products(engine, clues);
  const std::optional<double> scale = seen_scale(engine, clues);
  if (!scale || *scale <= 0.0 || std::abs(*scale - 1.0) < 1e-4) return {};
  const double root = std::sqrt(static_cast<double>(clues.quick()->head_dim()));
  for (const double plain : {root, 1.0 / root, plain_number(*scale, 1e-3), *scale}) {
    if (std::abs(plain - 1.0) < 1e-4) continue;
    Variation variation{engine, "scores are " + short_number(plain) + " times what they should be", plain};
    variation.engine.score_factor *= plain;
    variations.push_back(variation);
  }
  return variations;
}

Variations one_side(const Engine& engine, SideQuirks Engine::*side) {
  const auto* rotary = std::get_if<Rotary>(&engine.spec);
  if (rotary == nullptr || engine.turn.turns != 1) return {};
  Variation variation{engine};
  (variation.engine.*side).turned = false;
  return {variation};
}
Variations keys_not_rotated(const Engine& engine, const Clues&) { return one_side(engine, &Engine::key); }
Variations queries_not_rotated(const Engine& engine, const Clues&) { return one_side(engine, &Engine::query); }

Variations query_scale_missing(const Engine& engine, const Clues& clues) {
  if (!clues.options().query_scale || !engine.query_scale) return {};
  Variation variation{engine};
  variation.engine.query_scale = false;
  return {variation};
}

constexpr FaultChange kFactorChanges[] = {
    {"attention_factor_missing", attention_factor_missing},
    {"attention_factor_squared", attention_factor_squared},
    {"attention_factor_one_side", attention_factor_one_side},
    {"softmax_scale", softmax_scale},
    {"vectors_scaled", vectors_scaled, true},
    {"attention_factor_wrong", attention_factor_wrong},
    {"query_scale_missing", query_scale_missing},
    {"keys_not_rotated", keys_not_rotated},
    {"queries_not_rotated", queries_not_rotated},
};

}  // namespace

std::span<const FaultChange> factor_changes() { return kFactorChanges; }

}  // namespace posenc::diagnosis
