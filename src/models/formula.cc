#include "models/formula.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "core/text/number_text.h"
#include "posenc/error.h"

namespace posenc::models {

struct FormulaNode {
  enum class Kind { constant, name, unary, binary, choice, element, list, call };
  Kind kind = Kind::constant;
  Json value;        // of a constant
  std::string word;  // a name, an operator or a function
  std::vector<FormulaNode> children;
};

namespace {

using Kind = FormulaNode::Kind;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  FormulaNode whole() {
    FormulaNode node = choice();
    skip();
    if (at_ != text_.size()) complain();
    return node;
  }

 private:
  // The operators of each level, loosest first; a longer operator precedes its prefix.
  static constexpr std::array<std::array<std::string_view, 7>, 7> kLevels = {
      {{"??"}, {"||"}, {"&&"}, {"==", "!=", "<=", ">=", "<", ">"}, {"+", "-"}, {"*", "//", "/", "%"}, {"^"}}};

  [[noreturn]] void complain() const {
    fail(ErrorKind::unsupported, "[formula] not understood at byte " + std::to_string(at_) + ": " + std::string(text_));
  }

  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool take(std::string_view word) {
    skip();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  void expect(std::string_view word) {
    if (!take(word)) complain();
  }

  FormulaNode choice() {
    FormulaNode node = binary(0);
    skip();
    if (text_.substr(at_).starts_with("??") || !take("?")) return node;
    FormulaNode yes = choice();
    expect(":");
    FormulaNode no = choice();
    return {Kind::choice, {}, "?", {std::move(node), std::move(yes), std::move(no)}};
  }

  FormulaNode binary(std::size_t level) {
    if (level == kLevels.size()) return unary();
    FormulaNode node = binary(level + 1);
    for (bool found = true; found;) {
      found = false;
      for (const std::string_view word : kLevels[level]) {
        if (word.empty() || !take(word)) continue;
        node = {Kind::binary, {}, std::string(word), {std::move(node), binary(level + 1)}};
        found = true;
        break;
      }
    }
    return node;
  }

  FormulaNode unary() {
    for (const std::string_view word : {"!", "-"}) {
      if (take(word)) return {Kind::unary, {}, std::string(word), {unary()}};
    }
    FormulaNode node = primary();
    while (take("[")) {
      FormulaNode index = choice();
      expect("]");
      node = {Kind::element, {}, "[", {std::move(node), std::move(index)}};
      if (take(".")) node = {Kind::element, {}, "[", {std::move(node), {Kind::constant, name().word, {}, {}}}};
    }
    return node;
  }

  FormulaNode primary() {
    skip();
    if (at_ == text_.size()) complain();
    if (take("(")) {
      FormulaNode node = choice();
      expect(")");
      return node;
    }
    if (take("[")) {
      FormulaNode node{Kind::list, {}, "[", {}};
      do {
        node.children.push_back(choice());
      } while (take(","));
      expect("]");
      return node;
    }
    if (take("'")) {
      const std::size_t end = text_.find('\'', at_);
      if (end == std::string_view::npos) complain();
      FormulaNode node{Kind::constant, text_.substr(at_, end - at_), {}, {}};
      at_ = end + 1;
      return node;
    }
    const char c = text_[at_];
    if (c >= '0' && c <= '9') return number();
    return name();
  }

  FormulaNode number() {
    const std::size_t begin = at_;
    skip_digits();
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      skip_digits();
    }
    skip_exponent();
    const std::string_view number = text_.substr(begin, at_ - begin);
    const std::optional<std::int64_t> integer = text::parse_integer(number);
    return {Kind::constant, integer ? Json(*integer) : Json(text::parse_number(number).value_or(0.0)), {}, {}};
  }

  void skip_digits() {
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
  }

  // e5, E-5: an e without a digit after it starts the next word.
  void skip_exponent() {
    const std::size_t before = at_;
    if (at_ == text_.size() || (text_[at_] != 'e' && text_[at_] != 'E')) return;
    ++at_;
    if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
    const std::size_t digits = at_;
    skip_digits();
    if (at_ == digits) at_ = before;
  }

  static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  }

  FormulaNode name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    if (begin == at_) complain();
    std::string word(text_.substr(begin, at_ - begin));
    if (word == "null") return {};
    if (!take("(")) return {Kind::name, {}, std::move(word), {}};
    FormulaNode node{Kind::call, {}, std::move(word), {}};
    do {
      node.children.push_back(choice());
    } while (take(","));
    expect(")");
    return node;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::optional<double> number_of(const Json& value) {
  if (const bool* boolean = std::get_if<bool>(&value.value)) return *boolean ? 1.0 : 0.0;
  if (value.is_number() && !value.is_string()) return value.number();
  return std::nullopt;
}

// Integer results stay integers. A result that is not a number is null, for example after a division by 0.
Json number_json(double value) {
  if (std::isnan(value)) return nullptr;
  const bool whole = std::nearbyint(value) == value && std::fabs(value) < 9e15;
  return whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

bool same(const Json& a, const Json& b) {
  if (const auto* text = std::get_if<std::string>(&a.value)) {
    const auto* other = std::get_if<std::string>(&b.value);
    return other && *text == *other;
  }
  const std::optional<double> x = number_of(a), y = number_of(b);
  if (x && y) return *x == *y;
  return a.is_null() && b.is_null();
}

Json arithmetic(std::string_view op, double a, double b) {
  if (op == "+") return number_json(a + b);
  if (op == "-") return number_json(a - b);
  if (op == "*") return number_json(a * b);
  if (op == "^") return number_json(std::pow(a, b));
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  if (op == ">=") return a >= b;
  if (b == 0.0) return nullptr;
  if (op == "/") return number_json(a / b);
  if (op == "//") return number_json(std::floor(a / b));
  return number_json(a - b * std::floor(a / b));  // %
}

class Evaluation {
 public:
  explicit Evaluation(const Formula::Lookup& lookup) : lookup_(lookup) {}

  Json of(const FormulaNode& node) const {
    switch (node.kind) {
      case Kind::constant:
        return node.value;
      case Kind::name: {
        const Json* found = lookup_(node.word);
        return found ? *found : Json();
      }
      case Kind::choice:
        return of(node.children[is_true(Operand(*this, node.children[0]).value()) ? 1 : 2]);
      case Kind::unary:
        return unary(node);
      case Kind::binary:
        return binary(node);
      case Kind::element:
        return element(Operand(*this, node.children[0]).value(), of(node.children[1]));
      case Kind::list:
        return list(node);
      case Kind::call:
        return call(node);
    }
    return {};
  }

 private:
  // The value of a node; for a name, a reference to it, because lists may be long.
  class Operand {
   public:
    Operand(const Evaluation& evaluation, const FormulaNode& node)
        : place_(node.kind == Kind::name ? evaluation.lookup_(node.word) : nullptr),
          own_(node.kind == Kind::name ? Json() : evaluation.of(node)) {}

    const Json& value() const noexcept { return place_ ? *place_ : own_; }

   private:
    const Json* place_;
    Json own_;
  };

  Json unary(const FormulaNode& node) const {
    const Json value = of(node.children[0]);
    if (node.word == "!") return !is_true(value);
    const std::optional<double> number = number_of(value);
    return number ? number_json(-*number) : Json();
  }

  Json binary(const FormulaNode& node) const {
    const Operand operand(*this, node.children[0]);
    const Json& left = operand.value();
    if (node.word == "??") return left.is_null() ? of(node.children[1]) : left;
    if (node.word == "||") return is_true(left) || is_true(of(node.children[1]));
    if (node.word == "&&") return is_true(left) && is_true(of(node.children[1]));
    const Json right = of(node.children[1]);
    if (node.word == "==") return same(left, right);
    if (node.word == "!=") return !same(left, right);
    const std::optional<double> a = number_of(left), b = number_of(right);
    return a && b ? arithmetic(node.word, *a, *b) : Json();
  }

  Json list(const FormulaNode& node) const {
    Json::Array values;
    for (const FormulaNode& child : node.children) values.push_back(of(child));
    return values;
  }

  // A member by name, or by number in any spelling: "5", "05".
  static Json member(const Json& object, const Json& index, std::optional<double> number) {
    for (const auto& [key, value] : object.object()) {
      const std::optional<double> written = text::parse_number(key);
      if (index.is_string() ? key == index.string() : number && written && *written == *number) return value;
    }
    return {};
  }

  // An element of a list, or a member of an object by name or number.
  static Json element(const Json& list, const Json& index) {
    const std::optional<double> at = number_of(index);
    if (list.is_object()) return member(list, index, at);
    if (!list.is_array() || !at) return {};
    const Json::Array& array = list.array();
    const bool inside = *at >= 0.0 && *at < static_cast<double>(array.size());
    return inside ? array[static_cast<std::size_t>(*at)] : Json();
  }

  static Json index_of(const Json& list, const Json& wanted) {
    if (!list.is_array()) return {};
    const Json::Array& array = list.array();
    const auto found = std::find_if(array.begin(), array.end(), [&](const Json& x) { return same(x, wanted); });
    return found == array.end() ? Json() : Json(found - array.begin());
  }

  // The list repeated and cut at a length.
  static Json repeated(const Json& list, const Json& length) {
    const std::optional<double> wanted = number_of(length);
    if (!list.is_array() || list.array().empty() || !wanted || *wanted > 8192.0) return {};
    Json::Array result;
    for (std::size_t i = 0; static_cast<double>(i) < *wanted; ++i)
      result.push_back(list.array()[i % list.array().size()]);
    return result;
  }

  Json call(const FormulaNode& node) const {
    const Operand operand(*this, node.children[0]);
    const Json& first = operand.value();
    if (node.word == "len") return first.is_array() ? Json(first.array().size()) : Json();
    const bool two = node.children.size() == 2;
    const Json second = two ? of(node.children[1]) : Json();
    if (node.word == "index") return index_of(first, second);
    if (node.word == "has") return !index_of(first, second).is_null();
    if (node.word == "repeat") return repeated(first, second);
    const std::optional<double> a = number_of(first), b = number_of(second);
    if (!a || (two && !b)) return {};
    if (node.word == "sqrt") return number_json(std::sqrt(*a));
    if (node.word == "ln") return number_json(std::log(*a));
    if (node.word == "int") return number_json(std::trunc(*a));
    if (two && node.word == "min") return number_json(std::min(*a, *b));
    if (two && node.word == "max") return number_json(std::max(*a, *b));
    fail(ErrorKind::unsupported, "[formula] unknown function " + node.word);
  }

  const Formula::Lookup& lookup_;
};

void collect(const FormulaNode& node, std::vector<std::string>& names) {
  if (node.kind == Kind::name) names.push_back(node.word);
  for (const FormulaNode& child : node.children) collect(child, names);
}

}  // namespace

bool is_true(const Json& value) noexcept {
  if (const auto* text = std::get_if<std::string>(&value.value)) return !text->empty();
  if (const auto* list = std::get_if<Json::Array>(&value.value)) return !list->empty();
  if (const auto* object = std::get_if<Json::Object>(&value.value)) return !object->empty();
  const std::optional<double> number = number_of(value);
  return number && *number != 0.0;
}

Formula::Formula(std::string_view text)
    : text_(text), root_(std::make_shared<const FormulaNode>(Parser(text).whole())) {}

std::vector<std::string> Formula::names() const {
  std::vector<std::string> names;
  if (root_) collect(*root_, names);
  return names;
}

Json Formula::evaluate(const Lookup& lookup) const { return root_ ? Evaluation(lookup).of(*root_) : Json(); }

}  // namespace posenc::models
