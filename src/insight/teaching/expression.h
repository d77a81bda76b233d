// Evaluates a formula as people type it: sin(2/10000^(2/6)), -3 * pi / 4, pow(2, -8/12).
//
//     posenc::Evaluated answer = posenc::evaluate("sin(2 / 10000^(1/3))");
//     if (answer.error.empty()) use(answer.value);      // 0.092699...
//     else print(answer.error);                         // "expected ')' but the text ends"
//
// Numbers, + - * / ^ (or **), unary minus, parentheses, the functions sin cos tan exp ln log sqrt (one argument) and
// pow (two), the constants pi and e. log is natural, as ln is. ^ binds to the right and before a minus in front of it:
// -2^2 is -4. A number multiplies what follows it (2pi), so does a factor before a blank (2 pi 10000), and a function
// may have a single number without parentheses (sin 6); what could be read in two ways, such as 1/2pi, sin 2/100 and 10
// 000, is an error. Braces are parentheses (10000^{2/6}). Case does not matter. Pure; any bytes may be given.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace posenc::teaching {

struct Evaluated {
  double value = 0.0;
  std::string error = {};  // empty if the text has a finite value
};

// Texts of more than 1000 bytes, nesting deeper than 64 and values that are not finite give an error.
teaching::Evaluated evaluate(std::string_view expression);

// Splits a list into its expressions, at commas, semicolons, line ends and the word "and" outside parentheses; plain
// numbers also at blanks. The list, and the rows of a matrix, may be in [], {} or (), and a full stop may end it. An
// empty text gives an empty list.
std::vector<std::string> list_items(std::string_view text);

// Splits the items at blanks outside parentheses too, "sin(2) cos 2" into "sin(2)" and "cos 2". Empty if one of the
// parts is not an expression.
std::vector<std::string> items_at_blanks(const std::vector<std::string>& items);

// The sides of equations: "PE(6)" and "sin(6)" of "PE(6) = sin(6)"; an item without = is one side. Signs for "about
// equal" count as =. Never empty.
std::vector<std::string> equal_parts(const std::string& item);

}  // namespace posenc::teaching
