// Figures of biases: matrices per head, curves against distance, and the staircase of buckets.
#include "posenc/bias.h"

#include <algorithm>
#include <cmath>

#include "core/text/number_text.h"
#include "insight/figure/figure_call.h"
#include "insight/properties/property.h"
#include "posenc/insight/analysis.h"

namespace posenc::figure {
namespace {

constexpr std::int64_t kMatrices = 8;
constexpr std::int64_t kCurves = 12;

// The head asked for, or the first few.
std::vector<std::int64_t> heads_shown(const FigureCall& call, std::int64_t most) {
  if (call.options.head) return {*call.options.head};
  std::vector<std::int64_t> heads;
  for (std::int64_t h = 0; h < std::min(call.numbers->heads(), most); ++h) heads.push_back(h);
  return heads;
}

std::string heads_note(const FigureCall& call, std::size_t shown) {
  const std::int64_t heads = call.numbers->heads();
  if (call.options.head || static_cast<std::int64_t>(shown) == heads) return "";
  return "the first " + std::to_string(shown) + " of " + std::to_string(heads) + " heads";
}

// Positions that were picked, of the type that they had: tables are read at whole ones only.
class Places {
 public:
  Places(const PositionView& asked, const std::vector<double>& picked) : integral_(asked.integral()), real_(picked) {
    for (const double place : picked) whole_.push_back(static_cast<std::int64_t>(place));
  }
  PositionView view() const {
    const auto count = static_cast<std::int64_t>(real_.size());
    return integral_ ? PositionView::of(whole_.data(), count) : PositionView::of(real_.data(), count);
  }

 private:
  bool integral_;
  std::vector<double> real_;
  std::vector<std::int64_t> whole_;
};

std::string joined(const std::string& a, const std::string& b) { return a.empty() || b.empty() ? a + b : a + "; " + b; }

drawing::Heat bias_heat(const Bias& bias, std::int64_t head, const PositionView& positions) {
  const std::int64_t count = positions.count;
  drawing::Heat heat{count, count, std::vector<double>(static_cast<std::size_t>(count * count), 0.0)};
  add_bias(bias, {.head = head, .queries = count, .keys = count}, positions, positions,
           make_view(heat.values.data(), {count, count}));
  return heat;
}

Figure make_bias(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  const PositionView asked = figure_positions(
      call,
      {.count = std::min<std::int64_t>(32, properties::limit_of(numbers).value_or(32)), .most = std::int64_t{1} << 20});
  std::string sampled;
  const Places places(asked, sampled_positions(asked, 400, sampled));
  const PositionView positions = places.view();
  const bool cells = call.options.metrics == TextMetrics::cells;
  // In a terminal a matrix needs a few lines to be seen.
  const auto lines_there = static_cast<std::int64_t>(call.options.height / kCellHeight) - 8;
  const std::vector<std::int64_t> heads =
      heads_shown(call, cells ? 2 * std::clamp<std::int64_t>(lines_there / 8, 1, 4) : kMatrices);
  std::vector<drawing::Heat> heats;
  double top = 0.0;
  bool hidden = false;
  for (const std::int64_t head : heads) {
    heats.push_back(bias_heat(*numbers.bias(), head, positions));
    for (const double value : heats.back().values) {
      hidden = hidden || !std::isfinite(value);
      if (std::isfinite(value)) top = std::max(top, std::fabs(value));
    }
  }
  const bool mask = top == 0.0;
  if (mask) top = 1.0;
  const auto columns = static_cast<std::int64_t>(std::min<std::size_t>(heats.size(), cells ? 2 : 4));
  const std::int64_t rows = (static_cast<std::int64_t>(heats.size()) + columns - 1) / columns;
  FigurePage page = begin_figure(
      call,
      {.title = "What is added to scores: " + numbers.command_text(),
       .finding = "one matrix per head, queries down and keys across; " +
                  (mask ? std::string(hidden ? "pairs that are seen get 0, grey ones are hidden" : "all of it is 0")
                        : (hidden ? "grey cells are hidden, and the others reach " : "values reach ") +
                              drawing::tick_text(top) + " in size"),
       .note = joined(heads_note(call, heads.size()), sampled),
       .body_height = heats.size() == 1 ? 440.0 : (heats.size() < 4 ? 270.0 : 220.0) * static_cast<double>(rows)});
  // One colour bar for all, on the right.
  const double gap = drawing::Type(call.options.metrics).gap;
  const double bar = drawing::color_bar_width(page.drawing(), -top, top) + gap;
  Box body = page.body;
  body.width -= bar;
  const std::vector<Box> lines =
      drawing::rows_of(page.drawing(), body, std::vector<double>(static_cast<std::size_t>(rows), 1.0));
  for (std::size_t i = 0; i < heats.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    const std::vector<Box> boxes = drawing::columns_of(page.drawing(), lines[static_cast<std::size_t>(place / columns)],
                                                       std::vector<double>(static_cast<std::size_t>(columns), 1.0));
    const Box image = drawing::draw_heat(page.drawing(), boxes[static_cast<std::size_t>(place % columns)], heats[i],
                                         {.title = "head " + std::to_string(heads[i]),
                                          .row_label = cells ? "" : "query",
                                          .column_label = cells ? "" : "key",
                                          .first_row = first_of(positions),
                                          .row_step = step_of(positions),
                                          .first_column = first_of(positions),
                                          .column_step = step_of(positions),
                                          .low = -top,
                                          .high = top,
                                          .color_bar = false,
                                          .square = true});
    if (i == 0) {
      drawing::draw_color_bar(page.drawing(), {page.body.right() - bar + gap, image.y, 0.0, image.height}, -top, top,
                              ColorMap::diverging);
    }
    page.figure.data.push_back(heat_table("head " + std::to_string(heads[i]), heats[i], "query", "key",
                                          first_of(positions), step_of(positions)));
  }
  return std::move(page.figure);
}

std::string decay_text(const std::vector<std::vector<double>>& curves) {
  bool falls = true;
  for (const std::vector<double>& curve : curves) falls = falls && !first_rise(curve);
  return falls ? "no curve ever rises: what is farther away never gets more"
               : "some curves rise: what is farther away can get more";
}

Figure make_bias_distance(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  const PositionView positions =
      figure_positions(call, {.count = std::min<std::int64_t>(129, properties::limit_of(numbers).value_or(129)),
                              .least = 2,
                              .most = std::int64_t{1} << 20});
  const std::int64_t distances = positions.count;
  const std::vector<std::int64_t> heads = heads_shown(call, kCurves);
  std::vector<std::vector<double>> curves;
  double low = 0.0;
  double high = 0.0;
  for (const std::int64_t head : heads) {
    curves.push_back(bias_curve(*numbers.bias(), head, static_cast<double>(distances - 1), distances));
    for (const double value : curves.back()) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  const bool mask = low == high && low == 0.0;
  if (low == high) high = low + 1.0;
  FigurePage page = begin_figure(
      call, {.title = "Bias against distance: " + numbers.command_text(),
             .finding = mask ? "0 where a key is seen, and nothing where it is hidden"
                             : "from " + text::general_text(low, 4) + " to " + text::general_text(high, 4) +
                                   " within " + std::to_string(distances - 1) + " positions; " + decay_text(curves),
             .note = heads_note(call, heads.size()),
             .more = {"a query at position " + std::to_string(distances - 1) + " and keys before it"}});
  const double room = 0.05 * (high - low);
  drawing::PanelOptions options{.x = {.label = "distance", .high = static_cast<double>(distances - 1)},
                                .y = {.label = "bias", .low = low - room, .high = high + room}};
  for (std::size_t i = 0; i < heads.size(); ++i) {
    options.legend.push_back({.ink = series_ink(static_cast<std::int64_t>(i)),
                              .dashed = i >= static_cast<std::size_t>(kSeriesInks),
                              .label = "head " + std::to_string(heads[i])});
  }
  drawing::Panel panel(page.drawing(), page.body, options);
  const std::vector<double> x = counted(distances);
  DataTable data{"by distance", {{"distance", x}}};
  for (std::size_t i = 0; i < heads.size(); ++i) {
    panel.line(x, curves[i], options.legend[i]);
    data.columns.push_back({"head " + std::to_string(heads[i]), curves[i]});
  }
  return page.with(std::move(data));
}

Figure make_buckets(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  const auto& table = std::get<TableBias>(numbers.bias()->schedule().shape);
  const auto count = static_cast<std::int64_t>(table.rows.size());
  // From before the first offset that differs to after the last.
  const std::int64_t margin = std::max<std::int64_t>(count / 20, 2);
  const std::int64_t every = (count + 2 * margin + 3999) / 4000;
  std::vector<double> x;
  std::vector<double> y;
  for (std::int64_t offset = table.first - margin; offset < table.first + count + margin; offset += every) {
    const std::int64_t place = std::clamp<std::int64_t>(offset - table.first, 0, count - 1);
    const double bucket = static_cast<double>(table.rows[static_cast<std::size_t>(place)]);
    if (!x.empty()) {  // a step, not a slope
      x.push_back(static_cast<double>(offset) - 0.5 * static_cast<double>(every));
      y.push_back(y.back());
      x.push_back(x.back());
      y.push_back(bucket);
    }
    x.push_back(static_cast<double>(offset));
    y.push_back(bucket);
  }
  std::int64_t widest = 0;
  std::int64_t run = 0;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    run = i > 0 && table.rows[i] == table.rows[i - 1] ? run + 1 : 1;
    widest = std::max(widest, run);
  }
  FigurePage page = begin_figure(
      call, {.title = "Which row of the table an offset reads: " + numbers.command_text(),
             .finding = std::to_string(table.table_rows) + " rows for all offsets; near ones have a row each, and " +
                        (widest > 1 ? "a row holds up to " + std::to_string(widest) + " offsets far away"
                                    : "those beyond the ends share the last"),
             .note = every > 1 ? "one offset in " + std::to_string(every) + " is shown" : "",
             .more = {"offset = key - query: keys before the query are on the left"}});
  drawing::Panel panel(
      page.drawing(), page.body,
      {.x = {.label = "offset", .low = x.front(), .high = x.back()},
       .y = {.label = "row of the table", .low = -0.5, .high = static_cast<double>(table.table_rows) - 0.5},
       .marks = {{0.0, "the query itself"}}});
  panel.line(x, y, {.ink = Ink::series1, .width = 2.0});
  DataTable data{"rows", {{"offset", std::vector<double>{}}, {"row", std::vector<double>{}}}};
  for (std::int64_t i = 0; i < count; ++i) {
    std::get<std::vector<double>>(data.columns[0].values).push_back(static_cast<double>(table.first + i));
    std::get<std::vector<double>>(data.columns[1].values)
        .push_back(static_cast<double>(table.rows[static_cast<std::size_t>(i)]));
  }
  return page.with(std::move(data));
}

}  // namespace

std::vector<FigureEntry> bias_figures() {
  return {
      {{"bias", "the bias of every query and key, a matrix per head",
        "stripes along the diagonal: only the distance counts; FIRE's bend past its length", "positions head", true,
        true},
       make_bias},
      {{"bias_distance", "the bias against the distance, a curve per head",
        "how fast far keys are forgotten, and where a curve ends being trained", "positions head", true, true},
       make_bias_distance},
      {{"buckets", "which row of its table an offset reads", "steps that grow wider: far offsets share a number", "",
        true, true},
       make_buckets},
  };
}

}  // namespace posenc::figure
