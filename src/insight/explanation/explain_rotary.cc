#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "core/spec/axis_map.h"
#include "insight/explanation/explain_base.h"
#include "insight/explanation/explain_kinds.h"
#include "insight/explanation/explain_scaling.h"
#include "insight/explanation/explain_text.h"
#include "insight/properties/formulas.h"
#include "insight/properties/lists.h"
#include "posenc/error.h"
#include "posenc/position.h"
#include "posenc/reference.h"
#include "posenc/rotary_table.h"
#include "posenc/schedule.h"

namespace posenc::explanation {
namespace {

// A 2x2 matrix on two lines after its name.
std::vector<std::string> matrix_lines(const std::string& name, const std::vector<double>& matrix) {
  const auto line = [&](std::size_t at) {
    const auto signed_text = [](double value) {
      const std::string text = five_decimals(value);
      return text.starts_with('-') ? text : " " + text;
    };
    return "[ " + signed_text(matrix[at]) + " " + signed_text(matrix[at + 1]) + " ]";
  };
  return {name + line(0), std::string(name.size(), ' ') + line(2)};
}

constexpr std::int64_t kShownWhole = 4;  // up to so many pairs are all shown; of more, the first two and the last

class Explainer {
 public:
  Explainer(const Rotary& spec, std::span<const double> position)
      : spec_(spec),
        angles_(spec),
        schedule_(angles_.schedule()),
        exact_(schedule_of(Precision::exact)),
        has_rounded_(fits_float(spec, exact_)),
        rounded_(has_rounded_ ? schedule_of(Precision::reference) : exact_),
        places_(spec::axis_map(spec, spec::window_of(spec))),
        position_(position.begin(), position.end()) {}

  Step formula() const;
  Step channels() const;
  Step frequencies() const;
  Step angles() const;
  Step cosines() const;
  Step matrix() const;
  Step head() const;
  Step product(double shift) const;
  Step distances() const;
  std::optional<Step> base() const;
  Step score(double shift) const;
  Step reproduce(const ExplainOptions& options) const { return table_command(Spec(spec_), position_, options); }

 private:
  using Head = std::vector<double>;

  // An exact encoding may have numbers outside the range of float32.
  static bool fits_float(const Rotary& spec, const RotarySchedule& exact) {
    const auto fits = [](double value) { return std::fabs(value) <= 1e38; };
    return fits(spec.base) && static_cast<float>(spec.base) > 0.0f &&
           std::all_of(exact.inv_freq.begin(), exact.inv_freq.end(), fits);
  }
  RotarySchedule schedule_of(Precision precision) const {
    Rotary spec = spec_;
    spec.precision = precision;
    return make_schedule(spec);
  }
  std::int64_t pairs() const { return schedule_.pairs(); }
  std::string label(std::int64_t i) const {
    return "i = " + padded(std::to_string(i), std::max<std::size_t>(4, std::to_string(pairs()).size()));
  }
  static double inv_freq(const RotarySchedule& schedule, std::size_t axis, std::int64_t i) {
    return schedule.inv_freq[axis * static_cast<std::size_t>(schedule.pairs()) + static_cast<std::size_t>(i)];
  }
  double turn_sign() const { return spec_.layout == Layout::half_negative ? -1.0 : 1.0; }
  std::string position_text() const { return place_text(position_); }
  std::string power(std::int64_t i) const;
  double exact_angle(std::int64_t i) const;
  double rounded_angle(std::int64_t i) const;
  double rounding(std::int64_t i) const;
  std::vector<double> cos_sin(std::span<const double> position) const;
  std::vector<double> first_matrix(std::span<const double> position) const;
  Head turned(const Head& x, std::span<const double> position) const;
  Head sample() const;
  static std::string head_text(const Head& x, bool whole);
  // Calls shown(i) for the pairs to show; a line says how many more there are.
  template <class Shown>
  void for_shown_pairs(std::vector<std::string>& lines, const Shown& shown) const;

  const Rotary spec_;
  const RotaryAngles angles_;
  const RotarySchedule schedule_;
  const RotarySchedule exact_;  // the same encoding in both precisions
  const bool has_rounded_;
  const RotarySchedule rounded_;
  const std::vector<spec::PairPlace> places_;
  const std::vector<double> position_;
};

template <class Shown>
void Explainer::for_shown_pairs(std::vector<std::string>& lines, const Shown& shown) const {
  if (pairs() <= kShownWhole) {
    for (std::int64_t i = 0; i < pairs(); ++i) shown(i);
    return;
  }
  for (const std::int64_t i : {std::int64_t{0}, std::int64_t{1}, pairs() - 1}) shown(i);
  lines.push_back("  and " + std::to_string(pairs() - 3) + " more pairs");
}

// "1/10000^(2/8)", as the rule counts pairs, times the scale.
std::string Explainer::power(std::int64_t i) const {
  const spec::PairPlace& place = places_[static_cast<std::size_t>(i)];
  const std::string scale = spec_.frequency_scale == 1.0 ? "1/" : text::number_text(spec_.frequency_scale) + "/";
  return scale + text::number_text(spec_.base) + "^(" + std::to_string(2 * place.index) + "/" +
         std::to_string(place.exponent_dim) + ")";
}

double Explainer::exact_angle(std::int64_t i) const {
  double angle = 0.0;
  for (std::size_t axis = 0; axis < position_.size(); ++axis) angle += position_[axis] * inv_freq(exact_, axis, i);
  return angle;
}

// The angle as float32 tensors compute it: position, frequency, product and sum are each rounded.
double Explainer::rounded_angle(std::int64_t i) const {
  float angle = 0.0f;
  for (std::size_t axis = 0; axis < position_.size(); ++axis) {
    angle += static_cast<float>(position_[axis]) * static_cast<float>(inv_freq(rounded_, axis, i));
  }
  return static_cast<double>(angle);
}

// The rounding error of an angle. Uses fused operations, because the exact angle may not fit into a double.
double Explainer::rounding(std::int64_t i) const {
  double difference = rounded_angle(i);
  for (std::size_t axis = 0; axis < position_.size(); ++axis) {
    difference = std::fma(-position_[axis], inv_freq(exact_, axis, i), difference);
  }
  return difference;
}

std::vector<double> Explainer::cos_sin(std::span<const double> position) const {
  std::vector<double> row(static_cast<std::size_t>(2 * pairs()));
  fill_cos_sin(angles_, properties::places_view(position.data(), 1, schedule_.axes),
               make_view(row.data(), {1, 2 * pairs()}));
  return row;
}

// Rotates in plain steps, not by rotate(), which fuses products and sums on some machines: so the digits are the same
// everywhere.
Explainer::Head Explainer::turned(const Head& x, std::span<const double> position) const {
  const std::vector<double> row = cos_sin(position);
  Head out = x;
  for (std::int64_t i = 0; i < pairs(); ++i) {
    const reference::RotaryPair pair = reference::rotary_pair(spec_, i);
    const double a = x[static_cast<std::size_t>(pair.read_first)];
    const double b = x[static_cast<std::size_t>(pair.read_second)];
    const double c = row[static_cast<std::size_t>(i)];
    const double s = row[static_cast<std::size_t>(pairs() + i)] * turn_sign();
    out[static_cast<std::size_t>(pair.write_first)] = a * c - b * s;
    out[static_cast<std::size_t>(pair.write_second)] = b * c + a * s;
  }
  return out;
}

// A head with the numbers 1, 2, .., 9, 1, 2, ..
Explainer::Head Explainer::sample() const {
  Head x(static_cast<std::size_t>(spec_.head_dim));
  for (std::size_t c = 0; c < x.size(); ++c) x[c] = static_cast<double>(c % 9 + 1);
  return x;
}

std::string Explainer::head_text(const Head& x, bool whole) {
  return row_text(static_cast<std::int64_t>(x.size()), [&](std::int64_t c) {
    const double value = x[static_cast<std::size_t>(c)];
    return whole ? text::number_text(value) : five_decimals(value);
  });
}

Step Explainer::formula() const {
  Step step{"formula", "The formula", {}, {}};
  const properties::KindFormula whole = properties::formula_of(spec_);
  const auto angle = whole.lines.begin() + 2;  // after the lines for the two channels of a pair
  step.lines = {plain_text(properties::KindFormula{.lead = whole.lead, .lines = {whole.lines.begin(), angle}}),
                plain_text(properties::KindFormula{.lines = {angle, whole.lines.end()}, .note = whole.note})};
  if (schedule_.attention_factor == 1.0) return step;
  const std::string factor = "attention_factor " + text::general_text(schedule_.attention_factor, 6);
  if (spec_.attention_factor_in == FactorIn::table) {
    step.lines.push_back("attention_factor multiplies query and key, so a score gets its square, " +
                         text::general_text(schedule_.attention_factor * schedule_.attention_factor, 6));
  } else {
    step.lines.push_back(factor + " multiplies the " +
                         (spec_.attention_factor_in == FactorIn::query ? "query after the rotation" : "scores") +
                         ": it is not in the numbers below");
  }
  return step;
}

Step Explainer::channels() const {
  constexpr const char* kWords[] = {"half", "interleaved", "interleaved_to_half", "half_negative", "half_per_axis"};
  Step step{"channels",
            "Which channels form a pair: layout " + std::string(kWords[static_cast<std::size_t>(spec_.layout)]),
            {},
            {}};
  const std::int64_t end = schedule_.first_channel + schedule_.rotary_dim;
  const bool all = schedule_.rotary_dim == spec_.head_dim;
  step.lines.push_back(all ? "all " + std::to_string(spec_.head_dim) + " channels of the head are rotated"
                           : "channels " + std::to_string(schedule_.first_channel) + " to " + std::to_string(end - 1) +
                                 " of " + std::to_string(spec_.head_dim) + " are rotated, the others stay unchanged");
  const auto channels = [](std::int64_t a, std::int64_t b) { return std::to_string(a) + " and " + std::to_string(b); };
  for_shown_pairs(step.lines, [&](std::int64_t i) {
    const reference::RotaryPair pair = reference::rotary_pair(spec_, i);
    std::string line = label(i) + " channels " + channels(pair.read_first, pair.read_second);
    if (pair.read_first != pair.write_first || pair.read_second != pair.write_second) {
      line += ", written to " + channels(pair.write_first, pair.write_second);
    }
    step.lines.push_back(line);
  });
  return step;
}

Step Explainer::frequencies() const {
  Step step{"frequencies", "The frequencies, radians per position", {}, schedule_.inv_freq};
  const int digits = spec_.precision == Precision::reference ? 9 : 7;
  for_shown_pairs(step.lines, [&](std::int64_t i) {
    std::string line = label(i);
    for (std::size_t axis = 0; axis < position_.size(); ++axis) {
      const double w = inv_freq(schedule_, axis, i);
      if (w == 0.0 && position_.size() > 1) continue;
      const bool several = line.size() > label(i).size();
      const bool by_rule = spec_.inv_freq.empty() && kind_of(spec_.scaling) == NoScaling::kind;
      const std::string formula = by_rule ? power(i) + " = " : "";
      line += std::string(several ? "; w = " : " w = ") + formula + text::general_text(w, digits);
      if (position_.size() > 1) line += " on axis " + std::to_string(axis);
      const double wavelength = wavelengths({w})[0];
      line += std::isfinite(wavelength) ? ", one turn in " + readable(wavelength) + " positions" : ", no rotation";
    }
    step.lines.push_back(line);
  });
  return step;
}

Step Explainer::angles() const {
  const bool rounded = spec_.precision == Precision::reference;
  Step step{"angles", "The angles at position " + position_text() + ", in radians", {}, {}};
  std::int64_t worst = 0;
  for (std::int64_t i = 0; i < pairs(); ++i) {
    step.values.push_back(rounded ? rounded_angle(i) : exact_angle(i));
    if (std::fabs(rounding(i)) > std::fabs(rounding(worst))) worst = i;
  }
  const std::string off = text::general_text(std::fabs(rounding(worst)), 3) + " radians, pair " + std::to_string(worst);
  for_shown_pairs(step.lines, [&](std::int64_t i) {
    std::string line = label(i) + " angle = " + text::general_text(exact_angle(i), 12);
    if (rounded) {
      line +=
          ", in float32 " + text::general_text(rounded_angle(i), 12) + ": error " + text::general_text(rounding(i), 3);
    }
    step.lines.push_back(line);
  });
  if (rounded) {
    step.lines.push_back("precision=reference rotates by the float32 angles; the largest error is " + off);
  } else if (has_rounded_) {
    step.lines.push_back("computed in float32 (precision=reference), the largest error would be " + off);
  }
  return step;
}

Step Explainer::cosines() const {
  Step step{"cos_sin", "The cosines and sines of the angles", {}, cos_sin(position_)};
  const double factor = schedule_.table_factor();
  if (factor != 1.0) step.title += ", times " + text::number_text(factor);
  for_shown_pairs(step.lines, [&](std::int64_t i) {
    const double cos = step.values[static_cast<std::size_t>(i)];
    const double sin = step.values[static_cast<std::size_t>(pairs() + i)];
    step.lines.push_back(label(i) + " cos = " + five_decimals(cos) + ", sin = " + five_decimals(sin));
  });
  return step;
}

Step Explainer::head() const {
  const Head x = sample();
  Step step{"head", "A head, rotated", {}, turned(x, position_)};
  step.lines.push_back("x = " + head_text(x, true));
  const bool negative = spec_.layout == Layout::half_negative;
  for_shown_pairs(step.lines, [&](std::int64_t i) {
    const reference::RotaryPair pair = reference::rotary_pair(spec_, i);
    const std::string a = text::number_text(x[static_cast<std::size_t>(pair.read_first)]);
    const std::string b = text::number_text(x[static_cast<std::size_t>(pair.read_second)]);
    const auto result = [&](std::int64_t c) { return five_decimals(step.values[static_cast<std::size_t>(c)]); };
    step.lines.push_back(label(i) + " " + a + " cos " + (negative ? "+ " : "- ") + b +
                         " sin = " + result(pair.write_first) + ",   " + b + " cos " + (negative ? "- " : "+ ") + a +
                         " sin = " + result(pair.write_second));
  });
  step.lines.push_back("x at " + position_text() + " = " + head_text(step.values, false));
  return step;
}

// [[cos, -sin], [sin, cos]] of pair 0, row by row.
std::vector<double> Explainer::first_matrix(std::span<const double> position) const {
  const std::vector<double> row = cos_sin(position);
  const double cos = row[0], sin = row[static_cast<std::size_t>(pairs())] * turn_sign();
  return {cos, -sin, sin, cos};
}

Step Explainer::matrix() const {
  Step step{"matrix", "The rotation matrix of pair 0 at position " + position_text(), {}, first_matrix(position_)};
  const double cos = step.values[0], sin = step.values[2];
  step.lines = matrix_lines("R(" + position_text() + ") = ", step.values);
  step.lines.push_back("R (1, 2) = (" + five_decimals(cos - 2.0 * sin) + ", " + five_decimals(sin + 2.0 * cos) + ")");
  return step;
}

// The step that shows R(a)^T R(b) = R(b - a) with numbers.
Step Explainer::product(double shift) const {
  const double a = position_[0];
  const double step_by = std::fabs(a + shift) <= static_cast<double>(kMaxPosition) ? shift : -shift;
  const double b = a + step_by, apart = b - a;
  const std::vector<double> x = first_matrix({&a, 1}), y = first_matrix({&b, 1}), between = first_matrix({&apart, 1});
  const std::string left = "R(" + text::number_text(a) + ")^T R(" + text::number_text(b) + ")";
  const double factor = schedule_.table_factor();
  const std::string times = factor == 1.0 ? "" : text::number_text(factor) + " ";
  Step step{"product", "Two rotations: " + left + " = " + times + "R(" + text::number_text(b - a) + ")", {}, {}};
  // The transpose of x times y.
  step.values = {x[0] * y[0] + x[2] * y[2], x[0] * y[1] + x[2] * y[3], x[1] * y[0] + x[3] * y[2],
                 x[1] * y[1] + x[3] * y[3]};
  step.lines = matrix_lines(left + " = ", step.values);
  const std::vector<std::string> direct = matrix_lines("R(" + text::number_text(b - a) + ") = ", between);
  step.lines.insert(step.lines.end(), direct.begin(), direct.end());
  if (schedule_.table_factor() != 1.0) {
    step.lines.push_back("cos and sin have the factor " + text::number_text(schedule_.table_factor()) +
                         ": the product has it twice, R only once");
  }
  step.lines.push_back("so (R(a) q).(R(b) k) = " + times + "q.(R(b - a) k): a score depends on the distance only");
  return step;
}

Step Explainer::distances() const {
  const Head ones(static_cast<std::size_t>(spec_.head_dim), 1.0);
  const double zero = 0.0;
  const Head query = turned(ones, {&zero, 1});
  Step step{"distances", "The score by distance, if q and k are all ones", {}, {}};
  if (is_rotation(spec_.layout) && schedule_.table_factor() == 1.0 && schedule_.query_factor() == 1.0) {
    const bool still = schedule_.rotary_dim < schedule_.head_dim;
    step.lines.emplace_back("each pair adds 2 cos(distance x w)" +
                            std::string(still ? ", each channel that is not rotated adds 1" : ""));
  }
  for (const double distance : {0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0}) {
    const Head key = turned(ones, {&distance, 1});
    const double score = properties::dot(query, key);
    step.values.push_back(score);
    step.lines.push_back("distance " + padded(text::number_text(distance), 3) + " score " + five_decimals(score) +
                         ", " + text::fixed_text(score / step.values[0], 2) + " of the score at 0");
  }
  step.lines.emplace_back(
      "Fast pairs complete a turn within a few positions, slow ones barely rotate: the score oscillates, and may rise "
      "again.");
  return step;
}

// The step that compares the base with the usual one, both without a scaling; none if they are the same.
std::optional<Step> Explainer::base() const {
  if (!spec_.inv_freq.empty() || spec_.base == 10000.0 || schedule_.axes > 1 || pairs() < 2) return std::nullopt;
  Rotary own = spec_;
  own.scaling = NoScaling{};
  own.precision = Precision::exact;
  Rotary usual = own;
  usual.base = 10000.0;
  return compare_bases({make_schedule(own).inv_freq, make_schedule(usual).inv_freq,
                        kind_of(spec_.scaling) == NoScaling::kind
                            ? "Compared with base 10000"
                            : "Compared with base 10000, both without the scaling",
                        "with base 10000"});
}

Step Explainer::score(double shift) const {
  if (schedule_.axes > 1) {
    fail(ErrorKind::unsupported,
         "[explain] a shift needs positions on one axis, but the spec has " + std::to_string(schedule_.axes));
  }
  check_positions(PositionView::of(&shift, 1), "explain --shift");
  const double p = position_[0];
  const double key_position = p + shift;
  check_positions(PositionView::of(&key_position, 1), "explain --shift");
  const double elsewhere =
      std::fabs(p + 1000.0 + std::max(shift, 0.0)) <= static_cast<double>(kMaxPosition) ? 1000.0 : -1000.0;
  const double places[] = {p, 0.0, p + elsewhere};
  const Head q = sample();
  const Head k(q.rbegin(), q.rend());
  Step step{"score", "The score of a query at p and a key at " + plus("p", shift), {}, {}};
  step.lines.push_back("(R(p) q) . (R(" + plus("p", shift) + ") k) = (R(0) q) . (R(" + text::number_text(shift) +
                       ") k): only the distance matters");
  step.lines.push_back("q = " + head_text(q, true));
  step.lines.push_back("k = " + head_text(k, true));
  for (const double place : places) {
    const double other = place + shift;
    const Head query = turned(q, {&place, 1});
    const Head key = turned(k, {&other, 1});
    const double score = properties::dot(query, key);
    step.values.push_back(score);
    step.lines.push_back("q at " + text::number_text(place) + ", k at " + text::number_text(place + shift) +
                         ": score " + five_decimals(score));
  }
  const auto [low, high] = std::minmax_element(step.values.begin(), step.values.end());
  // The last bits depend on the machine.
  const bool rounding = *high - *low < 1e-12;
  step.lines.push_back("largest difference: " + (rounding ? "below 1e-12" : text::general_text(*high - *low, 2)));
  return step;
}

}  // namespace

std::vector<Step> explain_rotary(const Rotary& given, std::span<const double> position, const ExplainOptions& options) {
  if (options.derivative) {
    fail(ErrorKind::unsupported, "[explain] the derivative is available for sinusoidal encodings only");
  }
  make_schedule(given);  // throws if layers differ and no layer is given
  const Rotary spec = at_layer(given, given.layer.value_or(0));
  if (!is_rotation(spec.layout)) {
    fail(ErrorKind::unsupported,
         "[explain] this layout is not a rotation, so it has no pairs to explain: posenc table and posenc rotate print "
         "its "
         "numbers");
  }
  const Explainer explainer(spec, position);
  std::vector<Step> steps = {explainer.formula(), explainer.channels()};
  if (kind_of(spec.scaling) != NoScaling::kind) steps.push_back(explain_scaling(spec, make_schedule(spec)));
  for (Step& step : std::vector<Step>{explainer.frequencies(), explainer.angles(), explainer.cosines(),
                                      explainer.matrix(), explainer.head()}) {
    steps.push_back(std::move(step));
  }
  if (std::optional<Step> base = explainer.base()) {
    const auto after = std::find_if(steps.begin(), steps.end(), [](const Step& s) { return s.name == "frequencies"; });
    steps.insert(after + 1, std::move(*base));
  }
  if (options.shift) steps.push_back(explainer.score(*options.shift));
  if (spec::axes_of(spec) == 1) {
    steps.push_back(explainer.product(options.shift.value_or(2.0)));
    steps.push_back(explainer.distances());
  }
  steps.push_back(explainer.reproduce(options));
  return steps;
}

}  // namespace posenc::explanation
