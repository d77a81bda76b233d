// Mistakes about the positions of tokens.
#include <algorithm>
#include <cmath>

#include "insight/diagnosis/fault.h"

namespace posenc::diagnosis {
namespace {

// Whether the encoding is evaluated at positions.
bool placed(const Engine& engine) {
  if (std::holds_alternative<Rotary>(engine.spec)) return engine.turn.turns > 0;
  return std::holds_alternative<Sinusoidal>(engine.spec) || std::holds_alternative<Learned>(engine.spec);
}
bool turns(const Engine& engine) { return turning(engine) != nullptr; }

Variation with_ids(const Engine& engine, IdMap ids, std::string words = {}, std::optional<double> value = {}) {
  Variation variation{engine, std::move(words), value};
  if (engine.ids) {
    variation.engine.ids = [before = engine.ids, ids = std::move(ids)](std::int64_t n, double p) {
      return ids(n, before(n, p));
    };
  } else {
    variation.engine.ids = std::move(ids);
  }
  return variation;
}

IdMap plus(double k) {
  return [k](std::int64_t, double p) { return p + k; };
}

const Ids* given_ids(const Clues& clues) { return clues.quick() == nullptr ? nullptr : &clues.quick()->ids(); }

Variations counted_from_one(const Engine& engine, const Clues&) {
  if (!turns(engine)) return {};
  return {with_ids(engine, plus(1.0))};
}

Variation shifted(const Engine& engine, double k) {
  return with_ids(engine, plus(k), short_number(std::abs(k)) + (k > 0.0 ? " too large" : " too small"), k);
}

// Shifts the queries against the keys; scores depend only on the difference.
Variations shifted_sides(const Engine& engine) {
  Variations variations;
  // More variations if nothing else is wrong.
  const int far = engine.blames.empty() ? 64 : 8;
  for (int k = 1; k <= far; ++k) {
    for (const double sign : {1.0, -1.0}) {
      Variation variation{engine,
                          "queries are " + std::to_string(k) + (sign > 0 ? " further from" : " nearer to") +
                              " the keys than they should be",
                          sign * k};
      variation.engine.query.ids = plus(sign * k);
      variations.push_back(variation);
    }
  }
  return variations;
}

Variations position_offset(const Engine& engine, const Clues& clues) {
  if (!turns(engine)) return {};
  if (clues.value()) return {shifted(engine, *clues.value())};
  if (!clues.seen()) return {shifted(engine, 3.0)};
  if (clues.quick()->channel_name() == "key") return shifted_sides(engine);
  const std::optional<std::int64_t> shift = clues.shift(engine);
  if (!shift || *shift == 0 || *shift == 1) return {};
  return {shifted(engine, static_cast<double>(*shift))};
}

// The number of leading tokens that share one id, as padding does.
std::int64_t pads_of(const Ids& ids) {
  std::int64_t count = 0;
  while (count < ids.count && ids.at(count, 0) == ids.at(0, 0)) ++count;
  return count > 1 ? count : 0;
}

// Whether positions decrease anywhere after the padding.
bool resets(const Ids& ids) {
  for (std::int64_t n = pads_of(ids) + 1; n < ids.count; ++n) {
    if (ids.at(n, 0) < ids.at(n - 1, 0)) return true;
  }
  return false;
}

bool begins_with_pads(const Ids& ids) { return pads_of(ids) > 0; }

Variations by_index(const Engine& engine, const Clues& clues, std::string words = {}) {
  double first = 0.0;
  if (const Ids* ids = given_ids(clues)) first = ids->at(0, 0);
  Variations variations = {with_ids(
      engine, [](std::int64_t n, double) { return static_cast<double>(n); }, words)};
  if (first != 0.0)
    variations.push_back(with_ids(
        engine, [first](std::int64_t n, double) { return first + static_cast<double>(n); }, words));
  return variations;
}

Variations packing_not_reset(const Engine& engine, const Clues& clues) {
  if (!turns(engine)) return {};
  const Ids* ids = given_ids(clues);
  if (ids != nullptr && (ids->axes > 1 || !resets(*ids))) return {};
  if (ids == nullptr)
    return {with_ids(
        engine, [](std::int64_t, double p) { return p + 64.0; }, "a second document after one of 64 tokens")};
  return by_index(engine, clues);
}

Variations padding_counted(const Engine& engine, const Clues& clues) {
  if (!placed(engine)) return {};
  const Ids* ids = given_ids(clues);
  const double pads = clues.value().value_or(4.0);
  if (ids == nullptr) return {with_ids(engine, plus(pads), short_number(pads) + " padding tokens are in front", pads)};
  if (ids->axes > 1 || !begins_with_pads(*ids) || resets(*ids)) return {};
  return by_index(engine, clues);
}

// Restarts at the tokens where the measured positions fall back to 0 while the given ones go on.
Variations packing_reset(const Engine& engine, const Clues& clues) {
  if (!turns(engine)) return {};
  if (!clues.seen()) {
    const double every = clues.value().value_or(64.0);
    return {with_ids(
        engine, [every](std::int64_t, double p) { return std::fmod(p, every); },
        "every " + short_number(every) + " tokens")};
  }
  const auto& decoded = clues.positions(engine);
  const Ids* ids = given_ids(clues);
  std::vector<std::int64_t> starts;
  for (std::size_t n = 1; n < decoded.size(); ++n) {
    if (decoded[n] && *decoded[n] == 0 && ids->at(static_cast<std::int64_t>(n), 0) != 0.0)
      starts.push_back(static_cast<std::int64_t>(n));
  }
  if (starts.empty()) return {};
  std::string words = "at token";
  for (std::size_t i = 0; i < std::min<std::size_t>(starts.size(), 4); ++i)
    words += (i > 0 ? ", " : " ") + std::to_string(starts[i]);
  if (starts.size() > 4) words += ", ...";
  const auto restarted = [starts](std::int64_t n, double p) {
    const auto next = std::upper_bound(starts.begin(), starts.end(), n);
    if (next == starts.begin()) return p;
    return static_cast<double>(n - *(next - 1));
  };
  return {with_ids(engine, restarted, words)};
}

Variations positions_scaled(const Engine& engine, const Clues& clues) {
  if (!placed(engine) || std::holds_alternative<Learned>(engine.spec)) return {};
  const auto scaled = [&](double s) {
    return with_ids(
        engine, [s](std::int64_t, double p) { return p * s; }, "multiplied by " + short_number(s), s);
  };
  if (clues.value()) return {scaled(*clues.value())};
  if (!clues.seen()) return {scaled(0.5)};
  // All frequencies are off by the same factor.
  const auto make = [&](double s) -> std::optional<Engine> {
    Engine changed = engine;
    if (auto* sinusoidal = std::get_if<Sinusoidal>(&changed.spec)) {
      sinusoidal->frequency_scale *= s;
    } else {
      auto& rotary = std::get<Rotary>(changed.spec);
      rotary.frequency_scale *= s;
    }
    changed.plan = nullptr;
    return changed;
  };
  Variations variations;
  for (const double s : clues.fitted(make, 1.0 / 64.0, 64.0, engine)) {
    if (std::abs(s - 1.0) > 1e-5) variations.push_back(scaled(s));
  }
  return variations;
}

Variations positions_clamped(const Engine& engine, const Clues& clues) {
  if (!placed(engine)) return {};
  const auto clamped = [&](double last) {
    return with_ids(
        engine, [last](std::int64_t, double p) { return std::min(p, last); }, "none is above " + short_number(last),
        last);
  };
  if (clues.value()) return {clamped(*clues.value())};
  if (!clues.seen()) return {clamped(2047.0)};
  const auto& decoded = clues.positions(engine);
  const Ids* ids = given_ids(clues);
  std::int64_t last = -1;
  double highest = 0.0;
  for (std::size_t n = 0; n < decoded.size(); ++n) {
    if (decoded[n]) last = std::max(last, *decoded[n]);
    highest = std::max(highest, ids->at(static_cast<std::int64_t>(n), 0));
  }
  if (last <= 0 || static_cast<double>(last) >= highest) return {};
  return {clamped(static_cast<double>(last))};
}

Variations positions_rounded(const Engine& engine, const Clues&) {
  if (!placed(engine) || std::holds_alternative<Learned>(engine.spec)) return {};
  Variations variations;
  for (const Rounding type : {Rounding::bf16, Rounding::f16}) {
    Variation variation{engine, "to " + std::string(words_of(type))};
    variation.engine.turn.ids = type;
    variations.push_back(variation);
  }
  return variations;
}

Variations positions_reversed(const Engine& engine, const Clues& clues) {
  if (!placed(engine)) return {};
  const Ids* ids = given_ids(clues);
  double last = 4095.0;
  if (ids != nullptr && (ids->axes > 1 || ids->count < 2)) return {};
  if (ids != nullptr)
    last = *std::max_element(ids->values.begin(), ids->values.end()) +
           *std::min_element(ids->values.begin(), ids->values.end());
  return {with_ids(engine, [last](std::int64_t, double p) { return last - p; })};
}

// The positions that the numbers show, whatever they are.
Variations positions_other(const Engine& engine, const Clues& clues) {
  if (!turns(engine)) return {};
  if (!clues.seen()) {
    return {with_ids(
        engine, [](std::int64_t n, double p) { return n == 0 ? p : p + 1.0; },
        "0, 2, 3, 4, ... instead of 0, 1, 2, 3, ...")};
  }
  const auto& decoded = clues.positions(engine);
  const auto known = std::count_if(decoded.begin(), decoded.end(), [](const auto& p) { return p.has_value(); });
  if (decoded.empty() || known != static_cast<std::ptrdiff_t>(decoded.size())) return {};
  const Ids* ids = given_ids(clues);
  std::string words;
  int shown = 0;
  for (std::size_t n = 0; n < decoded.size() && shown < 4; ++n) {
    const double right = ids->at(static_cast<std::int64_t>(n), 0);
    if (static_cast<double>(*decoded[n]) == right) continue;
    words += (shown++ > 0 ? ", " : "") + std::string("token ") + std::to_string(n) + " has " +
             std::to_string(*decoded[n]) + " instead of " + short_number(right);
  }
  if (shown == 0) return {};
  return {with_ids(
      engine,
      [decoded](std::int64_t n, double p) {
        // Nothing is known about tokens that were not observed.
        const auto at = static_cast<std::size_t>(n);
        return at < decoded.size() ? static_cast<double>(*decoded[at]) : p;
      },
      words)};
}

// A constant offset from some token on: a cache that counts one token too many.
Variations position_gap(const Engine& engine, const Clues& clues) {
  if (!turns(engine)) return {};
  if (!clues.seen()) {
    const double gap = clues.value().value_or(1.0);
    return {with_ids(
        engine, [gap](std::int64_t n, double p) { return n < 8 ? p : p + gap; },
        short_number(gap) + " too large from token 8 on", gap)};
  }
  const auto& decoded = clues.positions(engine);
  const Ids* ids = given_ids(clues);
  std::int64_t from = -1;
  double gap = 0.0;
  for (std::size_t n = 0; n < decoded.size(); ++n) {
    if (!decoded[n]) continue;
    const double offset = static_cast<double>(*decoded[n]) - ids->at(static_cast<std::int64_t>(n), 0);
    if (offset != 0.0 && from < 0) {
      from = static_cast<std::int64_t>(n);
      gap = offset;
    }
  }
  if (from <= 0) return {};
  return {with_ids(
      engine, [from, gap](std::int64_t n, double p) { return n < from ? p : p + gap; },
      short_number(std::abs(gap)) + (gap > 0 ? " too large" : " too small") + " from token " + std::to_string(from) +
          " on",
      gap)};
}

constexpr FaultChange kPositionChanges[] = {
    {"counted_from_one", counted_from_one, true},   {"position_offset", position_offset, true},
    {"positions_rounded", positions_rounded, true}, {"packing_not_reset", packing_not_reset, true},
    {"padding_counted", padding_counted, true},     {"packing_reset", packing_reset, true},
    {"position_gap", position_gap, true},           {"positions_clamped", positions_clamped, true},
    {"positions_scaled", positions_scaled, true},   {"positions_reversed", positions_reversed, true},
    {"positions_other", positions_other, true},
};

}  // namespace

std::span<const FaultChange> position_changes() { return kPositionChanges; }

}  // namespace posenc::diagnosis
