// The matrix that shifts positions, and a row predicted by it.
#include <algorithm>
#include <cmath>

#include "core/text/number_text.h"
#include "insight/figure/figure_call.h"
#include "insight/properties/sinusoidal_rows.h"
#include "posenc/table.h"

namespace posenc::figure {
namespace {

Figure make_shift(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  const SinusoidalSchedule& schedule = *numbers.sinusoidal();
  const double position = call.options.position.value_or(5.0);
  const double shift = call.options.shift.value_or(5.0);
  const std::int64_t width = schedule.width;
  std::vector<double> matrix(static_cast<std::size_t>(width * width));
  fill_shift_matrix(schedule, shift, make_view(matrix.data(), {width, width}));
  const std::vector<double> from = row_at(numbers, position);
  const std::vector<double> to = row_at(numbers, position + shift);
  std::vector<double> predicted;
  double worst = 0.0;
  for (std::int64_t r = 0; r < width; ++r) {
    predicted.push_back(dot(matrix.data() + r * width, from.data(), width));
    worst = std::max(worst, std::fabs(predicted.back() - to[static_cast<std::size_t>(r)]));
  }
  const std::int64_t corner = std::min<std::int64_t>(width, 16);
  drawing::Heat heat{corner, corner, {}};
  for (std::int64_t r = 0; r < corner; ++r) {
    for (std::int64_t c = 0; c < corner; ++c) heat.values.push_back(matrix[static_cast<std::size_t>(r * width + c)]);
  }
  const std::string p = drawing::tick_text(position);
  const std::string next = drawing::tick_text(position + shift);
  FigurePage page = begin_figure(
      call,
      {.title = "A shift by " + drawing::tick_text(shift) + " is one matrix: " + numbers.command_text(),
       .finding = "2 x 2 rotations predict the row of position " + next + " from that of " + p + "; the error is " +
                  (worst < 1e-12 ? "less than 1e-12" : "up to " + text::general_text(worst, 2)),
       .more = {"PE(p + k) = M_k PE(p) for every p, M_k a rotation by k inv_freq per pair"},
       .body_height = 340.0,
       .least_lines = 22});
  const std::vector<Box> boxes = drawing::columns_of(page.drawing(), page.body, {1.0, 1.25});
  drawing::draw_heat(page.drawing(), boxes[0], heat,
                     {.title = "M_" + drawing::tick_text(shift) + ", corner of " + std::to_string(corner),
                      .row_label = "channel of PE(p + k)",
                      .column_label = "channel of PE(p)",
                      .square = true});
  const std::int64_t shown = std::min<std::int64_t>(width, in_cells(call) ? 16 : 64);
  const std::vector<double> channels = counted(shown);
  const double size = std::max(std::fabs(schedule.multiplier), 1e-300);
  const drawing::Stroke start{.ink = Ink::series3, .width = 1.2, .dashed = true, .label = "PE(" + p + ")"};
  const drawing::Stroke actual{.ink = Ink::series1, .width = 2.0, .label = "PE(" + next + ")"};
  const drawing::Stroke dots{.ink = Ink::series2, .width = 5.0, .label = "M PE(" + p + "), predicted"};
  drawing::Panel panel(page.drawing(), boxes[1],
                       {.title = "predicted (dots) and actual (line)",
                        .x = {.label = "channel", .high = static_cast<double>(shown - 1)},
                        .y = {.low = -1.08 * size, .high = 1.08 * size},
                        .legend = in_cells(call) ? std::vector<drawing::Stroke>{actual, dots}
                                                 : std::vector<drawing::Stroke>{start, actual, dots}});
  const auto first = [&](const std::vector<double>& row) {
    return std::span(row).first(static_cast<std::size_t>(shown));
  };
  if (!in_cells(call)) panel.line(channels, first(from), start);  // a third line is unreadable in characters
  panel.line(channels, first(to), actual);
  panel.dots(channels, first(predicted), dots, in_cells(call) ? 0.5 : 2.6);
  page.figure.data.push_back(heat_table("matrix corner", heat, "row", "column"));
  return page.with({"rows", {{"channel", counted(width)}, {"from", from}, {"actual", to}, {"predicted", predicted}}});
}

// A sine without its cosine has no rotation.
bool has_whole_pairs(const Spec& spec) {
  const auto* sinusoidal = std::get_if<Sinusoidal>(&spec);
  return sinusoidal == nullptr || properties::has_partners(make_schedule(*sinusoidal));
}

}  // namespace

std::vector<FigureEntry> shift_figures() {
  return {{.info = {.name = "shift",
                    .summary = "the matrix M_k with PE(p + k) = M_k PE(p), and a row that it predicts",
                    .look_for = "2 x 2 blocks along the diagonal, and dots exactly on the curve.",
                    .options = "position shift",
                    .default_spec = "sinusoidal:width=64"},
           .make = make_shift,
           .suits = has_whole_pairs,
           .check = [](const FigureSize& size) { check_amount(size, size.width, "the matrix"); }}};
}

}  // namespace posenc::figure
