// How the scalings of rotary encodings change the frequency of every pair.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "core/spec/axis_map.h"
#include "core/spec/scaling_fields.h"
#include "insight/figure/figure_call.h"
#include "insight/properties/property.h"
#include "posenc/error.h"
#include "posenc/schedule.h"

namespace posenc::figure {
namespace {

struct Curve {
  std::string name;
  std::string note;  // follows the name in the legend
  drawing::Stroke stroke;
  std::vector<double> inv_freq;
};

// The factor and the trained length of the spec's own scaling, if it has them.
struct Setting {
  double factor = 8.0;
  std::int64_t trained = 4096;

  // The length in use: the trained length times the factor.
  std::int64_t target() const {
    return std::max<std::int64_t>(static_cast<std::int64_t>(factor * static_cast<double>(trained)), 1);
  }
};
Setting setting_of(const Rotary& spec, const FigureOptions& options) {
  Setting setting;
  setting.trained = trained_length(spec.scaling).value_or(setting.trained);
  if (const double factor = properties::factor_of(spec.scaling); factor > 0.0) setting.factor = factor;
  if (options.train_length) setting.trained = *options.train_length;
  return setting;
}

bool has_list(Scaling scaling) {
  const std::vector<spec::Field> fields = spec::scaling_fields(scaling);
  return std::any_of(fields.begin(), fields.end(), [](const spec::Field& field) {
    return std::holds_alternative<std::vector<double>*>(field.value);
  });
}

// Gives a scaling the numbers of the figure, and returns a note for the legend.
std::string set_numbers(Scaling& scaling, const Setting& with) {
  constexpr double kGrowth = 2.0;  // for scalings that grow with the sequence anyway
  const bool grows = needs_length(scaling);
  return std::visit(
      [&](auto& s) -> std::string {
        if constexpr (requires { s.original_positions; }) s.original_positions = with.trained;
        if constexpr (requires { s.alpha; }) s.alpha = with.factor;
        if constexpr (requires { s.share; }) {
          s.share = 0.75;
          return ", share 0.75";
        } else if constexpr (requires { s.factor; }) {
          s.factor = grows ? kGrowth : with.factor;
        }
        return grows ? ", factor 2 at " + std::to_string(with.target()) + " tokens" : "";
      },
      scaling);
}

// Every scaling without a list of factors. Scalings that give the same frequencies share a line.
std::vector<Curve> curves_of(const Rotary& spec, const Ladder& ladder, const Setting& with) {
  Ladder at_target = ladder;
  at_target.sequence_length = with.target();
  std::vector<Curve> curves;
  for (int i = 0; i < static_cast<int>(spec::scaling_words().size()); ++i) {
    Scaling scaling = spec::default_scaling(i);
    if (kind_of(scaling) == NoScaling::kind || has_list(scaling)) continue;
    const std::string note = set_numbers(scaling, with);
    const std::string word(kind_of(scaling));
    std::vector<double> inv_freq = scale_ladder(scaling, at_target).inv_freq;
    const auto same = std::find_if(curves.begin(), curves.end(),
                                   [&](const Curve& c) { return c.inv_freq == inv_freq && c.note == note; });
    if (same != curves.end()) {
      same->name.insert(same->name.size() - note.size(), ", " + word);
      same->stroke.label = same->name;
      continue;
    }
    const auto number = static_cast<std::int64_t>(curves.size());
    drawing::Stroke stroke{
        .ink = series_ink(number), .width = 1.8, .dashed = number >= kSeriesInks, .label = word + note};
    curves.push_back({word + note, note, stroke, std::move(inv_freq)});
  }
  if (kind_of(spec.scaling) != NoScaling::kind) {
    curves.push_back({"this spec",
                      "",
                      {.ink = Ink::text, .width = 2.4, .dashed = true, .label = "this spec"},
                      scale_ladder(spec::settled_scaling(spec), ladder).inv_freq});
  }
  return curves;
}

// A pair with frequency 0 has no place on a logarithmic axis: the line ends there.
std::vector<double> turning(std::vector<double> inv_freq) {
  for (double& value : inv_freq) value = value == 0.0 ? std::nan("") : value;
  return inv_freq;
}
std::vector<double> shares(const std::vector<double>& inv_freq, const std::vector<double>& plain) {
  std::vector<double> result;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    result.push_back(inv_freq[i] == 0.0 ? std::nan("") : inv_freq[i] / plain[i]);
  }
  return result;
}

// The last pair that rotates, if some behind it have frequency 0.
std::optional<std::size_t> last_turning(const std::vector<double>& inv_freq) {
  std::size_t count = inv_freq.size();
  while (count > 0 && inv_freq[count - 1] == 0.0) --count;
  if (count == 0 || count == inv_freq.size()) return std::nullopt;
  return count - 1;
}

// "p_rope: pairs 24 to 31 are stopped"
std::string stopped_note(const std::vector<Curve>& curves, bool dots) {
  std::string note;
  for (const Curve& curve : curves) {
    const auto last = last_turning(curve.inv_freq);
    if (!last) continue;
    note += (note.empty() ? "" : "; ") + curve.name + ": pairs " + std::to_string(*last + 1) + " to " +
            std::to_string(curve.inv_freq.size() - 1) + " are stopped";
  }
  if (note.empty()) return note;
  return note + " (frequency 0, which has no place on a logarithmic axis)" +
         (dots ? "; a dot marks the last pair that rotates" : "");
}

// Whether there are at least two frequencies that follow the rule, with a base above 1.
bool can_be_scaled(const Spec& spec) {
  const auto* rotary = std::get_if<Rotary>(&spec);
  if (!rotary || !rotary->inv_freq.empty() || rotary->base <= 1.0) return false;
  const Ladder ladder = spec::ladders_of(*rotary).front();
  return ladder.dim > 2 && ladder.pairs > 1;
}

// From a little below the lowest positive number to a little above the highest.
drawing::Axis log_axis(const std::string& label, const std::vector<std::vector<double>>& curves) {
  double low = INFINITY, high = 0.0;
  for (const std::vector<double>& curve : curves) {
    for (const double value : curve) {
      if (!(value > 0.0)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  return {.label = label, .low = 0.8 * low, .high = 1.3 * high, .log = true};
}

Figure make_scalings(const FigureCall& call) {
  const Rotary& given = std::get<Rotary>(call.numbers->spec());
  if (!can_be_scaled(given)) {
    fail(ErrorKind::usage,
         "[make_figure] scalings: the spec must have at least two frequencies by rule (without inv_freq) and a base "
         "above 1");
  }
  const Rotary spec = at_layer(given, given.layer.value_or(0));
  const Setting setting = setting_of(spec, call.options);
  const Ladder ladder = spec::ladders_of(spec).front();
  const auto times_scale = [&](std::vector<double> inv_freq) {
    for (double& frequency : inv_freq) frequency *= std::fabs(spec.frequency_scale);
    return inv_freq;
  };
  const std::vector<double> plain = times_scale(scale_ladder(NoScaling{}, ladder).inv_freq);
  std::vector<Curve> curves = curves_of(spec, ladder, setting);
  for (Curve& curve : curves) curve.inv_freq = times_scale(std::move(curve.inv_freq));
  const std::vector<double> pairs = counted(static_cast<std::int64_t>(plain.size()));
  FigurePage page = begin_figure(
      call,
      {.title = "Frequencies under the scalings: factor " + drawing::tick_text(setting.factor) + ", trained on " +
                std::to_string(setting.trained) + " positions",
       .finding =
           "linear divides every pair by the same factor; ntk and dynamic divide slow pairs more than fast ones; "
           "ntk_by_parts, yarn and llama3 keep fast pairs, divide slow ones and interpolate between them; p_rope "
           "stops the slowest",
       .note = stopped_note(curves, !in_cells(call)),
       .more = {"left: radians per position; right: the share of the plain frequency that is left, 1 if unchanged",
                "the longer the text, the more dynamic divides; its own factor, 2 here, sets how fast",
                "longrope and learned_multipliers have lists of factors: they are drawn only if the spec has one"},
       .body_height = 420.0,
       .width = 860.0,
       .least_lines = 24});
  std::vector<std::vector<double>> all = {plain}, all_shares;
  std::vector<drawing::Stroke> legend = {{.ink = Ink::axis, .width = 2.4, .label = "plain"}};
  DataTable data{"frequencies", {{"pair", pairs}, {"plain", plain}}};
  for (const Curve& curve : curves) {
    all.push_back(curve.inv_freq);
    all_shares.push_back(shares(curve.inv_freq, plain));
    legend.push_back(curve.stroke);
    data.columns.push_back({curve.name, curve.inv_freq});
  }
  // One legend for both panels, which have the same curves.
  page.add_legend(legend);
  const std::vector<Box> boxes = drawing::columns_of(page.drawing(), page.body, {1.0, 1.0});
  drawing::Panel frequencies(
      page.drawing(), boxes.front(),
      {.title = "frequency", .x = {.label = "pair", .high = pairs.back()}, .y = log_axis("radians per position", all)});
  drawing::Panel share(page.drawing(), boxes.back(),
                       {.title = "share of the plain frequency",
                        .x = {.label = "pair", .high = pairs.back()},
                        .y = log_axis("share", all_shares)});
  frequencies.line(pairs, plain, legend[0]);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    frequencies.line(pairs, turning(curves[i].inv_freq), curves[i].stroke);
    share.line(pairs, all_shares[i], curves[i].stroke);
  }
  for (std::size_t i = 0; i < curves.size(); ++i) {  // above all lines
    const auto last = last_turning(curves[i].inv_freq);
    if (!last || in_cells(call)) continue;  // in a terminal a dot looks like a line of another curve
    const drawing::Stroke dot{.ink = curves[i].stroke.ink};
    frequencies.dots(std::span(pairs).subspan(*last, 1), std::span(curves[i].inv_freq).subspan(*last, 1), dot, 4.0);
    share.dots(std::span(pairs).subspan(*last, 1), std::span(all_shares[i]).subspan(*last, 1), dot, 4.0);
  }
  return page.with(std::move(data));
}

}  // namespace

std::vector<FigureEntry> scaling_figures() {
  return {{{.name = "scalings",
            .summary = "the frequency of every pair under every scaling",
            .look_for = "Which pairs does each scaling keep, divide or stop?",
            .options = "train_length",
            .default_spec = "rotary:head_dim=64"},
           make_scalings,
           can_be_scaled}};
}

}  // namespace posenc::figure
