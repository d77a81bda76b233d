// Presentation MathML out of small parts: mrow(mi("PE"), mo("="), mfrac(mi("p"), mn(2))).
#pragma once

#include <string>
#include <string_view>

#include "core/text/number_text.h"

namespace posenc::properties {

inline std::string element(std::string_view name, const std::string& inside) {
  return "<" + std::string(name) + ">" + inside + "</" + std::string(name) + ">";
}

inline std::string mi(std::string_view name) { return element("mi", std::string(name)); }
inline std::string mn(double number) { return element("mn", text::number_text(number)); }
inline std::string mn(std::int64_t number) { return element("mn", std::to_string(number)); }
inline std::string mo(std::string_view sign) { return element("mo", std::string(sign)); }
inline std::string mtext(std::string_view text) { return element("mtext", std::string(text)); }

template <class... Parts>
std::string mrow(const Parts&... parts) {
  return element("mrow", (std::string() + ... + parts));
}
inline std::string msup(const std::string& base, const std::string& power) { return element("msup", base + power); }
inline std::string msub(const std::string& base, const std::string& index) { return element("msub", base + index); }
inline std::string mfrac(const std::string& above, const std::string& below) { return element("mfrac", above + below); }

// f(a, b)
template <class... Parts>
std::string mcall(const std::string& function, const Parts&... inside) {
  return mrow(function, mo("("), inside..., mo(")"));
}

template <class... Parts>
std::string math(const Parts&... parts) {
  return "<math xmlns=\"http://www.w3.org/1998/Math/MathML\" display=\"block\">" + mrow(parts...) + "</math>";
}

}  // namespace posenc::properties
