// Evaluates a formula as people type it: sin(2/10000^(2/6)), -3 * pi / 4, pow(2, -8/12).
//
//     posenc::Evaluated answer = posenc::evaluate("sin(2 / 10000^(1/3))");
//     if (answer.error.empty()) use(answer.value);      // 0.092699...
//     else print(answer.error);                         // "expected ')' but the text ends"
//
// Numbers, + - * / ^ (or **), unary minus, parentheses, the functions sin cos tan exp ln log sqrt (one argument) and
// pow (two), the constants pi and e. log is natural, as ln is. ^ binds to the right and before a minus in front of it:
// -2^2 is -4. A number multiplies what follows it (2pi), and a function may have a single number without parentheses
// (sin 6); what could be read in two ways, such as 1/2pi and sin 2/100, is an error. Case does not matter. Pure; any
// bytes may be given.
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

// Splits a list into its expressions, at commas, semicolons and line ends outside parentheses; plain numbers also at
// blanks. The list, and the rows of a matrix, may be in [], {} or (). An empty text gives an empty list.
std::vector<std::string> list_items(std::string_view text);

// The sides of equations: "PE(6)" and "sin(6)" of "PE(6) = sin(6)"; an item without = is one side. Never empty.
std::vector<std::string> equal_parts(const std::string& item);

}  // namespace posenc::teaching
