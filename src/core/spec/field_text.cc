// Sets the value of a field from text.
#include <algorithm>

#include "core/base/refuse.h"
#include "core/spec/fields.h"
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
    if (text != "true" && text != "false") fail_type();
    *value = text == "true";
  }
  void operator()(std::optional<double>* value) const {
    value->reset();
    if (text == "none") return;
    double number = 0.0;
    (*this)(&number);
    *value = number;
  }
  void operator()(std::optional<std::int64_t>* value) const {
    if (text == "none") {
      value->reset();
      return;
    }
    const auto number = text::parse_integer(text);
    if (!number) fail_type();
    *value = *number;
  }
  void operator()(std::vector<double>* value) const {
    value->clear();
    if (text == "none") return;
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
    if (text == "none") return;
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

void set_from_text(std::string_view kind, const Field& field, std::string_view text, const ListReader& read_list) {
  std::visit(TextReader{kind, field, text, read_list}, field.value);
}

}  // namespace posenc::spec
