// Compares specs at the lengths and layers that they leave open.
#include <algorithm>

#include "core/text/joined.h"
#include "models/comparison/rule.h"

namespace posenc::comparison {
namespace {

// A copy of the spec, so that length and layer can be set.
struct Settled {
  Spec spec;
  double score_factor;
  std::int64_t channels_before;

  explicit Settled(const Side& side)
      : spec(side.spec), score_factor(side.score_factor), channels_before(side.channels_before) {}
  Side side() const { return {spec, score_factor, channels_before}; }
  Rotary* rotary() { return std::get_if<Rotary>(&spec); }
  const Rotary* rotary() const { return std::get_if<Rotary>(&spec); }

  bool layers_differ() const { return rotary() && rotary()->local_base != 0.0 && !rotary()->layer; }
  bool looks_far(std::int64_t layer) const { return layers_differ() && (layer + 1) % rotary()->global_every == 0; }
  bool needs_length() const {
    return rotary() && posenc::needs_length(rotary()->scaling) && !rotary()->sequence_length;
  }
  void set_layer(std::int64_t layer) {
    if (rotary()) spec = at_layer(*rotary(), layer);
  }
  Settled at_length(std::int64_t length) const {
    Settled copy = *this;
    if (needs_length()) copy.rotary()->sequence_length = length;
    return copy;
  }
};

std::string range_text(const LengthRange& range) {
  const std::string verdict = range.verdict == Agreement::equal_up_to_permutation ? "equal up to a permutation"
                              : range.verdict == Agreement::equal_in_scores       ? "equal in scores only"
                                                                                  : std::string(to_text(range.verdict));
  if (range.last == 0) return verdict + " for sequences of " + std::to_string(range.first) + " or more tokens";
  return verdict + " for sequences of " + std::to_string(range.first) + " to " + std::to_string(range.last) + " tokens";
}

// Tries the lengths at which a scaling may change, and finds the boundaries between them by bisection.
class LengthSweep {
 public:
  LengthSweep(const Settled& a, const Settled& b, const Limits& limits) : a_(a), b_(b), limits_(limits) {}

  Comparison run() {
    const std::vector<std::int64_t> lengths = candidates();
    Comparison worst = at(lengths.front());
    std::vector<LengthRange> ranges = {{1, 0, worst.verdict}};
    for (std::size_t i = 1; i < lengths.size(); ++i) {
      const Comparison next = at(lengths[i]);
      if (next.verdict == ranges.back().verdict) continue;
      const std::int64_t first = border(lengths[i - 1], lengths[i], next.verdict);
      ranges.back().last = first - 1;
      ranges.push_back({first, 0, next.verdict});
      if (next.verdict > worst.verdict) worst = at(first);
    }
    return with_ranges(std::move(worst), ranges);
  }

 private:
  std::vector<std::int64_t> candidates() const {
    std::vector<std::int64_t> lengths = {1};
    for (const Settled* one : {&a_, &b_}) {
      const std::int64_t trained = trained_of(one->spec);
      if (one->needs_length() && trained > 0) lengths.insert(lengths.end(), {trained, trained + 1, 4 * trained});
    }
    std::sort(lengths.begin(), lengths.end());
    lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
    return lengths;
  }

  Comparison at(std::int64_t length) const {
    const Limits limits{limits_.tolerance, std::max(limits_.positions, length)};
    return compare_settled(a_.at_length(length).side(), b_.at_length(length).side(), limits);
  }

  // The first length after `before` that has the verdict of `after`.
  std::int64_t border(std::int64_t before, std::int64_t after, Agreement verdict) const {
    while (after - before > 1) {
      const std::int64_t middle = before + (after - before) / 2;
      (at(middle).verdict == verdict ? after : before) = middle;
    }
    return after;
  }

  static Comparison with_ranges(Comparison result, const std::vector<LengthRange>& ranges) {
    if (ranges.size() == 1) {
      result.notes.push_back("the verdict is the same for every sequence length");
      return result;
    }
    result.lengths = ranges;
    result.sentence = text::joined(ranges, ", ", range_text) + "; then " + result.sentence;
    return result;
  }

  const Settled& a_;
  const Settled& b_;
  Limits limits_;
};

Comparison compare_lengths(const Settled& a, const Settled& b, const Limits& limits) {
  if (a.needs_length() || b.needs_length()) return LengthSweep(a, b, limits).run();
  return compare_settled(a.side(), b.side(), limits);
}

// One layer for each combination of local and global layers of a and b.
std::vector<std::int64_t> layers_to_try(const Settled& a, const Settled& b) {
  std::vector<std::int64_t> layers;
  std::vector<bool> seen(4, false);
  for (std::int64_t layer = 0; layer < 4096; ++layer) {
    const std::size_t combination = (a.looks_far(layer) ? 1U : 0U) + (b.looks_far(layer) ? 2U : 0U);
    if (!seen[combination]) layers.push_back(layer);
    seen[combination] = true;
  }
  return layers;
}

Comparison compare_layers(const Settled& a, const Settled& b, const Limits& limits) {
  std::optional<Comparison> worst;
  std::vector<std::string> verdicts;
  for (const std::int64_t layer : layers_to_try(a, b)) {
    Settled one = a, other = b;
    if (a.layers_differ()) one.set_layer(layer);
    if (b.layers_differ()) other.set_layer(layer);
    Comparison here = compare_lengths(one, other, limits);
    const std::string layers = "layer " + std::to_string(layer) + " and those like it";
    verdicts.push_back(layers + " " + std::string(to_text(here.verdict)));
    here.sentence = layers + ": " + here.sentence;
    if (!worst || here.verdict > worst->verdict) worst = std::move(here);
  }
  worst->notes.push_back("layers differ (local_base): " + text::joined(verdicts, ", "));
  return *worst;
}

Settled with_choice(const Side& side, const CompareOptions& options) {
  Settled result(side);
  if (result.rotary() == nullptr) return result;
  if (options.layer) result.set_layer(*options.layer);
  if (options.sequence_length) result.rotary()->sequence_length = options.sequence_length;
  return result;
}

}  // namespace

Comparison compare_open(const Side& a, const Side& b, const CompareOptions& options) {
  const Limits limits = limits_of(options, std::max(trained_of(a.spec), trained_of(b.spec)));
  const Settled one = with_choice(a, options), other = with_choice(b, options);
  if (one.layers_differ() || other.layers_differ()) return compare_layers(one, other, limits);
  return compare_lengths(one, other, limits);
}

}  // namespace posenc::comparison
