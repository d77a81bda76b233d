#include "insight/properties/formula.h"

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/text/number_text.h"
#include "insight/properties/formulas.h"

namespace posenc::properties {
namespace {

using Form = Formula::Form;

bool is_number(const Formula& formula, double value) { return formula.form == Form::number && formula.number == value; }

Formula joined(Form form, const Formula& a, const Formula& b) {
  Formula result(form, "", {});
  for (const Formula* side : {&a, &b}) {
    if (side->form == form) {
      result.parts.insert(result.parts.end(), side->parts.begin(), side->parts.end());
    } else {
      result.parts.push_back(*side);
    }
  }
  return result;
}

}  // namespace

Formula::Formula(Form formula_form, std::string formula_name, std::vector<Formula> formula_parts)
    : form(formula_form), name(std::move(formula_name)), parts(std::move(formula_parts)) {}

Formula operator-(const Formula& a) {
  return a.form == Form::number ? Formula(-a.number) : Formula(Form::negative, "", {a});
}
Formula operator+(const Formula& a, const Formula& b) {
  if (is_number(a, 0.0)) return b;
  return is_number(b, 0.0) ? a : joined(Form::sum, a, b);
}
Formula operator-(const Formula& a, const Formula& b) { return a + -b; }
Formula operator*(const Formula& a, const Formula& b) {
  if (is_number(a, 0.0) || is_number(b, 0.0)) return 0;
  if (is_number(a, 1.0)) return b;
  if (is_number(b, 1.0)) return a;
  return a.form == Form::negative ? -(a.parts[0] * b) : joined(Form::product, a, b);
}
Formula operator/(const Formula& a, const Formula& b) {
  if (is_number(b, 1.0)) return a;
  return a.form == Form::negative ? -(a.parts[0] / b) : Formula(Form::quotient, "", {a, b});
}
Formula power(const Formula& base, const Formula& exponent) {
  return is_number(exponent, 0.0) ? Formula(1) : Formula(Form::power, "", {base, exponent});
}
Formula dot(const Formula& a, const Formula& b) { return {Form::dot, "", {a, b}}; }
Formula call(const char* function, std::vector<Formula> arguments) {
  return {Form::call, function, std::move(arguments)};
}
Formula element(const char* array, std::vector<Formula> indices) { return {Form::element, array, std::move(indices)}; }
Formula series(const char* index, const Formula& first, const Formula& last, const Formula& term) {
  return {Form::series, index, {term, first, last}};
}
Formula range(const char* index, const Formula& first, const Formula& last) {
  return {Form::range, index, {first, last}};
}
Formula relation(const char* sign, std::vector<Formula> sides) { return {Form::relation, sign, std::move(sides)}; }
Formula equation(const Formula& left, const Formula& right) { return {Form::equation, "=", {left, right}}; }

Formula with(const Formula& formula, const Symbols& symbols) {
  if (formula.form == Form::number) return formula;
  if (formula.form == Form::symbol) {
    const auto found = symbols.find(formula.name);
    return found == symbols.end() ? formula : Formula(found->second);
  }
  std::vector<Formula> parts;
  for (const Formula& part : formula.parts) parts.push_back(with(part, symbols));
  return {formula.form, formula.name, std::move(parts)};
}

Formula expanded(const Formula& formula) {
  if (formula.form == Form::number || formula.form == Form::symbol) return formula;
  std::vector<Formula> parts;
  for (const Formula& part : formula.parts) parts.push_back(expanded(part));
  if (formula.form != Form::series) return {formula.form, formula.name, std::move(parts)};
  Formula sum = 0.0;
  for (double k = parts[1].number; k <= parts[2].number; ++k) sum = sum + with(parts[0], {{formula.name, k}});
  return sum;
}

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class Evaluator {
 public:
  Evaluator(const KindFormula& formula, Symbols symbols) : formula_(formula), symbols_(std::move(symbols)) {}

  double value(const Formula& f) const {
    if (f.form == Form::number) return f.number;
    if (f.form == Form::symbol) return symbol(f.name);
    if (f.form == Form::series) return series(f);
    if (f.form == Form::cases) return cases(f);
    std::vector<double> v;
    if (f.form != Form::equation) {
      for (const Formula& part : f.parts) v.push_back(value(part));
    }
    switch (f.form) {
      case Form::negative:
        return -v[0];
      case Form::sum:
        return std::accumulate(v.begin(), v.end(), 0.0);
      case Form::product:
      case Form::dot:
        return std::accumulate(v.begin(), v.end(), 1.0, std::multiplies<>());
      case Form::quotient:
        return v[0] / v[1];
      case Form::power:
        return std::pow(v[0], v[1]);
      case Form::call:
        return called(f.name, v);
      case Form::element: {
        std::string name = f.name;
        for (const double index : v) name += "[" + text::number_text(index + 0.0) + "]";
        return symbol(name);
      }
      case Form::relation:
        return holds(f.name, v) ? 1.0 : 0.0;
      case Form::equation:
        return value(f.parts[1]);
      default:
        return kNan;
    }
  }

 private:
  Evaluator given(const std::string& name, double number) const {
    Symbols symbols = symbols_;
    symbols[name] = number;
    return {formula_, std::move(symbols)};
  }

  // The line that defines a symbol or a function.
  const Formula* definition(Form form, const std::string& name) const {
    for (const std::vector<Formula>* lines : {&formula_.lines, &formula_.details}) {
      for (const Formula& line : *lines) {
        if (line.form == Form::equation && line.parts[0].form == form && line.parts[0].name == name) return &line;
      }
    }
    return nullptr;
  }

  double symbol(const std::string& name) const {
    if (const auto found = symbols_.find(name); found != symbols_.end()) return found->second;
    // p_a, where a is known: p_0.
    if (const std::size_t size = name.size(); size > 2 && name[size - 2] == '_') {
      const auto index = symbols_.find(name.substr(size - 1));
      const auto found = index == symbols_.end()
                             ? symbols_.end()
                             : symbols_.find(name.substr(0, size - 1) + text::number_text(index->second));
      if (found != symbols_.end()) return found->second;
    }
    if (const Formula* line = definition(Form::symbol, name)) return value(line->parts[1]);
    return name == "e" ? std::numbers::e : kNan;
  }

  double series(const Formula& f) const {
    double sum = 0.0;
    const double last = value(f.parts[2]);
    for (double k = value(f.parts[1]); k <= last; ++k) sum += given(f.name, k).value(f.parts[0]);
    return sum;
  }

  double cases(const Formula& f) const {
    for (std::size_t i = 0; i + 1 < f.parts.size(); i += 2) {
      if (value(f.parts[i + 1]) != 0.0) return value(f.parts[i]);
    }
    return value(f.parts.back());
  }

  double called(const std::string& name, const std::vector<double>& v) const {
    if (name == "ln") return std::log(v[0]);
    if (name == "sin") return std::sin(v[0]);
    if (name == "cos") return std::cos(v[0]);
    if (name == "abs") return std::fabs(v[0]);
    if (name == "floor") return std::floor(v[0]);
    if (name == "max") return std::fmax(v[0], v[1]);
    if (name == "min") return std::fmin(v[0], v[1]);
    if (name == "clip") return std::fmin(std::fmax(v[0], v[1]), v[2]);
    const Formula* line = definition(Form::call, name);
    return line == nullptr ? kNan : given(line->parts[0].parts[0].name, v[0]).value(line->parts[1]);
  }

  static bool holds(const std::string& sign, const std::vector<double>& v) {
    for (std::size_t i = 0; i + 1 < v.size(); ++i) {
      const bool one = sign == "<=" ? v[i] <= v[i + 1] : sign == "<" ? v[i] < v[i + 1] : v[i] == v[i + 1];
      if (!one) return false;
    }
    return true;
  }

  const KindFormula& formula_;
  Symbols symbols_;
};

}  // namespace

double value_of(const KindFormula& formula, const Symbols& symbols) {
  return Evaluator(formula, symbols).value(formula.lines.front());
}

Formula distance_of(DistanceRule rule) {
  const Formula offset = Formula("i") - "j";
  return equation("d", rule == DistanceRule::causal ? call("max", {offset, 0}) : call("abs", {offset}));
}

const Formula& bias_of_pair() {
  static const Formula bias = call("bias_h", {"i", "j"});
  return bias;
}

}  // namespace posenc::properties
