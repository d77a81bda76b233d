#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "core/scalings/rule.h"
#include "core/text/number_text.h"
#include "posenc/error.h"
#include "posenc/scaling.h"

namespace posenc {
namespace {

using scalings::LadderScale;

template <std::size_t... Index>
std::vector<Scaling> all_defaults(std::index_sequence<Index...>) {
  return {Scaling(std::in_place_index<Index>)...};
}

// One of each, all fields at their defaults.
const std::vector<Scaling>& defaults() {
  static const std::vector<Scaling> scalings = all_defaults(std::make_index_sequence<std::variant_size_v<Scaling>>());
  return scalings;
}

[[noreturn]] void refuse(const Scaling& scaling, const std::string& message) {
  fail(ErrorKind::usage, "[scale_ladder] scaling=" + std::string(kind_of(scaling)) + " " + message);
}

Ladder checked(const Scaling& scaling, const Ladder& given) {
  Ladder ladder = given;
  if (!(ladder.base > 0.0) || std::isinf(ladder.base)) {
    fail(ErrorKind::usage, "[scale_ladder] base must be finite and above 0 but got " + text::number_text(ladder.base));
  }
  if (std::holds_alternative<Yarn>(scaling) && ladder.base <= 1.0) refuse(scaling, "needs a base above 1");
  Scaling copy = scaling;  // the field list is bound to an object that may be changed
  for (const spec::Field& field : spec::scaling_fields(copy)) spec::check_field(kind_of(scaling), field);
  if (ladder.dim < 1 || ladder.pairs < 0) fail(ErrorKind::usage, "[scale_ladder] dim and pairs must be at least 1");
  if (ladder.head_dim == 0) ladder.head_dim = ladder.dim;
  if (needs_length(scaling) && !ladder.sequence_length) {
    refuse(scaling, "depends on the length of the sequence: give sequence_length");
  }
  if (ladder.sequence_length && *ladder.sequence_length < 1) {
    fail(ErrorKind::usage,
         "[scale_ladder] sequence_length must be at least 1 but got " + std::to_string(*ladder.sequence_length));
  }
  const bool steps = std::holds_alternative<Ntk>(scaling) || std::holds_alternative<DynamicNtk>(scaling);
  if ((steps && ladder.dim < 3) || (std::holds_alternative<NtkAlpha>(scaling) && ladder.head_dim < 3)) {
    refuse(scaling, "needs a dim above 2: its exponent is dim / (dim - 2)");
  }
  spec::check_together(scaling, ladder.pairs, [&](const std::string& message) { refuse(scaling, message); });
  return ladder;
}

}  // namespace

static_assert(std::is_nothrow_move_constructible_v<Scaling::variant> &&
              std::is_nothrow_move_assignable_v<Scaling::variant>);
Scaling::Scaling(const Scaling& other) = default;
Scaling::Scaling(Scaling&& other) noexcept = default;
Scaling& Scaling::operator=(const Scaling& other) = default;
Scaling& Scaling::operator=(Scaling&& other) noexcept = default;

std::string_view kind_of(const Scaling& scaling) noexcept {
  return std::visit([](const auto& s) { return s.kind; }, scaling);
}

bool needs_length(const Scaling& scaling) noexcept {
  if (const auto* lists = std::get_if<LongRope>(&scaling)) {
    return lists->list == LongRopeList::by_length || lists->short_mscale.has_value();
  }
  return std::holds_alternative<DynamicNtk>(scaling);
}

std::optional<std::int64_t> trained_length(const Scaling& scaling) noexcept {
  return std::visit(
      [](const auto& s) -> std::optional<std::int64_t> {
        if constexpr (requires { s.original_positions; }) return s.original_positions;
        return std::nullopt;
      },
      scaling);
}

Scaling trained_scaling(const Scaling& scaling) {
  if (const auto* proportional = std::get_if<Proportional>(&scaling)) return Proportional{1.0, proportional->share};
  const bool as_trained = std::holds_alternative<PRope>(scaling) ||
                          std::holds_alternative<LearnedMultipliers>(scaling) ||
                          std::holds_alternative<Resonance>(scaling);
  return as_trained ? scaling : NoScaling{};
}

LadderScale scalings::scale_of(const Scaling& scaling, const Ladder& ladder) {
  const Ladder settled = checked(scaling, ladder);
  const LadderScale result = std::visit([&](const auto& s) { return scale(s, settled); }, scaling);
  if (!(result.log_base.high < std::log(std::numeric_limits<double>::max()))) {
    fail(ErrorKind::bad_input, "[rotary] scaling=" + std::string(kind_of(scaling)) +
                                   " makes the base larger than any double: its " +
                                   (std::holds_alternative<NtkAlpha>(scaling) ? "alpha" : "factor") + " is too large");
  }
  return result;
}

ScaledLadder scale_ladder(const Scaling& scaling, const Ladder& ladder) {
  const LadderScale scale = scalings::scale_of(scaling, ladder);
  ScaledLadder result{{}, scale.attention_factor};
  for (std::int64_t i = 0; i < ladder.pairs; ++i) {
    const numbers::DoubleDouble plain = scalings::plain_frequency(scale.log_base, i, ladder.dim);
    const bool same = scale.multipliers.empty();
    result.inv_freq.push_back(same ? plain.high : (plain * scale.multipliers[static_cast<std::size_t>(i)]).high);
  }
  return result;
}

std::int64_t dynamic_length_after(std::int64_t built_for, std::int64_t call_length,
                                  std::int64_t original_positions) noexcept {
  if (call_length > built_for) return call_length;
  return call_length < original_positions ? std::min(built_for, original_positions) : built_for;
}

namespace spec {

std::vector<spec::Field> scaling_fields(Scaling& scaling) {
  return std::visit([](auto& s) { return scalings::fields_of(s); }, scaling);
}

const std::vector<std::string_view>& scaling_words() {
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> list;
    for (const Scaling& scaling : defaults()) list.push_back(kind_of(scaling));
    return list;
  }();
  return words;
}

Scaling default_scaling(int index) { return defaults()[static_cast<std::size_t>(index)]; }

Scaling settled_scaling(const Rotary& spec) {
  Scaling scaling = spec.scaling;
  auto* lists = std::get_if<LongRope>(&scaling);
  if (lists && spec.attention_factor && !lists->factor && lists->max_positions == 0) lists->factor = 1.0;
  return scaling;
}

std::string scalings_with(std::string_view field) {
  std::string text;
  for (Scaling scaling : defaults()) {
    for (const spec::Field& known : scaling_fields(scaling)) {
      if (known.name == field) text += (text.empty() ? "" : ", ") + std::string(kind_of(scaling));
    }
  }
  return text;
}

void check_together(const Scaling& scaling, std::int64_t pairs, const spec::Refuse& refuse) {
  std::visit([&](const auto& s) { scalings::check(s, pairs, refuse); }, scaling);
}

}  // namespace spec
}  // namespace posenc
