// The functions that work for every kind, by its row.
#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "core/base/check_view.h"
#include "core/spec/bound_parameters.h"
#include "core/spec/kind_row.h"
#include "core/spec/rotary_window.h"
#include "core/spec/scaling_fields.h"
#include "core/text/folded.h"
#include "core/text/nearest.h"
#include "core/text/number_text.h"

namespace posenc {
namespace {

struct Kind {
  std::string_view name;
  std::string_view summary;
  Place place;
  const spec::KindRow* row;
};

template <class... Kinds>
constexpr auto kinds_of(const std::variant<Kinds...>*) {
  return std::to_array<Kind>({{Kinds::kind, Kinds::summary, Kinds::place, &Kinds::row}...});
}

// In the order of Spec's alternatives.
constexpr auto kKinds = kinds_of(static_cast<const Spec::variant*>(nullptr));

template <std::size_t... index>
Spec default_at(std::size_t kind, std::index_sequence<index...>) {
  using Make = Spec (*)();
  constexpr Make make[] = {[] { return Spec(std::in_place_index<index>); }...};
  return make[kind]();
}

// All fields at their defaults. A concat gets one part, so that its list of fields includes those of a part.
Spec default_of(std::size_t kind) {
  Spec spec = default_at(kind, std::make_index_sequence<kKinds.size()>());
  if (auto* concat = std::get_if<Concat>(&spec)) concat->parts.resize(1);
  return spec;
}

FieldInfo info_of(const spec::Field& field) {
  std::vector<std::string> also = field.aliases;
  if (!field.also.empty()) also.insert(also.begin(), field.also);
  return {field.name,
          spec::type_text(field),
          field.required ? "" : spec::field_text(field),
          std::string(field.unit),
          std::string(field.help),
          std::move(also)};
}

}  // namespace

static_assert(std::is_nothrow_move_constructible_v<Spec::variant> && std::is_nothrow_move_assignable_v<Spec::variant>);
Spec::Spec(const Spec& other) = default;
Spec::Spec(Spec&& other) noexcept = default;
Spec& Spec::operator=(const Spec& other) = default;
Spec& Spec::operator=(Spec&& other) noexcept = default;

std::string_view kind_of(const Spec& spec) noexcept { return kKinds[spec.index()].name; }
Place place_of(const Spec& spec) noexcept { return kKinds[spec.index()].place; }

std::vector<std::string_view> kinds_called(std::string_view given) {
  const std::string word = text::folded(given);  // RoPE, ALiBi, Transformer-XL
  std::vector<std::string_view> names;
  for (const Kind& kind : kKinds) {
    if (kind.name == word) return {kind.name};
    const auto words = kind.row->words;
    if (std::find(words.begin(), words.end(), word) != words.end()) names.push_back(kind.name);
  }
  return names;
}

std::optional<std::string> scaling_called(std::string_view given) {
  const std::string word = text::folded(given);
  for (const KindInfo& scaling : scaling_kinds()) {
    const bool other = std::find(scaling.also.begin(), scaling.also.end(), word) != scaling.also.end();
    if (scaling.name == word || other) return scaling.name;
  }
  return std::nullopt;
}

std::optional<std::string> kind_called(std::string_view word) {
  const std::vector<std::string_view> names = kinds_called(word);
  if (names.size() != 1) return std::nullopt;
  return std::string(names[0]);
}

void validate(const Spec& spec) { spec::check_spec(spec, kind_of(spec)); }

std::vector<ParameterInfo> parameters_of(const Spec& spec) {
  const auto parameters = spec::row_of(spec).parameters;
  return parameters == nullptr ? std::vector<ParameterInfo>() : parameters(spec);
}

std::int64_t axes_of(const Spec& spec) noexcept {
  if (const auto* rotary = std::get_if<Rotary>(&spec)) return spec::axes_of(*rotary);
  if (const auto* pope = std::get_if<Pope>(&spec)) return pope->axes;
  if (const auto* fourier = std::get_if<Fourier>(&spec)) return fourier->axes;
  const auto* concat = std::get_if<Concat>(&spec);
  if (concat == nullptr) return 1;
  if (concat->axes != 0) return concat->axes;
  std::int64_t axes = 1;
  for (const ConcatPart& part : concat->parts) axes = std::max(axes, part.axis + 1);
  return axes;
}

std::vector<KindInfo> scaling_kinds() {
  std::vector<KindInfo> result;
  for (int i = 0; i < static_cast<int>(spec::scaling_words().size()); ++i) {
    Scaling scaling = spec::default_scaling(i);
    const std::string_view summary = std::visit([](const auto& s) { return s.summary; }, scaling);
    KindInfo info{std::string(kind_of(scaling)), std::string(summary), {}, {}};
    for (const spec::Field& field : spec::scaling_fields(scaling)) info.fields.push_back(info_of(field));
    for (const spec::OtherWord& other : spec::other_scaling_words()) {
      if (other.means == info.name) info.also.emplace_back(other.word);
    }
    result.push_back(std::move(info));
  }
  return result;
}

std::vector<KindInfo> kinds() {
  std::vector<KindInfo> result;
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    Spec spec = default_of(i);
    KindInfo kind{std::string(kKinds[i].name), std::string(kKinds[i].summary), {}, {}};
    for (const std::string_view word : kKinds[i].row->words) {
      if (kinds_called(word).size() == 1) kind.also.emplace_back(word);
    }
    for (const spec::Field& field : spec::fields_of(spec)) kind.fields.push_back(info_of(field));
    for (const spec::Shorthand& shorthand : spec::shorthands_of(spec)) {
      for (const spec::Shorthand::Name& item : shorthand.names) {
        kind.shorthands.push_back(
            {std::string(item.name), "number", text::number_text(item.fallback), "", std::string(item.help)});
      }
    }
    result.push_back(std::move(kind));
  }
  return result;
}

namespace spec {

const KindRow& row_of(const Spec& spec) noexcept { return *kKinds[spec.index()].row; }

std::vector<Field> fields_of(Spec& spec) { return row_of(spec).fields(spec); }

std::vector<Shorthand> shorthands_of(Spec& spec) {
  const auto shorthands = row_of(spec).shorthands;
  return shorthands == nullptr ? std::vector<Shorthand>() : shorthands(spec);
}

void check_spec(const Spec& spec, std::string_view where) {
  Spec copy = spec;  // field lists need a mutable object
  for (const Field& field : fields_of(copy)) check_field(where, field);
  const auto check = row_of(spec).check;
  if (check != nullptr) check(spec, where);
}

std::vector<std::string_view> kind_names() {
  std::vector<std::string_view> names;
  for (const Kind& kind : kKinds) names.push_back(kind.name);
  return names;
}

std::string_view nearest_kind(std::string_view word) {
  std::vector<std::string_view> words = kind_names();
  for (const Kind& kind : kKinds) words.insert(words.end(), kind.row->words.begin(), kind.row->words.end());
  return text::nearest(word, words);
}

std::optional<Spec> default_spec(std::string_view name) {
  const std::vector<std::string_view> names = kinds_called(name);
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (names.size() == 1 && kKinds[i].name == names[0]) return default_of(i);
  }
  return std::nullopt;
}

std::int64_t heads_of(const Spec& spec) noexcept {
  return std::visit(
      [](const auto& kind) -> std::int64_t {
        if constexpr (requires { kind.heads; }) return kind.heads;
        return 0;
      },
      spec);
}

}  // namespace spec
}  // namespace posenc
