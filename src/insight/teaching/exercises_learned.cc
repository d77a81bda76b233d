// Questions about learned tables, hybrids, and attention without positions.
#include <algorithm>

#include "insight/teaching/exercise_kinds.h"
#include "posenc/learned.h"

namespace posenc::teaching {
namespace {

// The spec with a number of rows and a width, which are random if the spec leaves them open.
Learned with_shape(Learned spec, Draw draw) {
  const auto rows = draw.pick<std::int64_t>({512, 1024, 2048, 4096});
  const auto width = draw.pick<std::int64_t>({128, 256, 512, 768, 1024});
  if (spec.rows <= spec.first) spec.rows = std::max(rows, spec.first + 512);
  if (spec.width == 0) spec.width = width;
  // The table must be stretched to positions past its end for a question to ask about them.
  const std::int64_t count = positions_of(spec, spec.rows);
  if (spec.length && *spec.length <= count) spec.length = 2 * count;
  return spec;
}

std::string shape_text(const Learned& spec) { return text_of(spec.rows) + " rows of width " + text_of(spec.width); }

void add_table_size(Sheet& sheet, const Learned& spec) {
  const double count = parameter_count(spec);
  const std::string shape = shape_text(spec), product = text_of(spec.rows) + " x " + text_of(spec.width);
  sheet.ask(
      "learned/parameters", {{"shape", shape}, {"product", product}}, {count},
      {{"this is the number of rows; each has " + text_of(spec.width) + " numbers", {static_cast<double>(spec.rows)}},
       {"this is the number of bytes; a parameter is one number", {4.0 * count}}});
  // Of a small table two decimals of a MB would be 0.00.
  const bool small = count * 4.0 < 1e5;
  const double size = small ? 1e3 : 1e6, binary = small ? 1024.0 : 1048576.0;
  const std::string unit = small ? "kB" : "MB";
  sheet.ask(
      "learned/memory",
      {{"shape", shape},
       {"product", product},
       {"bytes", whole(count * 4.0)},
       {"unit", unit},
       {"size", small ? "10^3" : "10^6"}},
      {count * 4.0 / size},
      {{small ? "this is in KiB, 2^10 bytes; a kB is 10^3 bytes" : "this is in MiB, 2^20 bytes; a MB is 10^6 bytes",
        {count * 4.0 / binary}},
       {"this is in bytes, not in " + unit, {count * 4.0}},
       {"a float32 was counted as 8 bytes; it has 4", {count * 8.0 / size}},
       {"a float32 was counted as 2 bytes; it has 4", {count * 2.0 / size}},
       {"this is the number of parameters; each has 4 bytes", {count / size}}});
}

// `alike` says what clamped positions have in common.
void add_past_end(Sheet& sheet, const Learned& spec, const std::string& alike) {
  Draw draw = sheet.draw("past end");
  const std::int64_t last = positions_of(spec, spec.rows) - 1;
  const std::int64_t farthest = spec.length ? *spec.length - 1 - last : 99;
  const std::int64_t position = last + draw.between(1, std::min<std::int64_t>(farthest, 99));
  const auto right = static_cast<std::ptrdiff_t>(spec.past_end);
  constexpr const char* kRules[] = {"past_end=error", "past_end=clamp", "past_end=interpolate"};
  const std::string why[] = {"the position has no row, and nothing was trained for it.", alike,
                             "positions are read between the rows, as mixtures of two neighbours."};
  const std::string rule = kRules[right];
  Question question =
      stored_question("learned/past end", {{"shape", shape_text(spec)},
                                           {"first", spec.first},
                                           {"rule", rule + (spec.length ? ",length=" + text_of(*spec.length) : "")},
                                           {"position", position},
                                           {"row", spec.first + last},
                                           {"why", rule + ": " + why[right]}});
  // The first choices are in the order of the rules; the right one comes first.
  const auto choices = question.choices.begin();
  std::rotate(choices, choices + right, choices + right + 1);
  sheet.add_choice(question, draw);
}

std::string not_stretched_text(const Learned& spec) {
  return spec.length ? ", and the table is not stretched yet" : "";
}

void add_lookup(Sheet& sheet, const Learned& spec) {
  Draw draw = sheet.draw("lookup");
  const std::int64_t p =
      draw.between(0, std::max<std::int64_t>(std::min<std::int64_t>(positions_of(spec, spec.rows), 500) - 1, 0));
  Learned direct = spec;
  direct.past_end = PastEnd::clamp;
  direct.length = {};
  const auto row = static_cast<double>(row_read(direct, spec.rows, static_cast<double>(p)).row);
  std::vector<Mistake> mistakes = counting_mistakes(row);
  if (spec.first != 0) mistakes.push_back({"the first row was not added", {static_cast<double>(p)}});
  sheet.ask("learned/lookup", {{"first", spec.first}, {"stretched", not_stretched_text(spec)}, {"p", p}}, {row},
            mistakes);
}

// The first two numbers of a row, or its only one, after a step.
void add_gradient_step(Sheet& sheet, const Learned& spec) {
  Draw draw = sheet.draw("gradient step");
  std::vector<double> row = {draw.tenths(-9, 9), draw.tenths(-9, 9)};
  std::vector<double> gradient = {draw.tenths(1, 9), -draw.tenths(1, 9)};
  const double rate = draw.pick({0.1, 0.5, 0.01});
  const std::int64_t last = std::min<std::int64_t>(spec.rows - spec.first - 1, 20);
  const std::int64_t p = draw.between(std::min<std::int64_t>(last, 2), last);
  const std::size_t count = spec.width == 1 ? 1 : 2;
  row.resize(count);
  gradient.resize(count);
  const auto after = [&](double step) {
    std::vector<double> numbers;
    for (std::size_t c = 0; c < count; ++c) numbers.push_back(row[c] - step * gradient[c]);
    return numbers;
  };
  const std::vector<double> stepped = after(rate);
  const std::string width = text_of(spec.width);
  Question question = stored_question("learned/gradient step",
                                      {{"p", p},
                                       {"row", p + spec.first},
                                       {"stretched", not_stretched_text(spec)},
                                       {"which", count == 1        ? "its only number is"
                                                 : spec.width == 2 ? "its 2 numbers are"
                                                                   : "the first 2 of its " + width + " numbers are"},
                                       {"numbers", plain_list(row)},
                                       {"them", count == 1 ? "it" : "them"},
                                       {"gradient", plain_list(gradient)},
                                       {"are they", count == 1 ? "is it" : "are they"},
                                       {"rate", rate},
                                       {"count", count == 1 ? "To three decimals." : "Two numbers to three decimals."}},
                                      stepped);
  std::vector<std::string> lines;
  for (std::size_t c = 0; c < count; ++c) {
    lines.push_back(text::number_text(row[c]) + " - " + text::number_text(rate) + " x " + in_formula(gradient[c]) +
                    " = " + decimals_text(stepped[c], 3));
  }
  question.solution.insert(question.solution.begin(), lines.begin(), lines.end());
  question.mistakes = {{"the gradient was added; descent subtracts it", after(-rate)},
                       {"the learning rate is missing", after(1.0)}};
  sheet.add(std::move(question));
}

void add_untrained_rows(Sheet& sheet, const Learned& spec) {
  Draw draw = sheet.draw("untrained rows");
  const std::int64_t positions = std::max<std::int64_t>(spec.rows - spec.first, 1);
  const std::int64_t length = draw.between(positions / 4 + 1, positions / 2 + 1);
  const auto untrained = static_cast<double>(std::max<std::int64_t>(positions - length, 0));
  sheet.ask("learned/untrained rows",
            {{"positions", positions},
             {"length", length},
             {"when", spec.length ? " while the table is not stretched" : ""},
             {"last", length - 1}},
            {untrained}, counting_mistakes(untrained));
}

}  // namespace

void learned_questions(const Learned& given, Sheet& sheet) {
  const Learned spec = with_shape(given, sheet.draw("shape"));
  add_table_size(sheet, spec);
  add_lookup(sheet, spec);
  // padding_row changes gradients and is noted; the respected fields act after a row is read or do not change answers.
  sheet.leave_out(given, {"width", "rows", "past_end", "first", "length", "multiplier", "normalize"});
  add_past_end(sheet, spec, "all positions past the end look the same to the model.");
  add_gradient_step(sheet, spec);
  add_untrained_rows(sheet, spec);
  add_long_context_question(sheet);
}

namespace {

// The fixed part for questions: its width is even and not too large.
Sinusoidal fixed_part(const Hybrid& spec) {
  constexpr std::int64_t kMost = 65536;
  return plain_sinusoidal(std::min(spec.fixed.width + spec.fixed.width % 2, kMost), spec.fixed.base);
}

// Returns the position that it asks about.
double add_sum(Sheet& sheet, const Hybrid& spec) {
  Draw draw = sheet.draw("sum");
  const Sinusoidal fixed = fixed_part(spec);
  const Channels part = first_channels(fixed, 4);
  const double p = draw.real(1, 9);
  std::vector<double> learned = {draw.tenths(-9, 9), draw.tenths(-9, 9), draw.tenths(-9, 9), draw.tenths(-9, 9)};
  learned.resize(static_cast<std::size_t>(part.count));
  const double weight = draw.pick({0.5, 2.0, 0.1});
  const std::vector<double> row = part_of_row(fixed, p, part);
  std::vector<double> sum(row.size()), scaled;
  for (const double value : learned) scaled.push_back(weight * value);
  reference::add_row(scaled, row, 1.0, {}, sum.data());
  std::vector<Mistake> mistakes = row_mistakes(fixed, [&](const RowValue& value) {
    std::vector<double> result;
    for (std::int64_t c = 0; c < part.count; ++c) result.push_back(value(p, c) + scaled[static_cast<std::size_t>(c)]);
    return result;
  });
  std::vector<double> unweighted(row.size());
  reference::add_row(learned, row, 1.0, {}, unweighted.data());
  mistakes.push_back({"the learned row was not multiplied by its weight", unweighted});
  sheet.ask("learned/sum",
            {{"p", p},
             {"width", fixed.width},
             {"base", fixed.base},
             {"which", part.text(fixed)},
             {"weight", weight},
             {"learned", plain_list(learned)},
             {"fixed", list_text(row, 5)},
             {"scaled", list_text(scaled, 5)}},
            sum, mistakes);
  return p;
}

}  // namespace

void hybrid_questions(const Hybrid& given, Sheet& sheet) {
  Draw draw = sheet.draw("hybrid gradient");
  Learned learned = given.learned;
  learned.width = given.fixed.width;
  const Learned spec = with_shape(learned, sheet.draw("shape"));
  add_table_size(sheet, spec);
  sheet.ask_choice("learned/hybrid gradient", draw);
  sheet.leave_out(given, {"fixed.width", "fixed.base", "learned.width", "learned.rows", "learned.past_end",
                          "learned.first", "learned.length", "learned.multiplier"});
  const double p = add_sum(sheet, given);
  add_gradient_step(sheet, spec);
  add_past_end(
      sheet, spec,
      "the learned row is the same for all positions past the end; the sinusoidal part still distinguishes them.");
  add_row_question(sheet, Level::medium, fixed_part(given), p);
  add_long_context_question(sheet);
}

}  // namespace posenc::teaching
