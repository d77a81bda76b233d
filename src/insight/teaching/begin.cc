// The problem, what an encoding should be, the formula, and a row by hand.
#include "core/text/number_text.h"
#include "insight/teaching/lesson.h"
#include "posenc/insight/check.h"
#include "posenc/insight/demonstration.h"
#include "posenc/insight/explain.h"
#include "posenc/insight/subject.h"
#include "posenc/schedule.h"

namespace posenc::teaching {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// What is below the rounding has digits that depend on the machine.
std::string size_text(double value, double rounding) {
  return value < rounding ? "less than " + text::general_text(rounding, 1) : text::general_text(value, 2);
}

HtmlTable permutation_table(const PermutationResult& result) {
  HtmlTable table{"The same words in another order, put back, beside the first output",
                  {"With", "Largest difference", "Difference of the pooled outputs", "Sees the order"},
                  {}};
  for (const PermutationRow& row : result.rows) {
    table.rows.push_back({"`" + row.name + "`", size_text(row.largest, result.rounding),
                          size_text(row.pooled, result.rounding),
                          (row.sees_order ? "yes" : "no") + (row.note.empty() ? "" : " (" + row.note + ")")});
  }
  return table;
}

}  // namespace

std::string lesson_problem(Lesson& lesson) {
  lesson.tell("the problem");
  PermutationQuestion question{.seed = lesson.options().seed};
  if (lesson.options().sentence != LessonOptions{}.sentence) question.words = lesson.words();
  const PermutationResult result = demonstrate_permutation(question);
  std::string text = heading(2, "The problem: attention does not see order", "problem");
  text += paragraph("Take the sentence *" + joined(result.words) + "* and shuffle it: *" + joined(result.moved) +
                    "*. For you these are different. For attention without positions they are the same set of words.");
  text += paragraph(
      "Attention compares every query with every key and mixes values by the result. Nothing in that sum says which "
      "token came first. Shuffle the tokens, and the outputs are shuffled in the same way: nothing else changes.");
  text += table(permutation_table(result));
  text += paragraph("The first row has no positions: what is left is the rounding of float32, below " +
                    text::general_text(result.rounding, 1) +
                    ". The last rows are a recurrence and a filter over three tokens: order is "
                    "built into them. Run it yourself: `posenc demo permutation`.");
  text +=
      box("A common mistake: equivariant, not invariant",
          paragraph("Attention without positions is permutation *equivariant*: permuted inputs give permuted outputs. "
                    "Only what is pooled over all tokens, such as their mean, is *invariant*. Many texts say "
                    "invariant where they mean equivariant."),
          "mistake");
  text += lesson.figure({.name = "attention",
                         .spec = "none",
                         .question = "If two words of the sentence change places, what happens to this map?",
                         .answer = "Its rows and columns change places with them. Each number stays what it was: it "
                                   "depends on the two words, not on where they stand. Equal words have equal rows.",
                         .options = {.tokens = lesson.words()}});
  return text;
}

std::string lesson_wishes(Lesson& lesson) {
  lesson.tell("what an encoding should be");
  std::string text = heading(2, "What an encoding should be", "wishes");
  text += paragraph("We want to give every token something that says where it stands. It should be");
  text += list({"*unique*: two places never look the same;",
                "*bounded*: numbers that do not grow with the length of the text;",
                "*smooth*: neighbours are alike, so that a model can generalise;",
                "*consistent*: the same distance looks the same wherever it is;",
                "*defined past the training length*, and if possible useful there;",
                "*visible* to the dot products of attention."});
  text += paragraph(
      "Counting does not do it: 0, 1, 2, ... grows without bound. Dividing by the length does not either: "
      "the step from one word to the next then depends on how long the text is. Here is what the classic "
      "answer, sines and cosines, keeps of these wishes. A verdict is *holds*, *holds to* a position, or "
      "*does not hold*: some wishes are not promised by anyone.");
  text += property_table(check({Sinusoidal{.width = 64}}, {.train_length = 512}),
                         "posenc check sinusoidal:width=64 --train 512");
  return text;
}

std::string lesson_formula(Lesson& lesson) {
  lesson.tell("the formula");
  const KindFacts facts = kind_facts(Sinusoidal{.width = 64});
  const std::vector<double> lengths = wavelengths(make_schedule(Sinusoidal{.width = 64}).inv_freq);
  std::string text = heading(2, "The formula: many clocks at once", "formula");
  text += paragraph(
      "A clock shows the time with hands of different speed: the fast one tells neighbouring seconds apart, "
      "the slow one tells hours apart. The sinusoidal encoding gives every position the hands of many "
      "clocks. Channels come in pairs, the height and the reach of one hand:");
  text += formula(facts.formula_mathml);
  text += paragraph("Here the width is 64: pairs i = 0 to 31. The first hand turns once in " +
                    text::fixed_text(lengths.front(), 2) + " positions, the last once in " +
                    text::general_text(lengths.back(), 5) + ".");
  text += box("A common mistake: where i ends, and the longest wave",
              paragraph("i runs from 0 to M/2 - 1, not to M/2. So the longest wavelength is 2 pi 10000^(1 - 2/M), " +
                        text::general_text(lengths.back(), 5) + " at width 64, and not 2 pi 10000 = 62832."),
              "mistake");
  text +=
      lesson.figure({.name = "cells",
                     .spec = "sinusoidal:width=64",
                     .question = "What stands in the row of position 0? Which column changes fastest from row to row?",
                     .answer = "Sines of 0 are 0 and cosines of 0 are 1, so the first row is 0, 1, 0, 1, ... The two "
                               "columns on the left change fastest: their hand turns by one radian per position. "
                               "Channel 10 has turned by 0.38 of a circle at position 10: slower, but not very slow."});
  text += box(
      "Counted from 0 or from 1?",
      paragraph("The paper counts from 0. Some libraries count from 1, or leave room for a padding row: the same "
                "formula, shifted. `posenc explain sinusoidal:width=4,first=1 --position 0` shows the difference."));
  return text;
}

std::string lesson_by_hand(Lesson& lesson) {
  lesson.tell("by hand");
  std::string text = heading(2, "By hand: one row, step by step", "by-hand");
  text += paragraph(
      "Take a width of 4 and position 1. There are two pairs; their denominators are 10000^0 = 1 and "
      "10000^(2/4) = 100. Compute the row yourself before you open the steps.");
  text += details("The steps", steps_list(explain(Sinusoidal{.width = 4}, 1.0, {.derivative = true})));
  text += paragraph("Another one: width 8, position 3.");
  text += details("The steps", steps_list(explain(Sinusoidal{.width = 8}, 3.0, {})));
  text +=
      box("Rounded or cut?", paragraph("cos(3) = -0.98999..., so with four decimals it is -0.9900. Texts that print "
                                       "-0.9899 have cut it instead of rounding."));
  return text;
}

}  // namespace posenc::teaching
