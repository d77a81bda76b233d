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

// The head that the options ask for, or the first few.
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

// The selected positions in their original type, because tables can be read at whole positions only.
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

struct BiasHeats {
  std::vector<std::int64_t> heads;
  std::vector<drawing::Heat> heats;
  std::vector<double> tops;  // the largest size in each
  bool hidden = false;       // whether some pairs are masked

  double top() const { return *std::max_element(tops.begin(), tops.end()); }
  // Whether the matrices need separate scales: on one scale, the smallest of them would look blank.
  bool differ() const { return *std::min_element(tops.begin(), tops.end()) < 0.25 * top(); }
};

BiasHeats bias_heats(const Bias& bias, const std::vector<std::int64_t>& heads, const PositionView& positions) {
  BiasHeats result{heads, {}, {}, false};
  for (const std::int64_t head : heads) {
    result.heats.push_back(bias_heat(bias, head, positions));
    double top = 0.0;
    for (const double value : result.heats.back().values) {
      result.hidden = result.hidden || !std::isfinite(value);
      if (std::isfinite(value)) top = std::max(top, std::fabs(value));
    }
    result.tops.push_back(top);
  }
  return result;
}

bool has_hidden(const drawing::Heat& heat) {
  return !std::all_of(heat.values.begin(), heat.values.end(), [](double value) { return std::isfinite(value); });
}

std::string range_text(const drawing::Heat& heat, int digits) {
  double low = INFINITY, high = -INFINITY;
  for (const double value : heat.values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) return "hidden";
  if (low == 0.0 && high == 0.0 && has_hidden(heat)) return "0 or hidden";
  return low == high ? drawing::tick_text(low)
                     : text::general_text(low, digits) + " to " + text::general_text(high, digits);
}

std::string bias_finding(const BiasHeats& all) {
  std::string text = "one matrix per head, queries down and keys across; ";
  if (all.top() == 0.0) {
    return text + (all.hidden ? "visible pairs get 0, hidden ones -inf" : "all of it is 0");
  }
  text += all.hidden ? "some pairs are hidden, and the others reach " : "values reach ";
  text += drawing::tick_text(all.top()) + " in size";
  if (all.differ()) {
    text +=
        " in head " +
        std::to_string(all.heads[static_cast<std::size_t>(std::max_element(all.tops.begin(), all.tops.end()) -
                                                          all.tops.begin())]) +
        " and only " + drawing::tick_text(*std::min_element(all.tops.begin(), all.tops.end())) + " in head " +
        std::to_string(
            all.heads[static_cast<std::size_t>(std::min_element(all.tops.begin(), all.tops.end()) - all.tops.begin())]);
  }
  return text;
}

std::string hidden_text(const FigureCall& call) {
  return std::string(call.options.plain ? "?" : "grey") + ": hidden, -inf is added to the score";
}

Figure make_bias(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  const bool cells = in_cells(call);
  const std::int64_t usual = cells ? 12 : 32;  // in a terminal a cell of the matrix is a character wide
  const PositionView asked =
      figure_positions(call, {.count = std::min<std::int64_t>(usual, properties::limit_of(numbers).value_or(usual)),
                              .most = std::int64_t{1} << 20});
  std::string sampled;
  const std::vector<double> at = sampled_positions(asked, cells ? usual : 400, sampled);
  const Places places(asked, at);
  const auto beside = std::clamp<std::int64_t>(static_cast<std::int64_t>(call.options.width / kCellWidth / 19.0), 1, 4);
  constexpr std::int64_t kLinesEach = 15;
  const auto lines_there = static_cast<std::int64_t>(call.options.height / kCellHeight) - 8;
  const BiasHeats all = bias_heats(
      *numbers.bias(),
      heads_shown(call, cells ? beside * std::clamp<std::int64_t>(lines_there / kLinesEach, 1, 4) : kMatrices),
      places.view());
  const std::size_t count = all.heats.size();
  const bool own_scales = all.differ();
  const auto columns =
      static_cast<std::int64_t>(std::min<std::size_t>(count, cells ? static_cast<std::size_t>(beside) : 4));
  const std::int64_t rows = (static_cast<std::int64_t>(count) + columns - 1) / columns;
  const std::string scales = own_scales ? "each head has a colour scale of its own, to the largest size in it" : "";
  FigurePage page = begin_figure(
      call, {.title = "What is added to scores: " + numbers.command_text(),
             .finding = bias_finding(all),
             .note = joined(joined(joined(heads_note(call, count), scales), sampled), fewer_note(call, asked, 32)),
             .more = all.hidden ? std::vector<std::string>{hidden_text(call)} : std::vector<std::string>{},
             .body_height = count == 1 ? 440.0 : (count < 4 ? 270.0 : 220.0) * static_cast<double>(rows),
             .least_lines = kLinesEach * rows});
  const double top = all.top() > 0.0 ? all.top() : 1.0;
  const std::vector<drawing::Tick> own = {{top, "largest"}, {0.0, "0"}, {-top, "-largest"}};
  const std::vector<drawing::Tick> ticks = own_scales ? own : std::vector<drawing::Tick>{};
  // One colour bar for all, on the right.
  const double gap = drawing::Type(call.options.metrics).gap;
  const bool only_hidden = all.top() == 0.0 && all.hidden;  // there is nothing to read on a scale
  const double bar = only_hidden ? 0.0 : drawing::color_bar_width(page.drawing(), -top, top, ticks) + gap;
  Box body = page.body;
  body.width -= bar;
  std::vector<Box> boxes;
  for (const Box& line :
       drawing::rows_of(page.drawing(), body, std::vector<double>(static_cast<std::size_t>(rows), 1.0))) {
    const std::vector<Box> of_line =
        drawing::columns_of(page.drawing(), line, std::vector<double>(static_cast<std::size_t>(columns), 1.0));
    boxes.insert(boxes.end(), of_line.begin(), of_line.end());
  }
  std::vector<drawing::HeatOptions> options;
  for (std::size_t i = 0; i < count; ++i) {
    const double scale = own_scales && all.tops[i] > 0.0 ? all.tops[i] : top;
    const std::string head = "head " + std::to_string(all.heads[i]);
    const std::string range = range_text(all.heats[i], cells ? 2 : 3);
    const bool words = !cells || only_hidden;  // a terminal has no room for both
    options.push_back({.title = only_hidden ? ""
                                : cells     ? head
                                            : head + ": " + range,
                       .row_label = words ? "query" : range,
                       .column_label = words ? "key" : "",
                       .first_row = first_of(places.view()),
                       .row_step = step_of(places.view()),
                       .first_column = first_of(places.view()),
                       .column_step = step_of(places.view()),
                       .low = -scale,
                       .high = scale,
                       .color_bar = false,
                       .square = true});
    page.figure.data.push_back(heat_table(head, all.heats[i], "query", at, "key", at));
  }
  boxes.resize(count);
  const Box image = drawing::draw_heats(page.drawing(), boxes, all.heats, options).front();
  if (only_hidden) return std::move(page.figure);
  drawing::draw_color_bar(page.drawing(), {page.body.right() - bar + gap, image.y, 0.0, image.height}, -top, top,
                          ColorMap::diverging, ticks);
  return std::move(page.figure);
}

std::string decay_text(const std::vector<std::vector<double>>& curves) {
  bool falls = true;
  for (const std::vector<double>& curve : curves) falls = falls && !first_rise(curve);
  return falls ? "no curve rises: a farther key never gets more" : "some curves rise: a farther key can get more";
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
             .finding = mask ? "0 for a visible key, no value for a hidden one"
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

// The offsets before and after the table read its first and its last row too, so these two have no end.
std::string buckets_finding(const TableBias& table) {
  const std::vector<std::int64_t> rows(table.rows.begin(), table.rows.end());
  const auto front = static_cast<std::int64_t>(
      std::find_if(rows.begin(), rows.end(), [&](auto row) { return row != rows.front(); }) - rows.begin());
  const auto back = static_cast<std::int64_t>(
      std::find_if(rows.rbegin(), rows.rend(), [&](auto row) { return row != rows.back(); }) - rows.rbegin());
  const auto count = std::ssize(rows);
  std::string text = std::to_string(table.table_rows) + " rows for all offsets";
  if (front == count) return text;
  std::int64_t widest = 0, widest_row = 0, run = 0;
  for (std::int64_t i = front; i < count - back; ++i) {
    const auto at = static_cast<std::size_t>(i);
    run = i > front && rows[at] == rows[at - 1] ? run + 1 : 1;
    if (run <= widest) continue;
    widest = run;
    widest_row = rows[at];
  }
  text += "; near offsets have a row each, and ";
  if (widest > 1) {
    text += "distant ones share: " + std::to_string(widest) + " offsets read row " + std::to_string(widest_row) + ", ";
  }
  return text + "all up to " + std::to_string(table.first + front - 1) + " read row " + std::to_string(rows.front()) +
         ", and all from " + std::to_string(table.first + count - back) + " on row " + std::to_string(rows.back());
}

Figure make_buckets(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  const auto& table = std::get<TableBias>(numbers.bias()->schedule().shape);
  const auto count = static_cast<std::int64_t>(table.rows.size());
  // From a little before the first row that differs to a little after the last.
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
  FigurePage page = begin_figure(call, {.title = "Which row of the table an offset reads: " + numbers.command_text(),
                                        .finding = buckets_finding(table),
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
      {{.name = "bias",
        .summary = "the bias of every query and key, a matrix per head",
        .look_for = "Stripes along the diagonal mean that only the distance counts; FIRE's bend beyond its length.",
        .options = "positions head",
        .default_spec = "alibi:heads=8"},
       make_bias},
      {{.name = "bias_distance",
        .summary = "the bias against the distance, a curve per head",
        .look_for = "How fast is a distant key forgotten, and at which distance does training end?",
        .options = "positions head",
        .default_spec = "alibi:heads=8"},
       make_bias_distance},
      {{.name = "buckets",
        .summary = "the row of its table that each offset reads",
        .look_for = "The steps become wider: distant offsets share a number.",
        .options = "",
        .default_spec = "t5:heads=8",
        .shows_learned = false},
       make_buckets},
  };
}

}  // namespace posenc::figure
