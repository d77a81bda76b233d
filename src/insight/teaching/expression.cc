#include "insight/teaching/expression.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>

#include "core/text/number_text.h"
#include "core/text/quotable.h"
#include "insight/teaching/answer_text.h"

namespace posenc::teaching {
namespace {

constexpr std::size_t kLongest = 1000;
constexpr int kDeepest = 64;

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
  explicit Parser(std::string_view text) : text_(text), rest_(text) {}

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
    bool plain = false, divided = false;
    double value = factor(plain);
    while (error_.empty()) {
      if (rest_.starts_with("**")) break;
      if (take("*")) {
        value *= factor(plain);
      } else if (take("/")) {
        divided = true;
        value /= factor(plain);
      } else if (begins_with_factor(plain)) {
        if (divided) return ambiguous();
        value *= factor(plain);
      } else {
        break;
      }
    }
    return value;
  }

  // `plain`: whether it is a number, which may multiply what follows it without a sign: 2pi, 2 sin(1), 2(3 + 4). Any
  // factor may multiply what follows a blank, 2 pi 10000, but 10 000 may be one number.
  double factor(bool& plain) {
    const std::string_view before = rest_;
    const double value = signed_power();
    plain = text::parse_number(trimmed(before.substr(0, before.size() - rest_.size()))).has_value();
    return value;
  }
  bool begins_with_factor(bool after_number) {
    skip_blanks();
    if (rest_.empty()) return false;
    const bool after_blank = rest_.size() < text_.size() && is_blank(text_[text_.size() - rest_.size() - 1]);
    const bool number = is_digit(rest_.front()) || rest_.front() == '.';
    if (number) return after_blank && !after_number;
    return (after_number || after_blank) && (is_letter(rest_.front()) || rest_.front() == '(');
  }
  // 1/2pi: some people read it as pi/2, others as 1/(2pi).
  double ambiguous() {
    error_ = "write * or parentheses before '" + text::quotable(rest_, 20) + "'";
    return 0.0;
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

  // The letters that follow, in lower case.
  std::string word() {
    skip_blanks();
    std::size_t size = 0;
    while (size < rest_.size() && is_letter(rest_[size])) ++size;
    return lowered(rest_.substr(0, size));
  }

  double named() {
    const std::string name = word();
    for (const Function& function : kFunctions) {
      if (name == function.name) return call(function);
    }
    const bool is_pi = name == "pi";
    if (!is_pi && name != "e") return unknown(name);
    rest_.remove_prefix(name.size());
    return is_pi ? std::numbers::pi : std::numbers::e;
  }

  double unknown(const std::string& name) {
    const std::string quoted = "'" + text::quotable(name, 20) + "'";
    const bool called = trimmed(rest_.substr(name.size())).starts_with('(');
    error_ = called ? quoted + " is not a function; use sin cos tan exp ln log sqrt pow"
                    : quoted + " is not a number or a formula";
    return 0.0;
  }

  double call(const Function& function) {
    rest_.remove_prefix(function.name.size());
    if (!take("(")) return bare_call(function);
    const double a = sum();
    double b = 0.0;
    if (function.arguments == 2) {
      if (!take(",")) return expected("',' and a second argument of " + std::string(function.name));
      b = sum();
    }
    return closed(error_.empty() ? function.value(a, b) : 0.0);
  }

  // sin 6, sin -6, sin pi: the argument ends with the term, because sin 2/100 could be read in two ways.
  double bare_call(const Function& function) {
    const std::string name(function.name);
    if (function.arguments != 1) return expected("'(' after " + name);
    const double sign = take("-") ? -1.0 : 1.0;
    const std::string constant = word();
    const bool digits = !rest_.empty() && (is_digit(rest_.front()) || rest_.front() == '.');
    if (!digits && constant != "pi" && constant != "e") return expected("'(' after " + name);
    const std::string_view argument = rest_;
    const double value = digits ? number() : named();
    skip_blanks();
    const bool ends =
        rest_.empty() || rest_.front() == ')' || rest_.front() == ',' || rest_.front() == '+' || rest_.front() == '-';
    if (error_.empty() && !ends) {
      const std::string shown = text::quotable(argument, 20);
      error_ = "write parentheses: " + name + "(...) instead of " + name + " " + shown;
    }
    return error_.empty() ? function.value(sign * value, 0.0) : 0.0;
  }

  std::string_view text_;
  std::string_view rest_;
  std::string error_;
  int depth_ = 0;
};

// Replaces braces, the signs for "about equal", and the characters that word processors and phones write for -, *, /,
// sqrt, pi and a blank.
std::string plain_symbols(std::string_view text) {
  constexpr std::array<std::array<std::string_view, 2>, 15> kSymbols = {{{"\xe2\x88\x92", "-"},
                                                                         {"\xe2\x80\x93", "-"},
                                                                         {"\xcf\x80", "pi"},
                                                                         {"\xc2\xb7", "*"},
                                                                         {"\xc3\x97", "*"},
                                                                         {"\xe2\x8b\x85", "*"},
                                                                         {"\xc3\xb7", "/"},
                                                                         {"\xe2\x88\x9a", "sqrt"},
                                                                         {"\xc2\xa0", " "},
                                                                         {"\xe2\x89\x88", "="},
                                                                         {"\xe2\x89\x83", "="},
                                                                         {"\xe2\x89\x85", "="},
                                                                         {"~", "="},
                                                                         {"{", "("},
                                                                         {"}", ")"}}};
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

// Replaces by blanks what encloses a list: [ ], and parentheses with a comma that do not call a function.
std::string without_brackets(std::string text) {
  struct Open {
    std::size_t at;
    bool call;
    bool list;
  };
  std::vector<Open> open;
  char last = ' ';  // the last character that is not a blank
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(') open.push_back({i, is_letter(last), false});
    if ((c == ',' || c == ';') && !open.empty()) open.back().list = !open.back().call;
    if (c == ')' && !open.empty()) {
      if (open.back().list) text[open.back().at] = text[i] = ' ';
      open.pop_back();
    }
    if (c == '[' || c == ']') text[i] = ' ';
    if (!is_blank(c)) last = c;
  }
  return text;
}

// Replaces the word "and" between two items by a comma, and by a blank after a comma.
std::string without_and(std::string text) {
  char last = ',';  // the last character that is not a blank
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts = i == 0 || !is_letter(text[i - 1]), ends = i + 3 >= text.size() || !is_letter(text[i + 3]);
    if (starts && ends && lowered(text.substr(i, 3)) == "and") {
      text.replace(i, 3, last == ',' || last == ';' ? "   " : ",  ");
    }
    if (!is_blank(text[i])) last = text[i];
  }
  return text;
}

// A plain number without the parentheses around it; other texts as they are.
std::string_view bare_number(std::string_view part) {
  std::string_view inside = trimmed(part);
  while (inside.starts_with('(') && inside.ends_with(')')) inside = trimmed(inside.substr(1, inside.size() - 2));
  return text::parse_number(inside) ? inside : trimmed(part);
}

// The words of a text that are separated by blanks outside parentheses; "cos 2" is one word.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::int64_t depth = 0;
  bool open = false;
  for (const char c : text) {
    if (is_blank(c) && depth <= 0) {
      open = open && std::any_of(kFunctions.begin(), kFunctions.end(),
                                 [&](const Function& each) { return lowered(trimmed(words.back())) == each.name; });
      if (open) words.back() += ' ';
      continue;
    }
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (!open) words.emplace_back();
    words.back() += c;
    open = true;
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
  if (trimmed(text).empty()) return {};
  text = trimmed(text);
  while (text.size() > 1 && text.ends_with('.')) text.remove_suffix(1);
  const std::string plain = without_brackets(without_and(plain_symbols(text)));
  std::vector<std::string> parts(1);
  std::int64_t depth = 0;
  for (const char c : plain) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    const bool line = c == '\n' && !trimmed(parts.back()).empty();  // a line may end with a comma
    if (depth <= 0 && (c == ',' || c == ';' || line)) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  for (std::string& part : parts) part = std::string(bare_number(part));
  if (parts.back().empty() && parts.size() > 1) parts.pop_back();  // no item follows a comma at the end
  std::vector<std::string> items;
  for (const std::string& part : parts) {
    const std::vector<std::string> words = plain_numbers(part);
    if (words.empty()) items.push_back(part);
    items.insert(items.end(), words.begin(), words.end());
  }
  return items;
}

std::vector<std::string> items_at_blanks(const std::vector<std::string>& items) {
  std::vector<std::string> words;
  for (const std::string& item : items) {
    for (std::string& word : words_of(item)) words.push_back(std::move(word));
  }
  const bool all = std::all_of(words.begin(), words.end(), [](const std::string& word) {
    return evaluate(equal_parts(word).back()).error.empty();
  });
  return all ? words : std::vector<std::string>();
}

std::vector<std::string> equal_parts(const std::string& item) {
  std::vector<std::string> parts;
  for (std::size_t from = 0, at = 0; at != std::string::npos; from = at + 1) {
    at = item.find('=', from);
    parts.emplace_back(trimmed(std::string_view(item).substr(from, at == std::string::npos ? at : at - from)));
  }
  return parts;
}

}  // namespace posenc::teaching
