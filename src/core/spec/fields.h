// The field list of a spec: its members with their names, ranges and help, bound to one object. Construction from text
// and JSON, printing, help and validation all walk this list, so a field is described once.
#pragma once

#include <algorithm>
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

// The largest magnitude of a field that is a position.
inline constexpr auto kPositionLimit = static_cast<double>(kMaxPosition);

// Another word for a value of an enum.
struct OtherWord {
  std::string_view word;
  std::string_view means;
};

// A member of an enum type. Value i of the enum is called words[i].
struct EnumField {
  void* value;  // an enum class; only `read` and `write` know its type
  std::span<const std::string_view> words;
  int (*read)(const void* value) noexcept;
  void (*write)(void* value, int index) noexcept;
  std::span<const OtherWord> others = {};  // accepted in text and JSON, but never printed

  int get() const noexcept { return read(value); }
  void set(int index) const noexcept { write(value, index); }
};

using FieldValue = std::variant<std::int64_t*, double*, bool*, std::optional<std::int64_t>*, std::optional<double>*,
                                std::vector<double>*, std::vector<std::int64_t>*, EnumField>;

struct Field {
  Field(std::string field_name, FieldValue bound_to, std::string_view text)
      : name(std::move(field_name)), value(bound_to), help(text) {}

  // Optional properties are chained: Field("rows", &s.rows, "of the table").between(0, kMaxRows).must_be_given()
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
  Field&& alias(std::vector<std::string> names) && { return aliases = std::move(names), std::move(*this); }
  Field&& example(std::string by_hand, std::string picture) && {
    return examples = {std::move(by_hand), std::move(picture)}, std::move(*this);
  }
  Field&& example(const std::string& both) && { return std::move(*this).example(both, both); }
  // Puts the name of a part before all names of the field.
  void rename_for_part(const std::string& part) {
    name = part + name;
    if (!also.empty()) also = part + also;
    for (std::string& one : aliases) one = part + one;
  }

  // Whether text and JSON accept `word` for this field.
  bool answers_to(std::string_view word) const {
    return name == word || also == word || std::find(aliases.begin(), aliases.end(), word) != aliases.end();
  }
  // The name in messages: users of the C++ API know a field by its member, users of text by its name.
  std::string shown() const { return also.empty() ? name : also + " (" + name + ")"; }
  std::string_view example_for(ExampleSize size) const {
    return size == ExampleSize::by_hand ? examples.by_hand : examples.picture;
  }

  std::string name;  // in a spec with parts, the part's name and a point come first: "fixed.base"
  FieldValue value;
  std::string_view help;
  std::string_view unit = {};
  double low = -std::numeric_limits<double>::infinity();  // the smallest value allowed ...
  double high = std::numeric_limits<double>::infinity();  // ... the largest ...
  bool above_low = false;                                 // ... and whether it must be above `low`
  bool required = false;
  bool selects = false;         // an enum that decides which other fields exist: set it, then get the list again
  std::string_view group = {};  // the field that selects this one; JSON nests this one in the object of that name
  std::string also = {};        // the name of the C++ member if it differs; text and JSON accept both
  std::vector<std::string> aliases =
      {};  // names that papers and configs use; text and JSON accept them, but they are never printed
  struct {
    std::string by_hand, picture;
  } examples = {};  // values as text, for complete_spec; they may depend on the fields before this one
};

// The printed name of the field that `name` or an alias refers to; `name` itself if there is no such field.
POSENC_INTERNAL std::string_view printed_name(const std::vector<Field>& fields, std::string_view name);

// Names that text and JSON accept and convert to fields: tensor2tensor's min_timescale and max_timescale become base
// and scale. `apply` gets one number per name: the given one or the fallback.
struct Shorthand {
  struct Name {
    std::string name;
    double fallback;
    std::string_view help;
  };
  std::vector<Name> names;
  std::vector<std::string> replaces;  // fields that must not be given together with it
  std::function<void(const std::vector<double>&)> apply;
};

// The fields and shorthands of `spec`, bound to it: they are valid while it lives and keeps its kind.
POSENC_INTERNAL std::vector<Field> fields_of(Spec& spec);
std::vector<Shorthand> shorthands_of(Spec& spec);

// Copies the value of every selecting field of `spec` to `other`, a spec of the same kind, so that both have the same
// list of fields.
void adopt_selections(Spec& spec, Spec& other);

// The names of all kinds, in the order of Spec's alternatives.
POSENC_INTERNAL std::vector<std::string_view> kind_names();

// The name or alias of a kind that is nearest to a misspelt word; empty if none is near.
POSENC_INTERNAL std::string_view nearest_kind(std::string_view word);

// A default spec of the kind with this name or alias; std::nullopt if no kind has it or several have.
POSENC_INTERNAL std::optional<Spec> default_spec(std::string_view name);

// The number of the part that a field name begins with: 0 for "0.axis" of a concat. std::nullopt if the name does not
// begin with the number of a part and a point.
inline constexpr std::size_t kMaxParts = 64;
POSENC_INTERNAL std::optional<std::size_t> part_number(std::string_view name) noexcept;
// Gives a concat `count` parts, before fields are bound to them. kind_given(i) is the kind of part i in the input, or
// empty. Does nothing for other kinds of spec.
POSENC_INTERNAL void make_parts(Spec& spec, std::size_t count,
                                const std::function<std::string_view(std::size_t)>& kind_given);
// A spec of the same kind, with parts of the same kinds, and all other fields at their defaults, which to_text omits.
// Its list of fields is the same after adopt_selections.
Spec blank_like(const Spec& spec);

// Throws, naming the field, if its value is outside its range or not finite.
void check_field(std::string_view kind, const Field& field);

// A field's value as text ("none" for an empty optional, numbers of a list joined by '/').
POSENC_INTERNAL std::string field_text(const Field& field);
// "integer", "number", "true|false", "integer or none", "number or none", "list of numbers", "list of integers" or the
// words of an enum: "drop|zero|error".
std::string type_text(const Field& field);
// The same for a message: "a number", "one of drop, zero, error".
std::string wanted_text(const Field& field);

// The index of `word` among an enum's words, in any case; nothing if it is none of them.
std::optional<int> word_found(const EnumField& field, std::string_view word);
// The same, or an error that lists them.
POSENC_INTERNAL int word_index(std::string_view kind, const Field& field, std::string_view word);

// Checks a spec as validate(spec) does, but messages begin with `where` instead of the kind: "my.json: sinusoidal".
POSENC_INTERNAL void check_spec(const Spec& spec, std::string_view where);

// Sets a field from its text. Messages begin with `kind`.
void set_from_text(std::string_view kind, const Field& field, std::string_view text, const ListReader& read_list);

// Whether set_from_text and check_field accept a text. Neither this nor example_with fails: there may be no exceptions.
bool fits(const Field& field, std::string_view text);
// A text with its missing fields filled in, as in a figure; nothing if it has an unknown name or a value that does not
// fit its field. Fields are not checked together.
std::optional<std::string> example_with(std::string_view text);

// For a word that several kinds share: an example of each, "clipped:heads=8,... or t5:heads=8"; empty for others.
POSENC_INTERNAL std::string kind_candidates(std::string_view word);
// The end of a message about an unknown kind: the candidates, or "; did you mean 'sinusoidal'? Known kinds: ...".
POSENC_INTERNAL std::string kind_hint(std::string_view kind);

// A text that begins with the name of a scaling, "yarn:factor=4", as a rotary encoding, "rotary:scaling=yarn,factor=4";
// nothing for other texts.
POSENC_INTERNAL std::optional<std::string> with_scaling(std::string_view text);
// The end of a message about such a text: " is a context scaling of rotary encodings; write rotary:head_dim=128,...";
// empty for other texts.
POSENC_INTERNAL std::string scaling_hint(std::string_view text);
// The end of a message about a word for a kind with some of its fields, " is a form of rotary; write ...", or for a
// method that posenc does not have; empty for other words.
POSENC_INTERNAL std::string form_hint(std::string_view word);

// The complete spec that a text with wrong punctuation seems to mean, "sinusoidal:width=4" for "sinusoidal(width=4)"
// and "sinusoidal:4"; empty if there is none.
POSENC_INTERNAL std::string repaired(std::string_view text);

// Whether `name` is one of the spec's shorthands.
POSENC_INTERNAL bool is_shorthand(Spec& spec, std::string_view name);

// Fails because `spec` has no field `name`: the message says what to write instead and starts with `where`. Examples in
// it have the given `value` if it fits.
[[noreturn]] POSENC_INTERNAL void fail_unknown_field(Spec& spec, std::string_view name, std::string_view value,
                                                     std::string_view where);

// Applies the shorthands that the input contains. number_given returns the number of a name in the input, if it is
// there; is_given tells whether a field is there. Throws if a number is not finite and above 0, or if a shorthand and a
// field that it replaces are both given; messages begin with `where`.
POSENC_INTERNAL void apply_shorthands(Spec& spec,
                                      const std::function<std::optional<double>(std::string_view)>& number_given,
                                      const std::function<bool(std::string_view)>& is_given, std::string_view where);

}  // namespace posenc::spec
