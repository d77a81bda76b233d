// The tables, worked examples and numbers of the lesson.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/text/joined.h"
#include "core/text/number_text.h"
#include "insight/properties/expected_mixing.h"
#include "insight/properties/lists.h"
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

// A number as text. Below the rounding error, digits depend on the machine and are not printed.
std::string size_text(double value, double rounding) {
  return value < rounding ? "less than " + text::general_text(rounding, 1) : text::general_text(value, 2);
}

HtmlTable permutation_table(const PermutationResult& result) {
  HtmlTable table{"The same words in another order: how much the outputs differ",
                  {"With", "Per token, put back in order", "Sees the order", "Mean of all outputs"},
                  {}};
  for (const PermutationRow& row : result.rows) {
    table.rows.push_back({"`" + row.name + "`" + (row.note.empty() ? "" : " (" + row.note + ")"),
                          size_text(row.largest, result.rounding), row.sees_order ? "yes" : "no",
                          size_text(row.pooled[0].largest, result.rounding)});
  }
  return table;
}

// "0.12, -0.34": the row of a token.
std::string vector_text(const std::vector<float>& numbers, std::size_t token, std::size_t width) {
  std::string text;
  for (std::size_t m = 0; m < width; ++m) {
    const double value = static_cast<double>(numbers[token * width + m]);
    text += (m == 0 ? "" : ", ") + text::fixed_text(std::fabs(value) < 5e-4 ? 0.0 : value, 3);
  }
  return text;
}
std::string vector_text(const std::vector<double>& row) {
  return text::joined(row, ", ",
                      [](double value) { return text::fixed_text(std::fabs(value) < 5e-5 ? 0.0 : value, 4); });
}

// The smallest example: up to three tokens of width 4, and what attention gives for each in two orders.
PermutationResult small_example(const LessonSubject& subject) {
  PermutationQuestion question{.width = 4, .heads = 1, .seed = subject.options.seed, .outputs = true};
  question.words.assign(subject.words.begin(),
                        subject.words.begin() + std::min<std::ptrdiff_t>(3, std::ssize(subject.words)));
  question.order = question.words.size() == 3 ? std::vector<std::int64_t>{2, 0, 1} : std::vector<std::int64_t>{1, 0};
  question.specs = {Sinusoidal{.width = 4}};
  return demonstrate_permutation(question);
}

HtmlTable outputs_table(const PermutationResult& result) {
  HtmlTable table{"Outputs of each token in '" + text::joined(result.words, " ") + "' and in '" +
                      text::joined(result.moved, " ") + "'",
                  {"Token", "Positions", "Output in the first order", "Output in the second order"},
                  {}};
  for (std::size_t row = 0; row < 2; ++row) {
    const std::vector<float> moved = moved_without_rounding(result.rows[row], result.rounding);
    for (std::size_t n = 0; n < result.words.size(); ++n) {
      table.rows.push_back({result.words[n], row == 0 ? "none" : "sinusoidal",
                            vector_text(result.rows[row].outputs, n, 4), vector_text(moved, n, 4)});
    }
  }
  return table;
}

bool has_equal_words(const std::vector<std::string>& words) {
  return std::set<std::string>(words.begin(), words.end()).size() < words.size();
}

// The table of every pair of three sentences with the same words.
HtmlTable pairs_table(std::uint64_t seed) {
  const PermutationResult result = demonstrate_permutation({.words = {"I", "love", "Paris"},
                                                            .others = {{"Paris", "love", "I"}, {"love", "I", "Paris"}},
                                                            .seed = seed,
                                                            .specs = {Sinusoidal{.width = 32}, Alibi{.heads = 4}}});
  HtmlTable table{"Largest difference of the mean over all tokens", {"With"}, {}};
  const auto sentence = [&](std::size_t i) { return text::joined(i == 0 ? result.words : result.others[i - 1], " "); };
  for (const PooledPair& pair : result.rows[0].pooled) {
    table.head.push_back(sentence(pair.first) + " / " + sentence(pair.second));
  }
  for (std::size_t i = 0; i < 3; ++i) {
    table.rows.push_back({"`" + result.rows[i].name + "`"});
    for (const PooledPair& pair : result.rows[i].pooled) {
      table.rows.back().push_back(size_text(pair.largest, result.rounding));
    }
  }
  return table;
}

HtmlTable lengths_table() {
  const std::vector<double> lengths = wavelengths(make_schedule(Sinusoidal{.width = 64}).inv_freq);
  HtmlTable table{"Width 64: positions for a full turn", {"Channel", "Wavelength", "Turns in 100 positions"}, {}};
  for (const std::size_t channel : {std::size_t{0}, std::size_t{10}, std::size_t{30}, std::size_t{62}}) {
    const double length = lengths[channel / 2];
    table.rows.push_back(
        {std::to_string(channel), text::general_text(length, 5), text::general_text(100.0 / length, 3)});
  }
  return table;
}

std::string cosine_similarity(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kWidth = 128;
  std::vector<double> rows(2 * kWidth);
  const std::int64_t positions[] = {a, b};
  fill_table(make_schedule(Sinusoidal{.width = kWidth}), PositionView::of(positions, 2),
             make_view(rows.data(), {2, kWidth}));
  return text::fixed_text(properties::dot(rows.data(), rows.data() + kWidth, kWidth) / (kWidth / 2.0), 4);
}

HtmlTable sums_table(const OrderResult& pair) {
  return {"A = (" + vector_text(pair.a) + "), B = (" + vector_text(pair.b) + ")",
          {"Order", "First token", "Second token"},
          {{"[A, B]", "a + p0 = " + vector_text(pair.a_then_b.a), "b + p1 = " + vector_text(pair.a_then_b.b)},
           {"[B, A]", "b + p0 = " + vector_text(pair.b_then_a.b), "a + p1 = " + vector_text(pair.b_then_a.a)}}};
}

HtmlTable score_parts_table(const OrderResult& pair) {
  HtmlTable table{
      "The score of A with B, without a projection",
      {"Order", "Content, content", "Content, position", "Position, content", "Position, position", "Score"},
      {}};
  for (const auto& [name, side] : {std::pair{"[A, B]", &pair.a_then_b}, std::pair{"[B, A]", &pair.b_then_a}}) {
    const OrderScore& score = side->score;
    table.rows.push_back({name});
    for (const double value : {score.content_content, score.content_position, score.position_content,
                               score.position_position, score.score}) {
      table.rows.back().push_back(text::fixed_text(value, 4));
    }
  }
  return table;
}

HtmlTable gradient_table(const GradientQuestion& question, const GradientResult& learned) {
  HtmlTable table{
      "Gradient of an untrained learned table of width 4, " + std::to_string(learned.learned_numbers) + " numbers",
      {"Row", "Token", "Gradient"},
      {}};
  for (std::size_t p = 0; p < learned.table.size(); ++p) {
    const bool used = p < question.words.size();
    table.rows.push_back({std::to_string(p), used ? question.words[p] : "none", vector_text(learned.table[p])});
  }
  return table;
}

// The table of offsets: rows are queries, columns are keys.
HtmlTable offset_table(const std::vector<std::string>& words) {
  HtmlTable table{"Offset of the key (column) from the query (row)", {""}, {}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    table.head.push_back(words[i]);
    table.rows.push_back({words[i]});
    for (std::size_t j = 0; j < words.size(); ++j) {
      const std::int64_t offset = static_cast<std::int64_t>(j) - static_cast<std::int64_t>(i);
      table.rows.back().push_back((offset > 0 ? "+" : "") + std::to_string(offset));
    }
  }
  return table;
}

constexpr std::int64_t kMixedWidth = 128;
// Token and sum at position 0, for an initial size of the embeddings.
Mixing mixed_with(double std) {
  std::vector<double> row(kMixedWidth);
  fill_table(make_schedule(Sinusoidal{.width = kMixedWidth}), PositionView::range(0, 1),
             make_view(row.data(), {1, kMixedWidth}));
  return properties::expected_mixing(row, std);
}

HtmlTable angle_table() {
  const double root = std::sqrt(static_cast<double>(kMixedWidth));
  HtmlTable table{"Width 128: the angle between a token and its sum",
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
  for (const auto& size : sizes) {
    const Mixing mixed = mixed_with(size.std * size.scale);
    table.rows.push_back({size.name, text::fixed_text(mixed.token_norm, 2), text::fixed_text(mixed.position_norm, 2),
                          text::fixed_text(mixed.angle, 1) + " degrees",
                          text::fixed_text(mixed.angle_low, 1) + " to " + text::fixed_text(mixed.angle_high, 1)});
  }
  return table;
}

// A worked example in which offsets -1, 0 and 1 have the biases 0.5, 0 and -0.5.
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
  const PermutationResult small = small_example(subject);
  return {{"small_tokens", std::to_string(small.words.size())},
          {"outputs", table(outputs_table(small))},
          {"pairs", table(pairs_table(subject.options.seed))},
          {"sentence", xml_text(text::joined(result.words, " "))},
          {"shuffled", xml_text(text::joined(result.moved, " "))},
          {"permutations", table(permutation_table(result))},
          {"equal_rows", has_equal_words(subject.words) ? " Equal words have equal rows." : ""},
          {"rounding", text::general_text(result.rounding, 1)}};
}

Values wishes_values(const LessonSubject&) {
  return {{"properties", property_table(check({Sinusoidal{.width = 64}}, {.train_length = 512}),
                                        "Measured with `posenc check sinusoidal:width=64 --trained 512`")}};
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

Values waves_values(const LessonSubject&) { return {{"lengths", table(lengths_table())}}; }

Values shift_values(const LessonSubject&) {
  return {
      {"near", cosine_similarity(0, 1)}, {"far", cosine_similarity(0, 50)}, {"far_away", cosine_similarity(200, 250)}};
}

Values score_values(const LessonSubject& subject) {
  const OrderResult pair = demonstrate_order(4, subject.options.seed);
  const bool equal = has_equal_words(subject.words);
  return {{"sums", table(sums_table(pair))},
          {"score_parts", table(score_parts_table(pair))},
          {"row_question", equal ? "Two equal words had equal rows in the first map. And now?"
                                 : "In the first map only the words counted. And now?"},
          {"row_answer", equal ? "Their rows differ, because each has its own position in it."
                               : "Positions count too: the same words in another order get other weights."}};
}

Values limits_values(const LessonSubject& subject) {
  const GradientQuestion question{.seed = subject.options.seed};
  const GradientDemonstration demo = demonstrate_gradient(question);
  return {{"fixed_numbers", std::to_string(demo.fixed.learned_numbers)},
          {"gradients", table(gradient_table(question, demo.learned))}};
}

Values model_values(const LessonSubject&) {
  const double root = std::sqrt(static_cast<double>(kMixedWidth));
  return {{"angles", table(angle_table())},
          {"root_angle", text::fixed_text(mixed_with(1.0).angle, 1)},
          {"large_angle", text::fixed_text(mixed_with(root).angle, 1)}};
}

Values relative_values(const LessonSubject&) {
  return {{"duck", table(offset_table({"I", "saw", "her", "duck"}))}, {"clipped_steps", steps_list(clipped_example())}};
}

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
