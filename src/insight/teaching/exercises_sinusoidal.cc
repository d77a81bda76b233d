// Questions about sinusoidal rows.
#include <cmath>

#include "insight/explanation/sinusoidal_symbols.h"
#include "insight/properties/lists.h"
#include "insight/teaching/exercise_kinds.h"
#include "posenc/schedule.h"

namespace posenc::teaching {
namespace {

using properties::dot;

// The width of the spec where it is one that lessons have; else one that is drawn.
std::int64_t lesson_width(const Sinusoidal& spec, Draw& draw) {
  const bool usual = spec.width % 2 == 0 && spec.width >= 4 && spec.width <= 65536;
  return usual ? spec.width : draw.pick<std::int64_t>({16, 32, 64, 128, 256, 512});
}

void add_counting(Sheet& sheet, const Sinusoidal& spec) {
  Draw draw = sheet.draw("counting");
  const std::int64_t token = draw.between(2, 9);
  const auto sine = [&](std::int64_t p) { return row_of(plain_sinusoidal(2, spec.base), static_cast<double>(p))[0]; };
  sheet.ask("sinusoidal/counting",
            {{"token", token},
             {"p", token - 1},
             {"from_zero", decimals_text(sine(token - 1), 5)},
             {"from_one", decimals_text(sine(token), 5)}},
            {sine(token - 1)});
}

void add_norm(Sheet& sheet, const Sinusoidal& spec) {
  Draw draw = sheet.draw("norm");
  const std::int64_t width = lesson_width(spec, draw), p = draw.between(3, 999);
  const std::vector<double> row = row_of(plain_sinusoidal(width, spec.base), static_cast<double>(p));
  const double norm = std::sqrt(std::round(dot(row, row)));
  sheet.ask("sinusoidal/norm", {{"p", p}, {"width", width}, {"pairs", width / 2}}, {norm});
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
  Question question = stored_question("sinusoidal/symbols",
                                      {{"p", p},
                                       {"width", width},
                                       {"base", spec.base},
                                       {"last", width / 2 - 1},
                                       {"denominators", denominators},
                                       {"row", answer},
                                       {"numbers", list_text(row_of(spec, p), 5)}},
                                      row_of(spec, p));
  question.answer = answer;
  sheet.add(question);
}

void add_wavelength(Sheet& sheet, const Sinusoidal& given) {
  Draw draw = sheet.draw("wavelength");
  const Sinusoidal spec = plain_sinusoidal(lesson_width(given, draw), given.base);
  const double longest = wavelengths(make_schedule(spec).inv_freq).back();
  sheet.ask("sinusoidal/wavelength",
            {{"width", spec.width},
             {"base", spec.base},
             {"last", spec.width / 2 - 1},
             {"above", spec.width - 2},
             {"mistake", decimals_text(wavelengths({1.0 / spec.base})[0], 1)}},
            {longest});
}

void add_dot_product(Sheet& sheet, const Sinusoidal& given) {
  Draw draw = sheet.draw("dot product");
  const Sinusoidal spec = plain_sinusoidal(4, given.base);
  const double p = draw.real(2, 40), k = draw.real(1, 12);
  const double product = dot(row_of(spec, p), row_of(spec, p + k));
  const explanation::SinusoidalSymbols symbols(spec);
  sheet.ask(
      "sinusoidal/dot product",
      {{"base", spec.base}, {"p", p}, {"next", p + k}, {"k", k}, {"slow", symbols.angle(text::number_text(k), 1)}},
      {product});
}

void add_shift(Sheet& sheet, const Sinusoidal& given) {
  Draw draw = sheet.draw("shift");
  const Sinusoidal spec = plain_sinusoidal(4, given.base);
  const double p = draw.real(1, 6), k = draw.real(2, 9);
  std::vector<double> matrix(16);
  reference::sinusoidal_shift_matrix(spec, k, matrix.data());
  const std::vector<double> block = {matrix[0], matrix[1], matrix[4], matrix[5]};
  const std::vector<double> row = row_of(spec, p), moved = row_of(spec, p + k);
  const auto line = [&](std::size_t at) {
    return decimals_text(block[at], 5) + "  " + decimals_text(block[at + 1], 5);
  };
  sheet.ask("sinusoidal/shift",
            {{"k", k},
             {"p", p},
             {"next", p + k},
             {"top", line(0)},
             {"bottom", line(2)},
             {"row", list_text({row[0], row[1]}, 5)},
             {"moved", list_text({moved[0], moved[1]}, 5)}},
            block);
}

void add_derivative(Sheet& sheet, const Sinusoidal& given) {
  const Sinusoidal spec = plain_sinusoidal(4, given.base);
  const double p = sheet.draw("derivative").real(1, 9);
  std::vector<double> derivative(4);
  reference::sinusoidal_derivative_row(spec, p, derivative.data());
  Places places = {
      {"base", spec.base}, {"p", p}, {"w", text::general_text(reference::sinusoidal_inv_freq(spec, 1), 7)}};
  constexpr const char* kNames[] = {"d0", "d1", "d2", "d3"};
  for (std::size_t i = 0; i < 4; ++i) places.emplace_back(kNames[i], decimals_text(derivative[i], 5));
  sheet.ask("sinusoidal/derivative", places, derivative);
}

}  // namespace

void sinusoidal_questions(const Sinusoidal& spec, Sheet& sheet) {
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
