// Formulas as trees: what a kind computes is written once and printed as text and as MathML, printed again with numbers
// in the place of symbols, and evaluated.
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
    symbol,    // "d", "p_h": what follows the underscore is an index where it is one letter or digit
    negative,  // of one part
    sum,
    product,
    dot,  // of vectors
    quotient,
    power,
    call,      // ln, exp, sin, cos, abs, floor, max, min, clip, or defined by an equation
    element,   // of an array: "table", and an index per axis
    series,    // the sum over the index `name`: a term, and where the index begins and ends
    list,      // parts within parentheses, or where `name` is "|" within brackets
    cases,     // a value, its condition, ..., the value else
    range,     // `name` from one number to another
    relation,  // parts with the sign `name` between them; a value of 1 where it holds
    equation,  // what is defined, and by what
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

// Sums and products take their own kind in, and leave out what changes nothing: + 0, 0 times, 1 times, / 1, ^0.
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

// A kind's formula: equations, of which the first is what it computes, and others that define symbols and functions.
struct KindFormula {
  std::string lead = {};  // words before it: "query i sees key j where "
  std::vector<Formula> lines;
  std::string note = {};              // words behind it, with their own comma
  std::vector<Formula> details = {};  // definitions that take a line each, where there is room
};

// With as few parentheses as it takes.
std::string plain_text(const Formula& formula);
std::string plain_text(const KindFormula& formula);  // without details
// A <math> element.
std::string mathml(const KindFormula& formula);

// Numbers by the names of symbols; of an element "table[3][0]".
using Symbols = std::map<std::string, double, std::less<>>;
// With numbers for symbols.
Formula with(const Formula& formula, const Symbols& symbols);
// With every series written out.
Formula expanded(const Formula& formula);
// What its first line computes; NaN where a symbol has no number.
double value_of(const KindFormula& formula, const Symbols& symbols);

}  // namespace posenc::properties
