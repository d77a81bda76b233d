// The tables, worked examples and numbers of the lesson.
#include <cmath>

#include "core/text/joined.h"
#include "core/text/number_text.h"
#include "insight/properties/mixings.h"
#include "insight/teaching/compare_tables.h"
#include "insight/teaching/html.h"
#include "insight/teaching/lesson.h"
#include "posenc/insight/analysis.h"
#include "posenc/insight/check.h"
#include "posenc/insight/demonstration.h"
#include "posenc/insight/exercises.h"
#include "posenc/insight/explain.h"
#include "posenc/insight/svg.h"
#include "posenc/schedule.h"
#include "posenc/table.h"

namespace posenc::teaching {
namespace {

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

// The angle between token and sum at width 128 and position 0, for the sizes that embeddings begin with.
HtmlTable angle_table() {
  constexpr std::int64_t kWidth = 128;
  std::vector<double> row(kWidth);
  fill_table(make_schedule(Sinusoidal{.width = kWidth}), PositionView::range(0, 1), make_view(row.data(), {1, kWidth}));
  const double root = std::sqrt(static_cast<double>(kWidth));
  HtmlTable table{"Width 128: the angle between a token and its sum, over 100,000 tokens",
                  {"Embeddings", "Norm of the token", "Norm of the position", "Mean angle", "Middle 95 %"},
                  {}};
  const struct {
    const char* name;
    double std, scale;
  } sizes[] = {{"standard deviation 0.5", 0.5, 1.0},
               {"standard deviation 1", 1.0, 1.0},
               {"standard deviation 1, times sqrt(M)", 1.0, root},
               {"standard deviation 1/sqrt(M)", 1.0 / root, 1.0},
               {"standard deviation 1/sqrt(M), times sqrt(M)", 1.0 / root, root}};
  std::vector<MixingOptions> options;
  for (const auto& size : sizes) options.push_back({.std = size.std, .scale = size.scale, .tokens = 100000});
  const std::vector<Mixing> mixings = properties::mixings(row, options);
  for (std::size_t k = 0; k < mixings.size(); ++k) {
    const Mixing& mixed = mixings[k];
    table.rows.push_back({sizes[k].name, text::fixed_text(mixed.token_norm, 2),
                          text::fixed_text(mixed.position_norm, 2), text::fixed_text(mixed.angle, 1) + " degrees",
                          text::fixed_text(mixed.angle_low, 1) + " to " + text::fixed_text(mixed.angle_high, 1)});
  }
  return table;
}

// Offsets -1, 0 and 1 get 0.5, 0 and -0.5: small enough to follow by hand.
std::vector<Step> clipped_example() {
  const std::vector<double> table = {0.5, 0.0, -0.5};
  return explain_pairs(Clipped{.heads = 1, .max_distance = 1},
                       {.queries = PositionView::range(1, 1),
                        .keys = PositionView::range(0, 3),
                        .parameters = {{"table", make_view(table.data(), {3, 1})}},
                        .parameter_text = "--values 0.5/0/-0.5"});
}

std::string exercise_sheets(std::uint64_t seed) {
  std::string text;
  for (const auto& [name, spec] : {std::pair<const char*, Spec>{"Sinusoidal", Sinusoidal{.width = 6}},
                                   std::pair<const char*, Spec>{"Relative", Clipped{.heads = 1, .max_distance = 1}},
                                   std::pair<const char*, Spec>{"Rotary", Rotary{.head_dim = 8}}}) {
    text += exercises_html(make_exercises(spec, seed, {.long_context = std::string(name) == "Sinusoidal"}),
                           {.title = name,
                            .answers = true,
                            .introduction = false,
                            .heading_level = 3,
                            .id_prefix = std::string(name) + "-"});
  }
  return text;
}

}  // namespace

Values problem_values(const LessonSubject& subject) {
  PermutationQuestion question{.seed = subject.options.seed};
  if (subject.options.sentence != LessonOptions{}.sentence) question.words = subject.words;
  const PermutationResult result = demonstrate_permutation(question);
  return {{"sentence", xml_text(text::joined(result.words, " "))},
          {"shuffled", xml_text(text::joined(result.moved, " "))},
          {"permutations", table(permutation_table(result))},
          {"rounding", text::general_text(result.rounding, 1)}};
}

Values wishes_values(const LessonSubject&) {
  return {{"properties", property_table(check({Sinusoidal{.width = 64}}, {.train_length = 512}),
                                        "posenc check sinusoidal:width=64 --train 512")}};
}

Values formula_values(const LessonSubject&) {
  const Sinusoidal spec{.width = 64};
  const std::vector<double> lengths = wavelengths(make_schedule(spec).inv_freq);
  return {{"formula", formula(kind_facts(spec).formula_mathml)},
          {"shortest", text::fixed_text(lengths.front(), 2)},
          {"longest", text::general_text(lengths.back(), 5)}};
}

Values by_hand_values(const LessonSubject&) {
  return {{"first_steps", steps_list(explain(Sinusoidal{.width = 4}, 1.0, {.derivative = true}))},
          {"second_steps", steps_list(explain(Sinusoidal{.width = 8}, 3.0, {}))}};
}

Values model_values(const LessonSubject&) { return {{"angles", table(angle_table())}}; }

Values relative_values(const LessonSubject&) { return {{"clipped_steps", steps_list(clipped_example())}}; }

Values rotary_values(const LessonSubject&) {
  const Rotary stretched{.head_dim = 16, .scaling = Yarn{.factor = 8.0, .original_positions = 2048}};
  return {{"rotary_steps", steps_list(explain(Rotary{.head_dim = 8}, 3.0, {.shift = 2.0}))},
          {"yarn_steps", steps_list(explain(stretched, 3.0, {}))}};
}

Values choice_values(const LessonSubject& subject) {
  const std::vector<Encoding> usual = {
      Spec(Sinusoidal{.width = 768}), Spec(Learned{.width = 768, .rows = 2048, .past_end = PastEnd::error}),
      Spec(Rotary{.head_dim = 64}),   Spec(T5{.heads = 12}),
      Spec(Alibi{.heads = 12}),       Spec(NoPosition{})};
  const AdviceOptions lengths{.train_length = 2048, .infer_length = 16384};
  const Advice advice = advise(usual, lengths);
  return {{"learned", table(learned_table(512, 128))},
          {"glance", table(glance_table(usual, lengths.train_length))},
          {"absolute", table(absolute_table(usual))},
          {"goals", std::string(asset("goals.html"))},
          {"advice", table(advice_table(advice, lengths))},
          {"recommendation", inline_html(advice.recommendation)},
          {"basis", advice_basis()},
          {"sheets", exercise_sheets(subject.options.seed)}};
}

}  // namespace posenc::teaching
