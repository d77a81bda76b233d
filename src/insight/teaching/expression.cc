#include "insight/teaching/expression.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>

#include "core/text/number_text.h"
#include "core/text/quotable.h"

namespace posenc::teaching {
namespace {

constexpr std::size_t kLongest = 1000;
constexpr int kDeepest = 64;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

struct Function {
  std::string_view name;
  int arguments;
  double (*value)(double a, double b);
};
constexpr std::array<Function, 8> kFunctions = {{
    {"sin", 1, [](double a, double) { return std::sin(a); }},
    {"cos", 1, [](double a, double) { return std::cos(a); }},
    {"tan", 1, [](double a, double) { return std::tan(a); }},
    {"exp", 1, [](double a, double) { return std::exp(a); }},
    {"ln", 1, [](double a, double) { return std::log(a); }},
    {"log", 1, [](double a, double) { return std::log(a); }},
    {"sqrt", 1, [](double a, double) { return std::sqrt(a); }},
    {"pow", 2, [](double a, double b) { return std::pow(a, b); }},
}};

// Recursive descent. After the first error every function returns at once: `error_` stays as it is.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  Evaluated run() {
    const double value = sum();
    skip_blanks();
    if (error_.empty() && !rest_.empty()) expected("an operator");
    if (error_.empty() && !std::isfinite(value)) error_ = "it has no finite value";
    return {error_.empty() ? value : 0.0, error_};
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }
  bool take(std::string_view symbol) {
    skip_blanks();
    if (!rest_.starts_with(symbol)) return false;
    rest_.remove_prefix(symbol.size());
    return true;
  }
  double expected(const std::string& what) {
    if (!error_.empty()) return 0.0;
    skip_blanks();
    error_ =
        "expected " + what + (rest_.empty() ? " but the text ends" : " but got '" + text::quotable(rest_, 20) + "'");
    return 0.0;
  }

  double sum() {
    double value = product();
    while (error_.empty()) {
      if (take("+")) {
        value += product();
      } else if (take("-")) {
        value -= product();
      } else {
        break;
      }
    }
    return value;
  }

  double product() {
    double value = signed_power();
    while (error_.empty()) {
      if (rest_.starts_with("**")) break;
      if (take("*")) {
        value *= signed_power();
      } else if (take("/")) {
        value /= signed_power();
      } else {
        break;
      }
    }
    return value;
  }

  // Everything that nests passes through here, so the depth is counted here only.
  double signed_power() {
    if (++depth_ > kDeepest) {
      if (error_.empty()) error_ = "it nests deeper than " + std::to_string(kDeepest);
      return 0.0;
    }
    const double value = take("-") ? -signed_power() : take("+") ? signed_power() : power();
    --depth_;
    return value;
  }

  double power() {
    const double base = primary();
    if (!error_.empty()) return 0.0;
    return take("**") || take("^") ? std::pow(base, signed_power()) : base;
  }

  double primary() {
    if (!error_.empty()) return 0.0;
    skip_blanks();
    if (take("(")) return closed(sum());
    if (rest_.empty()) return expected("a number");
    if (is_digit(rest_.front()) || rest_.front() == '.') return number();
    if (is_letter(rest_.front())) return named();
    return expected("a number");
  }

  double closed(double value) { return take(")") ? value : expected("')'"); }

  double number() {
    std::size_t size = digits(0);
    if (size < rest_.size() && rest_[size] == '.') size = digits(size + 1);
    if (size < rest_.size() && lower(rest_[size]) == 'e') {
      const bool has_sign = size + 1 < rest_.size() && (rest_[size + 1] == '-' || rest_[size + 1] == '+');
      const std::size_t start = size + (has_sign ? 2 : 1);
      if (digits(start) > start) size = digits(start);
    }
    const std::optional<double> value = text::parse_number(rest_.substr(0, size));
    if (!value) return expected("a number");
    rest_.remove_prefix(size);
    return *value;
  }
  std::size_t digits(std::size_t start) const {
    while (start < rest_.size() && is_digit(rest_[start])) ++start;
    return start;
  }

  double named() {
    std::string name;
    while (name.size() < rest_.size() && is_letter(rest_[name.size()])) name += lower(rest_[name.size()]);
    for (const Function& function : kFunctions) {
      if (name == function.name) return call(function);
    }
    const bool is_pi = name == "pi";
    if (!is_pi && name != "e") {
      if (error_.empty()) {
        error_ = "'" + text::quotable(name, 20) + "' is neither sin cos tan exp ln log sqrt pow nor pi nor e";
      }
      return 0.0;
    }
    rest_.remove_prefix(name.size());
    return is_pi ? std::numbers::pi : std::numbers::e;
  }

  double call(const Function& function) {
    rest_.remove_prefix(function.name.size());
    if (!take("(")) return expected("'(' after " + std::string(function.name));
    const double a = sum();
    double b = 0.0;
    if (function.arguments == 2) {
      if (!take(",")) return expected("',' and a second argument of " + std::string(function.name));
      b = sum();
    }
    return closed(error_.empty() ? function.value(a, b) : 0.0);
  }

  std::string_view rest_;
  std::string error_;
  int depth_ = 0;
};

// Replaces the characters that word processors and phones write for -, * and pi.
std::string plain_symbols(std::string_view text) {
  constexpr std::array<std::array<std::string_view, 2>, 5> kSymbols = {
      {{"\xe2\x88\x92", "-"}, {"\xcf\x80", "pi"}, {"\xc2\xb7", "*"}, {"\xc3\x97", "*"}, {"\xe2\x8b\x85", "*"}}};
  std::string result;
  while (!text.empty()) {
    std::size_t taken = 0;
    for (const auto& [symbol, plain] : kSymbols) {
      if (!text.starts_with(symbol)) continue;
      result += plain;
      taken = symbol.size();
    }
    if (taken == 0) result += text.front();
    text.remove_prefix(taken == 0 ? 1 : taken);
  }
  return result;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// The words of a text if all are plain numbers; else an empty list.
std::vector<std::string> plain_numbers(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (!is_blank(c)) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  for (const std::string& word : words) {
    if (!text::parse_number(word)) return {};
  }
  return words;
}

}  // namespace

Evaluated evaluate(std::string_view expression) {
  if (expression.size() > kLongest) return {0.0, "it is longer than " + std::to_string(kLongest) + " bytes"};
  const std::string text = plain_symbols(expression);
  return Parser(text).run();
}

std::vector<std::string> list_items(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('[') && text.ends_with(']') && text.size() > 1) text = trimmed(text.substr(1, text.size() - 2));
  if (text.empty()) return {};
  const std::string plain = plain_symbols(text);
  std::vector<std::string> items(1);
  std::int64_t depth = 0;
  for (const char c : plain) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    const bool parts = depth <= 0 && (c == ',' || c == ';' || c == '\n');
    if (!parts) items.back() += c;
    if (parts) items.emplace_back();
  }
  for (std::string& item : items) item = std::string(trimmed(item));
  if (items.back().empty() && items.size() > 1) items.pop_back();  // no item follows a comma at the end
  if (items.size() > 1) return items;
  const std::vector<std::string> words = plain_numbers(items[0]);
  return words.empty() ? items : words;
}

}  // namespace posenc::teaching
