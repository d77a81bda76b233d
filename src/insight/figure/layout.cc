// Which channels turn together: the layouts drawn, and the permutation between them.
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

void draw_row(Drawing& drawing, const LayoutRow& row, double left, double top, double cell) {
  const drawing::Type type(drawing.metrics);
  drawing.add(Text{.text = row.title, .at = {left, top + type.ascent}, .size = type.label, .bold = true});
  for (std::size_t c = 0; c < row.pair_of_channel.size(); ++c) {
    const double x = left + cell * static_cast<double>(c);
    const std::int64_t pair = row.pair_of_channel[c];
    drawing.add(Rectangle{.box = {x + 2.0, top + type.line + 4.0, cell - 4.0, 34.0},
                          .stroke = series_ink(pair),
                          .fill = series_ink(pair),
                          .line_width = 1.5,
                          .opacity = 0.28,
                          .radius = 4.0,
                          .title = "channel " + std::to_string(c) + " is in pair " + std::to_string(pair)});
    drawing.add(Text{.text = std::to_string(c),
                     .at = {x + cell / 2.0, top + type.line + 19.0},
                     .size = type.label,
                     .anchor = Anchor::middle,
                     .bold = true});
    drawing.add(Text{.text = "pair " + std::to_string(pair),
                     .at = {x + cell / 2.0, top + type.line + 33.0},
                     .size = 9.0,
                     .anchor = Anchor::middle,
                     .ink = Ink::muted});
  }
}

Figure make_layouts(const FigureCall& call) {
  // A small head is drawn whole; of a larger one the first channels would not show the pairs.
  const std::int64_t turning = call.numbers != nullptr ? call.numbers->rotary()->rotary_dim : 8;
  const std::int64_t width = turning <= 16 ? turning : 8;
  const std::string half_of = std::to_string(width / 2);
  FigurePage page = begin_figure(
      call, {.title = "Which channels turn together: interleaved and half",
             .finding = "interleaved pairs are neighbours (0, 1), half pairs stand half a head apart (0, " + half_of +
                        "); the same weights in the other layout need their channels permuted",
             .note = turning == width ? "" : "drawn for 8 channels instead of " + std::to_string(turning),
             .more = {"interleaved: the paper, GPT-J, Cohere; half: Llama, GPT-NeoX and most others",
                      "to go from interleaved to half, channel 2i goes to i and channel 2i + 1 to i + " + half_of},
             .body_height = 230.0});
  const LayoutRow interleaved = row_of(Layout::interleaved, "interleaved: pair i is channels 2i and 2i + 1", width);
  const LayoutRow half = row_of(Layout::half, "half: pair i is channels i and i + " + half_of, width);
  const double cell = page.body.width / static_cast<double>(width);
  const double lower = page.body.y + 160.0;
  draw_row(page.drawing(), interleaved, page.body.x, page.body.y, cell);
  draw_row(page.drawing(), half, page.body.x, lower, cell);
  std::vector<double> to;
  std::vector<double> pairs_interleaved;
  std::vector<double> pairs_half;
  const double from_y = page.body.y + 60.0;
  // The words of the lower row stand on the left: lines end above them.
  const double to_y = lower - 4.0;
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
  return {{{"layouts", "which channels turn together, half and interleaved, and the permutation between them",
            "the same colour is the same pair; a port that takes one for the other still gives fluent text", "", false,
            false},
           make_layouts}};
}

}  // namespace posenc::figure
