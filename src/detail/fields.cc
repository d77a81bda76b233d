#include "detail/fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "detail/number_text.h"
#include "posenc/error.h"
#include "posenc/nearest.h"
#include "posenc/position.h"

namespace posenc::detail {
namespace {

constexpr auto kPositionLimit = static_cast<double>(kMaxPosition);

constexpr std::array<std::string_view, 3> kSpacingWords = {"width", "even_width", "half"};
constexpr std::array<std::string_view, 4> kOrderWords = {"interleaved", "cos_interleaved", "halves", "cos_halves"};
constexpr std::array<std::string_view, 3> kOddWords = {"drop", "zero", "error"};

template <class Enum>
EnumField enum_field(Enum& value, std::span<const std::string_view> words) {
  return {&value, words, [](const void* from) noexcept { return static_cast<int>(*static_cast<const Enum*>(from)); },
          [](void* to, int index) noexcept { *static_cast<Enum*>(to) = static_cast<Enum>(index); }};
}

std::vector<Field> fields_of(Sinusoidal& s) {
  return {
      {.name = "width",
       .value = &s.width,
       .help = "channels of a row",
       .unit = "channels",
       .low = 1,
       .high = 1048576,
       .required = true},
      {.name = "base",
       .value = &s.base,
       .help = "the slowest pair turns about this many times slower than the fastest",
       .low = 0,
       .above_low = true},
      {.name = "spacing",
       .value = enum_field(s.spacing, kSpacingWords),
       .help = "exponent of pair j: 2j/width, 2j/(width rounded up to even), or j/(pairs - shift)"},
      {.name = "shift", .value = &s.shift, .help = "with spacing=half: 1 in tensor2tensor, any in diffusion timesteps"},
      {.name = "exponent_factor", .value = &s.exponent_factor, .help = "multiplies every exponent"},
      {.name = "scale", .value = &s.scale, .help = "multiplies every frequency, as scaling the positions would"},
      {.name = "inv_freq",
       .value = &s.inv_freq,
       .help = "frequencies given one by one, instead of the rule",
       .unit = "radians per position"},
      {.name = "first",
       .value = &s.first,
       .help = "what position 0 counts as: 1, 2, padding_idx + 1",
       .unit = "positions",
       .low = -kPositionLimit,
       .high = kPositionLimit},
      {.name = "order", .value = enum_field(s.order, kOrderWords), .help = "where sines and cosines stand in a row"},
      {.name = "odd",
       .value = enum_field(s.odd, kOddWords),
       .help = "an odd width drops the last partner, ends in a zero, or is an error"},
      {.name = "multiplier", .value = &s.multiplier, .help = "multiplies every value"},
      {.name = "zero_position",
       .value = &s.zero_position,
       .help = "the row of this position (after adding first) is zero: the padding row of fairseq",
       .unit = "positions",
       .low = -kPositionLimit,
       .high = kPositionLimit},
  };
}

// tensor2tensor multiplies by min_timescale where the name says divide; every port of it does the same.
std::vector<Shorthand> shorthands_of(Sinusoidal& s) {
  return {{.names = {{"min_timescale", 1.0, "with max_timescale: scale = min_timescale, as tensor2tensor computes it"},
                     {"max_timescale", 10000.0, "base = max_timescale / min_timescale"}},
           .replaces = {"base", "scale", "inv_freq"},
           .apply = [&s](const std::vector<double>& values) {
             s.scale = values[0];
             s.base = values[1] / values[0];
           }}};
}

[[noreturn]] void fail_value(std::string_view kind, const Field& field, const std::string& condition,
                             const std::string& got) {
  fail(ErrorKind::bad_input,
       "[" + std::string(kind) + "] " + std::string(field.name) + " must be " + condition + " but got " + got);
}

void check_number(std::string_view kind, const Field& field, double value) {
  const std::string got = number_text(value);
  if (!std::isfinite(value)) fail_value(kind, field, "finite", got);
  if (field.above_low && value <= field.low) fail_value(kind, field, "above " + number_text(field.low), got);
  if (value < field.low) fail_value(kind, field, "at least " + number_text(field.low), got);
  if (value > field.high) fail_value(kind, field, "at most " + general_text(field.high, 17), got);
}

}  // namespace

std::vector<Field> fields_of(Spec& spec) {
  return std::visit([](auto& s) { return fields_of(s); }, spec);
}

std::vector<Shorthand> shorthands_of(Spec& spec) {
  return std::visit([](auto& s) { return shorthands_of(s); }, spec);
}

const std::vector<Kind>& all_kinds() {
  static const std::vector<Kind> kinds = {
      {"sinusoidal", "sines and cosines of geometrically spaced frequencies, added to the embeddings", Sinusoidal{}},
  };
  return kinds;
}

std::vector<std::string_view> kind_names() {
  std::vector<std::string_view> names;
  for (const Kind& kind : all_kinds()) names.push_back(kind.name);
  return names;
}

std::optional<Spec> default_spec(std::string_view name) {
  for (const Kind& kind : all_kinds()) {
    if (kind.name == name) return kind.fallback;
  }
  return std::nullopt;
}

void check_field(std::string_view kind, const Field& field) {
  const auto check = [&](double value) { check_number(kind, field, value); };
  std::visit(
      [&](const auto& value) {
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::int64_t*> || std::is_same_v<Value, double*>) {
          check(static_cast<double>(*value));
        } else if constexpr (std::is_same_v<Value, std::optional<std::int64_t>*>) {
          if (value->has_value()) check(static_cast<double>(**value));
        } else if constexpr (std::is_same_v<Value, std::vector<double>*>) {
          for (const double number : *value) check(number);
        } else if (value.get() < 0 || value.get() >= static_cast<int>(value.words.size())) {
          fail_value(kind, field, wanted_text(field), std::to_string(value.get()));
        }
      },
      field.value);
}

std::string field_text(const Field& field) {
  return std::visit(
      [](const auto& value) -> std::string {
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::int64_t*>) {
          return std::to_string(*value);
        } else if constexpr (std::is_same_v<Value, double*>) {
          return number_text(*value);
        } else if constexpr (std::is_same_v<Value, std::optional<std::int64_t>*>) {
          return value->has_value() ? std::to_string(**value) : "none";
        } else if constexpr (std::is_same_v<Value, std::vector<double>*>) {
          std::string text;
          for (const double number : *value) text += (text.empty() ? "" : "/") + number_text(number);
          return value->empty() ? "none" : text;
        } else {
          return std::string(value.words[static_cast<std::size_t>(value.get())]);
        }
      },
      field.value);
}

std::string type_text(const Field& field) {
  if (std::holds_alternative<std::int64_t*>(field.value)) return "integer";
  if (std::holds_alternative<double*>(field.value)) return "number";
  if (std::holds_alternative<std::optional<std::int64_t>*>(field.value)) return "integer or none";
  if (std::holds_alternative<std::vector<double>*>(field.value)) return "list of numbers";
  std::string text;
  for (const std::string_view word : std::get<EnumField>(field.value).words) {
    text += (text.empty() ? "" : "|") + std::string(word);
  }
  return text;
}

std::string wanted_text(const Field& field) {
  if (!std::holds_alternative<EnumField>(field.value)) {
    const std::string type = type_text(field);
    return (type.starts_with("integer") ? "an " : "a ") + type;
  }
  std::string text;
  for (const std::string_view word : std::get<EnumField>(field.value).words) {
    text += (text.empty() ? "one of " : ", ") + std::string(word);
  }
  return text;
}

int word_index(std::string_view kind, const Field& field, std::string_view word) {
  const auto words = std::get<EnumField>(field.value).words;
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) fail_value(kind, field, wanted_text(field), "'" + std::string(word) + "'");
  return static_cast<int>(found - words.begin());
}

std::string kind_hint(std::string_view kind) {
  const std::vector<std::string_view> known = kind_names();
  const std::string_view near = nearest(kind, known);
  std::string text = near.empty() ? "." : "; did you mean '" + std::string(near) + "'?";
  text += " Known kinds:";
  for (const std::string_view name : known) text += " " + std::string(name);
  return text;
}

bool is_shorthand(Spec& spec, std::string_view name) {
  for (const Shorthand& shorthand : shorthands_of(spec)) {
    for (const Shorthand::Name& item : shorthand.names) {
      if (item.name == name) return true;
    }
  }
  return false;
}

void fail_unknown_field(Spec& spec, std::string_view name, std::string_view where) {
  std::vector<std::string_view> known;
  for (const Field& field : fields_of(spec)) known.push_back(field.name);
  for (const Shorthand& shorthand : shorthands_of(spec)) {
    for (const Shorthand::Name& short_name : shorthand.names) known.push_back(short_name.name);
  }
  std::string message =
      std::string(where) + " " + std::string(kind_of(spec)) + " has no field '" + std::string(name) + "'";
  const std::string_view near = nearest(name, known);
  if (!near.empty()) {
    message += "; did you mean '" + std::string(near) + "'?";
  } else {
    message += "; its fields are:";
    for (const std::string_view field : known) message += " " + std::string(field);
  }
  fail(ErrorKind::bad_input, message);
}

void apply_shorthands(Spec& spec, const std::function<std::optional<double>(std::string_view)>& number_given,
                      const std::function<bool(std::string_view)>& is_given, std::string_view where) {
  for (const Shorthand& shorthand : shorthands_of(spec)) {
    std::vector<double> values;
    std::string_view used;
    for (const Shorthand::Name& name : shorthand.names) {
      const std::optional<double> number = number_given(name.name);
      if (number.has_value()) used = name.name;
      values.push_back(number.value_or(name.fallback));
    }
    if (used.empty()) continue;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] > 0.0 && std::isfinite(values[i])) continue;
      fail(ErrorKind::bad_input, std::string(where) + " " + std::string(shorthand.names[i].name) +
                                     " must be finite and above 0 but got " + number_text(values[i]));
    }
    for (const std::string_view field : shorthand.replaces) {
      if (!is_given(field)) continue;
      fail(ErrorKind::bad_input, std::string(where) + " " + std::string(used) + " and " + std::string(field) +
                                     " say the same thing: give one of them");
    }
    shorthand.apply(values);
  }
}

}  // namespace posenc::detail
