// Questions about encodings of several axes at the input.
#include <cmath>

#include "insight/teaching/exercise_kinds.h"

namespace posenc::teaching {
namespace {

// The base of the first sinusoidal part, or the published one.
double base_of(const Concat& spec) {
  for (const ConcatPart& part : spec.parts) {
    if (const auto* sinusoidal = std::get_if<Sinusoidal>(&part.encoding)) return sinusoidal->base;
  }
  return Sinusoidal{}.base;
}

void add_side_by_side(Sheet& sheet, double base) {
  Draw draw = sheet.draw("side by side");
  const Sinusoidal part = plain_sinusoidal(2, base);
  const double y = draw.real(1, 5), x = draw.real(6, 9);
  std::vector<double> row(4);
  reference::sinusoidal_row(part, y, row.data());
  reference::sinusoidal_row(part, x, row.data() + 2);
  sheet.ask("axes/side by side", {{"y", y}, {"x", x}}, row);
}

void add_sum_of_axes(Sheet& sheet) {
  Draw draw = sheet.draw("sum of axes");
  const double y = draw.real(1, 4), x = draw.real(1, 4), f = draw.tenths(2, 9), g = draw.tenths(2, 9);
  const double angle = y * f + x * g;
  sheet.ask("axes/sum of axes", {{"y", y}, {"x", x}, {"f", f}, {"g", g}, {"angle", decimals_text(angle, 5)}},
            {std::sin(angle), std::cos(angle)});
}

void add_places(Sheet& sheet, std::int64_t axes) {
  Draw draw = sheet.draw("swapped axes");
  sheet.ask_choice("axes/swapped axes", draw);
  draw = sheet.draw("count of rows");
  const std::int64_t height = draw.between(10, 20), width = draw.between(21, 40);
  sheet.ask("axes/count of rows",
            {{"height", height},
             {"width", width},
             {"places", height * width},
             {"axes", text_of(axes) + (axes == 1 ? " axis" : " axes")}},
            {static_cast<double>(height + width)});
  add_permutation_question(sheet);
}

}  // namespace

void add_questions(Sheet& sheet, const Concat& spec) {
  add_places(sheet, axes_of(Spec(spec)));
  add_side_by_side(sheet, base_of(spec));
  add_row_question(sheet, Level::medium, plain_sinusoidal(4, base_of(spec)));
  add_long_context_question(sheet);
}

void add_questions(Sheet& sheet, const Fourier& spec) {
  add_places(sheet, spec.axes);
  add_sum_of_axes(sheet);
  add_side_by_side(sheet, Sinusoidal{}.base);
  add_long_context_question(sheet);
}

}  // namespace posenc::teaching
