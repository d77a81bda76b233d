// Questions about encodings of several axes at the input.
#include <cmath>

#include "insight/teaching/exercise_kinds.h"
#include "posenc/reference.h"

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
  sheet.add({.level = Level::medium,
             .text = "An image patch stands in row " + text::number_text(y) + " and column " + text::number_text(x) +
                     ". Its encoding is [row part | column part], each sin and cos of the coordinate. What are the "
                     "four numbers, to five decimals?",
             .hint = "The first two numbers know the row alone, the last two the column alone.",
             .values = row,
             .decimals = 5,
             .solution = {"[sin " + text::number_text(y) + ", cos " + text::number_text(y) + ", sin " +
                              text::number_text(x) + ", cos " + text::number_text(x) + "]",
                          "= [" + list_text(row, 5) + "]"}});
}

void add_sum_of_axes(Sheet& sheet) {
  Draw draw = sheet.draw("sum of axes");
  const double y = draw.real(1, 4), x = draw.real(1, 4), f = draw.tenths(2, 9), g = draw.tenths(2, 9);
  const double angle = y * f + x * g;
  sheet.add({.level = Level::medium,
             .text = "A Fourier feature has the frequencies " + text::number_text(f) + " for the row and " +
                     text::number_text(g) + " for the column. What are its sine and cosine at row " +
                     text::number_text(y) + ", column " + text::number_text(x) + ", to five decimals?",
             .hint = "One angle: the products are added before the sine is taken.",
             .values = {std::sin(angle), std::cos(angle)},
             .decimals = 5,
             .solution = {"angle = " + text::number_text(y) + " x " + text::number_text(f) + " + " +
                              text::number_text(x) + " x " + text::number_text(g) + " = " + decimals_text(angle, 5),
                          "sin, cos = " + list_text({std::sin(angle), std::cos(angle)}, 5)}});
}

void add_swapped_axes(Sheet& sheet) {
  Draw draw = sheet.draw("swapped axes");
  sheet.add_choice(
      {.level = Level::easy,
       .text = "A model was trained with [row | column] and is run with [column | row]. What happens?",
       .hint = "Does any shape change?",
       .choices = {"It runs, and sees the image mirrored at its diagonal.", "The shapes no longer fit: an error.",
                   "Nothing: both orders mean the same.", "Only square images fail."},
       .solution = {"Both orders have the same shape, so nothing complains.",
                    "Row and column have changed places: each patch is taken for its mirror image."}},
      draw);
}

void add_count(Sheet& sheet, std::int64_t axes) {
  Draw draw = sheet.draw("count of rows");
  const std::int64_t height = draw.between(10, 20), width = draw.between(21, 40);
  sheet.add({.level = Level::easy,
             .text = "An image has " + text_of(height) + " x " + text_of(width) +
                     " patches. How many rows do two axial tables need together, one for the rows and one for the "
                     "columns of the image?",
             .hint = "One table row per image row, and one per image column.",
             .values = {static_cast<double>(height + width)},
             .solution = {text_of(height) + " + " + text_of(width) + " = " + text_of(height + width) +
                              ", where one "
                              "table of all places has " +
                              text_of(height * width),
                          "(the encoding here has " + text_of(axes) + (axes == 1 ? " axis)" : " axes)")}});
}

}  // namespace

void add_questions(Sheet& sheet, const Concat& spec) {
  add_swapped_axes(sheet);
  add_count(sheet, axes_of(Spec(spec)));
  add_permutation_question(sheet);
  add_side_by_side(sheet, base_of(spec));
  add_row_question(sheet, Level::medium, plain_sinusoidal(4, base_of(spec)));
  add_long_context_question(sheet);
}

void add_questions(Sheet& sheet, const Fourier& spec) {
  add_swapped_axes(sheet);
  add_count(sheet, spec.axes);
  add_permutation_question(sheet);
  add_sum_of_axes(sheet);
  add_side_by_side(sheet, Sinusoidal{}.base);
  add_long_context_question(sheet);
}

}  // namespace posenc::teaching
