// Formulas as trees: each is written once, then printed as text or MathML, with symbols or with numbers, and evaluated.
//
//     const Formula bias = -Formula("p_h") * call("ln", {1.0 + Formula("a_h") * "d"});
//     plain_text(bias)                                                // -p_h ln(1 + a_h d)
//     plain_text(with(bias, {{"p_h", 1.2}, {"a_h", 0.3}, {"d", 4}}))  // -1.2 ln(1 + 0.3 x 4)
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace posenc::properties {

struct Formula {
  enum class Form : int {
    number,
    symbol,    // "d", "p_h": one letter or digit after an underscore is an index
    negative,  // of one part
    sum,
    product,
    dot,  // of vectors
    quotient,
    power,
    call,      // ln, exp, sin, cos, abs, floor, max, min, clip, or a function that an equation defines
    element,   // of an array: "table", and an index per axis
    series,    // the sum over the index `name`: a term, the first and the last index
    list,      // parts in parentheses; in brackets if `name` is "|"
    cases,     // a value, its condition, ..., the value else
    range,     // `name` from one number to another
    relation,  // parts with the sign `name` between them; its value is 1 if it holds
    equation,  // a symbol or function, and its definition
  };

  template <class Number>
  requires std::is_arithmetic_v<Number> Formula(Number value)
      : form(Form::number), number(static_cast<double>(value)) {}    // NOLINT: "1 + a d" is a formula
  Formula(const char* symbol) : form(Form::symbol), name(symbol) {}  // NOLINT
  Formula(Form form, std::string name, std::vector<Formula> parts);

  Form form;
  std::string name = {};
  double number = 0.0;
  std::vector<Formula> parts = {};
};

// Nested sums and products are flattened, and neutral parts left out: + 0, 0 times, 1 times, / 1, ^0.
Formula operator-(const Formula& a);
Formula operator+(const Formula& a, const Formula& b);
Formula operator-(const Formula& a, const Formula& b);
Formula operator*(const Formula& a, const Formula& b);
Formula operator/(const Formula& a, const Formula& b);
Formula power(const Formula& base, const Formula& exponent);
Formula dot(const Formula& a, const Formula& b);
Formula call(const char* function, std::vector<Formula> arguments);
Formula element(const char* array, std::vector<Formula> indices);
Formula series(const char* index, const Formula& first, const Formula& last, const Formula& term);
Formula range(const char* index, const Formula& first, const Formula& last);
Formula relation(const char* sign, std::vector<Formula> sides);
Formula equation(const Formula& left, const Formula& right);

// The formula of a kind: the first equation is the result, the others define symbols and functions.
struct KindFormula {
  std::string lead = {};  // words before it: "query i sees key j where "
  std::vector<Formula> lines;
  std::string note = {};              // words after it, starting with a comma
  std::vector<Formula> details = {};  // definitions for longer texts, one per line
};

// With as few parentheses as possible.
std::string plain_text(const Formula& formula);
std::string plain_text(const KindFormula& formula);  // without details
// A <math> element.
std::string mathml(const KindFormula& formula);

// Numbers by the names of symbols, or of elements: "table[3][0]".
using Symbols = std::map<std::string, double, std::less<>>;
// Replaces symbols by numbers.
Formula with(const Formula& formula, const Symbols& symbols);
// Writes every series out.
Formula expanded(const Formula& formula);
// The value of the first line; NaN if a symbol has no number.
double value_of(const KindFormula& formula, const Symbols& symbols);

}  // namespace posenc::properties
