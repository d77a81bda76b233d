// The value of a formula as people type it: sin(2/10000^(2/6)), -3 * pi / 4, pow(2, -8/12).
//
//     posenc::Evaluated answer = posenc::evaluate("sin(2 / 10000^(1/3))");
//     if (answer.error.empty()) use(answer.value);      // 0.092699...
//     else print(answer.error);                         // "expected ')' but the text ends"
//
// Numbers, + - * / ^ (or **), unary minus, parentheses, the functions sin cos tan exp ln log sqrt (one argument) and
// pow (two), the constants pi and e. log is natural, as ln is. ^ binds to the right and before a minus in front of it:
// -2^2 is -4. Case does not matter. Pure; any bytes may be given.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace posenc::teaching {

struct Evaluated {
  double value = 0.0;
  std::string error = {};  // empty where the text has a finite value
};

// A text of more than 1000 bytes, nesting deeper than 64 and values that are not finite are errors.
teaching::Evaluated evaluate(std::string_view expression);

// The expressions of a list, as texts: parted by commas, semicolons or ends of lines outside parentheses, with or
// without [] around all; plain numbers also by blanks. An empty text has none.
std::vector<std::string> list_items(std::string_view text);

}  // namespace posenc::teaching
