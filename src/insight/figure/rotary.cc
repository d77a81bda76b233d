// Figures of angles: the clock hands of all pairs at a position, and the rotation of one pair.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/text/number_text.h"
#include "insight/figure/figure_call.h"
#include "posenc/error.h"
#include "posenc/phase.h"
#include "posenc/schedule.h"

namespace posenc::figure {
namespace {

// The inverse frequencies of one axis.
std::vector<double> frequencies_of(const Encoding& numbers) {
  if (numbers.sinusoidal()) return numbers.sinusoidal()->inv_freq;
  if (numbers.rotary()->axes != 1) {
    fail(ErrorKind::usage, "[make_figure] a rotary encoding with several axes has no single hand per pair");
  }
  return numbers.rotary()->inv_freq;
}

SinCos turned(double inv_freq, double position) { return sin_cos(phase_at(make_phase_step(inv_freq), position)); }

// In ASCII, a circle in the character of an axis would look like a wall.
Ink circle_ink(const FigureCall& call) { return call.options.plain ? Ink::grid : Ink::axis; }

// The number of hands that are shown, and their arrangement.
struct ClockGrid {
  std::int64_t every = 1, shown = 1, columns = 8, rows = 1;
  std::int64_t lines = 0;  // of a terminal, for one hand
};
ClockGrid clock_grid(const FigureCall& call, std::int64_t pairs) {
  ClockGrid grid;
  std::int64_t most = 32;
  if (in_cells(call)) {
    // Without colours and dots of braille a hand needs more characters.
    const double characters = call.options.plain ? 19.0 : 13.0;
    grid.lines = call.options.plain ? 9 : 7;
    grid.columns =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(call.options.width / kCellWidth / characters), 1, 8);
    most = grid.columns * (call.options.plain ? 2 : 3);
  }
  grid.every = (pairs + most - 1) / most;
  grid.shown = (pairs + grid.every - 1) / grid.every;
  grid.columns = std::min(grid.shown, grid.columns);
  grid.rows = (grid.shown + grid.columns - 1) / grid.columns;
  return grid;
}

Figure make_clocks(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  const double position = call.options.position.value_or(10.0);
  const double first = numbers.sinusoidal() ? static_cast<double>(numbers.sinusoidal()->first) : 0.0;
  const std::vector<double> inv_freq = frequencies_of(numbers);
  const std::vector<double> lengths = wavelengths(inv_freq);
  const auto pairs = static_cast<std::int64_t>(inv_freq.size());
  const ClockGrid grid = clock_grid(call, pairs);
  FigurePage page = begin_figure(
      call, {.title = "Clock hands of " + numbers.command_text() + " at position " + drawing::tick_text(position),
             .finding = "each pair is a hand: its height is the sine, its reach to the right the cosine; fast hands "
                        "have gone around often, slow ones have hardly moved",
             .note = grid.every > 1 ? "one pair in " + std::to_string(grid.every) + " is shown, " +
                                          std::to_string(grid.shown) + " of " + std::to_string(pairs)
                                    : "",
             .more = {std::string(first == 0.0 ? "at position 0 hands are" : "at angle 0 hands are") +
                          " on the right; they rotate counterclockwise, unlike those of a clock",
                      "below each hand: the pair, and its wavelength in positions"},
             .body_height = 112.0 * static_cast<double>(grid.rows),
             .least_lines = grid.lines * grid.rows,
             .most_lines = grid.lines * grid.rows});
  const bool cells = in_cells(call);
  double width = page.body.width / static_cast<double>(grid.columns);
  if (cells) width = std::floor(width / kCellWidth) * kCellWidth;
  const double height = page.body.height / static_cast<double>(grid.rows);
  const double radius = cells ? std::min(width / 2.0 - 6.0, (height - kCellHeight) / 2.0 - 2.0)
                              : std::min(width / 2.0 - 8.0, height / 2.0 - 22.0);
  std::array<std::vector<double>, 4> data;
  for (std::int64_t n = 0; n < grid.shown; ++n) {
    const std::int64_t pair = n * grid.every;
    const double frequency = inv_freq[static_cast<std::size_t>(pair)];
    const SinCos hand = turned(frequency, position + first);
    const Point center = {page.body.x + width * (static_cast<double>(n % grid.columns) + 0.5),
                          page.body.y + height * static_cast<double>(n / grid.columns) + radius + (cells ? 0.0 : 4.0)};
    const double below = page.body.y + height * static_cast<double>(n / grid.columns + 1) - 0.5 * kCellHeight;
    page.drawing().add(Circle{.center = center, .radius = radius, .stroke = circle_ink(call)});
    if (!cells) {  // the direction of angle 0
      page.drawing().add(
          Path{.points = {center, {center.x + radius, center.y}}, .stroke = Ink::grid, .line_width = 1.0});
    }
    drawing::draw_arrow(page.drawing(), center, {center.x + radius * hand.cos, center.y - radius * hand.sin},
                        {.ink = Ink::series1, .width = 2.0, .label = "pair " + std::to_string(pair)});
    const double length = lengths[static_cast<std::size_t>(pair)];
    page.drawing().add(Text{.text = std::to_string(pair) + ": " + drawing::tick_text(length),
                            .at = {center.x, cells ? below : center.y + radius + 16.0},
                            .size = 11.0,
                            .anchor = Anchor::middle,
                            .ink = Ink::muted});
    data[0].push_back(static_cast<double>(pair));
    data[1].push_back(length);
    data[2].push_back(hand.cos);
    data[3].push_back(hand.sin);
  }
  return page.with({"hands", {{"pair", data[0]}, {"wavelength", data[1]}, {"cos", data[2]}, {"sin", data[3]}}});
}

Figure make_turn(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  const double position = call.options.position.value_or(1.0);
  const std::vector<double> inv_freq = frequencies_of(numbers);
  const std::array<double, 2> pair = {1.0, 0.5};
  const double factor = numbers.rotary()->table_factor();
  const double sign = numbers.rotary()->layout == Layout::half_negative ? -1.0 : 1.0;
  const SinCos at = turned(sign * inv_freq[0], position);
  const std::array<double, 2> after = {factor * (pair[0] * at.cos - pair[1] * at.sin),
                                       factor * (pair[1] * at.cos + pair[0] * at.sin)};
  const double size = std::hypot(pair[0], pair[1]);
  const double size_after = std::hypot(after[0], after[1]);
  FigurePage page = begin_figure(
      call, {.title = "One pair rotated: " + numbers.command_text() + " at position " + drawing::tick_text(position),
             .finding = "(1, 0.5) becomes (" + text::fixed_text(after[0], 4) + ", " + text::fixed_text(after[1], 4) +
                        "); its length was " + text::fixed_text(size, 4) + " and is " + text::fixed_text(size_after, 4),
             .more = {"pair 0 rotates by position x inv_freq = " + drawing::tick_text(position) + " x " +
                      drawing::tick_text(inv_freq[0]) + " radians"},
             .body_height = 400.0,
             .width = 520.0,
             .least_lines = 24});
  const double reach = 1.15 * std::max(size, size_after);
  const drawing::Stroke before{.ink = Ink::series2, .width = 2.4, .label = "before: (1, 0.5)"};
  const drawing::Stroke turned_to{.ink = Ink::series1, .width = 2.4, .label = "after"};
  drawing::Panel panel(page.drawing(), page.body,
                       {.x = {.label = "first channel of the pair", .low = -reach, .high = reach},
                        .y = {.label = "second channel", .low = -reach, .high = reach},
                        .legend = {before, turned_to},
                        .equal = true});
  const Point center = panel.at(0.0, 0.0);
  page.drawing().add(Circle{.center = center,
                            .radius = panel.at(size, 0.0).x - center.x,
                            .stroke = circle_ink(call),
                            .title = "the same length"});
  std::vector<double> arc_x;
  std::vector<double> arc_y;
  const double start = std::atan2(pair[1], pair[0]);
  const double angle = sign * inv_freq[0] * position;
  const double drawn = std::clamp(angle, -6.2831853, 6.2831853);
  for (int i = 0; i <= 48; ++i) {
    const double a = start + drawn * i / 48.0;
    arc_x.push_back(0.45 * size * std::cos(a));
    arc_y.push_back(0.45 * size * std::sin(a));
  }
  panel.line(arc_x, arc_y, {.ink = Ink::muted, .width = 1.4, .dashed = true});
  drawing::draw_arrow(page.drawing(), center, panel.at(pair[0], pair[1]), before);
  drawing::draw_arrow(page.drawing(), center, panel.at(after[0], after[1]), turned_to);
  return page.with({"pair",
                    {{"channel", std::vector<double>{0.0, 1.0}},
                     {"before", std::vector<double>{pair[0], pair[1]}},
                     {"after", std::vector<double>{after[0], after[1]}}}});
}

}  // namespace

std::vector<FigureEntry> rotary_figures() {
  return {
      {{.name = "clocks",
        .summary = "the clock hand of every pair at a position",
        .look_for = "The fast hands, first, have gone around many times; the slow ones have hardly moved.",
        .options = "position",
        .default_spec = "rotary:head_dim=64"},
       make_clocks,
       has_one_axis},
      {{.name = "turn",
        .summary = "one pair of channels before and after its rotation",
        .look_for = "The arrow rotates and keeps its length.",
        .options = "position",
        .default_spec = "rotary:head_dim=64"},
       make_turn,
       has_one_axis},
  };
}

}  // namespace posenc::figure
