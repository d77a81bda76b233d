// Figures of frequencies: waves of channels, two speeds, and wavelengths.
#include <algorithm>
#include <cmath>

#include "core/text/number_text.h"
#include "insight/figure/figure_call.h"
#include "insight/properties/sinusoidal_rows.h"
#include "posenc/error.h"
#include "posenc/insight/analysis.h"
#include "posenc/insight/check.h"
#include "posenc/schedule.h"

namespace posenc::figure {
namespace {

struct Channel {
  std::int64_t channel, pair;
  bool sine;
};

// Whether a wave has more turns than a picture has room for.
bool is_too_fast(const SinusoidalSchedule& schedule, const Channel& channel, double range) {
  constexpr double kTurnsShown = 120.0;
  return wavelengths({schedule.inv_freq[static_cast<std::size_t>(channel.pair)]})[0] < std::fabs(range) / kTurnsShown;
}

// Enough points for a smooth curve of every wave that is drawn: too few would show beats.
std::int64_t points_for(const SinusoidalSchedule& schedule, const std::vector<Channel>& channels, double range) {
  double most = 450.0;
  for (const Channel& channel : channels) {
    if (is_too_fast(schedule, channel, range)) continue;
    const double turns = std::fabs(range * schedule.inv_freq[static_cast<std::size_t>(channel.pair)]) / 6.283185307;
    most = std::max(most, 16.0 * turns);
  }
  return static_cast<std::int64_t>(most);
}

// Pairs 0, 1, 5, 15 and 31 of 32, and the same shares of any other number of pairs.
std::vector<Channel> usual_channels(const FigureCall& call, const SinusoidalSchedule& schedule) {
  // More than three waves are unreadable in the characters of a terminal.
  const std::vector<double> shares = in_cells(call)
                                         ? std::vector<double>{0.0, 5.0 / 31.0, 15.0 / 31.0}
                                         : std::vector<double>{0.0, 1.0 / 31.0, 5.0 / 31.0, 15.0 / 31.0, 1.0};
  const auto last = static_cast<double>(schedule.inv_freq.size() - 1);
  std::vector<Channel> channels;
  std::int64_t before = -1;
  for (const double share : shares) {
    const std::int64_t pair = std::max<std::int64_t>(std::llround(share * last), before + 1);
    if (pair > static_cast<std::int64_t>(last)) continue;
    before = pair;
    if (pair < schedule.sine.count) channels.push_back({properties::channel_at(schedule.sine, pair), pair, true});
    if (pair < schedule.cosine.count) channels.push_back({properties::channel_at(schedule.cosine, pair), pair, false});
  }
  return channels;
}

std::vector<Channel> asked_channels(const FigureCall& call, const SinusoidalSchedule& schedule) {
  if (call.options.channels.empty()) return usual_channels(call, schedule);
  std::vector<Channel> channels;
  for (const std::int64_t channel : call.options.channels) {
    for (const bool sine : {true, false}) {
      const auto pair = properties::pair_at(sine ? schedule.sine : schedule.cosine, channel);
      if (pair) channels.push_back({channel, *pair, sine});
    }
    if (channels.empty() || channels.back().channel != channel) {
      fail(ErrorKind::usage, "[make_figure] channels must be sines or cosines below " + std::to_string(schedule.width) +
                                 " but got " + std::to_string(channel));
    }
  }
  if (channels.size() > 12) {
    fail(ErrorKind::usage, "[make_figure] channels must be at most 12 but got " + std::to_string(channels.size()));
  }
  return channels;
}

std::string wave_label(const Channel& channel, const SinusoidalSchedule& schedule) {
  const double length = wavelengths({schedule.inv_freq[static_cast<std::size_t>(channel.pair)]})[0];
  return "channel " + std::to_string(channel.channel) + " (" + drawing::tick_text(length) + ")";
}

// Which channels and positions are shown, if they were not chosen.
std::string waves_note(const FigureCall& call, const PositionView& positions, const std::vector<Channel>& channels) {
  const std::size_t pairs = call.numbers->sinusoidal()->inv_freq.size();
  std::vector<std::int64_t> shown;
  for (const Channel& channel : channels) shown.push_back(channel.pair);
  std::sort(shown.begin(), shown.end());
  const auto count = static_cast<std::size_t>(std::unique(shown.begin(), shown.end()) - shown.begin());
  std::string note;
  if (call.options.channels.empty() && count < pairs) {
    note = std::to_string(count) + " of " + std::to_string(pairs) + " pairs are shown; --channels chooses others";
  }
  const std::string fewer = fewer_note(call, positions, 100);
  return note + (note.empty() || fewer.empty() ? "" : "; ") + fewer;
}

std::string waves_finding(bool sines, bool cosines, bool dots) {
  return std::string(sines && cosines ? "sines above and cosines below, shifted by a quarter of a wavelength"
                     : sines          ? "sines, whose cosines are the same waves a quarter of a wavelength earlier"
                                      : "cosines, whose sines are the same waves a quarter of a wavelength later") +
         "; the wavelength in positions is in brackets" + (dots ? ", and the dots are the numbers of the table" : "");
}

Figure make_waves(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  const SinusoidalSchedule& schedule = *numbers.sinusoidal();
  const Encoding fixed(std::holds_alternative<Hybrid>(numbers.spec()) ? Spec(std::get<Hybrid>(numbers.spec()).fixed)
                                                                      : numbers.spec());
  // A terminal has too few dots for more positions.
  const std::int64_t usual = call.options.metrics == TextMetrics::cells ? 40 : 100;
  const PositionView positions = figure_positions(call, {.count = usual, .least = 2, .most = std::int64_t{1} << 20});
  const std::vector<Channel> channels = asked_channels(call, schedule);
  const double first = first_of(positions);
  const double last = positions.real(0, positions.count - 1);
  const std::int64_t points = points_for(schedule, channels, last - first);
  const std::vector<double> fine = counted(points + 1, first, (last - first) / static_cast<double>(points));
  const std::vector<double> curve = rows_at(fixed, fine);
  std::string sampled;
  const std::vector<double> whole = sampled_positions(positions, 2000, sampled);
  std::string note = waves_note(call, positions, channels);
  const auto add_note = [&](const std::string& more) { note += (note.empty() ? "" : "; ") + more; };
  if (std::any_of(channels.begin(), channels.end(),
                  [&](const Channel& channel) { return is_too_fast(schedule, channel, last - first); })) {
    add_note("waves too fast to be drawn are shown as bands");
  }
  if (!sampled.empty()) add_note("in the data " + sampled);
  const std::vector<double> samples = rows_at(fixed, whole);
  const bool dots = positions.count <= 120 && !in_cells(call);
  std::vector<bool> sides;  // sines, cosines, or both
  for (const bool sine : {true, false}) {
    if (std::any_of(channels.begin(), channels.end(), [&](const Channel& c) { return c.sine == sine; })) {
      sides.push_back(sine);
    }
  }
  FigurePage page = begin_figure(call, {.title = "Waves of " + numbers.command_text(),
                                        .finding = waves_finding(sides.front(), !sides.back(), dots),
                                        .note = note,
                                        .body_height = 230.0 * static_cast<double>(sides.size()),
                                        .least_lines = 15 * std::ssize(sides),
                                        .most_lines = sides.size() > 1 ? 1000 : 24});
  const std::vector<Box> boxes = drawing::rows_of(page.drawing(), page.body, std::vector<double>(sides.size(), 1.0));
  const double size = std::fabs(schedule.multiplier) > 0.0 ? std::fabs(schedule.multiplier) : 1.0;
  DataTable data{"samples", {{"position", whole}}};
  for (std::size_t side = 0; side < sides.size(); ++side) {
    const bool sine = sides[side];
    drawing::PanelOptions options{
        .title = sine ? "sine channels" : "cosine channels",
        .x = {.label = "position", .low = std::min(first, last), .high = std::max(first, last)},
        .y = {.low = -1.05 * size, .high = 1.05 * size}};
    std::vector<Channel> shown;
    for (const Channel& channel : channels) {
      if (channel.sine != sine) continue;
      const bool as_band = is_too_fast(schedule, channel, last - first);
      options.legend.push_back({.ink = series_ink(static_cast<std::int64_t>(shown.size())),
                                .width = as_band ? 8.0 : drawing::Stroke().width,
                                .opacity = as_band ? 0.2 : 1.0,
                                .dashed = shown.size() >= static_cast<std::size_t>(kSeriesInks),
                                .label = wave_label(channel, schedule)});
      shown.push_back(channel);
    }
    drawing::Panel panel(page.drawing(), boxes[side], options);
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const auto column = [&](const std::vector<double>& rows) {
        std::vector<double> values;
        for (std::size_t n = 0; n * static_cast<std::size_t>(schedule.width) < rows.size(); ++n) {
          values.push_back(
              rows[n * static_cast<std::size_t>(schedule.width) + static_cast<std::size_t>(shown[i].channel)]);
        }
        return values;
      };
      if (is_too_fast(schedule, shown[i], last - first)) {
        panel.band(std::vector<double>{first, last}, std::vector<double>(2, -size), std::vector<double>(2, size),
                   {.ink = options.legend[i].ink, .opacity = options.legend[i].opacity});
      } else {
        panel.line(fine, column(curve), options.legend[i]);
      }
      if (dots) panel.dots(whole, column(samples), {.ink = options.legend[i].ink}, 2.0);
      data.columns.push_back({"channel " + std::to_string(shown[i].channel), column(samples)});
    }
  }
  return page.with(std::move(data));
}

Figure make_two_speeds(const FigureCall& call) {
  const std::vector<double> x = counted(6501, 0.0, 0.1);
  std::vector<double> fast;
  std::vector<double> slow;
  for (const double p : x) {
    fast.push_back(std::sin(p));
    slow.push_back(std::sin(p / 100.0));
  }
  FigurePage page = begin_figure(
      call,
      {.title = "Two hands of a clock: sin(x) and sin(x / 100)",
       .finding = "the fast wave distinguishes neighbours and repeats every 6.28 positions; the slow one distinguishes "
                  "distant positions and repeats after 628",
       .more = {"sin(x) has the wavelength 2 pi = 6.283, sin(x / 100) has 628.3; numbers in float64"},
       .body_height = 400.0,
       .least_lines = 24});
  const std::vector<Box> boxes = drawing::rows_of(page.drawing(), page.body, {1.0, 1.0});
  const drawing::Stroke strokes[] = {{.ink = Ink::series1, .width = 1.2, .label = "sin(x)"},
                                     {.ink = Ink::series2, .width = 2.4, .label = "sin(x / 100)"}};
  for (const bool near : {true, false}) {
    drawing::PanelOptions options{.title = near ? "the first 30 positions" : "a whole turn of the slow one",
                                  .x = {.label = "x", .low = 0.0, .high = near ? 30.0 : 650.0},
                                  .y = {.low = -1.05, .high = 1.05}};
    if (near) options.legend = {strokes[0], strokes[1]};
    drawing::Panel panel(page.drawing(), boxes[near ? 0 : 1], options);
    const std::size_t count = near ? 301 : x.size();
    panel.line(std::span(x).first(count), std::span(fast).first(count), strokes[0]);
    panel.line(std::span(x).first(count), std::span(slow).first(count), strokes[1]);
  }
  return page.with({"waves", {{"x", x}, {"sin(x)", fast}, {"sin(x/100)", slow}}});
}

Figure make_wavelengths(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  std::vector<double> inv_freq;
  if (numbers.rotary()) {
    // With several axes, a pair has a frequency on one of them and 0 on the others.
    const std::int64_t pairs = numbers.rotary()->columns();
    for (std::int64_t i = 0; i < pairs; ++i) {
      double largest = 0.0;
      for (std::int64_t a = 0; a < numbers.rotary()->axes; ++a) {
        const double each = numbers.rotary()->inv_freq[static_cast<std::size_t>(a * pairs + i)];
        if (std::fabs(each) > std::fabs(largest)) largest = each;
      }
      inv_freq.push_back(largest);
    }
  } else {
    inv_freq = numbers.sinusoidal()->inv_freq;
  }
  const std::vector<double> lengths = wavelengths(inv_freq);
  const TurnsWithin turns =
      turns_within(inv_freq, call.options.train_length.value_or(trained_length_of(numbers).positions));
  const auto train = static_cast<double>(turns.length);
  double shortest = 1e300;
  double longest = 0.0;  // of pairs with a frequency above 0
  for (const double length : lengths) {
    if (!std::isfinite(length)) continue;
    shortest = std::min(shortest, length);
    longest = std::max(longest, length);
  }
  if (longest == 0.0) shortest = longest = train;  // no pair has a frequency
  const auto pairs = static_cast<std::int64_t>(lengths.size());
  FigurePage page =
      begin_figure(call, {.title = "Wavelengths of " + numbers.command_text(),
                          .finding = std::to_string(turns.complete) + " of " + std::to_string(pairs) +
                                     " pairs complete a turn within the training length of " +
                                     drawing::tick_text(train) + "; wavelengths run from " +
                                     drawing::tick_text(shortest) + " to " + drawing::tick_text(longest) + " positions",
                          .body_height = 330.0,
                          .least_lines = 14});
  const std::vector<Box> boxes = drawing::columns_of(page.drawing(), page.body, {1.0, 1.0});
  const drawing::Stroke within{.ink = Ink::series1, .label = "completes a turn"};
  const drawing::Stroke beyond{.ink = Ink::series2, .label = "does not"};
  const drawing::Stroke trained{
      .ink = Ink::text, .width = 1.2, .dashed = true, .label = "training length " + drawing::tick_text(train)};
  for (const bool log : {false, true}) {
    const double low = log ? std::pow(10.0, std::floor(std::log10(std::min(shortest, train)))) : 0.0;
    drawing::PanelOptions options{.title = log ? "logarithmic" : "linear",
                                  .x = {.label = "pair", .low = -0.5, .high = static_cast<double>(pairs) - 0.5},
                                  .y = {.label = "wavelength (positions)",
                                        .low = low,
                                        .high = std::max(longest, train) * (log ? 1.5 : 1.03),
                                        .log = log},
                                  .legend = {within, beyond, trained}};
    drawing::Panel panel(page.drawing(), boxes[log ? 1 : 0], options);
    for (std::int64_t i = 0; i < pairs; ++i) {
      const double length = lengths[static_cast<std::size_t>(i)];
      const bool complete = turns.pairs[static_cast<std::size_t>(i)].complete;
      panel.bar(static_cast<double>(i), length, 0.8, complete ? within : beyond,
                "pair " + std::to_string(i) + ": " + text::general_text(length, 5) + " positions");
    }
    panel.level(train, trained);
  }
  std::vector<double> counts;
  std::vector<double> cycles;
  for (const PairTurns& pair : turns.pairs) {
    counts.push_back(pair.turns);
    cycles.push_back(train / pair.wavelength);
  }
  return page.with({"wavelengths",
                    {{"pair", counted(pairs)},
                     {"inv_freq", inv_freq},
                     {"wavelength", lengths},
                     {"cycles from the first position to the last", counts},
                     {"training length / wavelength", cycles}}});
}

}  // namespace

std::vector<FigureEntry> wave_figures() {
  return {
      {.info = {.name = "waves",
                .summary = "some channels as waves over positions: samples on the continuous curve",
                .look_for =
                    "The sine and the cosine of a pair are the same wave, shifted by a quarter of a wavelength.",
                .options = "positions channels",
                .default_spec = "sinusoidal:width=64"},
       .make = make_waves,
       .check = [](const FigureSize& size) { check_amount(size, 2000.0, "positions x width"); }},
      {{.name = "two_speeds",
        .summary = "sin(x) against sin(x / 100)",
        .look_for = "The fast wave distinguishes neighbours, the slow one distant positions.",
        .options = "",
        .default_spec = ""},
       make_two_speeds},
      {{.name = "wavelengths",
        .summary = "the wavelength of every pair in positions, on a linear and a logarithmic axis",
        .look_for =
            "On the right the bars form a straight line; those above the training length never complete a turn.",
        .options = "train_length",
        .default_spec = "sinusoidal:width=64"},
       make_wavelengths},
  };
}

}  // namespace posenc::figure
