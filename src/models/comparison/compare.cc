#include "posenc/models/compare.h"

#include <algorithm>

#include "models/comparison/rule.h"

namespace posenc {
namespace comparison {
namespace {

bool has_rows(const Spec& spec) {
  return std::holds_alternative<Sinusoidal>(spec) || std::holds_alternative<Fourier>(spec) ||
         std::holds_alternative<Concat>(spec);
}

// Whether the encoding has no effect at position 0.
bool begins_at_one(const Spec& spec) {
  return std::holds_alternative<Rotary>(spec) || std::holds_alternative<Xpos>(spec) ||
         std::holds_alternative<Alibi>(spec) || std::holds_alternative<NoPosition>(spec) ||
         std::holds_alternative<Window>(spec);
}

Comparison compare_turns(const Side& a, const Side& b, const Limits& limits) {
  if (const auto* pope = std::get_if<Pope>(&a.spec)) return compare_pope(*pope, std::get<Pope>(b.spec), limits);
  if (const auto* xpos = std::get_if<Xpos>(&a.spec)) return compare_xpos(*xpos, std::get<Xpos>(b.spec), limits);
  return compare_rotary(a, b, limits);
}

Comparison by_place(const Side& a, const Side& b, const Limits& limits) {
  switch (place_of(a.spec)) {
    case Place::input:
      return compare_input(a.spec, b.spec, limits);
    case Place::rotation:
      return compare_turns(a, b, limits);
    case Place::query:
      return compare_temperature(std::get<QueryTemperature>(a.spec), std::get<QueryTemperature>(b.spec), limits);
    case Place::bias:
      return compare_bias(a.spec, b.spec, limits);
    case Place::term:
      return compare_term(a.spec, b.spec, limits);
    case Place::nowhere:
      break;
  }
  return same(Agreement::equal, limits, "neither has positions");
}

}  // namespace

Comparison compare_settled(const Side& a, const Side& b, const Limits& limits) {
  const bool comparable = a.spec.index() == b.spec.index() || (has_rows(a.spec) && has_rows(b.spec));
  if (!comparable) {
    return different(limits, begins_at_one(a.spec) && begins_at_one(b.spec) ? 1 : 0,
                     {"kind", "", 0, kind_of(a.spec), kind_of(b.spec)});
  }
  Comparison result = by_place(a, b, limits);
  // For rotary encodings, by_place has already compared the score factor together with their own factors.
  if (!std::holds_alternative<Rotary>(a.spec) && !same_factor(a.score_factor, b.score_factor, limits.tolerance)) {
    return different(limits, 0, {"softmax_scale", "", 0, a.score_factor, b.score_factor});
  }
  return result;
}

}  // namespace comparison

std::string_view to_text(Agreement verdict) noexcept {
  switch (verdict) {
    case Agreement::equal:
      return "equal";
    case Agreement::equal_up_to_permutation:
      return "equal_up_to_permutation";
    case Agreement::equal_in_scores:
      return "equal_in_scores";
    case Agreement::different:
      break;
  }
  return "different";
}

Comparison compare(const Spec& a, const Spec& b, const CompareOptions& options) {
  validate(a);
  validate(b);
  return comparison::compare_open({a}, {b}, options);
}

}  // namespace posenc
