// Figures of rows: the heatmap of a table, its labelled corner, similarity of positions, and a learned table.
#include "posenc/table.h"

#include <algorithm>
#include <cmath>

#include "core/text/number_text.h"
#include "insight/figure/figure_call.h"
#include "insight/properties/property.h"
#include "insight/properties/sinusoidal_rows.h"

namespace posenc::figure {
namespace {

constexpr std::int64_t kBinRows = 400;
constexpr std::int64_t kBinColumns = 2048;

// Rows of any number of positions, averaged into at most kBinRows x kBinColumns cells as they stream by.
struct Binned {
  drawing::Heat heat;
  std::string note;
};
Binned binned_rows(const Encoding& numbers, const PositionView& positions) {
  const std::int64_t width = numbers.width();
  drawing::Heat heat{std::min(positions.count, kBinRows), std::min(width, kBinColumns), {}};
  heat.values.assign(static_cast<std::size_t>(heat.rows * heat.columns), 0.0);
  std::vector<double> counts(heat.values.size(), 0.0);
  const std::int64_t block_rows = std::clamp<std::int64_t>((std::int64_t{1} << 20) / width, 1, 4096);
  std::vector<double> block(static_cast<std::size_t>(block_rows * width));
  const View view = make_view(block.data(), {block_rows, width});
  RowStream stream(numbers.rows(), positions);
  std::int64_t n = 0;
  for (std::int64_t got = stream.next(view); got > 0; got = stream.next(view)) {
    for (std::int64_t r = 0; r < got; ++r, ++n) {
      const std::int64_t bin = n * heat.rows / positions.count;
      for (std::int64_t c = 0; c < width; ++c) {
        const auto cell = static_cast<std::size_t>(bin * heat.columns + c * heat.columns / width);
        heat.values[cell] += block[static_cast<std::size_t>(r * width + c)];
        counts[cell] += 1.0;
      }
    }
  }
  for (std::size_t i = 0; i < counts.size(); ++i) heat.values[i] /= counts[i];
  std::string note;
  if (positions.count > heat.rows || width > heat.columns) {
    note = "averaged: a row of the data is the mean of about " +
           drawing::tick_text(static_cast<double>(positions.count) / static_cast<double>(heat.rows)) +
           " positions and " + drawing::tick_text(static_cast<double>(width) / static_cast<double>(heat.columns)) +
           " channels";
  }
  return {std::move(heat), std::move(note)};
}

// The places asked for on several axes, or a small grid kept in `grid`.
PositionView figure_places(const FigureCall& call, std::vector<std::int64_t>& grid) {
  PositionView positions = call.options.positions;
  const std::int64_t axes = axes_of(call.numbers->spec());
  if (positions.count == 0) {
    grid = call.numbers->small_grid();
    positions = properties::places_view(grid, axes);
  }
  check_rows(call.numbers->rows(), positions, "make_figure");
  return positions;
}

// The sides where channels turn fast and slowly, above the columns that begin and end a run of frequencies.
std::vector<drawing::TopLabel> speed_labels(const SinusoidalSchedule& schedule, std::int64_t columns) {
  if (schedule.inv_freq.size() < 2) return {};
  const bool falls = std::fabs(schedule.inv_freq.front()) >= std::fabs(schedule.inv_freq.back());
  const double cell = static_cast<double>(columns) / static_cast<double>(schedule.width);
  const auto place = [&](std::int64_t channel) { return (static_cast<double>(channel) + 0.5) * cell - 0.5; };
  std::vector<drawing::TopLabel> labels;
  const bool halves = schedule.sine.stride == 1 && schedule.width > 2;
  const auto run = [&](const Columns& run_columns, const std::string& what) {
    labels.push_back({place(run_columns.start), Anchor::start, what + (falls ? "fast to slow" : "slow to fast")});
  };
  if (halves) {
    const bool sine_first = schedule.sine.start < schedule.cosine.start;
    run(sine_first ? schedule.sine : schedule.cosine, sine_first ? "sines: " : "cosines: ");
    run(sine_first ? schedule.cosine : schedule.sine, sine_first ? "cosines: " : "sines: ");
    return labels;
  }
  labels.push_back({place(0), Anchor::start, falls ? "fast: high frequency" : "slow: low frequency"});
  labels.push_back({place(schedule.width - 1), Anchor::end, falls ? "slow: low frequency" : "fast: high frequency"});
  return labels;
}

Figure make_heatmap(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  const bool one_axis = has_one_axis(numbers.spec());
  std::vector<std::int64_t> grid;
  const PositionView positions = one_axis ? figure_positions(call, {}) : figure_places(call, grid);
  Binned binned = binned_rows(numbers, positions);
  // Averages are smaller than what they are of: a fixed encoding keeps the scale of its rows.
  const double largest = numbers.sinusoidal() && numbers.table().rank == 0 ? std::fabs(numbers.sinusoidal()->multiplier)
                                                                           : largest_size(binned.heat);
  const auto extremes = std::minmax_element(binned.heat.values.begin(), binned.heat.values.end());
  FigurePage page = begin_figure(
      call, {.title = "The table of " + numbers.command_text(),
             .finding = properties::several(positions.count, "position") + " down and " +
                        properties::several(numbers.width(), "channel") + " across, " +
                        (binned.note.empty() ? "values" : "means") + " from " + drawing::tick_text(*extremes.first) +
                        " to " + drawing::tick_text(*extremes.second) +
                        (!one_axis              ? ": what repeats within a row of places knows the last axis"
                         : numbers.sinusoidal() ? ": fast channels repeat within a few rows, slow ones hardly change"
                                                : ": no order is visible unless training put it there"),
             .note = binned.note,
             .body_height = 440.0});
  drawing::HeatOptions options{
      .row_label = one_axis ? "position" : "place, row by row",
      .column_label = "channel",
      .first_row = one_axis ? first_of(positions) : 0.0,
      .row_step = (one_axis ? step_of(positions) : 1.0) * static_cast<double>(positions.count) /
                  static_cast<double>(binned.heat.rows),
      .column_step = static_cast<double>(numbers.width()) / static_cast<double>(binned.heat.columns),
      .low = -largest,
      .high = largest,
      .rows_averaged = static_cast<double>(positions.count) / static_cast<double>(binned.heat.rows),
      .columns_averaged = static_cast<double>(numbers.width()) / static_cast<double>(binned.heat.columns)};
  if (numbers.sinusoidal()) options.top = speed_labels(*numbers.sinusoidal(), binned.heat.columns);
  drawing::draw_heat(page.drawing(), page.body, binned.heat, options);
  return page.with(heat_table("cells", binned.heat, "position", "channel", options.first_row, options.row_step));
}

std::vector<std::string> channel_words(const SinusoidalSchedule& schedule, std::int64_t count) {
  using properties::pair_at;
  std::vector<std::string> words;
  for (std::int64_t c = 0; c < count; ++c) {
    words.push_back(pair_at(schedule.sine, c) ? "sin" : pair_at(schedule.cosine, c) ? "cos" : "0");
  }
  return words;
}

Figure make_cells(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  const PositionView positions = figure_positions(call, {.count = 11, .most = 24});
  const std::int64_t columns = std::min<std::int64_t>(numbers.width(), 11);
  std::vector<double> at;
  for (std::int64_t n = 0; n < positions.count; ++n) at.push_back(positions.real(0, n));
  const std::vector<double> rows = rows_at(numbers, at);
  drawing::Heat heat{positions.count, columns, {}};
  for (std::int64_t r = 0; r < heat.rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      heat.values.push_back(rows[static_cast<std::size_t>(r * numbers.width() + c)]);
    }
  }
  const double largest = largest_size(heat);
  FigurePage page =
      begin_figure(call, {.title = "The first numbers of " + numbers.command_text(),
                          .finding = properties::several(heat.rows, "position") + " and the first " +
                                     properties::several(columns, "channel") + ", each with two decimals" +
                                     (numbers.sinusoidal() && numbers.table().rank == 0 && first_of(positions) == 0.0 &&
                                              numbers.sinusoidal()->first == 0
                                          ? ": the row of position 0 is the sine and the cosine of 0"
                                          : ""),
                          .body_height = 44.0 + 30.0 * static_cast<double>(heat.rows)});
  drawing::HeatOptions options{.row_label = "position",
                               .column_label = "channel",
                               .row_ticks = {},
                               .low = -largest,
                               .high = largest,
                               .decimals = 2};
  for (std::int64_t r = 0; r < heat.rows; ++r) {
    options.row_ticks.push_back({static_cast<double>(r), drawing::tick_text(at[static_cast<std::size_t>(r)])});
  }
  for (std::int64_t c = 0; c < columns; ++c)
    options.column_ticks.push_back({static_cast<double>(c), std::to_string(c)});
  if (numbers.sinusoidal() && numbers.table().rank == 0) {
    const std::vector<std::string> words = channel_words(*numbers.sinusoidal(), columns);
    for (std::int64_t c = 0; c < columns; ++c) {
      options.top.push_back({static_cast<double>(c), Anchor::middle, words[static_cast<std::size_t>(c)]});
    }
  }
  drawing::draw_heat(page.drawing(), page.body, heat, options);
  return page.with(heat_table("cells", heat, "position", "channel", first_of(positions), step_of(positions)));
}

drawing::Heat similarity_of(const std::vector<double>& rows, std::int64_t width) {
  const std::int64_t count = static_cast<std::int64_t>(rows.size()) / width;
  drawing::Heat heat{count, count, {}};
  std::vector<double> norms;
  for (const double* row = rows.data(); row < rows.data() + rows.size(); row += width) {
    norms.push_back(std::sqrt(dot(row, row, width)));
  }
  for (std::int64_t a = 0; a < count; ++a) {
    for (std::int64_t b = 0; b < count; ++b) {
      const double size = norms[static_cast<std::size_t>(a)] * norms[static_cast<std::size_t>(b)];
      heat.values.push_back(size > 0.0 ? dot(rows.data() + a * width, rows.data() + b * width, width) / size : 0.0);
    }
  }
  return heat;
}

double sampled_step(const std::vector<double>& at) { return at.size() > 1 ? at[1] - at[0] : 1.0; }

drawing::HeatOptions similarity_options(const std::vector<double>& at, std::string title) {
  return {.title = std::move(title),
          .row_label = "position",
          .column_label = "position",
          .first_row = at.front(),
          .row_step = sampled_step(at),
          .first_column = at.front(),
          .column_step = sampled_step(at),
          .square = true};
}

Figure make_similarity(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  const PositionView positions = figure_positions(call, {});
  std::string note;
  const std::vector<double> at = sampled_positions(positions, kBinRows, note);
  const drawing::Heat heat = similarity_of(rows_at(numbers, at), numbers.width());
  double lowest = 1.0;
  for (const double value : heat.values) lowest = std::min(lowest, value);
  const auto& schedule = numbers.sinusoidal();
  const bool by_distance = numbers.table().rank == 0 && properties::has_partners(*schedule) && !schedule->zero_position;
  FigurePage page = begin_figure(
      call, {.title = "How alike positions are: " + numbers.command_text(),
             .finding = "cosine of every pair of rows, 1 on the diagonal and down to " + text::general_text(lowest, 3) +
                        (by_distance ? "; equal along every diagonal, so only the distance counts" : ""),
             .note = note,
             .body_height = 470.0});
  drawing::draw_heat(page.drawing(), page.body, heat, similarity_options(at, ""));
  return page.with(heat_table("cosine", heat, "position", "position", at.front(), sampled_step(at)));
}

// The learned table above, the sinusoidal one of the same size below, each beside the cosines of its rows.
Figure make_learned(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  const PositionView positions = figure_positions(call, {.count = 512});
  const std::int64_t width = numbers.width();
  const Encoding fixed(Sinusoidal{.width = width});
  FigurePage page = begin_figure(
      call,
      {.title = "A learned table beside the sinusoidal one: " + numbers.command_text(),
       .finding = "rows and cosines of positions: what training found, and what the formula gives for " +
                  properties::several(positions.count, "position") + " and " + properties::several(width, "channel"),
       .note = positions.count > 200
                   ? "the similarities are of one position in " + std::to_string((positions.count + 199) / 200)
                   : "",
       .body_height = 640.0});
  const std::vector<Box> rows = drawing::rows_of(page.drawing(), page.body, {1.0, 1.0});
  const Encoding* each[] = {&numbers, &fixed};
  const char* names[] = {"learned", "sinusoidal"};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::vector<Box> boxes = drawing::columns_of(page.drawing(), rows[i], {1.2, 1.0});
    const Binned binned = binned_rows(*each[i], positions);
    const double largest = i == 1 ? 1.0 : largest_size(binned.heat);
    drawing::draw_heat(
        page.drawing(), boxes[0], binned.heat,
        {.title = std::string(names[i]) + " rows",
         .row_label = "position",
         .column_label = "channel",
         .first_row = first_of(positions),
         .row_step = step_of(positions) * static_cast<double>(positions.count) / static_cast<double>(binned.heat.rows),
         .column_step = static_cast<double>(width) / static_cast<double>(binned.heat.columns),
         .low = -largest,
         .high = largest});
    std::string note;
    const std::vector<double> at = sampled_positions(positions, 200, note);
    const drawing::Heat heat = similarity_of(rows_at(*each[i], at), width);
    drawing::draw_heat(page.drawing(), boxes[1], heat, similarity_options(at, std::string(names[i]) + " similarity"));
    page.figure.data.push_back(
        heat_table(std::string(names[i]) + " cosine", heat, "position", "position", at.front(), sampled_step(at)));
  }
  return std::move(page.figure);
}

}  // namespace

std::vector<FigureEntry> table_figures() {
  return {
      {{"heatmap", "the table of an encoding: a row per position, a column per channel",
        "stripes that widen to one side: the clock's fast and slow hands", "positions", true, true},
       make_heatmap},
      {{"cells", "the first numbers of the table, written into their cells",
        "sines and cosines side by side, and how much a channel changes from row to row", "positions", true, false},
       make_cells},
      {{"similarity", "the cosine of every pair of rows",
        "bands along the diagonal: rows that stand near are alike; a learned table shows them only if it was trained",
        "positions", true, true},
       make_similarity},
      {{"learned", "a learned table beside the sinusoidal one, with the similarity of their positions",
        "whether training found the bands that the formula has, and rows that were never trained", "positions", true,
        false},
       make_learned},
  };
}

}  // namespace posenc::figure
