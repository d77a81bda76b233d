// Questions about sinusoidal rows.
#include <algorithm>
#include <cmath>
#include <utility>

#include "insight/explanation/sinusoidal_symbols.h"
#include "insight/properties/lists.h"
#include "insight/teaching/exercise_kinds.h"
#include "posenc/schedule.h"

namespace posenc::teaching {
namespace {

using properties::dot;

// The even width that questions are about: that of the spec, unless it is odd or too large to print.
std::int64_t question_width(const Sinusoidal& spec) {
  constexpr std::int64_t kMost = 65536;
  return std::min(spec.width + spec.width % 2, kMost);
}

void add_counting(Sheet& sheet, const Sinusoidal& spec) {
  Draw draw = sheet.draw("counting");
  const std::int64_t token = draw.between(2, 9);
  const double p = static_cast<double>(token - 1);
  const auto sine = [&](double position) { return part_of_row(spec, position, {0, 2})[0]; };
  sheet.ask("sinusoidal/counting",
            {{"token", token},
             {"p", token - 1},
             {"from_zero", decimals_text(sine(p), 5)},
             {"from_one", decimals_text(sine(p + 1.0), 5)}},
            {sine(p)}, angle_mistakes([&](const RowValue& row) { return std::vector{row(p, 0)}; }));
}

void add_norm(Sheet& sheet, const Sinusoidal& spec) {
  Draw draw = sheet.draw("norm");
  const std::int64_t width = spec.width, p = draw.between(3, 999);
  const std::vector<double> row = row_of(spec, static_cast<double>(p));
  const double square = std::round(dot(row, row));
  sheet.ask("sinusoidal/norm", {{"p", p}, {"width", width}, {"pairs", width / 2}}, {std::sqrt(square)},
            {{"this is the square of the norm", {square}},
             {"each channel was counted as 1; each pair adds 1", {std::sqrt(2.0 * square)}}});
}

void add_symbols(Sheet& sheet, const Sinusoidal& spec, double p, const Channels& channels) {
  const explanation::SinusoidalSymbols symbols(spec);
  const std::vector<double> values = part_of_row(spec, p, channels);
  const std::int64_t first = channels.first / 2, end = first + channels.count / 2;
  std::string answer, denominators;
  for (std::int64_t i = first; i < end; ++i) {
    const std::string angle = symbols.angle(text::number_text(p), i);
    answer += (i == first ? "" : ", ") + ("sin(" + angle + "), cos(" + angle + ")");
    denominators += (i == first ? "" : ", ") + symbols.denominator(i);
  }
  Question question = stored_question("sinusoidal/symbols",
                                      {{"p", p},
                                       {"width", spec.width},
                                       {"base", spec.base},
                                       {"which", channels.text(spec.width)},
                                       {"count", channels.count},
                                       {"first", first},
                                       {"last", end - 1},
                                       {"denominators", denominators},
                                       {"row", answer},
                                       {"numbers", list_text(values, 5)}},
                                      values);
  question.answer = answer;
  question.mistakes = row_mistakes(spec, [&](const RowValue& row) {
    std::vector<double> result;
    for (std::int64_t c = 0; c < channels.count; ++c) result.push_back(row(p, channels.first + c));
    return result;
  });
  sheet.add(question);
}

void add_wavelength(Sheet& sheet, const Sinusoidal& spec) {
  const double longest = wavelengths(make_schedule(spec).inv_freq).back();
  const std::int64_t last = spec.width / 2 - 1;
  std::vector<Mistake> mistakes =
      wavelength_mistakes(spec.base, static_cast<double>(spec.width), static_cast<double>(last));
  for (Mistake& mistake : mistakes) {  // the pair after the last does not exist
    if (mistake.text.starts_with("one pair late"))
      mistake.text = "this is 2 pi base; the last pair is M/2 - 1, not M/2";
  }
  sheet.ask("sinusoidal/wavelength",
            {{"width", spec.width},
             {"base", spec.base},
             {"last", last},
             {"above", spec.width - 2},
             {"mistake", decimals_text(wavelengths({1.0 / spec.base})[0], 1)}},
            {longest}, mistakes);
}

void add_dot_product(Sheet& sheet, const Sinusoidal& spec) {
  Draw draw = sheet.draw("dot product");
  const Channels part = first_channels(spec, 4);
  const double p = draw.real(2, 40), k = draw.real(1, 12);
  const double product = dot(part_of_row(spec, p, part), part_of_row(spec, p + k, part));
  const explanation::SinusoidalSymbols symbols(spec);
  const std::string slow = part.count < 4 ? "" : " + cos(" + symbols.angle(text::number_text(k), 1) + ")";
  const std::string which = part.count == spec.width ? "" : ", over " + part.text(spec.width) + " only";
  std::vector<Mistake> mistakes = row_mistakes(spec, [&](const RowValue& row) {
    double sum = 0.0;
    for (std::int64_t c = 0; c < part.count; ++c) sum += row(p, c) * row(p + k, c);
    return std::vector{sum};
  });
  const Channels every{0, part.count};
  const auto at = [&](double distance) { return dot(part_of_row(spec, 0, every), part_of_row(spec, distance, every)); };
  for (Mistake& mistake : distance_mistakes(at, k)) mistakes.push_back(std::move(mistake));
  sheet.ask("sinusoidal/dot product",
            {{"width", spec.width},
             {"base", spec.base},
             {"which", which},
             {"p", p},
             {"next", p + k},
             {"k", k},
             {"slow", slow}},
            {product}, mistakes);
}

void add_shift(Sheet& sheet, const Sinusoidal& given) {
  Draw draw = sheet.draw("shift");
  const Sinusoidal spec = plain_sinusoidal(2, given.base);
  const double p = draw.real(1, 6), k = draw.real(2, 9);
  std::vector<double> block(4);
  reference::sinusoidal_shift_matrix(spec, k, block.data());
  const std::vector<double> row = row_of(spec, p), moved = row_of(spec, p + k);
  const auto line = [&](std::size_t at) {
    return decimals_text(block[at], 5) + "  " + decimals_text(block[at + 1], 5);
  };
  std::vector<Mistake> mistakes = angle_mistakes([&](const RowValue& trig) {
    return std::vector{trig(k, 1), trig(k, 0), -trig(k, 0), trig(k, 1)};
  });
  mistakes.push_back({"this matrix rotates the other way, from p + k to p", {block[0], block[2], block[1], block[3]}});
  sheet.ask("sinusoidal/shift",
            {{"k", k},
             {"p", p},
             {"next", p + k},
             {"top", line(0)},
             {"bottom", line(2)},
             {"row", list_text(row, 5)},
             {"moved", list_text(moved, 5)}},
            block, mistakes);
}

void add_derivative(Sheet& sheet, const Sinusoidal& spec) {
  const double p = sheet.draw("derivative").real(1, 9);
  const Channels part = first_channels(spec, 4);
  std::vector<double> derivative(static_cast<std::size_t>(spec.width));
  reference::sinusoidal_derivative_row(spec, p, derivative.data());
  derivative.resize(static_cast<std::size_t>(part.count));
  // The derivative from a row: the other number of the pair, times the frequency, or, by mistake, without it.
  const auto from_row = [&](const RowValue& row, bool chain_rule) {
    std::vector<double> result;
    for (std::int64_t i = 0; 2 * i < part.count; ++i) {
      const double w = chain_rule ? reference::sinusoidal_inv_freq(spec, i) : 1.0;
      result.push_back(w * row(p, 2 * i + 1));
      result.push_back(-w * row(p, 2 * i));
    }
    return result;
  };
  std::vector<Mistake> mistakes = row_mistakes(spec, [&](const RowValue& row) { return from_row(row, true); });
  const std::vector<double> row = part_of_row(spec, p, part);
  const RowValue right = [&](double, std::int64_t c) { return row[static_cast<std::size_t>(c)]; };
  mistakes.push_back({"the factor w of the chain rule is missing", from_row(right, false)});
  std::vector<double> positive = derivative;
  for (std::size_t c = 1; c < positive.size(); c += 2) positive[c] = -positive[c];
  mistakes.push_back({"the derivative of a cosine is minus the sine", positive});
  Question question = stored_question(
      "sinusoidal/derivative", {{"width", spec.width}, {"base", spec.base}, {"which", part.text(spec.width)}, {"p", p}},
      derivative);
  for (std::int64_t i = 0; 2 * i < part.count; ++i) {
    const auto at = static_cast<std::size_t>(2 * i);
    question.solution.push_back("w = " + text::general_text(reference::sinusoidal_inv_freq(spec, i), 7) + ": " +
                                decimals_text(derivative[at], 5) + ", " + decimals_text(derivative[at + 1], 5));
  }
  if (part.count == 4 && reference::sinusoidal_inv_freq(spec, 1) < 0.1) {
    question.solution.push_back("The slow pair hardly changes from one position to the next.");
  }
  question.mistakes = std::move(mistakes);
  sheet.add(std::move(question));
}

}  // namespace

void sinusoidal_questions(const Sinusoidal& given, Sheet& sheet) {
  const Sinusoidal spec = plain_sinusoidal(question_width(given), given.base);
  std::string note = plain_note(given, {"width", "base"});
  if (spec.width != given.width) {
    note += " (The width " + text_of(given.width) + " is replaced by " + text_of(spec.width) + ".)";
  }
  sheet.set_note(note);
  add_row_question(sheet, Level::easy, spec, first_channels(spec, 4), "row 4");
  add_counting(sheet, plain_sinusoidal(2, given.base));
  add_norm(sheet, spec);
  add_permutation_question(sheet);
  add_symbols(sheet, spec, 2.0, first_channels(spec, 6));
  const std::int64_t end = spec.width <= 10 ? spec.width : 6;
  add_symbols(sheet, spec, sheet.draw("symbols").real(3, 12), {spec.width - end, end});
  if (spec.width <= 8) {
    add_row_question(sheet, Level::medium, spec, {0, spec.width}, "row 8");
  } else {
    const std::int64_t pair = sheet.draw("pair").between(2, spec.width / 4 + 1);
    add_row_question(sheet, Level::medium, spec, {2 * pair, 2}, "row 8");
  }
  add_wavelength(sheet, spec);
  add_dot_product(sheet, spec);
  add_shift(sheet, spec);
  add_derivative(sheet, spec);
  add_long_context_question(sheet);
}

}  // namespace posenc::teaching
