// The layouts of rotary encodings: which channels form a pair, and the permutation between layouts.
#include <cmath>

#include "insight/figure/figure_call.h"
#include "posenc/reference.h"

namespace posenc::figure {
namespace {

struct LayoutRow {
  std::string title;
  std::vector<std::int64_t> pair_of_channel;
};

LayoutRow row_of(Layout layout, const std::string& title, std::int64_t width) {
  LayoutRow row{title, std::vector<std::int64_t>(static_cast<std::size_t>(width), 0)};
  const Rotary spec{.head_dim = width, .layout = layout};
  for (std::int64_t i = 0; i < width / 2; ++i) {
    const reference::RotaryPair pair = reference::rotary_pair(spec, i);
    row.pair_of_channel[static_cast<std::size_t>(pair.read_first)] = i;
    row.pair_of_channel[static_cast<std::size_t>(pair.read_second)] = i;
  }
  return row;
}

// The height of each line of a row: the numbers of channels in their boxes, the pairs below, and the end of the row.
struct RowPlaces {
  double channel, pair, bottom;  // from the top of the row
};
RowPlaces places_of(const Drawing& drawing) {
  const drawing::Type type(drawing.metrics);
  if (drawing.metrics == TextMetrics::cells) return {1.5 * kCellHeight, 2.5 * kCellHeight, 3.0 * kCellHeight};
  return {type.line + 19.0, type.line + 33.0, type.line + 43.0};
}

void draw_row(Drawing& drawing, const LayoutRow& row, double left, double top, double cell) {
  const drawing::Type type(drawing.metrics);
  const bool cells = drawing.metrics == TextMetrics::cells;
  const RowPlaces places = places_of(drawing);
  const std::string pair_word = cell >= 7.0 * kCellWidth ? "pair " : "";
  drawing.add(Text{.text = row.title, .at = {left, top + type.ascent}, .size = type.label, .bold = true});
  for (std::size_t c = 0; c < row.pair_of_channel.size(); ++c) {
    const double middle = left + cell * (static_cast<double>(c) + 0.5);
    const std::int64_t pair = row.pair_of_channel[c];
    if (!cells) {
      drawing.add(Rectangle{.box = {middle - cell / 2.0 + 2.0, top + type.line + 4.0, cell - 4.0, 34.0},
                            .stroke = series_ink(pair),
                            .fill = series_ink(pair),
                            .line_width = 1.5,
                            .opacity = 0.28,
                            .radius = 4.0,
                            .title = "channel " + std::to_string(c) + " is in pair " + std::to_string(pair)});
    }
    drawing.add(Text{.text = std::to_string(c),
                     .at = {middle, top + places.channel},
                     .size = type.label,
                     .anchor = Anchor::middle,
                     .ink = cells ? series_ink(pair) : Ink::text,
                     .bold = true});
    drawing.add(Text{.text = pair_word + std::to_string(pair),
                     .at = {middle, top + places.pair},
                     .size = 9.0,
                     .anchor = Anchor::middle,
                     .ink = cells ? series_ink(pair) : Ink::muted});
  }
}

Figure make_layouts(const FigureCall& call) {
  // A small head is drawn whole. The first channels of a larger one would not show its pairs, so draw a head of 8.
  const std::int64_t turning = call.numbers != nullptr ? call.numbers->rotary()->rotary_dim : 8;
  const std::int64_t width = turning <= 16 ? turning : 8;
  const std::string half_of = std::to_string(width / 2);
  FigurePage page = begin_figure(
      call,
      {.title = "Which channels form a pair: interleaved and half",
       .finding =
           "interleaved pairs are neighbours (0, 1), the channels of a half pair are half a head from each other (0, " +
           half_of + "); weights for one layout must be permuted for the other",
       .note = turning == width ? "" : "drawn for 8 channels instead of " + std::to_string(turning),
       .more = {"interleaved: the paper, GPT-J, Cohere; half: Llama, GPT-NeoX and most others",
                "to go from interleaved to half, channel 2i goes to i and channel 2i + 1 to i + " + half_of},
       .body_height = 230.0,
       .least_lines = 13,
       .most_lines = 13});
  const LayoutRow interleaved = row_of(Layout::interleaved, "interleaved pair i: channels 2i, 2i + 1", width);
  const LayoutRow half = row_of(Layout::half, "half pair i: channels i, i + " + half_of, width);
  double cell = page.body.width / static_cast<double>(width);
  if (in_cells(call)) cell = std::floor(cell / kCellWidth) * kCellWidth;
  const double lower = page.body.y + 160.0;  // ten lines of a terminal
  draw_row(page.drawing(), interleaved, page.body.x, page.body.y, cell);
  draw_row(page.drawing(), half, page.body.x, lower, cell);
  std::vector<double> to;
  std::vector<double> pairs_interleaved;
  std::vector<double> pairs_half;
  const double from_y = page.body.y + places_of(page.drawing()).bottom + (in_cells(call) ? 2.0 : 0.0);
  const double to_y = lower - 4.0;  // above the title of the lower row
  for (std::int64_t c = 0; c < width; ++c) {
    const std::int64_t target = c % 2 == 0 ? c / 2 : width / 2 + c / 2;
    const auto middle = [&](std::int64_t channel) { return page.body.x + cell * (static_cast<double>(channel) + 0.5); };
    drawing::draw_arrow(page.drawing(), {middle(c), from_y}, {middle(target), to_y},
                        {.ink = series_ink(interleaved.pair_of_channel[static_cast<std::size_t>(c)]), .width = 1.6});
    to.push_back(static_cast<double>(target));
    pairs_interleaved.push_back(static_cast<double>(interleaved.pair_of_channel[static_cast<std::size_t>(c)]));
    pairs_half.push_back(static_cast<double>(half.pair_of_channel[static_cast<std::size_t>(c)]));
  }
  return page.with({"layouts",
                    {{"channel", counted(width)},
                     {"pair, interleaved", pairs_interleaved},
                     {"pair, half", pairs_half},
                     {"interleaved channel goes to half channel", to}}});
}

}  // namespace

std::vector<FigureEntry> layout_figures() {
  return {{{.name = "layouts",
            .summary = "which channels form a pair, half and interleaved, and the permutation between them",
            .look_for = "Equal colours are a pair. A port that confuses the two layouts still produces fluent text.",
            .options = "",
            .default_spec = "",
            .shows_learned = false},
           make_layouts}};
}

}  // namespace posenc::figure
