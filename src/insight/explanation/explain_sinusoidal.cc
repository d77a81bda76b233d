#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>

#include "core/text/number_text.h"
#include "insight/explanation/explain_base.h"
#include "insight/explanation/explain_kinds.h"
#include "insight/explanation/explain_text.h"
#include "insight/explanation/sinusoidal_symbols.h"
#include "insight/properties/formulas.h"
#include "insight/properties/sinusoidal_rows.h"
#include "posenc/error.h"
#include "posenc/table.h"

namespace posenc::explanation {
namespace {

constexpr std::int64_t kShownFirst = 4;  // pairs shown before the gap ...
constexpr std::int64_t kShownLast = 2;   // ... and after it

class SinusoidalExplainer {
 public:
  SinusoidalExplainer(const Sinusoidal& spec, double position)
      : spec_(spec), schedule_(make_schedule(spec_)), symbols_(spec_), position_(position), row_(row_at(position)) {}

  Step formula() const;
  Step denominators() const;
  Step in_symbols() const;
  Step in_numbers() const;
  Step dimensions() const;
  Step speed() const;
  std::optional<Step> base() const;
  Step derivative() const;
  std::vector<Step> shift(double k) const;
  Step reproduce(const ExplainOptions& options) const;

 private:
  std::int64_t pairs() const { return static_cast<std::int64_t>(schedule_.inv_freq.size()); }
  std::int64_t sine_column(std::int64_t j) const { return properties::channel_at(schedule_.sine, j); }
  std::int64_t cosine_column(std::int64_t j) const { return properties::channel_at(schedule_.cosine, j); }
  // "i = 7  ": the same width for every pair.
  std::string label(std::int64_t j) const {
    return "i = " + padded(std::to_string(j), std::max<std::size_t>(4, std::to_string(pairs()).size()));
  }
  std::string position_text() const { return text::number_text(position_); }
  std::string amplitude() const { return spec_.multiplier == 1.0 ? "" : text::number_text(spec_.multiplier) + " * "; }
  bool is_zero_row(double position) const { return properties::is_zero_row(schedule_, position); }
  void check_shift(double k) const;
  Step shift_blocks(double k) const;

  std::vector<double> row_at(double position) const;
  // Calls shown(j) for the first and last pairs; a line says how many are left out between them.
  template <class Shown>
  void for_shown_pairs(std::vector<std::string>& lines, const Shown& shown) const;
  template <class Cell>
  std::string row_text(const Cell& cell) const {
    return explanation::row_text(spec_.width, cell);
  }
  std::string symbol_at(std::int64_t column) const;
  std::string dimension_line(std::int64_t column) const;
  void add_small_angle(Step& step) const;
  // The angle of pair j at the position, computed as in the formula.
  double angle(std::int64_t j) const {
    return (position_ + static_cast<double>(spec_.first)) * schedule_.inv_freq[static_cast<std::size_t>(j)];
  }

  const Sinusoidal spec_;
  const SinusoidalSchedule schedule_;
  const SinusoidalSymbols symbols_;
  const double position_;
  const std::vector<double> row_;
};

std::vector<double> SinusoidalExplainer::row_at(double position) const {
  std::vector<double> row(static_cast<std::size_t>(spec_.width));
  fill_table(schedule_, PositionView::of(&position, 1), make_view(row.data(), {1, spec_.width}));
  return row;
}

template <class Shown>
void SinusoidalExplainer::for_shown_pairs(std::vector<std::string>& lines, const Shown& shown) const {
  const bool elide = pairs() > kShownFirst + kShownLast + 2;
  for (std::int64_t j = 0; j < pairs(); ++j) {
    if (elide && j == kShownFirst) {
      lines.push_back("  ... " + std::to_string(pairs() - kShownFirst - kShownLast) + " more pairs");
      j = pairs() - kShownLast;
    }
    shown(j);
  }
}

std::string SinusoidalExplainer::symbol_at(std::int64_t column) const {
  if (is_zero_row(position_)) return "0";
  const std::optional<std::int64_t> sine = properties::pair_at(schedule_.sine, column);
  const std::optional<std::int64_t> pair = sine ? sine : properties::pair_at(schedule_.cosine, column);
  if (!pair) return "0";
  return amplitude() + (sine ? "sin(" : "cos(") + symbols_.angle(symbols_.numerator(position_), *pair) + ")";
}

Step SinusoidalExplainer::formula() const {
  const bool sine_leads = schedule_.sine.start <= schedule_.cosine.start;
  Step step{"formula", "The formula", {}, {}};
  if (pairs() == 0) {
    step.lines.push_back("width 1 with odd=zero has neither a sine nor a cosine: its only column is zero");
    return step;
  }
  for (const properties::Formula& line : properties::formula_of(spec_).lines) {
    if (spec_.width > 1 || step.lines.empty()) step.lines.push_back(plain_text(line));
  }
  const std::size_t longest = step.lines.back().find(" = ");
  step.lines[0].insert(step.lines[0].find(" = "), longest - step.lines[0].find(" = "), ' ');
  step.lines.push_back((pairs() > 1 ? "for i = 0 to " + std::to_string(pairs() - 1) : "for i = 0") + ", width " +
                       std::to_string(spec_.width));
  if (spec_.first != 0) {
    step.lines.push_back("position " + position_text() + " counts as " +
                         text::number_text(position_ + static_cast<double>(spec_.first)) + ": counting starts at " +
                         std::to_string(spec_.first));
  }
  if (!properties::has_partners(schedule_)) {
    step.lines.push_back("the width is odd: the last " + std::string(sine_leads ? "cosine" : "sine") + " is dropped");
  } else if (spec_.width % 2 != 0) {
    step.lines.push_back("the width is odd: the last column is zero");
  }
  if (is_zero_row(position_)) step.lines.push_back("the row of this position is zero by definition (zero_position)");
  return step;
}

Step SinusoidalExplainer::denominators() const {
  if (!spec_.inv_freq.empty()) {
    Step step{"frequencies", "The frequencies, as given", {}, spec_.inv_freq};
    for_shown_pairs(step.lines, [&](std::int64_t j) {
      step.lines.push_back(label(j) +
                           " inv_freq = " + text::general_text(spec_.inv_freq[static_cast<std::size_t>(j)], 7));
    });
    return step;
  }
  Step step{"denominators", "The denominators: what the position is divided by", {}, {}};
  for (std::int64_t j = 0; j < pairs(); ++j) step.values.push_back(symbols_.denominator_value(j));
  for_shown_pairs(step.lines, [&](std::int64_t j) {
    const std::string exact = symbols_.denominator(j);
    const std::string power = symbols_.power(j);
    step.lines.push_back(label(j) + " " + power + " = " +
                         (exact == power ? text::general_text(symbols_.denominator_value(j), 7) : exact));
  });
  return step;
}

Step SinusoidalExplainer::in_symbols() const {
  const auto cell = [&](std::int64_t column) { return symbol_at(column); };
  return {"symbols", "In symbols", {"PE(" + position_text() + ") = " + row_text(cell)}, {}};
}

Step SinusoidalExplainer::in_numbers() const {
  const auto cell = [&](std::int64_t column) { return five_decimals(row_[static_cast<std::size_t>(column)]); };
  return {"numbers", "In numbers", {"PE(" + position_text() + ") = " + row_text(cell)}, row_};
}

// "dimension 2, even, i = 1: sin(1/100) = sin(0.01) = 0.01000".
std::string SinusoidalExplainer::dimension_line(std::int64_t column) const {
  const std::optional<std::int64_t> sine = properties::pair_at(schedule_.sine, column);
  const std::optional<std::int64_t> pair = sine ? sine : properties::pair_at(schedule_.cosine, column);
  std::string line = "dimension " + padded(std::to_string(column), std::to_string(spec_.width - 1).size());
  const std::string value = five_decimals(row_[static_cast<std::size_t>(column)]);
  if (!pair || is_zero_row(position_)) return line + "  = " + value;
  line += "  (i = " + std::to_string(*pair) + ")  " + symbol_at(column);
  const std::string number = text::general_text(angle(*pair), 6);
  const std::string reduced = amplitude() + (sine ? "sin(" : "cos(") + number + ")";
  if (reduced != symbol_at(column)) line += " = " + reduced;
  return line + " = " + value;
}

// Shows sin x = x at the first pair whose angle is small enough.
void SinusoidalExplainer::add_small_angle(Step& step) const {
  constexpr double kSmall = 0.1;
  for (std::int64_t j = 0; j < std::min(schedule_.sine.count, schedule_.cosine.count); ++j) {
    const double x = angle(j);
    if (x == 0.0 || std::fabs(x) > kSmall || is_zero_row(position_)) continue;
    const std::string number = text::general_text(x, 6);
    step.lines.push_back("A small angle is almost its own sine: sin x is about x and cos x about 1 - x^2/2. Here sin(" +
                         number + ") = " + text::general_text(std::sin(x), 7) + ",");
    step.lines.push_back("cos(" + number + ") = " + text::general_text(std::cos(x), 7) +
                         ": a slow sine grows with the position like a ruler, and its cosine stays near 1.");
    return;
  }
}

Step SinusoidalExplainer::dimensions() const {
  constexpr std::int64_t kWhole = 16, kEnds = 4;
  Step step{"dimensions", "Dimension by dimension", {}, {}};
  for (std::int64_t column = 0; column < spec_.width; ++column) {
    if (spec_.width > kWhole && column == kEnds) {
      column = spec_.width - kEnds;
      step.lines.push_back("... " + std::to_string(spec_.width - 2 * kEnds) + " more dimensions");
    }
    step.lines.push_back(dimension_line(column));
  }
  add_small_angle(step);
  return step;
}

// The step that compares with the base and the exponent of the paper at the same width; none if the frequencies are the
// same.
std::optional<Step> SinusoidalExplainer::base() const {
  const Sinusoidal paper{.width = spec_.width, .odd = spec_.odd};
  const std::vector<double> usual = make_schedule(paper).inv_freq;
  if (pairs() < 2 || usual.size() != schedule_.inv_freq.size() || usual == schedule_.inv_freq) return std::nullopt;
  const bool only_base = spec_.inv_freq.empty() && spec_.spacing == Spacing::width && spec_.frequency_scale == 1.0 &&
                         spec_.exponent_factor == 1.0;
  const std::string name = only_base ? "with base 10000" : "in the paper";
  Step step =
      compare_bases({schedule_.inv_freq, usual,
                     only_base ? "Compared with the paper's base, 10000"
                               : "Compared with the paper: base 10000, exponents 2i/" + std::to_string(spec_.width),
                     name});
  if (spec_.exponent_factor != 1.0 && spec_.inv_freq.empty()) {
    step.lines.insert(step.lines.begin(), "An exponent times " + text::number_text(spec_.exponent_factor) +
                                              " is another base: " + text::number_text(spec_.base) + "^" +
                                              text::number_text(spec_.exponent_factor) + " = " +
                                              text::general_text(std::pow(spec_.base, spec_.exponent_factor), 6));
  }
  return step;
}

Step SinusoidalExplainer::speed() const {
  Step step{"speed", "Which pairs change fast and which slowly", {}, wavelengths(schedule_.inv_freq)};
  for_shown_pairs(step.lines, [&](std::int64_t j) {
    const double wavelength = step.values[static_cast<std::size_t>(j)];
    const double degrees = std::fabs(schedule_.inv_freq[static_cast<std::size_t>(j)]) * 180.0 / std::numbers::pi;
    std::string line = label(j) + " constant: its frequency is 0";
    if (std::isfinite(wavelength)) {
      line = label(j) + " one turn in " + readable(wavelength) + " positions, " + text::general_text(degrees, 3) +
             " degrees from one position to the next";
    }
    if (pairs() > 1 && j == 0) line += " (first pair)";
    if (pairs() > 1 && j == pairs() - 1) line += " (last pair)";
    step.lines.push_back(line);
  });
  if (pairs() > 1) {
    const double ratio = step.values.back() / step.values.front();
    if (ratio > 1.0 && std::isfinite(ratio)) {
      step.lines.push_back("The first pair changes fast, so neighbours differ; the last changes " +
                           (ratio < 1000.0 ? text::general_text(ratio, 4) : text::fixed_text(ratio, 0)) +
                           " times more slowly, so distant positions differ.");
    }
  }
  return step;
}

Step SinusoidalExplainer::derivative() const {
  Step step{"derivative", "The derivative with respect to the position (chain rule)", {}, {}};
  step.values.resize(static_cast<std::size_t>(spec_.width));
  fill_derivative(schedule_, PositionView::of(&position_, 1), make_view(step.values.data(), {1, spec_.width}));
  if (is_zero_row(position_)) {
    step.lines.push_back(
        "the row of this position is zero by definition (zero_position), so its derivative is zero too");
    return step;
  }
  step.lines.push_back("d/dp sin(w p) = w cos(w p),   d/dp cos(w p) = -w sin(w p)");
  const std::string numerator = symbols_.numerator(position_);
  for_shown_pairs(step.lines, [&](std::int64_t j) {
    const std::string w = text::general_text(schedule_.inv_freq[static_cast<std::size_t>(j)], 6);
    const std::string angle = symbols_.angle(numerator, j);
    const auto value = [&](std::int64_t column) {
      return five_decimals(step.values[static_cast<std::size_t>(column)]);
    };
    std::string line = label(j) + " w = " + w;
    if (j < schedule_.sine.count) line += "   " + amplitude() + "w cos(" + angle + ") = " + value(sine_column(j));
    if (j < schedule_.cosine.count) {
      const std::string slope = "-w sin(" + angle + ")";
      line += "   " + (amplitude().empty() ? slope : amplitude() + "(" + slope + ")") + " = " + value(cosine_column(j));
    }
    step.lines.push_back(line);
  });
  const auto cell = [&](std::int64_t column) { return five_decimals(step.values[static_cast<std::size_t>(column)]); };
  step.lines.push_back("PE'(" + position_text() + ") = " + row_text(cell));
  return step;
}

void SinusoidalExplainer::check_shift(double k) const {
  check_positions(PositionView::of(&k, 1), "explain --shift");
  if (is_zero_row(position_) || is_zero_row(position_ + k)) {
    fail(ErrorKind::usage, "[explain] the row of zero_position is zero by definition, so it cannot be shifted");
  }
  if (!properties::has_partners(schedule_)) {
    fail(ErrorKind::usage, "[explain] a shift needs the sine and the cosine of every pair, but width " +
                               std::to_string(spec_.width) + " is odd and drops the last one");
  }
}

Step SinusoidalExplainer::shift_blocks(double k) const {
  Step step{"shift_blocks", "M_" + text::number_text(k) + " has one 2x2 block per pair, for (sin, cos)", {}, {}};
  for (const double inv_freq : schedule_.inv_freq) {
    const SinCos turned = sin_cos(phase_at(make_phase_step(inv_freq), k));
    step.values.push_back(turned.cos);
    step.values.push_back(turned.sin);
  }
  for_shown_pairs(step.lines, [&](std::int64_t j) {
    const double cosine = step.values[static_cast<std::size_t>(2 * j)];
    const double sine = step.values[static_cast<std::size_t>(2 * j + 1)];
    const auto text = [](double value) { return padded(five_decimals(value), 8); };
    step.lines.push_back(label(j) + " [ " + text(cosine) + "  " + text(sine) + " ]");
    step.lines.push_back(std::string(label(j).size(), ' ') + " [ " + text(-sine) + "  " + text(cosine) + " ]");
  });
  return step;
}

std::vector<Step> SinusoidalExplainer::shift(double k) const {
  check_shift(k);
  const std::string k_text = text::number_text(k);
  const Step theorem{
      "shift_theorem",
      "From PE(p) to PE(" + plus("p", k) + "): the addition theorems",
      {"sin(a + b) =  cos(b) sin(a) + sin(b) cos(a)", "cos(a + b) = -sin(b) sin(a) + cos(b) cos(a)",
       "a is the angle of a pair at p, b the angle that a shift by " + k_text + " adds: the same matrix for every p"},
      {}};
  const Step blocks = shift_blocks(k);
  const std::vector<double> direct = row_at(position_ + k);
  Step result{"shift_result", "The product, and the row computed directly", {}, row_};
  for (std::int64_t j = 0; j < pairs(); ++j) {
    const auto s = static_cast<std::size_t>(sine_column(j));
    const auto c = static_cast<std::size_t>(cosine_column(j));
    const double cosine = blocks.values[static_cast<std::size_t>(2 * j)];
    const double sine = blocks.values[static_cast<std::size_t>(2 * j + 1)];
    result.values[s] = cosine * row_[s] + sine * row_[c];
    result.values[c] = cosine * row_[c] - sine * row_[s];
  }
  Step residual{"residual", "The residual", {}, {0.0}};
  for (std::size_t i = 0; i < direct.size(); ++i) {
    residual.values[0] = std::max(residual.values[0], std::fabs(result.values[i] - direct[i]));
  }
  const auto predicted = [&](std::int64_t i) { return five_decimals(result.values[static_cast<std::size_t>(i)]); };
  const auto computed = [&](std::int64_t i) { return five_decimals(direct[static_cast<std::size_t>(i)]); };
  result.lines.push_back("M_" + k_text + " PE(" + position_text() + ") = " + row_text(predicted));
  result.lines.push_back("PE(" + text::number_text(position_ + k) + ") = " + row_text(computed));
  residual.lines.push_back("largest difference: " + text::general_text(residual.values[0], 2));
  return {theorem, blocks, result, residual};
}

Step SinusoidalExplainer::reproduce(const ExplainOptions& options) const {
  const std::string spec = spec_text_of(Spec(spec_), options);
  Step step{"reproduce",
            options.derivative || options.shift ? "The commands for these numbers" : "The command for these numbers",
            {},
            {}};
  const auto add = [&](double position, const std::string& option) {
    step.lines.push_back("posenc table " + spec + " --positions " + text::number_text(position) + option +
                         " --format csv");
  };
  add(position_, "");
  if (options.derivative) add(position_, " --derivative");
  if (options.shift) add(position_ + *options.shift, "");
  return step;
}

}  // namespace

std::vector<Step> explain_sinusoidal(const Sinusoidal& spec, std::span<const double> at,
                                     const ExplainOptions& options) {
  const SinusoidalExplainer explainer(spec, at[0]);
  std::vector<Step> steps = {explainer.formula(),    explainer.denominators(), explainer.in_symbols(),
                             explainer.dimensions(), explainer.in_numbers(),   explainer.speed()};
  if (std::optional<Step> base = explainer.base()) steps.push_back(std::move(*base));
  if (options.derivative) steps.push_back(explainer.derivative());
  if (options.shift) {
    for (Step& step : explainer.shift(*options.shift)) steps.push_back(std::move(step));
  }
  steps.push_back(explainer.reproduce(options));
  return steps;
}

}  // namespace posenc::explanation
