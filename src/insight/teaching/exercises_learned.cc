// Questions about learned tables, hybrids, and attention without positions.
#include <algorithm>
#include <cmath>

#include "insight/explanation/explain_pairs.h"
#include "insight/teaching/exercise_kinds.h"
#include "posenc/learned.h"
#include "posenc/reference.h"

namespace posenc::teaching {
namespace {

// With the rows and the width that a table would have: drawn where the spec leaves them open.
Learned with_shape(Learned spec, Draw draw) {
  const auto rows = draw.pick<std::int64_t>({512, 1024, 2048, 4096});
  const auto width = draw.pick<std::int64_t>({128, 256, 512, 768, 1024});
  if (spec.rows <= spec.first) spec.rows = std::max(rows, spec.first + 512);
  if (spec.width == 0) spec.width = width;
  // So that there are positions past the end which the table is stretched to.
  const std::int64_t count = positions_of(spec, spec.rows);
  if (spec.length && *spec.length <= count) spec.length = 2 * count;
  return spec;
}

std::string shape_text(const Learned& spec) { return text_of(spec.rows) + " rows of width " + text_of(spec.width); }

void add_table_size(Sheet& sheet, const Learned& spec) {
  const double count = parameter_count(spec), megabytes = count * 4.0 / 1e6;
  const std::string product = text_of(spec.rows) + " x " + text_of(spec.width);
  sheet.add({.level = Level::easy,
             .text = "A learned table has " + shape_text(spec) + ". How many parameters does it add to the model?",
             .hint = "Every number of the table is trained.",
             .values = {count},
             .solution = {product + " = " + whole(count), "A sinusoidal encoding of that width has none."}});
  sheet.add(
      {.level = Level::easy,
       .text = "How much memory does that table of " + shape_text(spec) +
               " take in float32? In MB (1 MB = 10^6 bytes), to two decimals; only the number.",
       .hint = "float32 has 4 bytes.",
       .values = {megabytes},
       .decimals = 2,
       .solution = {product + " x 4 = " + whole(count * 4.0) + " bytes = " + decimals_text(megabytes, 2) + " MB"}});
}

// `alike` is what clamped positions have in common.
void add_past_end(Sheet& sheet, const Learned& spec, const std::string& alike) {
  Draw draw = sheet.draw("past end");
  const std::int64_t last = positions_of(spec, spec.rows) - 1;
  const std::int64_t farthest = spec.length ? *spec.length - 1 - last : 99;
  const std::string position = text_of(last + draw.between(1, std::min<std::int64_t>(farthest, 99)));
  const std::string row = text_of(spec.first + last);
  std::vector<std::string> choices = {"It is refused: there is no such row.", "It gets the last row, row " + row + ".",
                                      "The whole table is stretched to more positions, so every row is a mixture.",
                                      "It begins again at the first row.",
                                      "It gets a new row that continues the pattern of the table."};
  const auto right = static_cast<std::ptrdiff_t>(spec.past_end);
  constexpr const char* kRules[] = {"past_end=error", "past_end=clamp", "past_end=interpolate"};
  const std::string rule =
      kRules[static_cast<std::size_t>(right)] + (spec.length ? ",length=" + text_of(*spec.length) : std::string());
  std::rotate(choices.begin(), choices.begin() + right, choices.begin() + right + 1);
  const std::string why[] = {"past_end=error: the position has no row, and nothing was trained for it.",
                             "past_end=clamp: " + alike,
                             "past_end=interpolate: places between rows are read, as mixtures of two neighbours."};
  sheet.add_choice(
      {.level = Level::medium,
       .text = "The learned table has " + shape_text(spec) + "; position 0 is row " + text_of(spec.first) +
               ". The rule past its end is " + rule + ". What happens to a token at position " + position + "?",
       .hint = "Look at past_end. Is there a row for the position?",
       .choices = choices,
       .solution = {why[static_cast<std::size_t>(right)],
                    "A learned table knows nothing past its end: its rows follow no rule that could go on."}},
      draw);
}

void add_lookup(Sheet& sheet, const Learned& spec) {
  Draw draw = sheet.draw("lookup");
  const std::int64_t p =
      draw.between(0, std::max<std::int64_t>(std::min<std::int64_t>(positions_of(spec, spec.rows), 500) - 1, 0));
  Learned direct = spec;
  direct.past_end = PastEnd::clamp;
  direct.length = {};
  const double row = static_cast<double>(row_read(direct, spec.rows, static_cast<double>(p)).row);
  const std::string stretched = spec.length ? ", and the table is not stretched yet" : "";
  sheet.add({.level = Level::easy,
             .text = "Position 0 reads row " + text_of(spec.first) + " of the table (first=" + text_of(spec.first) +
                     "; OPT and BART have 2)" + stretched + ". Which row does position " + text_of(p) + " read?",
             .hint = "Row = position + first.",
             .values = {row},
             .solution = {text_of(p) + " + " + text_of(spec.first) + " = " + whole(row)}});
}

void add_gradient_step(Sheet& sheet) {
  Draw draw = sheet.draw("gradient step");
  const std::vector<double> row = {draw.tenths(-9, 9), draw.tenths(-9, 9)};
  const std::vector<double> gradient = {draw.tenths(1, 9), -draw.tenths(1, 9)};
  const double rate = draw.pick({0.1, 0.5, 0.01});
  const std::vector<double> stepped = {row[0] - rate * gradient[0], row[1] - rate * gradient[1]};
  const std::int64_t p = draw.between(2, 20);
  sheet.add({.level = Level::medium,
             .text = "Row " + text_of(p) + " of a learned table of width 2 is [" + plain_list(row) +
                     "]. A training text uses position " + text_of(p) +
                     " once, and the gradient of the loss by that row is [" + plain_list(gradient) +
                     "]. What is the row after one step of gradient descent with learning rate " +
                     text::number_text(rate) + "? Two numbers to three decimals.",
             .hint = "new row = row - learning rate x gradient.",
             .values = stepped,
             .decimals = 3,
             .solution = {text::number_text(row[0]) + " - " + text::number_text(rate) + " x " +
                              in_formula(gradient[0]) + " = " + decimals_text(stepped[0], 3),
                          text::number_text(row[1]) + " - " + text::number_text(rate) + " x " +
                              in_formula(gradient[1]) + " = " + decimals_text(stepped[1], 3),
                          "Rows of positions that the text does not have keep their numbers: their gradient is 0."}});
}

void add_untrained_rows(Sheet& sheet, const Learned& spec) {
  Draw draw = sheet.draw("untrained rows");
  const std::int64_t positions = std::max<std::int64_t>(spec.rows - spec.first, 1);
  const std::int64_t length = draw.between(positions / 4 + 1, positions / 2 + 1);
  const auto untrained = static_cast<double>(std::max<std::int64_t>(positions - length, 0));
  sheet.add({.level = Level::medium,
             .text = "The table has rows for " + text_of(positions) +
                     " positions, but no training text is longer than " + text_of(length) +
                     " tokens. How many of these rows never get a gradient" +
                     (spec.length ? " while the table is not stretched?" : "?"),
             .hint = "Positions count from 0.",
             .values = {untrained},
             .solution = {"positions 0 .. " + text_of(length - 1) + " are used",
                          text_of(positions) + " - " + text_of(length) + " = " + whole(untrained) +
                              " rows stay as they were initialised: random, and read at inference in longer texts"}});
}

}  // namespace

void add_questions(Sheet& sheet, const Learned& given) {
  const Learned spec = with_shape(given, sheet.draw("shape"));
  add_table_size(sheet, spec);
  add_lookup(sheet, spec);
  // A padding row gets no gradient; what follows the reading of a row changes none of the answers.
  sheet.set_note(plain_note(given, {"width", "rows", "past_end", "first", "length", "multiplier", "normalize"}));
  add_past_end(sheet, spec, "all positions past the end look the same to the model.");
  add_gradient_step(sheet);
  add_untrained_rows(sheet, spec);
  add_long_context_question(sheet);
}

namespace {

void add_sum(Sheet& sheet, const Hybrid& spec) {
  Draw draw = sheet.draw("sum");
  const Sinusoidal fixed = plain_sinusoidal(4, spec.fixed.base);
  const double p = draw.real(1, 9);
  const std::vector<double> learned = {draw.tenths(-9, 9), draw.tenths(-9, 9), draw.tenths(-9, 9), draw.tenths(-9, 9)};
  const double weight = draw.pick({0.5, 2.0, 0.1});
  std::vector<double> row(4), sum(4);
  reference::sinusoidal_row(fixed, p, row.data());
  std::vector<double> scaled;
  for (const double value : learned) scaled.push_back(weight * value);
  reference::add_row(scaled, row, 1.0, {}, sum.data());
  sheet.add({.level = Level::medium,
             .text = "A hybrid of width 4 adds PE(" + text::number_text(p) + ") (base " +
                     text::number_text(fixed.base) + ") and " + text::number_text(weight) +
                     " times the row that its learned table has for that position, [" + plain_list(learned) +
                     "]. What is the sum? Four numbers to five decimals.",
             .hint = "First the four numbers of PE, then the learned row times its weight, then add.",
             .values = sum,
             .decimals = 5,
             .solution = {"PE(" + text::number_text(p) + ") = [" + list_text(row, 5) + "]",
                          text::number_text(weight) + " x row = [" + list_text(scaled, 5) + "]",
                          "sum = [" + list_text(sum, 5) + "]"}});
}

void add_hybrid_gradient(Sheet& sheet) {
  Draw draw = sheet.draw("hybrid gradient");
  sheet.add_choice({.level = Level::easy,
                    .text = "A hybrid adds a sinusoidal row and a learned row. Which numbers does training change?",
                    .hint = "Which of the two has parameters?",
                    .choices = {"Those of the learned table only.", "Those of both tables.",
                                "Those of the sinusoidal table only.", "None: positions are not trained."},
                    .solution = {"The sinusoidal part follows a formula without parameters: no gradient reaches it.",
                                 "The learned part corrects it where the data ask for that."}},
                   draw);
}

}  // namespace

void add_questions(Sheet& sheet, const Hybrid& given) {
  Learned learned = given.learned;
  learned.width = given.fixed.width;
  const Learned spec = with_shape(learned, sheet.draw("shape"));
  add_table_size(sheet, spec);
  add_hybrid_gradient(sheet);
  sheet.set_note(plain_note(given, {"fixed.width", "fixed.base", "learned.width", "learned.rows", "learned.past_end",
                                    "learned.first", "learned.length", "learned.multiplier"}));
  add_sum(sheet, given);
  add_gradient_step(sheet);
  add_past_end(
      sheet, spec,
      "the learned row is the same for all positions past the end; the sinusoidal part still tells them apart.");
  add_row_question(sheet, Level::medium, plain_sinusoidal(4, given.fixed.base));
  add_long_context_question(sheet);
}

namespace {

void add_causal_average(Sheet& sheet) {
  Draw draw = sheet.draw("causal average");
  const std::int64_t p = draw.between(2, 30);
  const double weight = explanation::softmax(std::vector<double>(static_cast<std::size_t>(p + 1), 0.0))[0];
  sheet.add({.level = Level::easy,
             .text = "Without positions but with a causal mask, all scores of the query at position " + text_of(p) +
                     " (counted from 0) are equal. Which weight does the first token get? To five decimals.",
             .hint = "How many keys does that query see, itself included?",
             .values = {weight},
             .decimals = 5,
             .solution = {"it sees positions 0 .. " + text_of(p) + ": " + text_of(p + 1) + " keys",
                          "1/" + text_of(p + 1) + " = " + decimals_text(weight, 5)}});
}

void add_orders(Sheet& sheet) {
  Draw draw = sheet.draw("orders");
  const std::int64_t words = draw.between(4, 9);
  const double orders = std::round(std::tgamma(static_cast<double>(words + 1)));
  sheet.add(
      {.level = Level::medium,
       .text = "A sentence has " + text_of(words) +
               " different words. Attention without positions and mask, followed by a mean over the outputs, gives "
               "one vector. How many sentences made of the same words, each once, get that same vector?",
       .hint = "In how many orders can they stand?",
       .values = {orders},
       .solution = {text_of(words) + "! = " + whole(orders) + ", the sentence itself among them",
                    "The mean of equivariant outputs is invariant: no order can be told from another."}});
}

void add_pooling(Sheet& sheet) {
  Draw draw = sheet.draw("pooling");
  sheet.add_choice({.level = Level::medium,
                    .text = "Which of these does not change when the tokens of a text are put into another order? "
                            "(Attention without positions and without a mask.)",
                    .hint = "Equivariant: the outputs move with the tokens. What forgets where they stand?",
                    .choices = {"The mean of all outputs.", "The output at position 0.", "The list of outputs.",
                                "The output at the last position."},
                    .solution = {"Outputs move with their tokens, so what stands at a fixed place changes.",
                                 "A mean does not see the order: it is invariant."}},
                   draw);
}

void add_no_position_decoder(Sheet& sheet) {
  sheet.add(
      {.level = Level::hard,
       .kind = AnswerKind::reasoned,
       .text = "A decoder has a causal mask and no positional encoding. How can it still know something about "
               "positions, and where does that end?",
       .hint = "What does the first token see, and what does the tenth?",
       .solution = {"The mask breaks the symmetry: token n sees n + 1 keys, so outputs depend on how many there are.",
                    "Give one key (the first token) a larger score: its weight is about 1/(n + 1), a count that a",
                    "later layer can read as the position. So one layer is not enough, several are.",
                    "It ends with length: the weights of a softmax spread over more keys (entropy grows), and counts",
                    "of long texts hardly differ. Without a mask (an encoder) nothing is left of the order."},
       .points = {
           {"the causal mask breaks the symmetry", {"mask", "causal"}},
           {"how many keys are seen tells the position", {"how many", "number of", "count", "1/(n", "1/n", "n + 1"}},
           {"later layers read it", {"layer"}},
           {"it fades in long texts", {"spread", "entropy", "long", "length", "dilut"}}}});
}

}  // namespace

void add_questions(Sheet& sheet, const NoPosition&) {
  add_permutation_question(sheet);
  add_causal_average(sheet);
  add_orders(sheet);
  add_pooling(sheet);
  add_no_position_decoder(sheet);
  add_long_context_question(sheet);
}

}  // namespace posenc::teaching
