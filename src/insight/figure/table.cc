// Figures of rows: the heatmap of a table, its labelled corner, similarity of positions, and a learned table.
#include "posenc/table.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/text/number_text.h"
#include "insight/figure/figure_call.h"
#include "insight/properties/property.h"
#include "insight/properties/sinusoidal_rows.h"

namespace posenc::figure {
namespace {

constexpr std::int64_t kMostRows = 400;
constexpr std::int64_t kMostColumns = 2048;

// At most kMostColumns columns of some rows: one pair of channels in so many. A mean of rows or of channels would be a
// number that none of them has, and would show beats that no wave has.
struct Sampled {
  drawing::Heat heat;
  std::int64_t channels_every = 1;  // one pair of channels in so many is kept
  std::int64_t rows_every = 1;      // one position in so many
  std::vector<double> channels;
};

Sampled sampled_rows(const Encoding& numbers, const PositionView& positions, std::int64_t rows_every) {
  const std::int64_t width = numbers.width();
  Sampled sampled{.channels_every = (width + kMostColumns - 1) / kMostColumns, .rows_every = rows_every};
  for (std::int64_t c = 0; c < width; ++c) {
    if (c / 2 % sampled.channels_every == 0) sampled.channels.push_back(static_cast<double>(c));
  }
  drawing::Heat& heat = sampled.heat;
  heat = {(positions.count + rows_every - 1) / rows_every, static_cast<std::int64_t>(sampled.channels.size()), {}};
  std::vector<double> row(static_cast<std::size_t>(width));
  const View view = make_view(row.data(), {1, width});
  for (std::int64_t n = 0; n < positions.count; n += rows_every) {
    fill_rows(numbers.rows(), positions.slice(n, 1), view);
    for (const double channel : sampled.channels) heat.values.push_back(row[static_cast<std::size_t>(channel)]);
  }
  return sampled;
}

drawing::HeatOptions sampled_options(const Sampled& sampled, const PositionView& positions, bool one_axis) {
  return {.row_label = one_axis ? "position" : "place, row by row",
          .column_label = "channel",
          .first_row = one_axis ? first_of(positions) : 0.0,
          .row_step = (one_axis ? step_of(positions) : 1.0) * static_cast<double>(sampled.rows_every),
          .column_step = static_cast<double>(sampled.channels_every),
          .column_group = 2,
          .rows_every = sampled.rows_every,
          .columns_every = sampled.channels_every};
}

// The number of rows of a picture that fit into `body`, if it is divided into `panels` and each has `lines` lines of
// words. A picture with pixels has room for kMostRows, unless it is small.
std::int64_t rows_in(const FigureCall& call, const FigurePage& page, double panels, double lines) {
  const double line = drawing::Type(call.options.metrics).line;
  double height = page.body.height / panels - lines * line - 10.0;  // gaps beside the words
  if (in_cells(call)) height = std::floor(page.body.height / panels / kCellHeight) * kCellHeight - lines * kCellHeight;
  return std::clamp<std::int64_t>(drawing::image_rows(page.figure.drawing, height), 4, kMostRows);
}
// The same before the page is known; `usual` for other outputs than terminals.
std::int64_t rows_with_room(const FigureCall& call, const FigureText& text, double panels, double lines,
                            std::int64_t usual) {
  if (!in_cells(call)) return usual;
  return std::min(rows_in(call, begin_figure(call, text), panels, lines), usual);
}

// Words as long as those that a page gets once its positions are known.
void expect_words(FigureText& text) {
  text.finding = std::string(110, 'x');
  text.note = std::string(70, 'x');
}

// The positions of a figure of rows on one axis. All have a row, also those that are left out: the number of a token in
// a message is its place among the positions asked for.
PositionView row_positions(const FigureCall& call, const PositionRule& rule) {
  const PositionView positions = figure_positions(call, rule);
  check_rows(call.numbers->rows(), positions, "make_figure");
  return positions;
}

// How many positions there are for each that is shown.
std::int64_t every_of(const PositionView& positions, std::int64_t room) {
  return (positions.count + room - 1) / std::max<std::int64_t>(room, 1);
}

// The positions of the options on several axes, or a small grid, whose coordinates are stored in `grid`.
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

// Whether frequencies only fall or only rise from the first pair to the last, by their size.
bool falls_or_rises(const std::vector<double>& inv_freq) {
  const auto slower = [](double a, double b) { return std::fabs(a) < std::fabs(b); };
  if (inv_freq.size() < 2 || std::fabs(inv_freq.front()) == std::fabs(inv_freq.back())) return false;
  return std::is_sorted(inv_freq.begin(), inv_freq.end(), slower) ||
         std::is_sorted(inv_freq.rbegin(), inv_freq.rend(), slower);
}

// Labels that say which channels are fast and which slow, above the first and last column of each run of frequencies.
std::vector<drawing::TopLabel> speed_labels(const SinusoidalSchedule& schedule, std::int64_t columns) {
  if (!falls_or_rises(schedule.inv_freq)) return {};
  const bool falls = std::fabs(schedule.inv_freq.front()) > std::fabs(schedule.inv_freq.back());
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

// How the channels change over the positions: fast and slow ones if the rows show both, else their wavelengths.
std::string change_text(const SinusoidalSchedule& schedule, const PositionView& positions) {
  double slowest = INFINITY, fastest = 0.0;
  for (const double inv_freq : schedule.inv_freq) {
    slowest = std::min(slowest, std::fabs(inv_freq));
    fastest = std::max(fastest, std::fabs(inv_freq));
  }
  if (positions.count < 2 || schedule.inv_freq.empty()) return "";
  if (fastest == 0.0) return ": every row is the same, because all frequencies are 0";
  constexpr double kFewRows = 10.0, kHardly = 0.3;  // radians
  const double step = std::fabs(step_of(positions)), rows = static_cast<double>(positions.count - 1);
  const double wave = 2.0 * std::numbers::pi / (fastest * step);  // in rows
  if (wave <= std::min(kFewRows, rows) && slowest * step * rows <= kHardly) {
    return ": fast channels repeat within a few rows, slow ones hardly change";
  }
  const std::string shortest = drawing::tick_text(2.0 * std::numbers::pi / fastest);
  if (slowest == fastest) return ": every channel repeats after " + shortest + " positions";
  if (slowest == 0.0)
    return ": the shortest wavelength is " + shortest + " positions, channels of frequency 0 are flat";
  return ": wavelengths from " + shortest + " to " + drawing::tick_text(2.0 * std::numbers::pi / slowest) +
         " positions";
}

std::string heatmap_finding(const FigureCall& call, const PositionView& positions, const Sampled& sampled) {
  const Encoding& numbers = *call.numbers;
  const auto extremes = std::minmax_element(sampled.heat.values.begin(), sampled.heat.values.end());
  return properties::several(positions.count, "position") + " down and " +
         properties::several(numbers.width(), "channel") + " across, values from " +
         drawing::tick_text(*extremes.first) + " to " + drawing::tick_text(*extremes.second) +
         (!has_one_axis(numbers.spec()) ? ": a pattern that repeats within a row of places depends on the last axis"
          : numbers.sinusoidal()        ? change_text(*numbers.sinusoidal(), positions)
          : is_untrained(call)          ? ": random numbers, without any order"
          : numbers.table().rank != 0   ? ": any order is what training found"
                                        : "");
}

// What is left out, or that the positions are only those for which a terminal has room.
std::string heatmap_note(const FigureCall& call, const PositionView& positions, const Sampled& sampled) {
  std::string note;
  if (sampled.rows_every > 1) {
    note = std::to_string(sampled.heat.rows) + " of " + std::to_string(positions.count) +
           " positions are shown, one in " + std::to_string(sampled.rows_every) +
           ": a wave shorter than two such steps looks like a longer one";
  } else if (positions.count == 1 && first_of(positions) > 1.0 && has_one_axis(call.numbers->spec())) {
    note = "one position; 0:" + drawing::tick_text(first_of(positions)) + " would be positions 0 to " +
           drawing::tick_text(first_of(positions) - 1.0);
  } else if (has_one_axis(call.numbers->spec())) {
    note = fewer_note(call, positions, 100);
  }
  if (sampled.channels_every > 1) {
    note += (note.empty() ? "" : "; ") + std::string("at most one pair of channels in ") +
            std::to_string(sampled.channels_every) + " is shown";
  }
  return note;
}

Figure make_heatmap(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  const bool one_axis = has_one_axis(numbers.spec());
  FigureText text{.title = "The table of " + numbers.command_text(), .body_height = 440.0, .least_lines = 12};
  std::vector<std::int64_t> grid;
  expect_words(text);
  const PositionView positions =
      one_axis ? row_positions(call, {.count = rows_with_room(call, text, 1.0, 4.0, 100)}) : figure_places(call, grid);
  // The positions that were asked for are all shown if that takes few lines; a few are not drawn as many.
  constexpr std::int64_t kFewLines = 40;
  const std::int64_t lines = positions.count / (call.options.plain ? 1 : 2) + 5;
  if (lines <= kFewLines) text.least_lines = std::max(text.least_lines, lines);
  const bool labelled = numbers.sinusoidal() && falls_or_rises(numbers.sinusoidal()->inv_freq);
  text.most_lines = positions.count + (labelled ? 4 : 3) + (positions.count > 2 ? 1 : 0);
  text.least_lines = std::min(text.least_lines, text.most_lines);
  text.body_height =
      std::min(text.body_height, 80.0 + 24.0 * static_cast<double>(std::max<std::int64_t>(positions.count, 3)));
  Sampled sampled;
  FigurePage page;
  // The words below leave less room for rows if there are more of them.
  for (std::int64_t room = kMostRows;;) {
    sampled = sampled_rows(numbers, positions, every_of(positions, room));
    text.finding = heatmap_finding(call, positions, sampled);
    text.note = heatmap_note(call, positions, sampled);
    page = begin_figure(call, text);
    const std::int64_t fit = rows_in(call, page, 1.0, labelled ? 4.0 : 3.0);
    if (sampled.heat.rows <= fit || room <= fit) break;
    room = fit;
  }
  // A fixed encoding has the scale of its rows, whichever are shown.
  const double largest = numbers.sinusoidal() && numbers.table().rank == 0 ? std::fabs(numbers.sinusoidal()->multiplier)
                                                                           : largest_size(sampled.heat);
  drawing::HeatOptions options = sampled_options(sampled, positions, one_axis);
  options.low = -largest;
  options.high = largest;
  if (numbers.sinusoidal()) options.top = speed_labels(*numbers.sinusoidal(), sampled.heat.columns);
  drawing::draw_heat(page.drawing(), page.body, sampled.heat, options);
  return page.with(heat_table("cells", sampled.heat, "position",
                              counted(sampled.heat.rows, options.first_row, options.row_step), "channel",
                              sampled.channels));
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
  constexpr int kDecimals = 2;
  const PositionView positions = row_positions(call, {.count = 11, .most = 24, .uneven = 24});
  // In a terminal a number takes at least six characters, and the positions beside them about six.
  const std::int64_t room = in_cells(call) ? static_cast<std::int64_t>(call.options.width / kCellWidth - 14.0) / 6 : 11;
  const std::int64_t columns = std::clamp<std::int64_t>(room, 1, std::min<std::int64_t>(numbers.width(), 11));
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
  const bool starts_at_zero = numbers.sinusoidal() && numbers.table().rank == 0 && first_of(positions) == 0.0 &&
                              numbers.sinusoidal()->first == 0;
  FigurePage page =
      begin_figure(call, {.title = "The first numbers of " + numbers.command_text(),
                          .finding = properties::several(heat.rows, "position") + " and the first " +
                                     properties::several(columns, "channel") + ", each number with two decimals" +
                                     (starts_at_zero ? "; the row of position 0 is sin(0) = 0 and cos(0) = 1" : ""),
                          .more = {"rounded to two decimals; --format csv has all digits"},
                          .body_height = 44.0 + 30.0 * static_cast<double>(heat.rows),
                          .least_lines = heat.rows + 5,
                          .most_lines = heat.rows + 5});
  drawing::HeatOptions options{.row_label = "position",
                               .column_label = "channel",
                               .row_ticks = position_ticks(at),
                               .column_ticks = position_ticks(counted(columns)),
                               .low = -largest,
                               .high = largest,
                               .decimals = kDecimals};
  if (numbers.sinusoidal() && numbers.table().rank == 0) {
    const std::vector<std::string> words = channel_words(*numbers.sinusoidal(), columns);
    for (std::int64_t c = 0; c < columns; ++c) {
      options.top.push_back({static_cast<double>(c), Anchor::middle, words[static_cast<std::size_t>(c)]});
    }
  }
  drawing::draw_heat(page.drawing(), page.body, heat, options);
  return page.with(heat_table("cells", heat, "position", at, "channel", counted(columns)));
}

// The cosine of every pair of rows.
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

bool is_even(const std::vector<double>& at) {
  for (std::size_t i = 2; i < at.size(); ++i) {
    if (std::fabs((at[i] - at[i - 1]) - (at[1] - at[0])) > 1e-6 * std::fabs(at[1] - at[0])) return false;
  }
  return true;
}

constexpr std::int64_t kWrittenOut = 12;  // positions whose cosines are also written into the cells

drawing::HeatOptions similarity_options(const std::vector<double>& at, std::string title) {
  const double step = at.size() > 1 ? at[1] - at[0] : 1.0;
  drawing::HeatOptions options{.title = std::move(title),
                               .row_label = "position",
                               .column_label = "position",
                               .first_row = at.front(),
                               .row_step = step,
                               .first_column = at.front(),
                               .column_step = step,
                               .square = true};
  const bool few = static_cast<std::int64_t>(at.size()) <= kWrittenOut;
  if (few || !is_even(at)) options.row_ticks = options.column_ticks = position_ticks(at);
  if (few) options.decimals = 4;
  return options;
}

// The cosines with the first position if there are few, else the lowest one.
std::string similarity_finding(const std::vector<double>& at, const drawing::Heat& heat, bool by_distance) {
  if (at.size() == 1) return "one position, compared with itself";
  double lowest = 1.0;
  for (const double value : heat.values) lowest = std::min(lowest, value);
  if (static_cast<std::int64_t>(at.size()) <= kWrittenOut) {
    std::string text = "cosines with position " + drawing::tick_text(at.front()) + ":";
    for (std::size_t i = 1; i < at.size(); ++i) {
      text += (i > 1 ? ", " : " ") + text::fixed_text(heat.values[i], 4) + " of position " + drawing::tick_text(at[i]);
    }
    return text;
  }
  return "the cosine of every pair of rows, 1 on the diagonal and down to " + text::general_text(lowest, 3) +
         (by_distance && is_even(at) ? "; equal along every diagonal, so only the distance counts" : "");
}

Figure make_similarity(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  FigureText text{.title = "How alike positions are: " + numbers.command_text(), .body_height = 470.0};
  text.least_lines = 16;
  expect_words(text);
  std::int64_t most = rows_with_room(call, text, 1.0, 3.0, kMostRows);
  if (in_cells(call)) {
    const auto columns = static_cast<std::int64_t>(call.options.width / kCellWidth) - 14;
    most = std::min(most, std::max<std::int64_t>(columns, 4));
  }
  const PositionView positions = row_positions(call, {.count = std::min<std::int64_t>(most, 100), .uneven = most});
  text.note.clear();
  const std::vector<double> at = sampled_positions(positions, most, text.note);
  if (text.note.empty()) text.note = fewer_note(call, positions, 100);
  const drawing::Heat heat = similarity_of(rows_at(numbers, at), numbers.width());
  const auto& schedule = numbers.sinusoidal();
  const bool by_distance = numbers.table().rank == 0 && properties::has_partners(*schedule) && !schedule->zero_position;
  text.finding = similarity_finding(at, heat, by_distance);
  if (heat.rows <= kWrittenOut) text.most_lines = 2 * heat.rows + 3;
  text.least_lines = std::min<std::int64_t>(text.least_lines, text.most_lines);
  FigurePage page = begin_figure(call, text);
  drawing::draw_heat(page.drawing(), page.body, heat, similarity_options(at, ""));
  return page.with(heat_table("cosine", heat, "position", at, "position", at));
}

// The learned table above, the sinusoidal one of the same size below, each beside the cosines of its rows.
Figure make_learned(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  FigureText text{.title = "A learned table beside the sinusoidal one: " + numbers.command_text(),
                  .body_height = 640.0,
                  .least_lines = 28};
  expect_words(text);
  const PositionView positions = row_positions(call, {.count = rows_with_room(call, text, 2.0, 4.0, 512)});
  const std::int64_t width = numbers.width();
  const Encoding fixed(Sinusoidal{.width = width});
  text.finding =
      "rows and cosines of positions: " +
      std::string(is_untrained(call) ? "above, random numbers that nobody trained; " : "above, what training found; ") +
      "below, what the formula gives for " + properties::several(positions.count, "position") + " and " +
      properties::several(width, "channel");
  const std::int64_t most = rows_with_room(call, text, 2.0, 4.0, 200);
  text.note.clear();
  const std::vector<double> at = sampled_positions(positions, most, text.note);
  text.note = text.note.empty() ? fewer_note(call, positions, 512) : "similarities: " + text.note;
  FigurePage page = begin_figure(call, text);
  const std::vector<Box> rows = drawing::rows_of(page.drawing(), page.body, {1.0, 1.0});
  const Encoding* each[] = {&numbers, &fixed};
  const std::string names[] = {is_untrained(call) ? "untrained" : "learned", "sinusoidal"};
  std::vector<Box> boxes;
  std::vector<drawing::Heat> heats;
  std::vector<drawing::HeatOptions> options;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::vector<Box> of_row = drawing::columns_of(page.drawing(), rows[i], {1.2, 1.0});
    boxes.insert(boxes.end(), of_row.begin(), of_row.end());
    const Sampled sampled = sampled_rows(*each[i], positions, every_of(positions, rows_in(call, page, 2.0, 4.0)));
    options.push_back(sampled_options(sampled, positions, true));
    options.back().title = names[i] + " rows";
    options.back().high = i == 1 ? 1.0 : largest_size(sampled.heat);
    options.back().low = -options.back().high;
    options.push_back(similarity_options(at, names[i] + " similarity"));
    heats.push_back(sampled.heat);
    heats.push_back(similarity_of(rows_at(*each[i], at), width));
    page.figure.data.push_back(heat_table(names[i] + " cosine", heats.back(), "position", at, "position", at));
  }
  // Images below each other have the same size.
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    drawing::draw_heats(page.drawing(), {boxes[side], boxes[side + 2]}, {heats[side], heats[side + 2]},
                        {options[side], options[side + 2]});
  }
  return std::move(page.figure);
}

}  // namespace

std::vector<FigureEntry> table_figures() {
  return {
      {.info = {.name = "heatmap",
                .summary = "the table of an encoding: a row per position, a column per channel",
                .look_for = "The stripes widen towards one side: these are the fast and the slow hands of a clock.",
                .options = "positions",
                .default_spec = "sinusoidal:width=64"},
       .make = make_heatmap},
      {.info = {.name = "cells",
                .summary = "the first numbers of the table, written into their cells",
                .look_for = "Sines and cosines alternate; compare how much each channel changes from row to row.",
                .options = "positions",
                .default_spec = "sinusoidal:width=64"},
       .make = make_cells,
       .check = [](const FigureSize& size) { check_amount(size, rows_asked(size, 11.0), "positions x width"); }},
      {.info = {.name = "similarity",
                .summary = "the cosine of every pair of rows; of a few positions also as numbers",
                .look_for =
                    "Rows near each other are alike: a band along the diagonal. A learned table has it only after "
                    "training.",
                .options = "positions",
                .default_spec = "sinusoidal:width=128"},
       .make = make_similarity,
       .check =
           [](const FigureSize& size) {
             const double rows = std::min(rows_asked(size, 100.0), static_cast<double>(kMostRows));
             check_amount(size, rows, "positions x width");
           }},
      {.info = {.name = "learned",
                .summary = "a learned table beside the sinusoidal one, each with the similarity of its positions",
                .look_for = "Did training find the band that the formula has? Are there rows that were never trained?",
                .options = "positions",
                .default_spec = "learned:rows=64,width=64,past_end=error"},
       .make = make_learned},
  };
}

}  // namespace posenc::figure
