// Questions about sinusoidal rows.
#include <algorithm>
#include <cmath>

#include "insight/explanation/sinusoidal_symbols.h"
#include "insight/teaching/exercise_kinds.h"
#include "posenc/reference.h"
#include "posenc/schedule.h"

namespace posenc::teaching {
namespace {

std::vector<double> row_of(const Sinusoidal& spec, double position) {
  std::vector<double> row(static_cast<std::size_t>(spec.width));
  reference::sinusoidal_row(spec, position, row.data());
  return row;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// The width of the spec where it is one that lessons have; else one that is drawn.
std::int64_t lesson_width(const Sinusoidal& spec, Draw& draw) {
  const bool usual = spec.width % 2 == 0 && spec.width >= 4 && spec.width <= 65536;
  return usual ? spec.width : draw.pick<std::int64_t>({16, 32, 64, 128, 256, 512});
}

void add_counting(Sheet& sheet, const Sinusoidal& spec) {
  Draw draw = sheet.draw("counting");
  const std::int64_t token = draw.between(2, 9);
  const double from_zero = std::sin(static_cast<double>(token - 1)), from_one = std::sin(static_cast<double>(token));
  const double first = row_of(plain_sinusoidal(2, spec.base), static_cast<double>(token - 1))[0];
  sheet.add({.level = Level::easy,
             .text = "A lecture counts positions from 1, your code counts them from 0. What does your code have as the "
                     "first number (the sine of pair 0) of the row of token number " +
                     text_of(token) + " of a text, counted as the lecture does? To five decimals.",
             .hint = "Which position has that token where counting starts at 0?",
             .values = {first},
             .decimals = 5,
             .solution = {"token number " + text_of(token) + " has position " + text_of(token - 1) + " from 0",
                          "sin(" + text_of(token - 1) + ") = " + decimals_text(from_zero, 5),
                          "the lecture would read sin(" + text_of(token) + ") = " + decimals_text(from_one, 5) +
                              ": tables that count differently are off by one row"}});
}

void add_norm(Sheet& sheet, const Sinusoidal& spec) {
  Draw draw = sheet.draw("norm");
  const std::int64_t width = lesson_width(spec, draw), p = draw.between(3, 999);
  const std::vector<double> row = row_of(plain_sinusoidal(width, spec.base), static_cast<double>(p));
  const double norm = std::sqrt(std::round(dot(row, row)));
  sheet.add({.level = Level::easy,
             .text = "How long is the row PE(" + text_of(p) + ") of a sinusoidal encoding of width " + text_of(width) +
                     "? Give its Euclidean norm to three decimals.",
             .hint = "Each pair holds a sine and a cosine of one angle.",
             .values = {norm},
             .decimals = 3,
             .solution = {"sin^2 + cos^2 = 1 for each of the " + text_of(width / 2) + " pairs, at every position",
                          "so the norm is sqrt(" + text_of(width) + "/2) = " + decimals_text(norm, 3)}});
}

void add_symbols(Sheet& sheet, const Sinusoidal& given, std::int64_t width, double p) {
  const Sinusoidal spec = plain_sinusoidal(width, given.base);
  const explanation::SinusoidalSymbols symbols(spec);
  std::string answer, denominators;
  for (std::int64_t i = 0; i < width / 2; ++i) {
    const std::string angle = symbols.angle(text::number_text(p), i);
    answer += (i == 0 ? "" : ", ") + ("sin(" + angle + "), cos(" + angle + ")");
    denominators += (i == 0 ? "" : ", ") + symbols.denominator(i);
  }
  sheet.add({.level = Level::medium,
             .kind = AnswerKind::symbolic,
             .text = "Write PE(" + text::number_text(p) + ") of width " + text_of(width) + " and base " +
                     text::number_text(spec.base) + " in symbols: " + text_of(width) +
                     " expressions such as sin(2/100), parted by commas, sine and cosine in turn.",
             .hint = "First write down the denominators, base^(2i/" + text_of(width) + ") for i = 0 .. " +
                     text_of(width / 2 - 1) + ".",
             .answer = answer,
             .values = row_of(spec, p),
             .solution = {"the denominators are " + denominators, "PE(" + text::number_text(p) + ") = [" + answer + "]",
                          "in numbers [" + list_text(row_of(spec, p), 5) + "]"}});
}

void add_wavelength(Sheet& sheet, const Sinusoidal& given) {
  Draw draw = sheet.draw("wavelength");
  const Sinusoidal spec = plain_sinusoidal(lesson_width(given, draw), given.base);
  const double longest = wavelengths(make_schedule(spec).inv_freq).back();
  const std::string d = text_of(spec.width), base = text::number_text(spec.base);
  sheet.add(
      {.level = Level::medium,
       .text = "How many positions does the slowest pair of a sinusoidal encoding of width " + d + " and base " + base +
               " need for one turn? To one decimal.",
       .hint = "Pairs are i = 0 .. d/2 - 1. Which exponent has the last one?",
       .values = {longest},
       .decimals = 1,
       .solution = {"the last pair is i = " + text_of(spec.width / 2 - 1) + ", with the exponent " +
                        text_of(spec.width - 2) + "/" + d,
                    "2 pi " + base + "^(" + text_of(spec.width - 2) + "/" + d + ") = " + decimals_text(longest, 1),
                    "A common mistake says 2 pi " + base + " = " + decimals_text(wavelengths({1.0 / spec.base})[0], 1) +
                        ": that would be the pair d/2, which is not there."}});
}

void add_dot_product(Sheet& sheet, const Sinusoidal& given) {
  Draw draw = sheet.draw("dot product");
  const Sinusoidal spec = plain_sinusoidal(4, given.base);
  const double p = draw.real(2, 40), k = draw.real(1, 12);
  const double product = dot(row_of(spec, p), row_of(spec, p + k));
  const explanation::SinusoidalSymbols symbols(spec);
  const std::string distance = text::number_text(k), slow = symbols.angle(distance, 1);
  sheet.add({.level = Level::medium,
             .text = "Width 4, base " + text::number_text(spec.base) + ": what is the dot product of PE(" +
                     text::number_text(p) + ") and PE(" + text::number_text(p + k) +
                     ")? To five decimals. You need only their distance.",
             .hint = "sin a sin b + cos a cos b = cos(a - b).",
             .values = {product},
             .decimals = 5,
             .solution = {"each pair gives the cosine of its angle over the distance " + distance,
                          "cos(" + distance + ") + cos(" + slow + ") = " + decimals_text(product, 5),
                          "The same at every p. It does not simply fall with the distance: cosines come back."}});
}

void add_shift(Sheet& sheet, const Sinusoidal& given) {
  Draw draw = sheet.draw("shift");
  const Sinusoidal spec = plain_sinusoidal(4, given.base);
  const double p = draw.real(1, 6), k = draw.real(2, 9);
  std::vector<double> matrix(16);
  reference::sinusoidal_shift_matrix(spec, k, matrix.data());
  const std::vector<double> block = {matrix[0], matrix[1], matrix[4], matrix[5]};
  const std::vector<double> row = row_of(spec, p), moved = row_of(spec, p + k);
  const std::string shift = text::number_text(k);
  sheet.add({.level = Level::hard,
             .text = "PE(p + " + shift +
                     ") = M PE(p) with one matrix M for every p. Write the 2x2 block of M for pair 0 "
                     "(frequency 1), which acts on (sin p, cos p): its four numbers row by row, to five decimals. Then "
                     "check it with p = " +
                     text::number_text(p) + ".",
             .hint = "sin(a + b) = cos(b) sin(a) + sin(b) cos(a), and cos(a + b) = -sin(b) sin(a) + cos(b) cos(a).",
             .values = block,
             .decimals = 5,
             .solution = {"M = [ cos " + shift + "  sin " + shift + " ; -sin " + shift + "  cos " + shift + " ] = [ " +
                              decimals_text(block[0], 5) + "  " + decimals_text(block[1], 5) + " ; " +
                              decimals_text(block[2], 5) + "  " + decimals_text(block[3], 5) + " ]",
                          "(sin " + text::number_text(p) + ", cos " + text::number_text(p) + ") = (" +
                              list_text({row[0], row[1]}, 5) + ")",
                          "M times that = (" + list_text({moved[0], moved[1]}, 5) + ") = (sin " +
                              text::number_text(p + k) + ", cos " + text::number_text(p + k) + ")"}});
}

void add_derivative(Sheet& sheet, const Sinusoidal& given) {
  const Sinusoidal spec = plain_sinusoidal(4, given.base);
  const double p = sheet.draw("derivative").real(1, 9);
  std::vector<double> derivative(4);
  reference::sinusoidal_derivative_row(spec, p, derivative.data());
  const double w = reference::sinusoidal_inv_freq(spec, 1);
  sheet.add({.level = Level::hard,
             .text = "How fast does the row change with the position? Width 4, base " + text::number_text(spec.base) +
                     ": the derivative of PE(p) by p at p = " + text::number_text(p) +
                     ", four numbers to five decimals.",
             .hint = "The chain rule: d/dp sin(w p) = w cos(w p).",
             .values = derivative,
             .decimals = 5,
             .solution = {"d/dp sin(w p) = w cos(w p) and d/dp cos(w p) = -w sin(w p)",
                          "w = 1: cos(" + text::number_text(p) + ") = " + decimals_text(derivative[0], 5) + ", -sin(" +
                              text::number_text(p) + ") = " + decimals_text(derivative[1], 5),
                          "w = " + text::general_text(w, 7) + ": " + decimals_text(derivative[2], 5) + " and " +
                              decimals_text(derivative[3], 5),
                          "The slow pair hardly changes from one position to the next."}});
}

}  // namespace

void add_questions(Sheet& sheet, const Sinusoidal& spec) {
  sheet.set_note(plain_note(spec, {"width", "base"}));
  add_row_question(sheet, Level::easy, plain_sinusoidal(4, spec.base));
  add_counting(sheet, spec);
  add_norm(sheet, spec);
  add_permutation_question(sheet);
  add_symbols(sheet, spec, 6, 2.0);
  add_symbols(sheet, spec, 10, sheet.draw("symbols").real(3, 12));
  add_row_question(sheet, Level::medium, plain_sinusoidal(8, spec.base));
  add_wavelength(sheet, spec);
  add_dot_product(sheet, spec);
  add_shift(sheet, spec);
  add_derivative(sheet, spec);
  add_long_context_question(sheet);
}

}  // namespace posenc::teaching
