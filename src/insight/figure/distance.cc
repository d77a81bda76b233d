// Figures against distance: products of rows, the score kernel of a rotary encoding, and scores before and after
// rotation.
#include <algorithm>
#include <cmath>

#include "core/text/number_text.h"
#include "insight/figure/figure_call.h"
#include "insight/properties/sample.h"
#include "insight/properties/sinusoidal_rows.h"
#include "posenc/error.h"
#include "posenc/insight/analysis.h"
#include "posenc/rotate.h"

namespace posenc::figure {
namespace {

// The number of distances that the options ask for, or `usual`.
std::int64_t distances_of(const FigureCall& call, std::int64_t usual) {
  const PositionView asked = call.options.positions;
  if (asked.count == 0) return usual;
  const PositionView positions = figure_positions(call, {.least = 3, .most = std::int64_t{1} << 20});
  if (first_of(positions) != 0.0 || step_of(positions) != 1.0) {
    fail(ErrorKind::usage,
         "[make_figure] distance: positions are distances here, and must start at 0 and be consecutive, like 0:128");
  }
  return positions.count;
}

std::string rise_text(const std::vector<double>& curve) {
  const auto rise = first_rise(curve);
  return rise ? "it does not simply fall: it first rises at distance " + std::to_string(*rise)
              : "it falls over the whole range";
}

Figure curve_figure(const FigureCall& call, const std::vector<double>& curve, const FigureText& text,
                    const std::string& label) {
  FigurePage page = begin_figure(call, text);
  const auto count = static_cast<std::int64_t>(curve.size());
  const std::vector<double> x = counted(count);
  const std::vector<double> envelope = falling_envelope(curve);
  const double high = curve[0] > 0.0 ? curve[0] : 1.0;
  const double low = std::min(0.0, *std::min_element(curve.begin(), curve.end()));
  const drawing::Stroke line{.ink = Ink::series1, .width = 2.0, .label = label};
  const drawing::Stroke above{
      .ink = Ink::series2, .width = 1.4, .dashed = true, .label = "envelope: the largest from here on"};
  drawing::PanelOptions options{.x = {.label = "distance", .high = static_cast<double>(count - 1)},
                                .y = {.label = label, .low = low * 1.05, .high = high * 1.05},
                                .right = drawing::Axis{.label = "cosine", .low = low * 1.05 / high, .high = 1.05},
                                .legend = {line, above}};
  if (const auto rise = first_rise(curve)) {
    options.marks.push_back({static_cast<double>(*rise), "first rise at " + std::to_string(*rise)});
  }
  drawing::Panel panel(page.drawing(), page.body, options);
  panel.line(x, envelope, above);
  panel.line(x, curve, line);
  if (count <= 150 && call.options.metrics != TextMetrics::cells) panel.dots(x, curve, line, 2.0);
  std::vector<double> cosines;
  for (const double value : curve) cosines.push_back(value / high);
  return page.with({"by distance", {{"distance", x}, {"product", curve}, {"cosine", cosines}, {"envelope", envelope}}});
}

// The figure for rows whose product depends on their positions too: the mean and the middle 95 % over all pairs at each
// distance.
Figure band_figure(const FigureCall& call, std::int64_t distances) {
  const Encoding& numbers = *call.numbers;
  const std::int64_t rows = std::min<std::int64_t>(numbers.positions().value_or(1024), 1024);
  distances = std::min(distances, rows);
  check_amount({call.info, call.options, static_cast<double>(numbers.width())}, static_cast<double>(rows),
               "positions x width");
  const std::vector<double> table = rows_at(numbers, counted(rows));
  const std::int64_t width = numbers.width();
  std::vector<double> mean;
  std::vector<double> low;
  std::vector<double> high;
  for (std::int64_t k = 0; k < distances; ++k) {
    std::vector<double> products;
    for (std::int64_t p = 0; p + k < rows; ++p) {
      products.push_back(dot(table.data() + p * width, table.data() + (p + k) * width, width));
    }
    const properties::Spread spread = properties::spread_of(std::move(products));
    mean.push_back(spread.mean);
    low.push_back(spread.low);
    high.push_back(spread.high);
  }
  FigurePage page = begin_figure(
      call,
      {.title = "Products of rows against distance: " + numbers.command_text(),
       .finding = "the product depends on the positions too: the line is the mean over all pairs of a distance, the "
                  "band the middle 95 % of them"});
  const std::vector<double> x = counted(distances);
  const drawing::Stroke line{.ink = Ink::series1, .width = 2.0, .label = "mean"};
  const drawing::Stroke band{.ink = Ink::series1, .width = 8.0, .opacity = 0.25, .label = "middle 95 % of pairs"};
  drawing::Panel panel(
      page.drawing(), page.body,
      {.x = {.label = "distance", .high = static_cast<double>(std::max<std::int64_t>(distances - 1, 1))},
       .y = {.label = "row(p).row(p + distance)",
             .low = std::min(0.0, *std::min_element(low.begin(), low.end())) * 1.05,
             .high = *std::max_element(high.begin(), high.end()) * 1.05 + 1e-300},
       .legend = {line, band}});
  panel.band(x, low, high, band);
  panel.line(x, mean, line);
  return page.with({"by distance", {{"distance", x}, {"mean", mean}, {"low", low}, {"high", high}}});
}

Figure make_distance(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  const std::int64_t distances = distances_of(call, 101);
  if (numbers.rotary()) {
    if (numbers.rotary()->axes != 1) {
      fail(ErrorKind::usage, "[make_figure] distance: a rotary encoding with several axes has no single distance");
    }
    const std::vector<double> kernel = score_kernel(*numbers.rotary(), distances);
    return curve_figure(
        call, kernel,
        {.title = "The score kernel of " + numbers.command_text(),
         .finding = "the share of a score that is left if query and key have the same content: " + rise_text(kernel)},
        "mean cos(distance x inv_freq)");
  }
  if (numbers.table().rank != 0 || !properties::has_partners(*numbers.sinusoidal()))
    return band_figure(call, distances);
  const std::vector<double> curve = distance_curve(*numbers.sinusoidal(), distances);
  return curve_figure(call, curve,
                      {.title = "Products of rows against distance: " + numbers.command_text(),
                       .finding = "PE(p).PE(p + distance) is the same for every p, and " + rise_text(curve)},
                      "PE(p).PE(p + distance)");
}

// At which distance equal contents agree best, from the mean of their scores at each.
std::string agreement_text(const std::vector<double>& mean) {
  const double tolerance = 1e-9 * std::fabs(mean[0]);
  const auto [least, most] = std::minmax_element(mean.begin(), mean.end());
  if (*most - *least <= tolerance) return "that is still so: the rotation is the same at all of these distances";
  const auto best = *most - mean[0] <= tolerance ? 0 : most - mean.begin();
  return "it depends on the distance, and equal contents agree best at distance " + std::to_string(best);
}

// One query and one key at every distance; and many pairs of equal ones.
Figure make_rotated_scores(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  const Rotary& spec = std::get<Rotary>(numbers.spec());
  if (numbers.rotary()->axes != 1) {
    fail(ErrorKind::usage, "[make_figure] rotated_scores: a rotary encoding with several axes has no single distance");
  }
  const std::int64_t distances = std::min<std::int64_t>(distances_of(call, 101), 4096);
  const std::int64_t width = spec.head_dim;
  const double std = 1.0 / std::sqrt(static_cast<double>(width));
  std::vector<double> q = normal_numbers(1, width, std, call.options.seed + 1);
  const std::vector<double> k = normal_numbers(1, width, std, call.options.seed + 2);
  const double before = dot(q.data(), k.data(), width);
  // The key stays at position 0 and the query moves away: only the distance counts.
  std::vector<double> walked(static_cast<std::size_t>(distances * width));
  for (std::int64_t n = 0; n < distances; ++n) std::copy(q.begin(), q.end(), walked.data() + n * width);
  const View view = make_view(walked.data(), {distances, 1, width});
  const RotaryAngles angles(spec);
  rotate(view, PositionView::range(0, distances), angles);
  std::vector<double> key = k;
  rotate(make_view(key.data(), {1, 1, width}), PositionView::range(0, 1), angles);
  std::vector<double> after;
  for (std::int64_t n = 0; n < distances; ++n) after.push_back(dot(walked.data() + n * width, key.data(), width));
  const ScoreBand same = rotated_score_band(spec, {.distances = distances, .draws = 400, .seed = call.options.seed});
  const std::vector<double> x = counted(distances);
  FigurePage page = begin_figure(
      call, {.title = "Scores before and after rotation: " + numbers.command_text(),
             .finding = "before, q.k = " + text::fixed_text(before, 3) + " at every distance; after, " +
                        agreement_text(same.mean),
             .more = {"vectors with normal channels of variance 1 / " + std::to_string(width) + ", from a seed"},
             .body_height = 440.0,
             .least_lines = 26});
  const std::vector<Box> boxes = drawing::rows_of(page.drawing(), page.body, {1.0, 1.0});
  const drawing::Stroke flat{.ink = Ink::series2, .width = 1.6, .dashed = true, .label = "before: q.k"};
  const drawing::Stroke turned{.ink = Ink::series1, .width = 2.0, .label = "after"};
  double top = std::fabs(before);
  for (const double value : after) top = std::max(top, std::fabs(value));
  const double last = static_cast<double>(distances - 1);
  drawing::Panel one(page.drawing(), boxes[0],
                     {.title = "one query, one key",
                      .x = {.label = "distance", .high = last},
                      .y = {.low = -1.1 * top, .high = 1.1 * top},
                      .legend = {flat, turned}});
  one.level(before, flat);
  one.line(x, after, turned);
  const drawing::Stroke mean{.ink = Ink::series1, .width = 2.0, .label = "mean of 400 vectors with themselves"};
  const drawing::Stroke band{.ink = Ink::series1, .width = 8.0, .opacity = 0.25, .label = "middle 95 %"};
  drawing::Panel many(page.drawing(), boxes[1],
                      {.title = "the same content at both positions",
                       .x = {.label = "distance", .high = last},
                       .y = {.low = std::min(0.0, *std::min_element(same.low.begin(), same.low.end())) * 1.1,
                             .high = *std::max_element(same.high.begin(), same.high.end()) * 1.1},
                       .legend = {mean, band}});
  many.band(x, same.low, same.high, band);
  many.line(x, same.mean, mean);
  return page.with({"scores",
                    {{"distance", x},
                     {"before", std::vector<double>(x.size(), before)},
                     {"after", after},
                     {"same content: mean", same.mean},
                     {"same content: low", same.low},
                     {"same content: high", same.high}}});
}

}  // namespace

std::vector<FigureEntry> distance_figures() {
  return {
      {{.name = "distance",
        .summary = "the product of two rows, or of two rotated vectors, against their distance",
        .look_for = "It falls at first, then rises and falls again: similarity does not measure distance.",
        .options = "positions",
        .default_spec = "sinusoidal:width=128"},
       make_distance,
       has_one_axis},
      {{.name = "rotated_scores",
        .summary = "q.k before and after rotation, against distance",
        .look_for = "Before rotation the line is flat: the score does not depend on the distance.",
        .options = "positions",
        .default_spec = "rotary:head_dim=64"},
       make_rotated_scores,
       has_one_axis},
  };
}

}  // namespace posenc::figure
