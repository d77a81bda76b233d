// Questions about masks: windows and chunks.
#include <algorithm>
#include <cmath>

#include "insight/teaching/exercise_kinds.h"
#include "posenc/reference.h"

namespace posenc::teaching {
namespace {

// Keys below `tokens` that a query sees, by the definition of the mask.
std::int64_t seen(const Spec& spec, std::int64_t query, std::int64_t tokens) {
  std::int64_t count = 0;
  for (std::int64_t key = 0; key < tokens; ++key) {
    count += reference::bias(spec, {}, 0, static_cast<double>(query), static_cast<double>(key)) == 0.0 ? 1 : 0;
  }
  return count;
}

std::int64_t seen_pairs(const Spec& spec, std::int64_t tokens) {
  std::int64_t count = 0;
  for (std::int64_t query = 0; query < tokens; ++query) count += seen(spec, query, tokens);
  return count;
}

void add_seen(Sheet& sheet, const Spec& spec, std::int64_t tokens, const std::string& how) {
  const std::int64_t query = sheet.draw("seen").between(tokens / 2, tokens - 1);
  const std::int64_t count = seen(spec, query, tokens);
  sheet.add({.level = Level::easy,
             .text = "A text has " + text_of(tokens) + " tokens, positions count from 0, and the mask is " +
                     to_text(spec) + ". How many keys does the query at position " + text_of(query) +
                     " see, itself included?",
             .hint = how,
             .values = {static_cast<double>(count)},
             .solution = {how, "query " + text_of(query) + " sees " + text_of(count) + " keys"}});
}

void add_seen_pairs(Sheet& sheet, const Spec& spec, std::int64_t tokens, const std::string& how) {
  const std::int64_t pairs = seen_pairs(spec, tokens);
  const double share = 100.0 * static_cast<double>(pairs) / static_cast<double>(tokens * tokens);
  sheet.add({.level = Level::medium,
             .text = "The mask " + to_text(spec) + " on a text of " + text_of(tokens) +
                     " tokens: how many pairs of query and key are seen?",
             .hint = "Add up what each query sees; the ends of the text see less.",
             .values = {static_cast<double>(pairs)},
             .solution = {how, text_of(pairs) + " pairs of " + text_of(tokens * tokens) + ", " +
                                   decimals_text(share, 1) + " %"}});
}

void add_hidden(Sheet& sheet) {
  Draw draw = sheet.draw("hidden");
  sheet.add_choice(
      {.level = Level::easy,
       .text = "How does a mask hide a key from a query?",
       .hint = "What must a score be so that its weight becomes 0?",
       .choices = {"It adds -inf to the score, so that the weight is 0.", "It multiplies the score by 0.",
                   "It removes the key from all queries.", "It sets the value to 0 and keeps the weight."},
       .solution = {"exp(-inf) = 0. A score of 0 would not do: exp(0) = 1, which is a weight like any other."}},
      draw);
}

void add_mask_question(Sheet& sheet) {
  sheet.add(
      {.level = Level::hard,
       .kind = AnswerKind::reasoned,
       .text = "Attention is limited to keys nearby, by a window or by chunks. What is won, what is lost, and does "
               "the mask replace a positional encoding?",
       .hint = "Think of cost, of facts far away, of several layers, and of two tokens that swap places inside.",
       .solution = {"Won: the cost grows with the length times the window, not with the square of the length, and a",
                    "cache need not keep old keys.",
                    "Lost: what stands farther away is not seen in one layer. Several layers carry it on, a window's",
                    "reach each; chunks pass nothing over their borders unless other layers do.",
                    "Inside the window the order is still not seen: tokens that swap places there give the same sums,",
                    "so an encoding is still needed. Models mix such layers with layers of full attention."},
       .points = {
           {"cost: linear in the length, a small cache",
            {"cost", "linear", "quadratic", "square", "memory", "cache", "faster"}},
           {"what is far away is not seen", {"far", "long-range", "distant", "not seen", "lost"}},
           {"several layers reach farther", {"layer"}},
           {"the order inside is still not seen: an encoding is needed", {"order", "swap", "permut", "still need"}}}});
}

}  // namespace

void add_questions(Sheet& sheet, const Window& given) {
  Draw draw = sheet.draw("window");
  Window spec = given;
  const std::int64_t left = draw.between(2, 6);
  const bool small = given.left && *given.left <= 64 && *given.left >= 1 && given.right.value_or(0) <= 64;
  if (!small) spec = {.left = left, .right = 0};
  const std::int64_t reach = *spec.left, tokens = 2 * reach + draw.between(5, 20), layers = draw.between(3, 12);
  const std::string right = spec.right ? text_of(*spec.right) : "";
  const std::string how =
      "Keys from i - " + text_of(reach) + (spec.right ? " to i + " + right : " on") + ", inside the text";
  add_seen(sheet, spec, tokens, how);
  add_hidden(sheet);
  add_seen_pairs(sheet, spec, tokens, how + ", for every query i");
  sheet.add({.level = Level::medium,
             .text = "A window reaches " + text_of(reach) +
                     " keys to the left. How far to the left can the output of a model of " + text_of(layers) +
                     " such layers depend on tokens?",
             .hint = "The key that a layer sees has itself seen keys in the layer below.",
             .values = {static_cast<double>(reach * layers)},
             .solution = {text_of(layers) + " x " + text_of(reach) + " = " + text_of(reach * layers) + " positions"}});
  add_mask_question(sheet);
}

void add_questions(Sheet& sheet, const Chunked& given) {
  Draw draw = sheet.draw("chunked");
  Chunked spec = given;
  const std::int64_t size = draw.between(3, 8);
  if (given.size < 2 || given.size > 64) spec.size = size;
  const std::int64_t tokens = spec.size * draw.between(2, 4), border = spec.size * draw.between(1, 9);
  const std::int64_t p = draw.between(spec.size, 20 * spec.size);
  const std::string how =
      std::string("Keys of the query's own chunk") + (spec.direction == DistanceRule::causal ? ", none ahead" : "");
  sheet.add({.level = Level::easy,
             .text = "Chunks have " + text_of(spec.size) +
                     " positions, and both count from 0. In which chunk is position " + text_of(p) + "?",
             .hint = "Divide and drop the rest.",
             .values = {static_cast<double>(p / spec.size)},
             .solution = {"floor(" + text_of(p) + " / " + text_of(spec.size) + ") = " + text_of(p / spec.size)}});
  add_seen(sheet, spec, tokens, how);
  add_seen_pairs(sheet, spec, tokens, how);
  sheet.add_choice({.level = Level::medium,
                    .text = "Chunks have " + text_of(spec.size) + " positions. Does the query at position " +
                            text_of(border) + " see the key at position " + text_of(border - 1) + ", just before it?",
                    .hint = "Which chunks are they in?",
                    .choices = {"No: they are in different chunks.", "Yes: they are neighbours.",
                                "Yes, but only in a causal mask.", "Only in the first layer."},
                    .solution = {text_of(border) + " begins chunk " + text_of(border / spec.size) + ", " +
                                     text_of(border - 1) + " ends the one before: hidden, though the distance is 1.",
                                 "A window of the same size would show it."}},
                   draw);
  add_mask_question(sheet);
}

}  // namespace posenc::teaching
