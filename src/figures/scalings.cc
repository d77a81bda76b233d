// What the scalings of rotary encodings make of the frequencies, pair by pair.
#include <algorithm>
#include <cmath>

#include "detail/figure_call.h"
#include "posenc/schedule.h"

namespace posenc::detail {
namespace {

struct Curve {
  std::string name;
  Stroke stroke;
  std::vector<double> inv_freq;
};

// The factor and trained length of the spec's own scaling, where it has them.
struct Setting {
  double factor = 8.0;
  std::int64_t trained = 4096;
};
Setting setting_of(const Rotary& spec, const FigureOptions& options) {
  Setting setting;
  std::visit(
      [&](const auto& s) {
        if constexpr (requires { s.original_positions; }) setting.trained = s.original_positions;
        if constexpr (requires { s.factor.value_or(1.0); }) {
          setting.factor =
              s.factor.value_or(static_cast<double>(s.max_positions) / static_cast<double>(setting.trained));
        } else if constexpr (requires { s.factor; }) {
          setting.factor = s.factor;
        }
      },
      spec.scaling);
  if (options.train_length) setting.trained = *options.train_length;
  return setting;
}

std::vector<Curve> curves_of(const Rotary& spec, const Setting& with) {
  const double factor = with.factor;
  const std::int64_t trained = with.trained;
  const auto target = static_cast<std::int64_t>(factor * static_cast<double>(trained));
  const std::vector<std::pair<std::string, Scaling>> all = {
      {"linear", LinearScaling{factor}},
      {"ntk", Ntk{factor}},
      {"dynamic at the full length", DynamicNtk{factor, trained}},
      {"ntk_by_parts", NtkByParts{factor, trained}},
      {"yarn", Yarn{.factor = factor, .original_positions = trained}},
      {"llama3", Llama3{.factor = factor, .original_positions = trained}},
      {"p_rope, share 0.75", PRope{0.75}},
  };
  std::vector<Curve> curves;
  for (const auto& [name, scaling] : all) {
    Rotary one = spec;
    one.scaling = scaling;
    one.sequence_length = std::max<std::int64_t>(target, 1);
    const auto number = static_cast<std::int64_t>(curves.size());
    Stroke stroke{.ink = series_ink(number), .width = 1.8, .dashed = number >= kSeriesInks, .label = name};
    curves.push_back({name, stroke, make_schedule(one).inv_freq});
  }
  if (kind_of(spec.scaling) != NoScaling::kind) {
    curves.push_back({"this spec",
                      {.ink = Ink::text, .width = 2.4, .dashed = true, .label = "this spec"},
                      make_schedule(spec).inv_freq});
  }
  return curves;
}

// Below what a curve shows, a pair that never turns: the line ends there.
std::vector<double> shares(const std::vector<double>& inv_freq, const std::vector<double>& plain) {
  std::vector<double> result;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    result.push_back(inv_freq[i] == 0.0 ? std::nan("") : inv_freq[i] / plain[i]);
  }
  return result;
}

bool can_be_scaled(const Spec& spec) {
  const auto* rotary = std::get_if<Rotary>(&spec);
  if (!rotary || !rotary->inv_freq.empty()) return false;
  const RotarySchedule schedule = make_schedule(*rotary);
  return schedule.axes == 1 && schedule.exponent_dim > 2;
}

Figure make_scalings(const FigureCall& call) {
  const Rotary& given = std::get<Rotary>(call.numbers->spec());
  const Rotary spec = at_layer(given, given.layer.value_or(0));
  const Setting setting = setting_of(spec, call.options);
  Rotary unscaled = spec;
  unscaled.scaling = NoScaling{};
  const std::vector<double> plain = make_schedule(unscaled).inv_freq;
  const std::vector<Curve> curves = curves_of(spec, setting);
  const std::vector<double> pairs = counted(static_cast<std::int64_t>(plain.size()));
  FigurePage page = begin_figure(
      call,
      {.title = "Frequencies of every scaling: factor " + tick_text(setting.factor) + ", trained on " +
                std::to_string(setting.trained) + " positions",
       .finding = "linear divides every pair alike; ntk and dynamic bend the ladder; ntk_by_parts, yarn and llama3 "
                  "keep fast pairs, divide slow ones and mix between; p_rope stops the slowest",
       .more = {"left: radians per position; right: what is left of the plain frequency, 1 is untouched"},
       .body_height = 400.0,
       .width = 860.0});
  const std::vector<Box> boxes = columns_of(page.drawing(), page.body, {1.0, 1.0});
  const double last = std::max(1.0, pairs.back());
  PanelOptions left{
      .title = "frequency",
      .x = {.label = "pair", .high = last},
      .y = {.label = "radians per position", .low = plain.back() / setting.factor / 2.0, .high = 2.0, .log = true},
      .legend = {{.ink = Ink::axis, .width = 2.4, .label = "plain"}}};
  PanelOptions right{.title = "share of the plain frequency",
                     .x = {.label = "pair", .high = last},
                     .y = {.label = "share", .low = std::min(0.9, 0.8 / setting.factor), .high = 1.3, .log = true}};
  for (std::size_t i = 0; i < curves.size(); ++i) (i < 3 ? left : right).legend.push_back(curves[i].stroke);
  Panel frequencies(page.drawing(), boxes[0], left);
  Panel share(page.drawing(), boxes[1], right);
  frequencies.line(pairs, plain, left.legend[0]);
  DataTable data{"frequencies", {{"pair", pairs}, {"plain", plain}}};
  for (const Curve& curve : curves) {
    std::vector<double> shown = curve.inv_freq;
    for (double& value : shown) value = value == 0.0 ? std::nan("") : value;
    frequencies.line(pairs, shown, curve.stroke);
    share.line(pairs, shares(curve.inv_freq, plain), curve.stroke);
    data.columns.push_back({curve.name, curve.inv_freq});
  }
  page.figure.data.push_back(std::move(data));
  return std::move(page.figure);
}

}  // namespace

std::vector<FigureEntry> scaling_figures() {
  return {{{"scalings", "the frequency of every pair under every scaling",
            "which pairs each scaling keeps, divides or stops", "train_length", true, false},
           make_scalings,
           can_be_scaled}};
}

}  // namespace posenc::detail
