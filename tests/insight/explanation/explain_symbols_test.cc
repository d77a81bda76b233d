// Whether the formulas that an explanation prints say what is computed: they are evaluated and compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "posenc/insight/explain.h"
#include "posenc/reference.h"
#include "posenc/spec.h"
#include "support/evaluate.h"

namespace posenc::explain_symbols_test {
namespace {

const Step& step_of(const std::vector<Step>& steps, const std::string& name) {
  return *std::find_if(steps.begin(), steps.end(), [&](const Step& step) { return step.name == name; });
}

std::vector<double> reference_row(const Sinusoidal& spec, double position) {
  std::vector<double> row(static_cast<std::size_t>(spec.width));
  reference::sinusoidal_row(spec, position, row.data());
  return row;
}

// The cells of "PE(2) = [a, b, ..., c]".
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::string rest = line.substr(line.find('[') + 1);
  rest.pop_back();
  while (true) {
    const std::size_t comma = rest.find(", ");
    cells.push_back(rest.substr(0, comma));
    if (comma == std::string::npos) return cells;
    rest = rest.substr(comma + 2);
  }
}

void expect_row_in_symbols(const Sinusoidal& spec, const std::vector<Step>& steps, const std::vector<double>& row) {
  const std::vector<std::string> cells = cells_of(step_of(steps, "symbols").lines.at(0));
  const auto dots = std::find(cells.begin(), cells.end(), "...");
  for (auto cell = cells.begin(); cell != cells.end(); ++cell) {
    if (cell == dots) continue;
    // Columns after the dots are counted from the end.
    const auto column = cell < dots ? cell - cells.begin() : spec.width - (cells.end() - cell);
    EXPECT_NEAR(::evaluate(*cell), row.at(static_cast<std::size_t>(column)), 1e-9) << *cell << " in column " << column;
  }
  if (dots == cells.end()) {
    EXPECT_EQ(static_cast<std::int64_t>(cells.size()), spec.width);
  }
}

// Lines "PE(p, 2i+1) = cos(...)": for every i, that column has that value.
void expect_formula(const Sinusoidal& spec, const std::vector<Step>& steps, double position,
                    const std::vector<double>& row) {
  std::vector<bool> covered(row.size(), false);
  for (const std::string& line : step_of(steps, "formula").lines) {
    if (!line.starts_with("PE(p, ")) continue;
    const std::string column_text = line.substr(6, line.find(')') - 6);
    const std::string formula = line.substr(line.find("= ") + 2);
    for (std::int64_t i = 0; i < (spec.width + 1) / 2; ++i) {
      Evaluator::Names names = {{"p", position}, {"i", static_cast<double>(i)}};
      if (!spec.inv_freq.empty() && i < static_cast<std::int64_t>(spec.inv_freq.size())) {
        names["inv_freq[i]"] = spec.inv_freq[static_cast<std::size_t>(i)];
      }
      const auto column = static_cast<std::size_t>(::evaluate(column_text, names));
      const bool paired = spec.odd != OddWidth::zero || i < spec.width / 2;
      if (column >= row.size() || covered[column] || !paired) continue;
      covered[column] = true;
      EXPECT_NEAR(::evaluate(formula, names), row[column], 1e-9) << line << " for i = " << i;
    }
  }
  const auto left = std::count(covered.begin(), covered.end(), false);
  EXPECT_EQ(left, spec.odd == OddWidth::zero ? spec.width % 2 : 0) << "columns that no formula covers";
}

void expect_denominators(const std::vector<Step>& steps) {
  const Step& step = step_of(steps, "denominators");
  for (const std::string& line : step.lines) {
    if (!line.starts_with("i = ")) continue;  // "... 250 more pairs"
    const std::size_t last = line.rfind(" = ");
    const std::size_t power = line.find_first_not_of(' ', line.find_first_of(' ', 4));
    const auto i = static_cast<std::size_t>(std::stoll(line.substr(4)));
    const double value = ::evaluate(line.substr(power, last - power));
    EXPECT_NEAR(::evaluate(line.substr(last + 3)) / value, 1.0, 1e-6) << line;
    EXPECT_NEAR(step.values.at(i) / value, 1.0, 1e-12) << line;
  }
}

void expect_text_is_true(const Sinusoidal& spec, double position) {
  SCOPED_TRACE(to_text(Spec(spec)) + " at " + std::to_string(position));
  const std::vector<Step> steps = explain(spec, position, {});
  const std::vector<double> row = reference_row(spec, position);
  expect_row_in_symbols(spec, steps, row);
  expect_formula(spec, steps, position, row);
  if (spec.inv_freq.empty()) expect_denominators(steps);
}

TEST(Evaluate, Evaluates) {
  EXPECT_DOUBLE_EQ(::evaluate("2 + 3*4 - 6/2"), 11.0);
  EXPECT_DOUBLE_EQ(::evaluate("-2^2"), -4.0);
  EXPECT_DOUBLE_EQ(::evaluate("2^(1/2)*3"), 3 * std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(::evaluate("1e+05"), 1e5);
  EXPECT_DOUBLE_EQ(::evaluate("2i+1", {{"i", 3.0}}), 7.0);
  EXPECT_DOUBLE_EQ(::evaluate("3 * sin(-0.5)"), 3 * std::sin(-0.5));
  EXPECT_THROW(::evaluate("1 +"), std::runtime_error);
  EXPECT_THROW(::evaluate("q"), std::runtime_error);
}

TEST(ExplainSymbols, AreTrueForEveryOrderAndOddRule) {
  for (const std::int64_t width : {3, 4, 7, 8, 15, 16, 17}) {
    for (const Order order : {Order::interleaved, Order::cos_interleaved, Order::halves, Order::cos_halves}) {
      for (const OddWidth odd : {OddWidth::drop, OddWidth::zero}) {
        expect_text_is_true({.width = width, .order = order, .odd = odd}, 3.0);
      }
    }
  }
}

TEST(ExplainSymbols, AreTrueForEverySpacing) {
  for (const std::int64_t width : {5, 6, 8}) {
    for (const Spacing spacing : {Spacing::width, Spacing::even_width, Spacing::half}) {
      expect_text_is_true({.width = width, .spacing = spacing}, 2.0);
      expect_text_is_true({.width = width, .spacing = spacing, .exponent_factor = 0.5}, 2.0);
      expect_text_is_true({.width = width, .spacing = spacing, .exponent_factor = -1.5}, 2.0);
    }
    expect_text_is_true({.width = width, .spacing = Spacing::half, .shift = 0.0}, 2.0);
    expect_text_is_true({.width = width, .spacing = Spacing::half, .shift = -0.25}, 2.0);
  }
}

TEST(ExplainSymbols, AreTrueForPositionMapsAndMultipliers) {
  for (const double position : {0.0, 3.0, -3.0, 2.5, 100000.0}) {
    expect_text_is_true({.width = 6, .first = 2}, position);
    expect_text_is_true({.width = 6, .first = -2}, position);
    expect_text_is_true({.width = 6, .frequency_scale = 0.25}, position);
    expect_text_is_true({.width = 6, .frequency_scale = -2.0, .first = 1}, position);
    expect_text_is_true({.width = 6, .multiplier = 2.5}, position);
    expect_text_is_true({.width = 6, .multiplier = -0.5}, position);
    expect_text_is_true({.width = 6, .base = 1000000.0}, position);
    expect_text_is_true({.width = 6, .base = 0.1}, position);
  }
}

TEST(ExplainSymbols, AreTrueForGivenFrequencies) {
  const Sinusoidal spec{.width = 5, .inv_freq = {1.0, -0.5, 0.0}};
  expect_text_is_true(spec, 3.0);
  const Sinusoidal scaled{.width = 4, .frequency_scale = 2.0, .inv_freq = {1.0, 0.5}, .first = 1};
  expect_text_is_true(scaled, 3.0);
}

// "as given" are the numbers that the user gave, and the w of the formula.
TEST(ExplainSymbols, ListsTheFrequenciesOfTheFormula) {
  const std::vector<Step> steps =
      explain(Sinusoidal{.width = 4, .frequency_scale = 2.0, .inv_freq = {1.0, 0.25}}, 3.0, {});
  const Step& step = step_of(steps, "frequencies");
  EXPECT_NE(step.lines.at(0).find("= 1"), std::string::npos) << step.lines.at(0);
  EXPECT_NE(step.lines.at(1).find("= 0.25"), std::string::npos) << step.lines.at(1);
}

TEST(ExplainSymbols, AreTrueWhereTheMiddleIsLeftOut) {
  for (const std::int64_t width : {18, 20, 33, 512}) {
    for (const Order order : {Order::interleaved, Order::cos_interleaved, Order::halves, Order::cos_halves}) {
      expect_text_is_true({.width = width, .order = order}, 3.0);
      expect_text_is_true({.width = width, .order = order, .odd = OddWidth::zero}, 3.0);
    }
  }
}

TEST(ExplainSymbols, ZeroPositionIsZero) {
  const std::vector<Step> steps = explain(Sinusoidal{.width = 4, .first = 2, .zero_position = 3}, 1.0, {});
  EXPECT_EQ(step_of(steps, "symbols").lines.at(0), "PE(1) = [0, 0, 0, 0]");
  EXPECT_EQ(step_of(steps, "numbers").values, (std::vector<double>{0, 0, 0, 0}));
  expect_row_in_symbols({.width = 4, .zero_position = 3}, explain(Sinusoidal{.width = 4, .zero_position = 3}, 4.0, {}),
                        reference_row({.width = 4}, 4.0));
}

// No derivation may state what is not so: beside a zero row there is no "w cos(0) = 0".
TEST(ExplainSymbols, DerivativeLinesAreTrue) {
  for (const Sinusoidal& spec :
       {Sinusoidal{.width = 4}, Sinusoidal{.width = 5, .multiplier = -2.0},
        Sinusoidal{.width = 4, .frequency_scale = 3.0, .first = 1}, Sinusoidal{.width = 4, .zero_position = 0}}) {
    for (const double position : {0.0, 2.0}) {
      SCOPED_TRACE(to_text(Spec(spec)));
      const std::vector<Step> steps = explain(spec, position, {.derivative = true});
      for (std::string line : step_of(steps, "derivative").lines) {
        if (!line.starts_with("i = ") || line.find("w = ") == std::string::npos) continue;
        const Evaluator::Names names = {{"w", std::stod(line.substr(line.find("w = ") + 4))}};
        for (std::size_t at = line.find("   ", line.find("w = ")); at != std::string::npos;) {
          const std::size_t next = line.find("   ", at + 3);
          const std::string equation = line.substr(at + 3, next - at - 3);
          std::string formula = equation.substr(0, equation.find(" = "));
          for (const char* name : {"w cos", "w sin"}) {
            if (const std::size_t w = formula.find(name); w != std::string::npos) formula.insert(w + 1, " *");
          }
          EXPECT_NEAR(::evaluate(formula, names), std::stod(equation.substr(equation.find(" = ") + 3)), 3e-5) << line;
          at = next;
        }
      }
    }
  }
}

}  // namespace
}  // namespace posenc::explain_symbols_test
