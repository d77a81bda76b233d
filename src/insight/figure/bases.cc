// Other bases and exponents: wavelengths of the pairs and similarity by distance, beside those of the spec.
#include <algorithm>
#include <cmath>

#include "core/text/number_text.h"
#include "insight/figure/figure_call.h"
#include "insight/properties/sinusoidal_rows.h"
#include "posenc/error.h"
#include "posenc/insight/analysis.h"
#include "posenc/schedule.h"

namespace posenc::figure {
namespace {

struct BaseCurve {
  std::string name;
  drawing::Stroke stroke;
  std::vector<double> wavelengths;
  std::vector<double> cosines;  // by distance
};

constexpr std::int64_t kDistances = 101;

BaseCurve base_curve_of(const Spec& spec, const std::string& name) {
  BaseCurve curve{name, {.label = name}, {}, {}};
  if (const auto* rotary = std::get_if<Rotary>(&spec)) {
    const RotarySchedule schedule = make_schedule(*rotary);
    curve.wavelengths = wavelengths(schedule.inv_freq);
    curve.cosines = score_kernel(schedule, kDistances);
  } else {
    const SinusoidalSchedule schedule = make_schedule(std::get<Sinusoidal>(spec));
    curve.wavelengths = wavelengths(schedule.inv_freq);
    curve.cosines = distance_curve(schedule, kDistances);
  }
  const double first = curve.cosines.front();
  for (double& cosine : curve.cosines) cosine /= first > 0.0 ? first : 1.0;
  return curve;
}

// Whether two curves hide each other.
bool is_same(const BaseCurve& a, const BaseCurve& b) {
  for (std::size_t i = 0; i < a.wavelengths.size(); ++i) {
    const double x = a.wavelengths[i], y = b.wavelengths[i];
    if (x != y && !(std::fabs(x - y) <= 1e-9 * std::fabs(x))) return false;
  }
  return true;
}

double base_of(const Spec& spec) {
  if (const auto* rotary = std::get_if<Rotary>(&spec)) return rotary->base;
  return std::get<Sinusoidal>(spec).base;
}
Spec with_base(Spec spec, double base) {
  if (auto* rotary = std::get_if<Rotary>(&spec)) rotary->base = base;
  if (auto* sinusoidal = std::get_if<Sinusoidal>(&spec)) sinusoidal->base = base;
  return spec;
}

void check_factors(const FigureCall& call) {
  for (const double factor : call.options.exponents) {
    if (!std::isfinite(factor)) fail(ErrorKind::usage, "--exponents must be finite numbers");
  }
  if (!call.options.exponents.empty() && std::holds_alternative<Rotary>(call.numbers->spec())) {
    fail(ErrorKind::usage, "--exponents: rotary has no exponent factor; use --bases");
  }
  constexpr std::size_t kMost = 6;  // the number of colours for curves
  const std::pair<std::string, std::size_t> counts[] = {{"--bases", call.options.bases.size()},
                                                        {"--exponents", call.options.exponents.size()}};
  for (const auto& [option, count] : counts) {
    if (count <= kMost) continue;
    fail(ErrorKind::usage, option + ": at most " + std::to_string(kMost) + " values but got " + std::to_string(count));
  }
}

// The spec itself, then one curve per base and per exponent.
std::vector<BaseCurve> base_curves_of(const FigureCall& call) {
  check_factors(call);
  const Spec& spec = call.numbers->spec();
  const bool neither = call.options.bases.empty() && call.options.exponents.empty();
  const bool has_exponent = std::holds_alternative<Sinusoidal>(spec);
  const std::vector<double> bases = neither ? std::vector<double>{1000.0, 10000.0, 1e6} : call.options.bases;
  const std::vector<double> exponents =
      neither && has_exponent ? std::vector<double>{0.5, 1.0, 2.0} : call.options.exponents;
  const double own_base = base_of(spec);
  std::vector<BaseCurve> curves = {base_curve_of(spec, "base " + text::number_text(own_base) + " (this spec)")};
  curves.front().stroke = {.ink = Ink::text, .width = 2.6, .label = curves.front().name};
  const auto add = [&](BaseCurve curve, bool dashed) {
    const auto same = std::find_if(curves.begin(), curves.end(), [&](const BaseCurve& c) { return is_same(c, curve); });
    if (same != curves.end()) {
      same->name += " = " + curve.name;
      same->stroke.label = same->name;
      return;
    }
    curve.stroke.ink = series_ink(std::ssize(curves) - 1);
    curve.stroke.dashed = dashed;
    curves.push_back(std::move(curve));
  };
  for (const double base : bases) {
    if (base != own_base) add(base_curve_of(with_base(spec, base), "base " + text::number_text(base)), false);
  }
  for (const double factor : exponents) {
    auto changed = std::get<Sinusoidal>(spec);
    if (factor == changed.exponent_factor) continue;
    changed.exponent_factor = factor;
    add(base_curve_of(changed, "exponents times " + text::number_text(factor)), true);
  }
  return curves;
}

std::string finding_of(const std::vector<BaseCurve>& curves) {
  std::string text = "the longest wavelength is ";
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const std::vector<double>& lengths = curves[i].wavelengths;
    const double longest = *std::max_element(lengths.begin(), lengths.end());
    const auto endless = std::count(lengths.begin(), lengths.end(), longest);
    text += (i == 0 ? "" : ", ") +
            (std::isinf(longest)
                 ? "infinite for " + std::to_string(endless) + " of " + std::to_string(lengths.size()) + " pairs"
                 : drawing::tick_text(longest)) +
            " (" + curves[i].name + ")";
  }
  return text + "; the first pair keeps its wavelength";
}

drawing::Axis wavelength_axis(const std::vector<BaseCurve>& curves) {
  double low = INFINITY, high = 0.0;
  for (const BaseCurve& curve : curves) {
    for (const double length : curve.wavelengths) {
      if (!std::isfinite(length)) continue;
      low = std::min(low, length);
      high = std::max(high, length);
    }
  }
  if (high == 0.0) low = high = 1.0;  // no pair rotates
  return {.label = "wavelength (positions)", .low = 0.7 * low, .high = 1.4 * high, .log = true};
}

Figure make_bases(const FigureCall& call) {
  const std::vector<BaseCurve> curves = base_curves_of(call);
  // Rotary encodings have neither rows nor a factor of the exponents.
  const bool has_rows = std::holds_alternative<Sinusoidal>(call.numbers->spec());
  std::vector<std::string> more = {
      std::string("left: wavelength of every pair; right: ") +
      (has_rows ? "cosine of two rows by their distance"
                : "score of a query and an equal key by their distance, relative to distance 0, mean over contents")};
  if (has_rows) more.emplace_back("a base b with exponents times c is the base b^c: 10000 with 0.5 is 100");
  FigurePage page = begin_figure(
      call, {.title = (has_rows ? "Other bases and exponents: " : "Other bases: ") + call.numbers->command_text(),
             .finding = finding_of(curves),
             .more = more,
             .body_height = 380.0,
             .width = 860.0,
             .least_lines = 22});
  std::vector<drawing::Stroke> legend;
  double low = 0.0;
  for (const BaseCurve& curve : curves) {
    legend.push_back(curve.stroke);
    low = std::min(low, *std::min_element(curve.cosines.begin(), curve.cosines.end()));
  }
  page.add_legend(legend);
  const std::vector<Box> boxes = drawing::columns_of(page.drawing(), page.body, {1.0, 1.0});
  const std::vector<double> pairs = counted(static_cast<std::int64_t>(curves.front().wavelengths.size()));
  const std::vector<double> distances = counted(kDistances);
  drawing::Panel left(page.drawing(), boxes[0],
                      {.title = "wavelengths",
                       .x = {.label = "pair", .high = std::max(pairs.back(), 1.0)},
                       .y = wavelength_axis(curves)});
  drawing::Panel right(page.drawing(), boxes[1],
                       {.title = has_rows ? "similarity" : "score",
                        .x = {.label = "distance", .high = distances.back()},
                        .y = {.label = has_rows ? "cosine" : "relative score", .low = 1.05 * low, .high = 1.05}});
  DataTable lengths{"wavelengths", {{"pair", pairs}}};
  DataTable cosines{has_rows ? "cosines" : "relative scores", {{"distance", distances}}};
  for (const BaseCurve& curve : curves) {
    left.line(pairs, curve.wavelengths, curve.stroke);
    right.line(distances, curve.cosines, curve.stroke);
    lengths.columns.push_back({curve.name, curve.wavelengths});
    cosines.columns.push_back({curve.name, curve.cosines});
  }
  page.figure.data.push_back(std::move(lengths));
  return page.with(std::move(cosines));
}

// Whether the frequencies follow a rule with one base.
bool has_base(const Spec& spec) {
  if (const auto* rotary = std::get_if<Rotary>(&spec)) {
    return rotary->inv_freq.empty() && rotary->local_base == 0.0 && has_one_axis(spec) &&
           !needs_length(rotary->scaling);
  }
  const auto* sinusoidal = std::get_if<Sinusoidal>(&spec);
  return sinusoidal != nullptr && sinusoidal->inv_freq.empty() && properties::has_partners(make_schedule(*sinusoidal));
}

}  // namespace

std::vector<FigureEntry> base_figures() {
  return {{.info = {.name = "bases",
                    .summary = "the wavelengths and the similarity by distance for other bases and exponents",
                    .look_for = "With a larger base the slow pairs are slower, and the similarity falls less.",
                    .options = "bases exponents",
                    .default_spec = "sinusoidal:width=64"},
           .make = make_bases,
           .suits = has_base,
           .check = [](const FigureSize& size) { check_amount(size, 512.0, "the products"); }}};
}

}  // namespace posenc::figure
