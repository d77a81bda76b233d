#include "posenc/insight/demonstration.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "core/base/refuse.h"
#include "core/text/joined.h"
#include "insight/teaching/demonstration_model.h"
#include "posenc/error.h"
#include "posenc/models/encoding.h"
#include "posenc/parameters.h"

namespace posenc {
namespace {

using teaching::DemonstrationModel;
using teaching::Matrix;
using Words = std::vector<std::string>;
using Order = std::vector<std::int64_t>;
using Layer = std::function<Matrix(const Matrix&)>;

constexpr std::size_t kMostWords = 1024;
constexpr std::int64_t kMostHeads = 1024;
constexpr std::int64_t kMostWidth = 4096;
constexpr std::size_t kMostOthers = 4;

constexpr base::Refusal refuse{"demonstrate_permutation"};

void check_size(const PermutationQuestion& question) {
  const std::size_t words = question.words.size();
  const std::int64_t width = question.width, heads = question.heads;
  if (words < 2 || words > kMostWords) {
    refuse("words must be 2 to ", kMostWords, " but are ", words);
  }
  if (heads < 1 || heads > kMostHeads) {
    refuse("heads must be 1 to ", kMostHeads, " but got ", heads);
  }
  if (width < 2 || width > kMostWidth) {
    refuse("width must be 2 to ", kMostWidth, " but got ", width);
  }
  if (width % (2 * heads) != 0) {
    refuse("width must be a multiple of 2 x heads, ", 2 * heads, ", but got ", width);
  }
}

void check_order(const Order& order, std::size_t words) {
  if (order.size() != words) {
    refuse("order must have a number for each of the ", words, " words but has ", order.size());
  }
  for (std::size_t n = 0; n < words; ++n) {
    if (std::find(order.begin(), order.end(), static_cast<std::int64_t>(n)) == order.end()) {
      refuse("order must have every number from 0 to ", words - 1, " once but lacks ", n);
    }
  }
  if (std::is_sorted(order.begin(), order.end())) refuse("order must move a word but leaves all where they are");
}

// The default order: words at odd places first. It is not the reverse order, which symmetric biases do not see. For 6
// words, an order that is known from lectures.
Order usual_order(std::size_t words) {
  if (words == 6) return {2, 0, 4, 1, 5, 3};
  Order order;
  for (const std::size_t first : {std::size_t{1}, std::size_t{0}}) {
    for (std::size_t n = first; n < words; n += 2) order.push_back(static_cast<std::int64_t>(n));
  }
  return order;
}

// The order that makes `other` from `words`. Of equal words, the first comes first, unless all words are in reverse
// order: symmetric biases do not see that, and would seem to see it if equal words were exchanged.
Order order_of(const Words& words, const Words& other) {
  Order order;
  if (std::equal(words.rbegin(), words.rend(), other.begin(), other.end())) {
    for (auto from = static_cast<std::int64_t>(words.size()) - 1; from >= 0; --from) order.push_back(from);
    return order;
  }
  for (const std::string& word : other) {
    for (std::size_t n = 0; n < words.size(); ++n) {
      const auto from = static_cast<std::int64_t>(n);
      if (words[n] != word || std::find(order.begin(), order.end(), from) != order.end()) continue;
      order.push_back(from);
      break;
    }
  }
  return order;
}

Order chosen_order(const PermutationQuestion& question) {
  if (!question.order.empty()) return question.order;
  const Order order = question.others.empty() ? Order() : order_of(question.words, question.others[0]);
  return std::is_sorted(order.begin(), order.end()) ? usual_order(question.words.size()) : order;
}

Words permuted(const Words& words, const Order& order) {
  Words result;
  for (const std::int64_t from : order) result.push_back(words[static_cast<std::size_t>(from)]);
  return result;
}

void check_others(const PermutationQuestion& question) {
  if (question.others.size() > kMostOthers) {
    refuse("others must be at most ", kMostOthers, " sentences but are ", question.others.size());
  }
  const Words& words = question.words;
  for (const Words& other : question.others) {
    if (std::is_permutation(words.begin(), words.end(), other.begin(), other.end())) continue;
    refuse("other must have the words in another order, '", text::joined(words, " "), "', but has '",
           text::joined(other, " "), "'");
  }
  if (std::find(question.others.begin(), question.others.end(), words) != question.others.end()) {
    refuse("other must differ from the sentence, '", text::joined(words, " "), "'");
  }
}

std::vector<Words> other_sentences(const PermutationQuestion& question, const Words& moved) {
  if (!question.others.empty()) return question.others;
  const bool usual = question.words == PermutationQuestion{}.words;
  return {usual ? Words{"the", "mat", "sat", "on", "the", "cat"} : moved};
}

// Equal words have equal embeddings: rows are in the order in which words first occur.
class Vocabulary {
 public:
  Vocabulary(const DemonstrationModel& model, const Words& words)
      : rows_(numbered(words)),
        table_(random_matrix(static_cast<std::int64_t>(rows_.size()), model.width, 1.0, model.seed,
                             teaching::ModelMatrix::embeddings)) {}

  Matrix embed(const Words& words) const {
    Matrix tokens(static_cast<std::int64_t>(words.size()), table_.columns);
    for (std::int64_t n = 0; n < tokens.rows; ++n) {
      const std::int64_t row = rows_.find(words[static_cast<std::size_t>(n)])->second;
      std::copy_n(table_.row(row), table_.columns, tokens.row(n));
    }
    return tokens;
  }

 private:
  using Rows = std::map<std::string, std::int64_t>;

  static Rows numbered(const Words& words) {
    Rows rows;
    for (const std::string& word : words) rows.emplace(word, static_cast<std::int64_t>(rows.size()));
    return rows;
  }

  Rows rows_;
  Matrix table_;
};

// The mean over tokens, in double.
double pooled(const Matrix& outputs, std::int64_t channel) {
  double sum = 0.0;
  for (std::int64_t n = 0; n < outputs.rows; ++n) sum += static_cast<double>(outputs.row(n)[channel]);
  return sum / static_cast<double>(outputs.rows);
}

// Passes the same sentences through one layer after the other.
class Demonstration {
 public:
  Demonstration(const DemonstrationModel& model, bool keep_outputs, PermutationResult& result)
      : model_(model), keep_(keep_outputs), result_(result) {
    const Vocabulary vocabulary(model, result.words);
    sentences_.push_back(vocabulary.embed(result.words));
    for (const Words& other : result.others) sentences_.push_back(vocabulary.embed(other));
    moved_.push_back(vocabulary.embed(result.moved));
  }

  void add(PermutationRow row, const Layer& layer) {
    std::vector<Matrix> outputs;
    for (const Matrix& sentence : sentences_) outputs.push_back(layer(sentence));
    const Matrix moved = put_back(layer(moved_[0]));
    compare(outputs[0], moved, row);
    row.sees_order = row.largest >= result_.rounding;
    if (!row.sees_order) row.unseen = why_unseen(row, result_.words, result_.moved, result_.order);
    add_pairs(outputs, row);
    if (keep_) row.outputs = outputs[0].numbers;
    if (keep_) row.moved = moved.numbers;
    if (row.spec && is_unseen(row)) row.causal = with_causal_mask(row);
    result_.rows.push_back(std::move(row));
  }

 private:
  static bool is_unseen(const PermutationRow& row) {
    return row.unseen == Unseen::same_distances ||
           std::any_of(row.pooled.begin(), row.pooled.end(),
                       [](const PooledPair& pair) { return pair.unseen == Unseen::same_distances; });
  }

  // Puts the output of each moved word into the row where that word was.
  Matrix put_back(const Matrix& moved) const {
    Matrix result(moved.rows, moved.columns);
    for (std::int64_t n = 0; n < moved.rows; ++n) {
      std::copy_n(moved.row(n), moved.columns, result.row(result_.order[static_cast<std::size_t>(n)]));
    }
    return result;
  }

  static void compare(const Matrix& plain, const Matrix& moved, PermutationRow& row) {
    row.mean = row.largest = 0.0;
    for (std::size_t i = 0; i < plain.numbers.size(); ++i) {
      const double difference =
          std::fabs(static_cast<double>(moved.numbers[i]) - static_cast<double>(plain.numbers[i]));
      row.mean += difference / static_cast<double>(plain.numbers.size());
      row.largest = std::max(row.largest, difference);
    }
  }

  void add_pairs(const std::vector<Matrix>& outputs, PermutationRow& row) const {
    for (std::size_t a = 0; a < outputs.size(); ++a) {
      for (std::size_t b = a + 1; b < outputs.size(); ++b) {
        PooledPair pair{.first = a, .second = b};
        for (std::int64_t m = 0; m < outputs[a].columns; ++m) {
          pair.largest = std::max(pair.largest, std::fabs(pooled(outputs[a], m) - pooled(outputs[b], m)));
        }
        const Words& from = sentence(a);
        const Words& to = sentence(b);
        if (pair.largest < result_.rounding) pair.unseen = why_unseen(row, from, to, order_of(from, to));
        row.pooled.push_back(pair);
      }
    }
  }
  const Words& sentence(std::size_t index) const { return index == 0 ? result_.words : result_.others[index - 1]; }

  Unseen why_unseen(const PermutationRow& row, const Words& from, const Words& to, const Order& order) const {
    if (from == to) return Unseen::same_sentence;
    if (!row.spec) return Unseen::unknown;
    if (std::holds_alternative<NoPosition>(*row.spec)) return Unseen::no_positions;
    Order backwards(order.size());
    std::iota(backwards.rbegin(), backwards.rend(), 0);
    for (const Order& each : {order, backwards}) {  // with equal words, one of several orders that give the sentence
      if (permuted(from, each) == to && model_.keeps_every_bias(*row.spec, each)) return Unseen::same_distances;
    }
    return Unseen::unknown;
  }

  // How much the outputs of the moved words differ if a token sees only itself and the tokens before it.
  double with_causal_mask(const PermutationRow& row) const {
    PermutationRow causal;
    compare(model_.attention(*row.spec, sentences_[0], true), put_back(model_.attention(*row.spec, moved_[0], true)),
            causal);
    return causal.largest;
  }

  const DemonstrationModel& model_;
  bool keep_;
  PermutationResult& result_;
  std::vector<Matrix> sentences_, moved_;
};

bool is_untrained(const Spec& spec) {
  if (learned_part(spec) != nullptr) return true;
  const std::vector<ParameterInfo> parameters = parameters_of(spec);
  return std::any_of(parameters.begin(), parameters.end(), [](const ParameterInfo& each) { return !each.optional; });
}

PermutationRow row_of(const std::string& name, const Spec& spec) {
  const auto* window = std::get_if<Window>(&spec);
  const bool causal = window != nullptr && window->right == 0;
  return {.name = name,
          .spec = spec,
          .note = causal               ? "no encoding: a causal mask alone"
                  : is_untrained(spec) ? "untrained"
                                       : ""};
}

// The texts are as a reader would type them; to_text may order fields differently.
std::vector<PermutationRow> usual_rows(const DemonstrationModel& model, std::size_t words) {
  const std::string width = std::to_string(model.width), heads = std::to_string(model.heads);
  const std::string head_dim = std::to_string(model.width / model.heads);
  std::vector<PermutationRow> rows;
  for (const std::string& text :
       {"sinusoidal:width=" + width, "learned:rows=" + std::to_string(words) + ",width=" + width + ",past_end=error",
        "rotary:head_dim=" + head_dim, "alibi:heads=" + heads, "t5:heads=" + heads,
        "clipped:heads=" + heads + ",max_distance=4", "shaw:head_dim=" + head_dim + ",left=4,right=4",
        std::string("window:right=0")}) {
    rows.push_back(row_of(text, parse_spec(text)));
  }
  return rows;
}

std::vector<PermutationRow> attention_rows(const DemonstrationModel& model, const PermutationQuestion& question) {
  std::vector<PermutationRow> rows = {row_of("none", NoPosition{})};
  for (const Spec& spec : question.specs) rows.push_back(row_of(to_text(spec), spec));
  if (!question.specs.empty()) return rows;
  for (PermutationRow& row : usual_rows(model, question.words.size())) rows.push_back(std::move(row));
  return rows;
}

// A power of ten above the rounding error of a sum of `width` products of size 1.
double rounding_of(std::int64_t width) {
  return std::pow(10.0, std::ceil(std::log10(std::sqrt(static_cast<double>(width)) * 0x1p-23)));
}

}  // namespace

std::vector<float> moved_without_rounding(const PermutationRow& row, double rounding) {
  std::vector<float> numbers = row.moved;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double difference = static_cast<double>(numbers[i]) - static_cast<double>(row.outputs[i]);
    if (std::fabs(difference) < rounding) numbers[i] = row.outputs[i];
  }
  return numbers;
}

PermutationResult demonstrate_permutation(const PermutationQuestion& question) {
  check_size(question);
  if (!question.order.empty()) check_order(question.order, question.words.size());
  check_others(question);
  const DemonstrationModel model{question.width, question.heads, question.seed};
  for (const Spec& spec : question.specs) {
    validate(spec);
    model.check(spec, static_cast<std::int64_t>(question.words.size()));
  }
  PermutationResult result;
  result.words = question.words;
  result.order = chosen_order(question);
  result.moved = permuted(result.words, result.order);
  result.others = other_sentences(question, result.moved);
  result.rounding = rounding_of(question.width);
  Demonstration demonstration(model, question.outputs, result);
  for (const PermutationRow& row : attention_rows(model, question)) {
    demonstration.add(row, [&](const Matrix& x) { return model.attention(*row.spec, x); });
  }
  const std::string note = "order is built in";
  demonstration.add({.name = "recurrence", .note = note}, [&](const Matrix& x) { return model.recurrence(x); });
  demonstration.add({.name = "filter of 3 tokens", .note = note}, [&](const Matrix& x) { return model.filter(x); });
  return result;
}

}  // namespace posenc
