// Sets the value of a field from text.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/base/refuse.h"
#include "core/spec/fields.h"
#include "core/text/folded.h"
#include "core/text/number_text.h"
#include "posenc/list_reader.h"

namespace posenc::spec {
namespace {

struct TextReader {
  std::string_view kind;
  const Field& field;
  std::string_view text;
  const ListReader& read_list;

  [[noreturn]] void fail_type() const {
    base::refuse_input(kind, field.shown(), " must be ", wanted_text(field), " but got '", text, "'");
  }

  // Words are read in any case: True and None are those of Python.
  bool says(std::string_view word) const { return text::folded(text) == word; }

  void operator()(std::int64_t* value) const {
    const auto number = text::parse_integer(text);
    if (!number) fail_type();
    *value = *number;
  }
  void operator()(double* value) const {
    const auto number = text::parse_number(text);
    if (!number) fail_type();
    *value = *number;
  }
  void operator()(bool* value) const {
    if (!says("true") && !says("false")) fail_type();
    *value = says("true");
  }
  void operator()(std::optional<double>* value) const {
    value->reset();
    if (says("none")) return;
    double number = 0.0;
    (*this)(&number);
    *value = number;
  }
  void operator()(std::optional<std::int64_t>* value) const {
    if (says("none")) {
      value->reset();
      return;
    }
    const auto number = text::parse_integer(text);
    if (!number) fail_type();
    *value = *number;
  }
  void operator()(std::vector<double>* value) const {
    value->clear();
    if (says("none")) return;
    if (text.starts_with('@')) {
      if (!read_list) base::refuse("parse_spec", "'", text, "' names a file: use load_spec");
      *value = read_list(std::string(text.substr(1)));
      return;
    }
    each_item([&](std::string_view item) {
      const auto number = text::parse_number(item);
      if (!number) fail_type();
      value->push_back(*number);
    });
  }
  void operator()(std::vector<std::int64_t>* value) const {
    value->clear();
    if (says("none")) return;
    each_item([&](std::string_view item) {
      const auto number = text::parse_integer(item);
      if (!number) fail_type();
      value->push_back(*number);
    });
  }
  void operator()(const EnumField& value) const { value.set(word_index(kind, field, text)); }

  // Visits the items that slashes separate.
  template <class Visit>
  void each_item(const Visit& visit) const {
    for (std::size_t start = 0; start <= text.size();) {
      const std::size_t slash = std::min(text.find('/', start), text.size());
      visit(text.substr(start, slash - start));
      start = slash + 1;
    }
  }
};

}  // namespace

bool fits(const Field& field, std::string_view text) {
  const auto in_range = [&](std::optional<double> number) {
    return number && std::isfinite(*number) && *number <= field.high &&
           (field.above_low ? *number > field.low : *number >= field.low);
  };
  const auto integer = [](std::string_view item) -> std::optional<double> {
    const auto number = text::parse_integer(item);
    return number ? std::optional<double>(static_cast<double>(*number)) : std::nullopt;
  };
  const std::string word = text::folded(text);
  return std::visit(
      [&](const auto& value) {
        using Value = std::remove_cvref_t<decltype(value)>;
        const TextReader reader{"", field, text, ListReader()};
        if constexpr (std::is_same_v<Value, bool*>) {
          return word == "true" || word == "false";
        } else if constexpr (std::is_same_v<Value, std::int64_t*>) {
          return in_range(integer(text));
        } else if constexpr (std::is_same_v<Value, double*>) {
          return in_range(text::parse_number(text));
        } else if constexpr (std::is_same_v<Value, EnumField>) {
          return word_found(value, text).has_value();
        } else {
          using Number = typename std::remove_cvref_t<decltype(*value)>::value_type;
          bool all = true;
          reader.each_item([&](std::string_view item) {
            all = all && in_range(std::is_same_v<Number, double> ? text::parse_number(item) : integer(item));
          });
          return all || word == "none";
        }
      },
      field.value);
}

void set_from_text(std::string_view kind, const Field& field, std::string_view text, const ListReader& read_list) {
  std::visit(TextReader{kind, field, text, read_list}, field.value);
}

}  // namespace posenc::spec
