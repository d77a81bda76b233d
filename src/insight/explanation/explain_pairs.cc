#include "insight/explanation/explain_pairs.h"

#include <algorithm>
#include <string>

#include "core/base/float_types.h"
#include "core/base/refuse.h"
#include "core/text/utf8.h"
#include "insight/explanation/explain_kinds.h"
#include "insight/properties/kind_page.h"
#include "posenc/error.h"

namespace posenc {
namespace {

constexpr base::Refusal refuse{"explain_pairs"};

// Refuses options that a kind does not use, because a user who gives one expects it to change something.
void check_use(const Spec& spec, const ExplainPairs& pairs, bool at_input, bool term) {
  const std::string kind(kind_of(spec));
  if ((at_input || term) && !pairs.scores.empty())
    refuse("scores apply to a bias only: ", kind, " computes its own scores");
  if (pairs.causal && (at_input || std::holds_alternative<TransformerXl>(spec))) {
    refuse("causal needs softmax weights, which are not part of this example of ", kind);
  }
  if (!at_input) return;
  if (pairs.head != 0) refuse(kind, " is added to embeddings, which have no heads, but head is ", pairs.head);
  if (!pairs.parameters.empty()) refuse("parameters apply to encodings inside attention: ", kind, " has none");
}

std::vector<Step> steps_of(const Spec& spec, const ExplainPairs& pairs) {
  switch (place_of(spec)) {
    case Place::nowhere:
      return explanation::explain_none(pairs);
    case Place::term:
      return explanation::explain_term(spec, pairs);
    case Place::input:
      return explanation::explain_parts(spec, pairs);
    default:
      return explanation::explain_bias(spec, pairs);
  }
}

std::string said_distance(double key, double query) {
  const double distance = query - key;
  if (distance == 0.0) return "at the same position";
  return text::number_text(std::fabs(distance)) + (distance > 0.0 ? " before" : " after");
}

// The columns that a word takes, one per character. Padding by bytes would shift what follows an accent.
std::size_t display_width(std::string_view word) {
  std::size_t columns = 0;
  for (; !word.empty(); ++columns) word.remove_prefix(text::first_character(word).length);
  return columns;
}

std::string padded_word(std::string word, std::size_t columns) {
  const std::size_t own = display_width(word);
  if (own < columns) word.append(columns - own, ' ');
  return word;
}

// Where the words are, and how far each is from the query that is followed.
Step words_step(const Spec& spec, const ExplainPairs& pairs) {
  const double query = pairs.queries.real(0, explanation::followed_query(pairs));
  std::string sentence, positions = "position  ", words = "word      ", distances, query_word;
  double last_before = -HUGE_VAL;  // the nearest key before the query, and its word
  std::string word_before;
  for (std::int64_t k = 0; k < pairs.keys.count; ++k) {
    const std::string& word = pairs.words[static_cast<std::size_t>(k)];
    const double key = pairs.keys.real(0, k);
    const std::string position = text::number_text(key);
    const std::size_t width = std::max(display_width(word), position.size()) + 2;
    sentence += (k > 0 ? " " : "") + word;
    positions += explanation::padded(position, width);
    words += padded_word(word, width);
    if (key == query) {
      query_word = word;
    } else {
      distances += (distances.empty() ? "\"" : ", \"") + word + "\" " + said_distance(key, query);
      if (key < query && key > last_before) {
        last_before = key;
        word_before = word;
      }
    }
  }
  const auto trimmed = [](std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  };
  Step step{"words", "The words: " + sentence, {trimmed(positions), trimmed(words)}, {}};
  if (place_of(spec) == Place::nowhere) {
    step.lines.emplace_back(
        "Attention without positions does not see this order: reordered, each word gets the same output.");
    return step;
  }
  if (distances.empty()) return step;
  const std::string name = query_word.empty() ? "position " + text::number_text(query) : "\"" + query_word + "\"";
  const auto say = [&](const std::string& text) {
    for (std::string& line : explanation::wrapped_lines(text)) step.lines.push_back(std::move(line));
  };
  say("seen from " + name + ": " + distances);
  if (query - last_before == 1.0 && !query_word.empty()) {
    say("Count steps, not words: \"" + word_before + "\" is 1 before \"" + query_word + "\", not 2.");
  }
  if (kind_facts(spec).represents != "distances") return step;
  say("Put a word in front of the sentence: every position grows by 1, and every distance stays the same. A relative "
      "encoding sees the distances only.");
  return step;
}

}  // namespace

std::string explanation::key_label(const ExplainPairs& pairs, std::int64_t key) {
  const std::string position = padded(position_text(pairs.keys, key), 5);
  if (pairs.words.empty()) return "key at " + position;
  std::size_t longest = 0;
  for (const std::string& word : pairs.words) longest = std::max(longest, display_width(word));
  return padded_word(pairs.words[static_cast<std::size_t>(key)], longest) + " at " + position;
}

std::string explanation::key_header(const ExplainPairs& pairs) {
  return padded("key", display_width(key_label(pairs, 0)));
}

std::vector<double> explanation::numbers_of(const BiasPair& pair, std::string_view name) {
  std::vector<double> numbers;
  for (const Parameter& parameter : pair.parameters) {
    if (parameter.name != name) continue;
    numbers.resize(static_cast<std::size_t>(parameter.value.size()));
    const std::int64_t rows = parameter.value.rank > 1 ? parameter.value.shape[0] : 1;
    const auto columns = static_cast<std::int64_t>(numbers.size()) / std::max<std::int64_t>(rows, 1);
    for (std::int64_t r = 0; r < rows; ++r) {
      base::load_row(parameter.value.rank > 1 ? parameter.value[r] : parameter.value, numbers.data() + r * columns);
    }
  }
  return numbers;
}

std::string explanation::named_numbers(const std::string& name, std::span<const double> numbers) {
  const std::string list = text::joined(numbers, ", ", [](double number) { return text::general_text(number, 6); });
  return name + " = " + (numbers.size() == 1 ? list : "[" + list + "]");
}

void explanation::check_head(const ExplainPairs& pairs, std::int64_t heads) {
  if (pairs.head >= 0 && pairs.head < heads) return;
  refuse("head must be ", heads == 1 ? "0, the only head," : "0 to " + std::to_string(heads - 1), " but got ",
         pairs.head);
}

std::vector<Step> explain_pairs(const Spec& spec, const ExplainPairs& pairs) {
  constexpr std::int64_t kMost = 16;
  validate(spec);
  for (const PositionView* positions : {&pairs.queries, &pairs.keys}) {
    const std::string name = positions == &pairs.queries ? "queries" : "keys";
    if (positions->count < 1 || positions->count > kMost || positions->axes != 1) {
      refuse(name, " must be 1 to ", kMost, " positions on one axis, but there are ", positions->count, " on ",
             positions->axes, positions->axes == 1 ? " axis" : " axes");
    }
    check_positions(*positions, "explain_pairs");
  }
  if (!pairs.scores.empty() && static_cast<std::int64_t>(pairs.scores.size()) != pairs.keys.count) {
    refuse("scores must be one per key, ", pairs.keys.count, ", but there are ", pairs.scores.size());
  }
  for (const double score : pairs.scores) {
    if (!std::isfinite(score)) refuse("scores must be finite but got ", score);
  }
  if (!pairs.words.empty() && static_cast<std::int64_t>(pairs.words.size()) != pairs.keys.count) {
    refuse("words must be one per key, ", pairs.keys.count, ", but there are ", pairs.words.size());
  }
  const Place place = place_of(spec);
  if (place == Place::rotation) {
    refuse(kind_of(spec), " rotates queries and keys: give a position, and a shift to see a score");
  }
  if (place == Place::query) refuse("temperature multiplies queries: give a position");
  if (std::holds_alternative<Concat>(spec) || std::holds_alternative<Fourier>(spec)) {
    refuse(kind_of(spec), " has one row per position: give a position");
  }
  check_use(spec, pairs, place == Place::input, place == Place::term);
  std::vector<Step> steps = steps_of(spec, pairs);
  if (!pairs.words.empty()) steps.insert(steps.begin() + 1, words_step(spec, pairs));
  explanation::add_mistakes(spec, steps);
  return steps;
}

}  // namespace posenc
