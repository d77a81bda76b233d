// Formulas as text and as MathML.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text/number_text.h"
#include "insight/properties/formula.h"
#include "posenc/insight/svg.h"

namespace posenc::properties {
namespace {

using Form = Formula::Form;

// The precedence of a form. A part whose precedence is lower than required needs parentheses.
enum class Level : int { loose, sum, product, power, single };

Level level_of(const Formula& formula) {
  switch (formula.form) {
    case Form::number:
      return std::signbit(formula.number) ? Level::sum : Level::single;
    case Form::negative:
    case Form::sum:
    case Form::series:
      return Level::sum;
    case Form::product:
    case Form::dot:
    case Form::quotient:
      return Level::product;
    case Form::power:
      return Level::power;
    case Form::cases:
    case Form::range:
    case Form::relation:
    case Form::equation:
      return Level::loose;
    default:
      return Level::single;
  }
}

bool is_whole(const Formula& formula) {
  return formula.form == Form::number && formula.number == std::nearbyint(formula.number);
}
bool all_whole(const std::vector<Formula>& parts) { return std::all_of(parts.begin(), parts.end(), is_whole); }
// Whether a range has one number only: "i = 0".
bool is_single(const Formula& range) {
  return all_whole(range.parts) && range.parts[0].number == range.parts[1].number;
}
double product_of(const std::vector<Formula>& parts) {
  double product = 1.0;
  for (const Formula& part : parts) product *= part.number;
  return product;
}
// A part of a sum without its sign, and whether it is subtracted.
std::pair<bool, Formula> unsigned_part(const Formula& part) {
  if (part.form == Form::negative) return {true, part.parts[0]};
  if (part.form == Form::number && part.number < 0.0) return {true, Formula(-part.number)};
  return {false, part};
}

enum class Gap : int { none, space, times };
// What is written between two factors: 2i, a d, 0.3 x 4.
Gap gap_between(const Formula& left, const Formula& right) {
  if (right.form == Form::number) return Gap::times;
  if (left.form != Form::number) return Gap::space;
  const Formula& next = right.form == Form::power ? right.parts[0] : right;
  if (next.form == Form::number) return Gap::times;
  return is_whole(left) && next.form == Form::symbol && next.name.size() == 1 ? Gap::none : Gap::space;
}

// Writes a tree. `Style` writes its pieces; in exponents and on left sides there are no spaces.
template <class Style>
class Writer {
 public:
  std::string write(const Formula& f, Level least, bool tight) const {
    const std::string text = bare(f, tight);
    return level_of(f) < least ? style_.enclosed("(", text, ")") : text;
  }

 private:
  std::string list(const std::vector<Formula>& parts, std::string_view sign, Level least, bool tight) const {
    std::string text;
    for (const Formula& part : parts) {
      text += (text.empty() ? std::string() : style_.separator(sign)) + write(part, least, tight);
    }
    return text;
  }

  std::string sum(const Formula& f, bool tight) const {
    std::string text;
    for (const Formula& part : f.parts) {
      const auto [taken, rest] = unsigned_part(part);
      if (text.empty()) {
        text = write(part, Level::sum, tight);
      } else {
        text += style_.sign(taken ? "-" : "+", tight) + write(rest, Level::product, tight);
      }
    }
    return text;
  }

  // A sign that begins a term needs no parentheses.
  std::string first_factor(const Formula& f, Level least, bool tight) const {
    return write(f, f.form == Form::number ? Level::sum : least, tight);
  }

  std::string product(const Formula& f, bool tight) const {
    if (tight && all_whole(f.parts)) return style_.number(product_of(f.parts));
    std::string text = first_factor(f.parts[0], Level::power, tight);
    for (std::size_t i = 1; i < f.parts.size(); ++i) {
      text += style_.gap(gap_between(f.parts[i - 1], f.parts[i]), tight) + write(f.parts[i], Level::power, tight);
    }
    return text;
  }

  std::string bare(const Formula& f, bool tight) const {
    switch (f.form) {
      case Form::number:
        return style_.number(f.number);
      case Form::symbol:
        return style_.symbol(f.name);
      case Form::negative:
        return style_.minus() + write(f.parts[0], Level::product, tight);
      case Form::sum:
        return sum(f, tight);
      case Form::product:
        return product(f, tight);
      case Form::dot:
        return list(f.parts, ".", Level::product, tight);
      case Form::quotient:
        return style_.stacks(tight)
                   ? style_.stacked(write(f.parts[0], Level::loose, false), write(f.parts[1], Level::loose, false))
                   : first_factor(f.parts[0], Level::product, tight) + style_.sign("/", tight) +
                         write(f.parts[1], Level::power, tight);
      case Form::power:
        return style_.raised(write(f.parts[0], Level::single, tight), write(f.parts[1], style_.exponent(), true));
      case Form::call:
        return style_.applied(f.name, list(f.parts, ",", Level::loose, tight));
      case Form::element: {
        std::vector<std::string> indices;
        for (const Formula& part : f.parts) indices.push_back(write(part, Level::loose, false));
        return style_.indexed(f.name, indices);
      }
      case Form::series:
        return style_.series(f.name, write(f.parts[1], Level::loose, true), write(f.parts[2], Level::loose, true)) +
               write(f.parts[0], Level::product, tight);
      case Form::list:
        return f.name == "|" ? style_.enclosed("[", list(f.parts, "|", Level::loose, tight), "]")
                             : style_.enclosed("(", list(f.parts, ",", Level::loose, tight), ")");
      case Form::cases: {
        std::string text;
        for (std::size_t i = 0; i + 1 < f.parts.size(); i += 2) {
          text += write(f.parts[i], Level::sum, tight) + style_.word(" if ") +
                  write(f.parts[i + 1], Level::loose, tight) + style_.word(", else ");
        }
        return text + write(f.parts.back(), Level::sum, tight);
      }
      case Form::range:
        return style_.symbol(f.name) + style_.separator("=") +
               (is_single(f) ? write(f.parts[0], Level::loose, true) : list(f.parts, "..", Level::loose, true));
      case Form::relation:
        return list(f.parts, f.name, Level::sum, tight);
      case Form::equation:
        return write(f.parts[0], Level::loose, true) + style_.separator("=") + write(f.parts[1], Level::loose, false);
    }
    return "";
  }

  Style style_;
};

struct PlainStyle {
  static std::string number(double value) { return text::number_text(value); }
  static std::string symbol(const std::string& name) { return name; }
  static std::string minus() { return "-"; }
  static std::string sign(const std::string& sign, bool tight) { return tight ? sign : " " + sign + " "; }
  static std::string separator(std::string_view sign) {
    if (sign == "..") return " to ";
    return sign == "," ? ", " : " " + std::string(sign) + " ";
  }
  static std::string gap(Gap gap, bool tight) {
    return gap == Gap::none ? "" : gap == Gap::space ? " " : tight ? "*" : " x ";
  }
  static std::string enclosed(const char* open, const std::string& inside, const char* close) {
    return open + inside + close;
  }
  static bool stacks(bool) { return false; }
  static std::string stacked(const std::string&, const std::string&) { return ""; }
  static Level exponent() { return Level::single; }
  static std::string raised(const std::string& base, const std::string& exponent) { return base + "^" + exponent; }
  static std::string applied(const std::string& function, const std::string& arguments) {
    return function == "abs" ? "|" + arguments + "|" : function + "(" + arguments + ")";
  }
  static std::string indexed(const std::string& array, const std::vector<std::string>& indices) {
    std::string text = array;
    for (const std::string& index : indices) text += "[" + index + "]";
    return text;
  }
  static std::string series(const std::string& index, const std::string& first, const std::string& last) {
    return "sum over " + index + " = " + first + " to " + last + " of ";
  }
  static std::string word(const std::string& word) { return word; }
};

std::string tag(const std::string& name, const std::string& inside) {
  return "<" + name + ">" + inside + "</" + name + ">";
}

struct MathmlStyle {
  // The letter or sign that replaces a name in print.
  static std::string glyph(std::string_view name) {
    constexpr std::pair<std::string_view, std::string_view> kGlyphs[] = {
        {"inv_freq", "\xcf\x89"}, {"zeta", "\xce\xb6"},   {"delta", "\xce\xb4"},  {"psi", "\xcf\x88"}, {"table", "T"},
        {"values", "V"},          {"bias", "b"},          {"<=", "\xe2\x89\xa4"}, {"<", "&lt;"},       {">", "&gt;"},
        {".", "\xc2\xb7"},        {"..", "\xe2\x80\xa6"}, {"inf", "\xe2\x88\x9e"}};
    for (const auto& [word, sign] : kGlyphs) {
      if (word == name) return std::string(sign);
    }
    return std::string(name);
  }
  static std::string mo(std::string_view sign) { return tag("mo", glyph(sign)); }
  static std::string mrow(const std::string& inside) { return tag("mrow", inside); }

  static std::string number(double value) {
    const std::string digits = glyph(text::number_text(std::fabs(value)));
    return (std::signbit(value) ? mo("-") : "") + tag("mn", digits);
  }
  static std::string symbol(const std::string& name) {
    const std::size_t size = name.size();
    if (name.ends_with("'")) return tag("msup", symbol(name.substr(0, size - 1)) + mo("'"));
    if (size < 3 || name[size - 2] != '_') return tag("mi", glyph(name));
    return tag("msub", tag("mi", glyph(name.substr(0, size - 2))) + tag("mi", name.substr(size - 1)));
  }
  static std::string minus() { return mo("-"); }
  static std::string sign(const std::string& sign, bool) { return mo(sign); }
  static std::string separator(std::string_view sign) { return mo(sign); }
  static std::string gap(Gap gap, bool) { return gap == Gap::times ? mo(".") : ""; }
  static std::string enclosed(const char* open, const std::string& inside, const char* close) {
    return mrow(mo(open) + inside + mo(close));
  }
  static bool stacks(bool tight) { return !tight; }
  static std::string stacked(const std::string& above, const std::string& below) {
    return tag("mfrac", mrow(above) + mrow(below));
  }
  static Level exponent() { return Level::loose; }  // raised text needs no parentheses
  static std::string raised(const std::string& base, const std::string& exponent) {
    return tag("msup", mrow(base) + mrow(exponent));
  }
  static std::string applied(const std::string& function, const std::string& arguments) {
    if (function == "abs") return enclosed("|", arguments, "|");
    if (function == "floor") return enclosed("\xe2\x8c\x8a", arguments, "\xe2\x8c\x8b");
    return mrow(symbol(function) + mo("(") + arguments + mo(")"));
  }
  static std::string indexed(const std::string& array, const std::vector<std::string>& indices) {
    std::string text;
    for (const std::string& index : indices) text += (text.empty() ? "" : mo(",")) + index;
    return tag("msub", tag("mi", glyph(array)) + mrow(text));
  }
  static std::string series(const std::string& index, const std::string& first, const std::string& last) {
    return tag("munderover", mo("\xe2\x88\x91") + mrow(symbol(index) + mo("=") + first) + mrow(last));
  }
  // Writes spaces at the ends as no-break spaces, because browsers trim ordinary ones.
  static std::string word(const std::string& word) {
    std::string text = xml_text(word);
    if (text.ends_with(' ')) text.replace(text.size() - 1, 1, "\xc2\xa0");
    if (text.starts_with(' ')) text.replace(0, 1, "\xc2\xa0");
    return text.empty() ? "" : tag("mtext", text);
  }
};

}  // namespace

std::string plain_text(const Formula& formula) { return Writer<PlainStyle>().write(formula, Level::loose, false); }

std::string plain_text(const KindFormula& formula) {
  std::string text = formula.lead;
  for (const Formula& line : formula.lines) text += (&line == formula.lines.data() ? "" : ", ") + plain_text(line);
  return text + formula.note;
}

std::string mathml(const KindFormula& formula) {
  std::string inside = MathmlStyle::word(formula.lead);
  for (const Formula& line : formula.lines) {
    inside += (&line == formula.lines.data() ? "" : MathmlStyle::mo(",")) +
              Writer<MathmlStyle>().write(line, Level::loose, false);
  }
  inside += MathmlStyle::word(formula.note);
  return "<math xmlns=\"http://www.w3.org/1998/Math/MathML\" display=\"block\">" + MathmlStyle::mrow(inside) +
         "</math>";
}

}  // namespace posenc::properties
