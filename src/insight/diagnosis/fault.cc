#include "insight/diagnosis/fault.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text/nearest.h"
#include "core/text/number_text.h"
#include "posenc/error.h"
#include "posenc/files/json.h"

namespace posenc::diagnosis {
namespace {

constexpr std::int64_t kDecodedRange = 1 << 18;

// The engine's own frequencies, in the order of the measured columns.
std::vector<double> own_frequencies(const Engine& engine, std::int64_t head_dim) {
  if (const auto* sinusoidal = std::get_if<Sinusoidal>(&engine.spec)) return make_schedule(*sinusoidal).inv_freq;
  const HeadPlan& plan = plan_of(engine, head_dim);
  std::vector<double> own(static_cast<std::size_t>(plan.columns), 0.0);
  for (std::size_t i = 0; i < plan.inv_freq.size(); ++i) {
    own[i % own.size()] += engine.turn.negative ? -plan.inv_freq[i] : plan.inv_freq[i];
  }
  return own;
}

// The coordinates on one axis, as the engine maps them.
Ids mapped_ids(const Engine& engine, const Ids& given, std::int64_t axis) {
  Ids ids{given.count, 1, false, {}};
  for (std::int64_t n = 0; n < ids.count; ++n) ids.values.push_back(engine.id(n, given.at(n, axis)));
  return ids;
}

const FaultChange& change_named(std::string_view name) {
  for (const auto changes : {row_changes(), bias_changes(), channel_changes(), scaling_changes(), frequency_changes(),
                             factor_changes(), position_changes(), precision_changes(), axis_changes()}) {
    for (const FaultChange& change : changes) {
      if (change.name == name) return change;
    }
  }
  fail(ErrorKind::bad_input, "[diagnose] no function makes the fault " + std::string(name));
}

std::vector<Fault> read_rows() {
  std::vector<Fault> rows;
  for (std::size_t i = 0; i < kFaultLinesCount; ++i) {
    const Json row = parse_json(kFaultLines[i], "faults.jsonl");
    const auto word = [&](std::string_view key) { return row.find(key) ? row.find(key)->string(key) : std::string(); };
    const FaultChange& change = change_named(word("name"));
    rows.push_back({.name = word("name"),
                    .about = word("about"),
                    .sentence = word("sentence"),
                    .symptom = word("symptom"),
                    .fix = word("fix"),
                    .reports = word("reports"),
                    .example = word("example"),
                    .layer = row.find("layer") ? row.find("layer")->integer("layer") : -1,
                    .change = change.change,
                    .keeps_plan = change.keeps_plan});
  }
  return rows;
}

}  // namespace

std::vector<Frequency> Clues::frequencies(const Engine& engine) const {
  if (whole_ == nullptr || engine.turn.turns != 1) return {};
  const std::shared_ptr<const Measured> measured = whole_->measure(engine);
  if (measured == nullptr) return {};
  if (measured != measured_for_) {
    frequencies_ = new_frequencies(engine, *measured);
    measured_for_ = measured;
  }
  return frequencies_;
}

std::vector<Frequency> Clues::new_frequencies(const Engine& engine, const Measured& seen) const {
  const Measured* measured = &seen;
  if (measured->noise < 0.0) {  // frequencies were given
    std::vector<Frequency> result;
    for (const double f : measured->angle) result.push_back({f, std::abs(f) * (half_unit(whole_->type()) + 1e-7)});
    return result;
  }
  if (!std::holds_alternative<Rotary>(engine.spec))
    return measured_frequencies(*measured, mapped_ids(engine, whole_->ids(), 0));
  // Each column follows the coordinates of its axis.
  const HeadPlan& plan = plan_of(engine, whole_->head_dim());
  if (plan.columns != measured->columns) return {};
  std::vector<Frequency> result(static_cast<std::size_t>(plan.columns), {0.0, std::numeric_limits<double>::infinity()});
  for (std::int64_t a = 0; a < plan.axes; ++a) {
    const std::vector<Frequency> on_axis = measured_frequencies(*measured, mapped_ids(engine, whole_->ids(), a));
    for (std::size_t c = 0; c < result.size(); ++c) {
      if (plan.axes == 1 || plan.inv_freq[static_cast<std::size_t>(a) * result.size() + c] != 0.0)
        result[c] = on_axis[c];
    }
  }
  return result;
}

std::optional<double> Clues::magnitude(const Engine& engine) const {
  if (whole_ == nullptr || engine.turn.turns != 1) return std::nullopt;
  const std::shared_ptr<const Measured> measured = whole_->measure(engine);
  if (measured == nullptr || measured->noise < 0.0) return std::nullopt;
  return common_magnitude(*measured, 4.0 * measured->noise + 1e-4);
}

const std::vector<std::optional<std::int64_t>>& Clues::positions(const Engine& engine) const {
  static const std::vector<std::optional<std::int64_t>> kNone;
  if (whole_ == nullptr || engine.turn.turns != 1 || whole_->ids().axes != 1) return kNone;
  const std::shared_ptr<const Measured> measured = whole_->measure(engine);
  if (measured == nullptr || measured->noise < 0.0) return kNone;
  const bool rotary = std::holds_alternative<Rotary>(engine.spec);
  if (rotary) {
    const HeadPlan* plan = &plan_of(engine, whole_->head_dim());
    if (plan == decoded_for_) return decoded_;
    decoded_for_ = plan;
    decoded_plan_ = engine.plan;
  } else {
    decoded_for_ = nullptr;
  }
  decoded_.clear();
  std::vector<double> own = own_frequencies(engine, whole_->head_dim());
  if (static_cast<std::int64_t>(own.size()) < measured->columns) return decoded_;
  const auto [low, high] = std::minmax_element(whole_->ids().values.begin(), whole_->ids().values.end());
  const double reach = std::max(*high - *low, static_cast<double>(whole_->ids().count));
  // The engine may count from 0 even if the given ids start far from it.
  const double first = *low < 65536.0 ? std::min(*low, 0.0) : *low;
  DecodeOptions options{.first = static_cast<std::int64_t>(first) - 512,
                        .end = static_cast<std::int64_t>(std::min(*low + 1.25 * reach, 4e9)) + 1024,
                        .tolerance = 4.0 * measured->noise + 2e-3};
  if (options.end - options.first > kDecodedRange) return decoded_;
  // Try a few tokens first: unless two thirds of them have a position, do not try the others.
  Measured few = *measured;
  few.tokens.resize(std::min<std::size_t>(few.tokens.size(), 6));
  const auto known = decoded_positions(few, own, options, *bins_);
  const auto found = std::count_if(known.begin(), known.end(), [](const auto& p) { return p.has_value(); });
  if (found * 3 < static_cast<std::ptrdiff_t>(known.size()) * 2) return decoded_;
  const auto all = decoded_positions(*measured, own, options, *bins_);
  decoded_.assign(static_cast<std::size_t>(whole_->ids().count), std::nullopt);
  for (std::size_t t = 0; t < all.size(); ++t) decoded_[static_cast<std::size_t>(measured->tokens[t])] = all[t];
  return decoded_;
}

std::optional<std::int64_t> Clues::shift(const Engine& engine) const {
  if (whole_ == nullptr || engine.turn.turns != 1) return std::nullopt;
  const std::shared_ptr<const Measured> seen = whole_->measure(engine);
  if (seen == nullptr || seen->noise < 0.0) return std::nullopt;
  const std::vector<double> own = own_frequencies(engine, whole_->head_dim());
  if (static_cast<std::int64_t>(own.size()) < seen->columns) return std::nullopt;
  const auto* sinusoidal = std::get_if<Sinusoidal>(&engine.spec);
  const double first = sinusoidal != nullptr ? static_cast<double>(sinusoidal->first) : 0.0;
  Measured some = *seen;
  some.tokens.resize(std::min<std::size_t>(some.tokens.size(), 48));
  std::vector<double> expected;
  for (const std::int64_t token : some.tokens) {
    for (std::int64_t c = 0; c < some.columns; ++c) {
      if (sinusoidal != nullptr) {
        expected.push_back((engine.id(token, whole_->ids().at(token, 0)) + first) * own[static_cast<std::size_t>(c)]);
        continue;
      }
      const double* position = &whole_->ids().values[static_cast<std::size_t>(token * whole_->ids().axes)];
      const double angle = angle_of(engine, plan_of(engine, whole_->head_dim()), token, position, c);
      expected.push_back(engine.turn.negative ? -angle : angle);
    }
  }
  // Search far if nothing else is wrong, and less far for a second mistake, which is tried after many first ones.
  return common_shift(some, expected, own, engine.blames.empty() ? 1 << 18 : 1 << 12, *bins_);
}

double Clues::cost(const MakeEngine& make, double x, const std::vector<Frequency>& seen) const {
  const std::optional<Engine> engine = make(x);
  if (!engine) return std::numeric_limits<double>::infinity();
  if (seen.empty()) return quick_->fit(*engine).rms;
  const std::vector<double> own = own_frequencies(*engine, whole_->head_dim());
  double sum = 0.0, weights = 0.0;
  for (std::size_t c = 0; c < std::min(seen.size(), own.size()); ++c) {
    if (!std::isfinite(seen[c].error) || own[c] == 0.0) continue;
    const double relative = seen[c].error / std::max(std::abs(seen[c].value), 1e-300);
    if (relative > 0.5) continue;
    // Between distant tokens, fast pairs may have made another whole turn.
    const double difference = std::abs(own[c] - seen[c].value);
    const double left = std::isfinite(seen[c].turn) ? std::abs(std::remainder(difference, seen[c].turn)) : difference;
    const double off = left / std::abs(own[c]);
    const double weight = 1.0 / (1e-3 + relative);
    sum += std::min(off, 1.0) * weight;
    weights += weight;
  }
  return weights > 0.0 ? sum / weights : std::numeric_limits<double>::infinity();
}

std::vector<double> Clues::fitted(const MakeEngine& make, double low, double high, const Engine& engine) const {
  if (whole_ == nullptr) return {};
  const std::vector<Frequency> seen = frequencies(make(low).value_or(Engine{}));
  const double now = seen.empty() ? quick_->fit(engine).rms : 0.0;
  if (seen.empty() && whole_->measure(make(low).value_or(Engine{})) != nullptr) return {};
  // If the best number of a rule misses the frequencies by a tenth on average, the engine used another rule. Without
  // frequencies, the rule with its new number must fit better than the right rule.
  const double promising = seen.empty() ? 0.8 * now : 0.1;
  const std::optional<double> found = smallest([&](double x) { return cost(make, x, seen); }, {low, high, promising});
  if (!found) return {};
  const double best = *found;
  std::vector<double> result;
  for (const double tolerance : {2e-2, 2e-3, 1e-4, 1e-6}) {
    for (const double plain : {plain_number(best, tolerance), 1.0 / plain_number(1.0 / best, tolerance)}) {
      if (std::find(result.begin(), result.end(), plain) == result.end()) result.push_back(plain);
    }
  }
  if (std::find(result.begin(), result.end(), best) == result.end()) result.push_back(best);
  return result;
}

const std::vector<const Fault*>& all_faults() {
  static const std::vector<Fault> rows = read_rows();
  static const std::vector<const Fault*> all = [] {
    std::vector<const Fault*> pointers;
    for (const Fault& row : rows) pointers.push_back(&row);
    return pointers;
  }();
  return all;
}

const Fault& fault_named(std::string_view name) {
  for (const Fault* fault : all_faults()) {
    if (fault->name == name) return *fault;
  }
  fail(ErrorKind::usage,
       "no fault is called '" + std::string(name) + "'" + text::hint(name, all_faults(), &Fault::name));
}

std::vector<Engine> variations_of(const Fault& fault, const Engine& engine, const Clues& clues) {
  std::vector<Engine> engines;
  for (Variation& variation : fault.change(engine, clues)) {
    Engine& changed = variation.engine;
    if (!fault.keeps_plan) changed.plan = nullptr;
    changed.schedule = nullptr;
    changed.table = nullptr;
    changed.blames.push_back({&fault, variation.value, std::move(variation.words)});
    engines.push_back(std::move(changed));
  }
  return engines;
}

const Rotary* turning(const Engine& engine) {
  const auto* rotary = std::get_if<Rotary>(&engine.spec);
  return rotary != nullptr && engine.turn.turns > 0 ? rotary : nullptr;
}

const Rotary* ruled(const Engine& engine) {
  const Rotary* rotary = turning(engine);
  return rotary != nullptr && rotary->inv_freq.empty() ? rotary : nullptr;
}

Engine with_frequencies(const Engine& engine, const RotarySchedule& right, std::vector<double> frequencies,
                        double attention_factor) {
  Engine changed = engine;
  changed.spec = Rotary{.head_dim = right.head_dim,
                        .layout = right.layout,
                        .rotary_dim = right.rotary_dim,
                        .first_channel = right.first_channel,
                        .inv_freq = std::move(frequencies),
                        .axes = right.axes,
                        .attention_factor = attention_factor,
                        .attention_factor_in = right.attention_factor_in};
  changed.plan = nullptr;
  return changed;
}

std::string short_number(double value) { return text::general_text(value, 6); }

}  // namespace posenc::diagnosis
