// Mistakes about encodings that are added to embeddings.
#include <cmath>

#include "insight/diagnosis/fault.h"

namespace posenc::diagnosis {
namespace {

Variations order(const Engine& engine, const Clues&) {
  Variations variations;
  for (const auto& [order, words] : {std::pair{Order::interleaved, "sin, cos, sin, cos, ..."},
                                     std::pair{Order::cos_interleaved, "cos, sin, cos, sin, ..."},
                                     std::pair{Order::halves, "all sines, then all cosines"},
                                     std::pair{Order::cos_halves, "all cosines, then all sines"}}) {
    Variation variation{engine, words};
    if (auto* sinusoidal = std::get_if<Sinusoidal>(&variation.engine.spec)) {
      if (sinusoidal->order == order) continue;
      sinusoidal->order = order;
    } else if (auto* fourier = std::get_if<Fourier>(&variation.engine.spec)) {
      if (fourier->order == order) continue;
      fourier->order = order;
    } else {
      return {};
    }
    variations.push_back(variation);
  }
  return variations;
}

Variations half_rule(const Engine& engine, const Clues&) {
  const auto* right = std::get_if<Sinusoidal>(&engine.spec);
  if (right == nullptr || !right->inv_freq.empty()) return {};
  Variations variations;
  const auto add = [&](Spacing spacing, double shift, const char* words) {
    if (right->spacing == spacing && (spacing != Spacing::half || right->shift == shift)) return;
    if (spacing == Spacing::half && shift >= static_cast<double>(right->width / 2)) return;
    Variation variation{engine, words};
    Sinusoidal& changed = std::get<Sinusoidal>(variation.engine.spec);
    changed.spacing = spacing;
    changed.shift = spacing == Spacing::half ? shift : 1.0;
    variations.push_back(variation);
  };
  add(Spacing::half, 1.0, "j / (n - 1), so that the last frequency is 1 / base");
  add(Spacing::width, 1.0, "2j / width, the published formula");
  add(Spacing::half, 0.0, "j / n");
  return variations;
}

Variations first(const Engine& engine, const Clues& clues) {
  std::vector<double> tried = {1.0, 2.0, -1.0, -2.0, 3.0};
  if (std::holds_alternative<Learned>(engine.spec)) {
    for (double k = 4.0; k <= 64.0; k += 1.0) tried.insert(tried.end(), {k, -k});
  }
  if (const std::optional<std::int64_t> shift = clues.shift(engine))
    tried.insert(tried.begin(), static_cast<double>(*shift));
  if (clues.value()) tried = {*clues.value()};
  Variations variations;
  for (const double k : tried) {
    if (k == 0.0 || std::abs(k) > 1e6) continue;
    Variation variation{engine, {}, k};
    std::int64_t right = 0;
    if (auto* sinusoidal = std::get_if<Sinusoidal>(&variation.engine.spec)) {
      right = sinusoidal->first;
      sinusoidal->first += static_cast<std::int64_t>(k);
    } else if (auto* learned = std::get_if<Learned>(&variation.engine.spec)) {
      right = learned->first;
      if (right + static_cast<std::int64_t>(k) < 0) continue;
      learned->first += static_cast<std::int64_t>(k);
    } else {
      return {};
    }
    variation.words = "as " + short_number(static_cast<double>(right) + k) + " instead of " + std::to_string(right);
    variations.push_back(variation);
  }
  return variations;
}

Variations multiplier(const Engine& engine, const Clues& clues) {
  if (place_of(engine.spec) != Place::input) return {};
  std::vector<double> tried;
  if (clues.value()) tried = {*clues.value()};
  if (!clues.value() && clues.seen()) {
    if (const std::optional<double> scale = clues.quick()->best_scale(engine)) {
      for (const double tolerance : {1e-3, 1e-5, 0.0}) tried.push_back(plain_number(*scale, tolerance));
    }
  }
  if (!clues.seen() && !clues.value()) tried = {2.0};
  Variations variations;
  for (const double scale : tried) {
    if (std::abs(scale - 1.0) < 1e-4 || std::abs(scale) < 1e-6) continue;
    const double square = scale * scale;
    const bool root =
        std::abs(square - std::round(square)) < 1e-2 && square > 1.5 && std::abs(scale - std::round(scale)) > 1e-3;
    Variation variation{engine,
                        "every number is " + short_number(scale) + " times what it should be" +
                            (root ? ": the square root of " + short_number(std::round(square)) : ""),
                        scale};
    variation.engine.row_factor *= scale;
    variations.push_back(variation);
  }
  return variations;
}

constexpr FaultChange kRowChanges[] = {
    {"order", order},
    {"half_rule", half_rule},
    {"first", first},
    {"multiplier", multiplier},
};

}  // namespace

std::span<const FaultChange> row_changes() { return kRowChanges; }

}  // namespace posenc::diagnosis
