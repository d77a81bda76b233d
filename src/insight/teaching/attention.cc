// Relative encodings, rotation, and the choice.
#include "insight/teaching/compare_tables.h"
#include "insight/teaching/lesson.h"
#include "posenc/insight/exercises.h"
#include "posenc/insight/explain.h"

namespace posenc::teaching {
namespace {

// Offsets -1, 0 and 1 get 0.5, 0 and -0.5: small enough to follow by hand.
std::vector<Step> clipped_example() {
  const std::vector<double> table = {0.5, 0.0, -0.5};
  return explain_pairs(Clipped{.heads = 1, .max_distance = 1},
                       {.queries = PositionView::range(1, 1),
                        .keys = PositionView::range(0, 3),
                        .parameters = {{"table", make_view(table.data(), {3, 1})}},
                        .parameter_text = "--values 0.5/0/-0.5"});
}

}  // namespace

std::string lesson_relative(Lesson& lesson) {
  lesson.tell("relative encodings");
  std::string text = heading(2, "Relative: the distance enters the score", "relative");
  text += paragraph(
      "Often the distance is what matters, not the place. Then why not put it where it is used: into the "
      "score of a query and a key? A *clipped bias* learns one number per head and offset; offsets beyond a "
      "limit share the last one. By hand: three keys with the same content score 0.2, and biases 0.5, 0 "
      "and -0.5 for offsets -1, 0 and 1.");
  text += details("The steps", steps_list(clipped_example()));
  text +=
      paragraph("*ALiBi* learns nothing: it takes a slope times the distance from the score, another slope per head.");
  text +=
      lesson.figure({.name = "bias",
                     .spec = "alibi:heads=8",
                     .question = "Eight heads, each with half the slope of the one before. Which head looks farthest?",
                     .answer = "The last: its slope is 1/256, so even far keys lose little. The first loses 1/2 per "
                               "position and sees only its neighbourhood."});
  text +=
      lesson.figure({.name = "bias_distance",
                     .spec = "alibi:heads=8",
                     .question = "What happens to these lines past the training length?",
                     .answer = "They go on by the same rule: nothing new has to be learned. That is why ALiBi stays "
                               "flat in the published curves; but heads with steep slopes never see far."});
  text +=
      paragraph("*T5* learns numbers, but not one per distance: near distances have a bucket each, far ones share.");
  text += lesson.figure({.name = "buckets",
                         .spec = "t5:heads=8",
                         .question = "How does the width of the steps change with distance?",
                         .answer = "It grows: after distance 8 the steps widen like a logarithm, and far away all "
                                   "distances share the last bucket. So no distance is ever new."});
  text +=
      box("A common mistake: names and signs",
          list({"A table of clipped offsets is not T5: T5 has buckets that grow.",
                "Some take query minus key, others key minus query: a table trained for one is mirrored for the other.",
                "Reformer has axial learned positions, not relative ones.",
                "In \"I saw her duck\", \"her\" stands 1 before \"duck\", not 2."}),
          "mistake");
  text += lesson.figure({.name = "attention",
                         .spec = "alibi:heads=8",
                         .question = "Same queries and keys as without positions: where does attention move?",
                         .answer = "Towards the diagonal: near keys gain what far keys lose.",
                         .options = {.tokens = lesson.words()}});
  text +=
      lesson.figure({.name = "entropy",
                     .spec = "alibi:heads=8",
                     .question = "Without positions, attention spreads over ever more keys. And head 0 of ALiBi?",
                     .answer = "It stops spreading: the curve becomes flat, because far keys are out of reach. That "
                               "helps when only the neighbourhood matters, and hurts when something far away does."});
  return text;
}

std::string rotary_scalings(Lesson& lesson) {
  std::string text = heading(3, "Longer than trained");
  text += paragraph(
      "A slow clock that was trained on a quarter of a turn has never seen the rest of its dial. Scalings change the "
      "speeds so that a longer text stays on the part that was seen; they differ in which clocks they slow down.");
  text += lesson.figure({.name = "scalings",
                         .spec = "rotary:head_dim=64",
                         .question = "Eight times the length: which pairs must be slowed down, and which need not?",
                         .answer = "Pairs that turned often in training have seen every angle: ntk_by_parts, yarn and "
                                   "llama3 keep them. The slow ones are divided by eight. linear divides all, and "
                                   "blurs neighbours with it."});
  text += details(
      "By hand: YaRN on a head of 16 channels",
      steps_list(explain(Rotary{.head_dim = 16, .scaling = Yarn{.factor = 8.0, .original_positions = 2048}}, 3.0, {})));
  return text;
}

std::string lesson_rotary(Lesson& lesson) {
  lesson.tell("rotary");
  std::string text = heading(2, "Rotary: turn instead of add", "rotary");
  text += paragraph(
      "Keep the clocks, but do not add them: turn each pair of channels of the query and of the key by the "
      "angle of its position. A rotation keeps lengths, so nothing is drowned; and the score of two turned "
      "vectors depends on the difference of their angles, which is the distance.");
  text += lesson.figure({.name = "turn",
                         .spec = "rotary:head_dim=64",
                         .question = "A pair (1, 0.5) is turned by one radian. What happens to its length?",
                         .answer = "Nothing: it moves along its circle. That is what a rotation is."});
  text += details("By hand: a head of 8 channels at position 3, and the same distance elsewhere",
                  steps_list(explain(Rotary{.head_dim = 8}, 3.0, {.shift = 2.0})));
  text +=
      lesson.figure({.name = "rotated_scores",
                     .spec = "rotary:head_dim=64",
                     .question = "Before rotation, how does q.k depend on the distance?",
                     .answer = "Not at all: the line is flat. After rotation it does; and for equal contents the mean "
                               "falls from 1, with waves."});
  text +=
      lesson.figure({.name = "layouts",
                     .spec = "",
                     .question = "Which channel is the partner of channel 0?",
                     .answer = "In the interleaved layout channel 1, in the half layout the first of the second half. "
                               "Both are used; a file of weights does not say which, and text stays fluent when one "
                               "is taken for the other."});
  text +=
      box("A common mistake: half of each",
          paragraph("A widely copied piece of code reads interleaved pairs and writes halves. That is a layout of its "
                    "own (interleaved_to_half): right only if queries and keys are both treated so."),
          "mistake");
  text +=
      lesson.figure({.name = "attention",
                     .spec = "rotary:head_dim=64",
                     .question = "Will rotation pull attention to the diagonal as strongly as ALiBi did?",
                     .answer = "No: with random contents it moves attention without a clear preference. Rotation gives "
                               "a model the means to use distances; it does not force it.",
                     .options = {.tokens = lesson.words()}});
  return text + rotary_scalings(lesson);
}

std::string lesson_choice(Lesson& lesson) {
  lesson.tell("choosing, and exercises");
  const std::vector<Encoding> usual = {
      {Sinusoidal{.width = 768}}, {Learned{.width = 768, .rows = 2048, .past_end = PastEnd::error}},
      {Rotary{.head_dim = 64}},   {T5{.heads = 12}},
      {Alibi{.heads = 12}},       {NoPosition{}}};
  const AdviceOptions lengths{.train_length = 2048, .infer_length = 16384};
  const teaching::Advice advice = teaching::advise(usual, lengths);
  std::string text = heading(2, "Choosing", "choosing");
  text += table(learned_table(512, 128)) + table(glance_table(usual, lengths.train_length)) +
          table(absolute_table(usual)) + table(goal_table());
  text += heading(3, "A question: trained on 2k, used at 16k");
  text += table(advice_table(advice, lengths)) + box("An answer", paragraph(advice.recommendation));
  text += details("What this rests on", list(advice.basis));
  text +=
      paragraph("Encodings at the input and inside attention can be used together: sinusoidal rows and a bias, say.");
  text += heading(2, "Exercises", "exercises");
  text += paragraph(
      "Hints and solutions are folded away. Another worksheet: `posenc exercises sinusoidal:width=64 --seed 2`; "
      "for any encoding, also with grading.");
  for (const auto& [name, spec] : {std::pair<const char*, Spec>{"Sinusoidal", Sinusoidal{.width = 6}},
                                   std::pair<const char*, Spec>{"Relative", Clipped{.heads = 1, .max_distance = 1}},
                                   std::pair<const char*, Spec>{"Rotary", Rotary{.head_dim = 8}}}) {
    text +=
        exercises_html(make_exercises(spec, lesson.options().seed, {.long_context = std::string(name) == "Sinusoidal"}),
                       {.title = name,
                        .answers = true,
                        .introduction = false,
                        .heading_level = 3,
                        .id_prefix = std::string(name) + "-"});
  }
  return text;
}

}  // namespace posenc::teaching
