// The field list of a spec: its members with their names, ranges and help, bound to one object. Construction from text
// and JSON, printing, help and validation all walk this list, so a field is described once.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "posenc/export.h"
#include "posenc/position.h"
#include "posenc/spec.h"

namespace posenc::spec {

// The bound of fields that are positions.
inline constexpr auto kPositionLimit = static_cast<double>(kMaxPosition);

// An enum member by its words: its values count them from 0.
struct EnumField {
  void* value;  // an enum class; only the two functions know which
  std::span<const std::string_view> words;
  int (*read)(const void* value) noexcept;
  void (*write)(void* value, int index) noexcept;

  int get() const noexcept { return read(value); }
  void set(int index) const noexcept { write(value, index); }
};

using FieldValue = std::variant<std::int64_t*, double*, bool*, std::optional<std::int64_t>*, std::optional<double>*,
                                std::vector<double>*, std::vector<std::int64_t>*, EnumField>;

struct Field {
  Field(std::string field_name, FieldValue bound_to, std::string_view text)
      : name(std::move(field_name)), value(bound_to), help(text) {}

  // What is more to say: Field("rows", &s.rows, "of the table").between(0, kMaxRows, "rows").must_be_given()
  Field&& between(double from, double to, std::string_view of = {}) && {
    low = from, high = to, unit = of;
    return std::move(*this);
  }
  Field&& at_least(double from) && { return low = from, std::move(*this); }
  Field&& above(double from, std::string_view of = {}) && {
    low = from, above_low = true, unit = of;
    return std::move(*this);
  }
  Field&& at_most(double to) && { return high = to, std::move(*this); }
  Field&& in(std::string_view of) && { return unit = of, std::move(*this); }
  Field&& must_be_given(bool must = true) && { return required = must, std::move(*this); }
  Field&& selecting() && { return selects = true, std::move(*this); }
  Field&& also_called(std::string member) && { return also = std::move(member), std::move(*this); }
  // Puts the name of a part before the field's own.
  void rename_for_part(const std::string& part) {
    name = part + name;
    if (!also.empty()) also = part + also;
  }

  // For messages, which are read by those who write text and by those who write C++.
  std::string shown() const { return also.empty() ? name : also + " (" + name + ")"; }

  std::string name;  // with a part's name before a point where a spec has parts: "fixed.base"
  FieldValue value;
  std::string_view help;
  std::string_view unit = {};
  double low = -std::numeric_limits<double>::infinity();  // the smallest value allowed ...
  double high = std::numeric_limits<double>::infinity();  // ... the largest ...
  bool above_low = false;                                 // ... and whether it must lie above `low`
  bool required = false;
  bool selects = false;         // an enum that decides which fields follow: set it first, then ask for the list again
  std::string_view group = {};  // the field that selects this one; in JSON it stands in the object of that name
  std::string also = {};        // the name of the member in C++ if that is another; text and JSON accept both
};

// The name of the field that `name` means, as it is printed.
POSENC_INTERNAL std::string_view printed_name(const std::vector<Field>& fields, std::string_view name);

// Names that are accepted in text and JSON and turned into fields: tensor2tensor's min_timescale and max_timescale are
// a base and a scale. `apply` gets one number per name, its fallback where it was not given.
struct Shorthand {
  struct Name {
    std::string name;
    double fallback;
    std::string_view help;
  };
  std::vector<Name> names;
  std::vector<std::string> replaces;  // fields that must then not be given
  std::function<void(const std::vector<double>&)> apply;
};

// The fields and shorthands of `spec`, bound to it: they are valid while it lives and keeps its kind.
POSENC_INTERNAL std::vector<Field> fields_of(Spec& spec);
std::vector<Shorthand> shorthands_of(Spec& spec);

// The value of every field that selects, in the fields of `spec`, set in `other`, a spec of the same kind: both then
// have the same fields.
void adopt_selections(Spec& spec, Spec& other);

// In the order of Spec's alternatives.
POSENC_INTERNAL std::vector<std::string_view> kind_names();

// A default spec of that kind, or nothing if there is no such kind.
POSENC_INTERNAL std::optional<Spec> default_spec(std::string_view name);

// The parts of a concat have numbers for names: "0.axis" is part 0. Nothing where a name begins with no such number.
inline constexpr std::size_t kMaxParts = 64;
POSENC_INTERNAL std::optional<std::size_t> part_number(std::string_view name) noexcept;
// Gives a concat that many parts of the kinds that its input names, before fields are bound to them; of other kinds,
// and of none, nothing happens.
POSENC_INTERNAL void make_parts(Spec& spec, std::size_t count,
                                const std::function<std::string_view(std::size_t)>& kind_given);
// A spec of default fields with the same list of fields: what is not printed.
Spec blank_like(const Spec& spec);

// Throws, naming the field, if its value lies outside its range or is not finite.
void check_field(std::string_view kind, const Field& field);

// A field's value as text ("none" for an empty optional, numbers of a list joined by '/').
POSENC_INTERNAL std::string field_text(const Field& field);
// "integer", "number", "true|false", "integer or none", "number or none", "list of numbers", "list of integers" or the
// words of an enum: "drop|zero|error".
std::string type_text(const Field& field);
// The same for a message: "a number", "one of drop, zero, error".
std::string wanted_text(const Field& field);

// The index of `word` among an enum's words, or an error that lists them.
POSENC_INTERNAL int word_index(std::string_view kind, const Field& field, std::string_view word);

// Throws what validate(spec) throws; `where` opens the messages instead of the kind: "my.json: sinusoidal".
POSENC_INTERNAL void check_spec(const Spec& spec, std::string_view where);

// The end of a message about an unknown kind: "; did you mean 'sinusoidal'? Known kinds: sinusoidal".
POSENC_INTERNAL std::string kind_hint(std::string_view kind);

// Whether `name` is one of the spec's shorthands.
POSENC_INTERNAL bool is_shorthand(Spec& spec, std::string_view name);

// Fails because `name` is no field of `kind`: the message names the nearest one. `where` opens it.
[[noreturn]] POSENC_INTERNAL void fail_unknown_field(Spec& spec, std::string_view name, std::string_view where);

// Applies what was given of the shorthands; `given` looks a name up in the input and tells whether it was there.
// `where` opens the message if a shorthand and a field that it replaces were both given.
POSENC_INTERNAL void apply_shorthands(Spec& spec,
                                      const std::function<std::optional<double>(std::string_view)>& number_given,
                                      const std::function<bool(std::string_view)>& is_given, std::string_view where);

}  // namespace posenc::spec
