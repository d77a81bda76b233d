// evaluate("3 * sin(2/10000^(2/6))") returns the value of a formula as posenc prints it, for tests that compare texts
// with numbers. Supports numbers, names, + - * / ^, parentheses, sin and cos. Adjacent factors are multiplied: "2i", "a
// (b + c)"; "w[i]" is a name.
#pragma once

#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

class Evaluator {
 public:
  using Names = std::map<std::string, double, std::less<>>;

  Evaluator(std::string_view text, const Names& names) : text_(text), rest_(text), names_(names) {}

  double value() {
    const double result = sum();
    if (peek() != '\0') fail();
    return result;
  }

 private:
  [[noreturn]] void fail() const {
    throw std::runtime_error("cannot evaluate '" + std::string(text_) + "' at '" + std::string(rest_) + "'");
  }
  char peek() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool take(char c) {
    if (peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  double sum() {
    double result = product();
    while (true) {
      if (take('+')) {
        result += product();
      } else if (take('-')) {
        result -= product();
      } else {
        return result;
      }
    }
  }
  double product() {
    double result = power();
    while (true) {
      if (take('*')) {
        result *= power();
      } else if (take('/')) {
        result /= power();
      } else if (peek() == '(' || std::isalpha(static_cast<unsigned char>(peek())) != 0) {
        result *= power();
      } else {
        return result;
      }
    }
  }
  double power() {
    if (take('-')) return -power();
    const double base = primary();
    return take('^') ? std::pow(base, power()) : base;
  }
  double primary() {
    if (take('(')) {
      const double inner = sum();
      if (!take(')')) fail();
      return inner;
    }
    return std::isdigit(static_cast<unsigned char>(peek())) != 0 ? number() : name();
  }
  double number() {
    double value = 0.0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) fail();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    const bool multiplies = !rest_.empty() && std::isalpha(static_cast<unsigned char>(rest_.front())) != 0;
    return multiplies ? value * name() : value;
  }
  double name() {
    std::size_t length = 0;
    while (length < rest_.size() &&
           (std::isalpha(static_cast<unsigned char>(rest_[length])) != 0 || rest_[length] == '_')) {
      ++length;
    }
    if (length < rest_.size() && rest_[length] == '[') length = rest_.find(']') + 1;
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    if (word == "sin") return std::sin(primary());
    if (word == "cos") return std::cos(primary());
    const auto found = names_.find(word);
    if (found == names_.end()) fail();
    return found->second;
  }

  std::string_view text_;
  std::string_view rest_;
  const Names& names_;
};

inline double evaluate(std::string_view text, const Evaluator::Names& names = {}) {
  return Evaluator(text, names).value();
}
