#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "core/base/refuse.h"
#include "core/scalings/rule.h"
#include "core/text/joined.h"
#include "posenc/scaling.h"

namespace posenc {
namespace {

using scalings::LadderScale;

template <std::size_t... Index>
std::vector<Scaling> all_defaults(std::index_sequence<Index...>) {
  return {Scaling(std::in_place_index<Index>)...};
}

// One scaling of each kind with default fields.
const std::vector<Scaling>& defaults() {
  static const std::vector<Scaling> scalings = all_defaults(std::make_index_sequence<std::variant_size_v<Scaling>>());
  return scalings;
}

constexpr base::Refusal refuse{"scale_ladder"};

Ladder checked(const Scaling& scaling, const Ladder& given) {
  Ladder ladder = given;
  refuse.unless(ladder.base > 0.0 && !std::isinf(ladder.base), "base must be finite and above 0 but got ", ladder.base);
  Scaling copy = scaling;  // field lists need a mutable object
  for (const spec::Field& field : spec::scaling_fields(copy)) spec::check_field(kind_of(scaling), field);
  refuse.unless(ladder.dim >= 1 && ladder.pairs >= 0, "dim and pairs must be at least 1");
  if (ladder.head_dim == 0) ladder.head_dim = ladder.dim;
  refuse.unless(!needs_length(scaling) || ladder.sequence_length, "scaling=", kind_of(scaling),
                " depends on the sequence length: give sequence_length");
  if (ladder.sequence_length && *ladder.sequence_length < 1) {
    refuse("sequence_length must be at least 1 but got ", *ladder.sequence_length);
  }
  spec::check_together(scaling, ladder, refuse);
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
  const auto needs = scalings::row_of(scaling).needs_length;
  return needs != nullptr && needs(scaling);
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
  const auto trained = scalings::row_of(scaling).trained;
  return trained == nullptr ? Scaling(NoScaling{}) : trained(scaling);
}

const scalings::ScalingRow& scalings::row_of(const Scaling& scaling) noexcept {
  return std::visit([](const auto& s) -> const ScalingRow& { return s.row; }, scaling);
}

LadderScale scalings::scale_of(const Scaling& scaling, const Ladder& ladder) {
  const Ladder settled = checked(scaling, ladder);
  const LadderScale result = row_of(scaling).scale(scaling, settled);
  base::require_input(result.log_base.high < std::log(std::numeric_limits<double>::max()), "rotary",
                      "scaling=", kind_of(scaling), " makes the base larger than any double: its ",
                      (kind_of(scaling) == NtkAlpha::kind ? "alpha" : "factor"), " is too large");
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

std::vector<spec::Field> scaling_fields(Scaling& scaling) { return scalings::row_of(scaling).fields(scaling); }

const std::vector<std::string_view>& scaling_words() {
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> list;
    for (const Scaling& scaling : defaults()) list.push_back(kind_of(scaling));
    return list;
  }();
  return words;
}

const std::vector<OtherWord>& other_scaling_words() {
  static const std::vector<OtherWord> words = [] {
    std::vector<OtherWord> list;
    for (const Scaling& scaling : defaults()) {
      for (const std::string_view word : scalings::row_of(scaling).words) list.push_back({word, kind_of(scaling)});
    }
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
  std::vector<std::string_view> kinds;
  for (Scaling scaling : defaults()) {
    for (const spec::Field& known : scaling_fields(scaling)) {
      if (known.name == field) kinds.push_back(kind_of(scaling));
    }
  }
  return text::joined(kinds, ", ");
}

void check_together(const Scaling& scaling, const Ladder& ladder, const base::Refusal& refuse) {
  const auto check = scalings::row_of(scaling).check;
  if (check != nullptr) check(scaling, ladder, refuse);
}

}  // namespace spec
}  // namespace posenc
