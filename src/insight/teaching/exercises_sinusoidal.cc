// Questions about sinusoidal rows.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "core/text/joined.h"
#include "insight/explanation/sinusoidal_symbols.h"
#include "insight/properties/formulas.h"
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

// Instead of add_counting if position 0 counts as another number.
void add_first(Sheet& sheet, const Sinusoidal& spec) {
  const double p = sheet.draw("first").real(2, 9), first = static_cast<double>(spec.first);
  std::vector<Mistake> mistakes = angle_mistakes([&](const RowValue& row) { return std::vector{row(p + first, 0)}; });
  if (spec.first == 1) {
    std::erase_if(mistakes, [](const Mistake& mistake) { return mistake.text.starts_with("one position early"); });
  }
  mistakes.push_back({"first was not added to the position", {std::sin(p)}});
  mistakes.push_back({"first was subtracted from the position", {std::sin(p - first)}});
  sheet.ask("sinusoidal/first",
            {{"first", spec.first}, {"p", p}, {"counted", p + first}, {"other", decimals_text(std::sin(p), 5)}},
            {std::sin(p + first)}, mistakes);
}

// ", all numbers multiplied by 2 (multiplier=2)"; empty if they are not.
std::string multiplied_text(const Sinusoidal& spec) {
  const std::string factor = text::number_text(spec.multiplier);
  return spec.multiplier == 1.0 ? "" : ", all numbers multiplied by " + factor + " (multiplier=" + factor + ")";
}

void add_norm(Sheet& sheet, const Sinusoidal& spec) {
  Draw draw = sheet.draw("norm");
  const std::int64_t width = spec.width, p = draw.between(3, 999);
  const std::vector<double> row = row_of(spec, static_cast<double>(p));
  const double factor = spec.multiplier, plain = std::round(dot(row, row) / factor / factor);
  const double norm = std::fabs(factor) * std::sqrt(plain);
  std::vector<Mistake> mistakes = {{"this is the square of the norm", {norm * norm}},
                                   {"each channel was counted as 1; each pair adds 1", {norm * std::sqrt(2.0)}}};
  if (factor != 1.0) mistakes.push_back({"the multiplier was left out", {std::sqrt(plain)}});
  sheet.ask("sinusoidal/norm",
            {{"p", p},
             {"width", width},
             {"pairs", width / 2},
             {"multiplied", multiplied_text(spec)},
             {"times", factor == 1.0 ? "" : text::number_text(std::fabs(factor)) + " "}},
            {norm}, mistakes);
}

// The number of a channel in symbols: "cos(2/100)", "2 cos(2/100)".
std::string channel_symbol(const Sinusoidal& spec, double p, std::int64_t channel) {
  const explanation::SinusoidalSymbols symbols(spec);
  const std::int64_t in_turn = channel_in_turn(spec, channel);
  const std::string angle = symbols.angle(text::number_text(p + static_cast<double>(spec.first)), in_turn / 2);
  const std::string factor = spec.multiplier == 1.0 ? "" : text::number_text(spec.multiplier) + "*";
  return factor + (in_turn % 2 == 0 ? "sin(" : "cos(") + angle + ")";
}

// 10000^2/6 for 10000^(2/6), which has no other value for the first pair.
Mistake loose_exponent(const Sinusoidal& spec, double p, const std::vector<std::int64_t>& channels) {
  const std::string base = text::number_text(spec.base) + "^", ratio = "2/" + text_of(spec.width);
  Mistake mistake{"the exponent needs parentheses: " + base + "(" + ratio + "), not " + base + ratio};
  for (const std::int64_t c : channels) {
    const std::int64_t in_turn = channel_in_turn(spec, c), i = in_turn / 2;
    const double counted = p + static_cast<double>(spec.first), exponent = 2.0 * static_cast<double>(i);
    const double angle = i == 0 ? counted : counted / std::pow(spec.base, exponent) / static_cast<double>(spec.width);
    mistake.values.push_back(spec.multiplier * (in_turn % 2 == 0 ? std::sin(angle) : std::cos(angle)));
  }
  return mistake;
}

void add_symbols(Sheet& sheet, const Sinusoidal& spec, double p, const Channels& channels) {
  const explanation::SinusoidalSymbols symbols(spec);
  const std::vector<double> values = part_of_row(spec, p, channels);
  std::vector<std::int64_t> list;
  std::vector<std::string> expressions;
  std::int64_t first = spec.width, last = 0;
  for (std::int64_t c = channels.first; c < channels.first + channels.count; ++c) {
    list.push_back(c);
    expressions.push_back(channel_symbol(spec, p, c));
    first = std::min(first, channel_in_turn(spec, c) / 2);
    last = std::max(last, channel_in_turn(spec, c) / 2);
  }
  std::vector<std::string> denominators;
  for (std::int64_t i = first; i <= last; ++i) denominators.push_back(symbols.denominator(i));
  Question question = stored_question("sinusoidal/symbols",
                                      {{"p", p},
                                       {"width", spec.width},
                                       {"base", spec.base},
                                       {"which", channels.text(spec)},
                                       {"layout", layout_text(spec, false)},
                                       {"count", channels.count},
                                       {"first", first},
                                       {"last", last},
                                       {"denominators", text::joined(denominators, ", ")},
                                       {"row", text::joined(expressions, ", ")},
                                       {"numbers", list_text(values, 5)}},
                                      values);
  question.answer = text::joined(expressions, ", ");
  question.mistakes = channel_mistakes(spec, p, list);
  question.mistakes.push_back(loose_exponent(spec, p, list));
  sheet.add(question);
}

// The cosine of one pair and the sine of another, by the numbers of their channels.
void add_channels(Sheet& sheet, const Sinusoidal& spec) {
  Draw draw = sheet.draw("channels");
  const double p = draw.real(10, 30);  // no other question asks for these
  const std::int64_t last = spec.width / 2 - 1, sine = draw.between(1, last);
  const auto cosine = static_cast<std::int64_t>(draw.other(0, last, static_cast<double>(sine)));
  std::int64_t a = 0, b = 0;
  while (channel_in_turn(spec, a) != 2 * cosine + 1) ++a;
  while (channel_in_turn(spec, b) != 2 * sine) ++b;
  const std::string answer = channel_symbol(spec, p, a) + ", " + channel_symbol(spec, p, b);
  const std::vector<double> row = row_of(spec, p);
  const std::vector<double> values = {row[static_cast<std::size_t>(a)], row[static_cast<std::size_t>(b)]};
  Question question = stored_question("sinusoidal/channels",
                                      {{"a", a},
                                       {"b", b},
                                       {"p", p},
                                       {"width", spec.width},
                                       {"base", spec.base},
                                       {"layout", layout_text(spec, true)},
                                       {"pair_a", cosine},
                                       {"pair_b", sine},
                                       {"row", answer},
                                       {"numbers", list_text(values, 5)}},
                                      values);
  question.answer = answer;
  question.mistakes = channel_mistakes(spec, p, {a, b});
  question.mistakes.push_back(loose_exponent(spec, p, {a, b}));
  question.mistakes.push_back({"the two channels are swapped", {values[1], values[0]}});
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

void add_dot_product(Sheet& sheet, const Sinusoidal& given) {
  Draw draw = sheet.draw("dot product");
  const bool halves = properties::in_halves(given.order);
  const double square = given.multiplier * given.multiplier;
  // The order of the channels and the first position do not change a dot product.
  const Sinusoidal spec = plain_sinusoidal(given.width, given.base);
  const Channels part = first_channels(spec, 4);
  const double p = draw.real(2, 40), k = draw.real(1, 12);
  const double product = square * dot(part_of_row(spec, p, part), part_of_row(spec, p + k, part));
  const explanation::SinusoidalSymbols symbols(spec);
  const std::string slow = part.count < 4 ? "" : " + cos(" + symbols.angle(text::number_text(k), 1) + ")";
  const std::string which = part.count == spec.width ? ""
                            : halves                 ? ", over the pairs i = 0 and i = 1 only"
                                                     : ", over " + part.text(spec) + " only";
  std::vector<Mistake> mistakes = row_mistakes(spec, [&](const RowValue& row) {
    double sum = 0.0;
    for (std::int64_t c = 0; c < part.count; ++c) sum += row(p, c) * row(p + k, c);
    return std::vector{square * sum};
  });
  const Channels every{0, part.count};
  const auto at = [&](double distance) {
    return square * dot(part_of_row(spec, 0, every), part_of_row(spec, distance, every));
  };
  if (square != 1.0) {
    mistakes.push_back({"the multiplier was left out", {product / square}});
    mistakes.push_back({"both rows are multiplied, so its square counts", {product / given.multiplier}});
  }
  for (Mistake& mistake : distance_mistakes(at, k)) mistakes.push_back(std::move(mistake));
  sheet.ask("sinusoidal/dot product",
            {{"width", spec.width},
             {"base", spec.base},
             {"which", which},
             {"p", p},
             {"next", p + k},
             {"k", k},
             {"multiplied", multiplied_text(given)},
             {"times", square == 1.0 ? "" : text::number_text(given.multiplier) + "^2 ("},
             {"slow", slow},
             {"end", square == 1.0 ? "" : ")"}},
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
  std::vector<Mistake> mistakes = angle_mistakes(
      [&](const RowValue& trig) {
        return std::vector{trig(k, 1), trig(k, 0), -trig(k, 0), trig(k, 1)};
      },
      "the cosines are on the diagonal");
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
  const double counted = p + static_cast<double>(spec.first);
  // The derivative from a row: the other number of the pair, times the frequency, or, by mistake, without it.
  const auto from_row = [&](const RowValue& row, bool chain_rule) {
    std::vector<double> result;
    for (std::int64_t c = 0; c < part.count; ++c) {
      const std::int64_t in_turn = channel_in_turn(spec, c);
      const double w = chain_rule ? reference::sinusoidal_inv_freq(spec, in_turn / 2) : 1.0;
      result.push_back(spec.multiplier * (in_turn % 2 == 0 ? w : -w) * row(counted, in_turn ^ 1));
    }
    return result;
  };
  std::vector<Mistake> mistakes = row_mistakes(
      spec, [&](const RowValue& row) { return from_row(row, true); }, "the derivative of a sine has a cosine");
  const RowValue right = [&](double position, std::int64_t c) {
    const double angle = position * reference::sinusoidal_inv_freq(spec, c / 2);
    return c % 2 == 0 ? std::sin(angle) : std::cos(angle);
  };
  mistakes.push_back({"the factor w of the chain rule is missing", from_row(right, false)});
  std::vector<double> positive = derivative;
  for (std::size_t c = 0; c < positive.size(); ++c) {
    if (channel_in_turn(spec, static_cast<std::int64_t>(c)) % 2 == 1) positive[c] = -positive[c];
  }
  mistakes.push_back({"the derivative of a cosine is minus the sine", positive});
  mistakes.push_back({"this is the row, not its derivative", part_of_row(spec, p, part)});
  const Sinusoidal plain = plain_sinusoidal(spec.width, spec.base);
  const std::string usual = layout_text(plain, false), layout = layout_text(spec, false);
  Question question = stored_question("sinusoidal/derivative",
                                      {{"width", spec.width},
                                       {"base", spec.base},
                                       {"which", part.text(spec)},
                                       {"layout", layout == usual ? "" : " " + layout},
                                       {"p", p}},
                                      derivative);
  std::vector<std::int64_t> pairs;
  for (std::int64_t c = 0; c < part.count; ++c) {
    const std::int64_t i = channel_in_turn(spec, c) / 2;
    if (std::find(pairs.begin(), pairs.end(), i) != pairs.end()) continue;
    pairs.push_back(i);
    const double w = reference::sinusoidal_inv_freq(spec, i), scale = spec.multiplier * w;
    question.solution.push_back("w = " + text::general_text(w, 7) + ": " +
                                decimals_text(scale * right(counted, 2 * i + 1), 5) + ", " +
                                decimals_text(-scale * right(counted, 2 * i), 5));
  }
  if (part.count == 4 && reference::sinusoidal_inv_freq(spec, 1) < 0.1) {
    question.solution.push_back("The slow pair hardly changes from one position to the next.");
  }
  question.mistakes = std::move(mistakes);
  sheet.add(std::move(question));
}

// The spec for questions, with the fields that a row can be worked out with by hand.
Sinusoidal lesson_row(const Sinusoidal& given, Sheet& sheet) {
  Sinusoidal spec = plain_sinusoidal(question_width(given), given.base);
  spec.order = given.order;
  const bool near = std::abs(given.first) <= 1000;
  const bool usual = std::fabs(given.multiplier) >= 0.01 && std::fabs(given.multiplier) <= 1000.0;
  if (near) spec.first = given.first;
  if (usual) spec.multiplier = given.multiplier;
  sheet.leave_out(given, {"width", "base", "order", near ? "first" : "", usual ? "multiplier" : ""});
  if (spec.width != given.width) {
    sheet.remark("The width " + text_of(given.width) + " is replaced by " + text_of(spec.width) + ".");
  }
  if (spec.base != given.base) sheet.remark("The base is replaced by " + text::number_text(spec.base) + ".");
  return spec;
}

}  // namespace

void sinusoidal_questions(const Sinusoidal& given, Sheet& sheet) {
  const Sinusoidal spec = lesson_row(given, sheet);
  const double p = sheet.draw("row 4").real(1, 9);
  add_row_question(sheet, Level::easy, spec, first_channels(spec, 4), p);
  if (spec.first == 0) {
    add_counting(sheet, plain_sinusoidal(2, given.base));
  } else {
    add_first(sheet, spec);
  }
  add_norm(sheet, spec);
  add_permutation_question(sheet);
  add_symbols(sheet, spec, 2.0, first_channels(spec, 6));
  if (spec.width > 10) {
    add_symbols(sheet, spec, sheet.draw("symbols").real(3, 12), {spec.width - 6, 6});
  } else if (spec.width >= 4) {
    add_channels(sheet, spec);
  }
  const double other = sheet.draw("row 8").other(1, 9, p);
  if (spec.width <= 4) {
    add_row_question(sheet, Level::medium, spec, {0, spec.width}, sheet.draw("far row").real(100, 999));
  } else if (spec.width <= 8) {
    add_row_question(sheet, Level::medium, spec, {4, spec.width - 4}, other);
  } else {
    const std::int64_t pair = sheet.draw("pair").between(2, spec.width / 4 + 1);
    add_row_question(sheet, Level::medium, spec, {2 * pair, 2}, other);
  }
  add_wavelength(sheet, spec);
  add_dot_product(sheet, spec);
  add_shift(sheet, spec);
  add_derivative(sheet, spec);
  add_long_context_question(sheet);
}

}  // namespace posenc::teaching
