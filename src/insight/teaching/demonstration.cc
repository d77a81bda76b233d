#include "posenc/insight/demonstration.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "core/base/refuse.h"
#include "core/text/joined.h"
#include "insight/teaching/demonstration_model.h"
#include "posenc/error.h"

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

// Not the reverse, which symmetric biases do not see: those at odd places first. For 6 words, one that is well known.
Order usual_order(std::size_t words) {
  if (words == 6) return {2, 0, 4, 1, 5, 3};
  Order order;
  for (const std::size_t first : {std::size_t{1}, std::size_t{0}}) {
    for (std::size_t n = first; n < words; n += 2) order.push_back(static_cast<std::int64_t>(n));
  }
  return order;
}

Words permuted(const Words& words, const Order& order) {
  Words result;
  for (const std::int64_t from : order) result.push_back(words[static_cast<std::size_t>(from)]);
  return result;
}

Words other_words(const PermutationQuestion& question, const Words& moved) {
  if (question.other.empty()) {
    return question.words == PermutationQuestion{}.words ? Words{"the", "mat", "sat", "on", "the", "cat"} : moved;
  }
  const Words& words = question.words;
  if (!std::is_permutation(words.begin(), words.end(), question.other.begin(), question.other.end())) {
    refuse("other must have the words in another order, '", text::joined(words, " "), "', but has '",
           text::joined(question.other, " "), "'");
  }
  return question.other;
}

// Equal words have equal embeddings; the first word that comes has the first row.
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

// One layer after the other is shown the same three sentences.
class Demonstration {
 public:
  Demonstration(const DemonstrationModel& model, PermutationResult& result)
      : Demonstration(Vocabulary(model, result.words), result) {}

  void add(PermutationRow row, const Layer& layer) {
    const Matrix plain = layer(words_);
    compare_moved(plain, layer(moved_), row);
    compare_pooled(plain, layer(other_), row);
    row.sees_order = row.largest >= result_.rounding;
    result_.rows.push_back(std::move(row));
  }

 private:
  Demonstration(const Vocabulary& vocabulary, PermutationResult& result)
      : words_(vocabulary.embed(result.words)),
        moved_(vocabulary.embed(result.moved)),
        other_(vocabulary.embed(result.other)),
        result_(result) {}

  void compare_moved(const Matrix& plain, const Matrix& moved, PermutationRow& row) const {
    for (std::int64_t n = 0; n < plain.rows; ++n) {
      const float* back = plain.row(result_.order[static_cast<std::size_t>(n)]);
      for (std::int64_t m = 0; m < plain.columns; ++m) {
        const double difference = std::fabs(static_cast<double>(moved.row(n)[m]) - static_cast<double>(back[m]));
        row.mean += difference / static_cast<double>(plain.rows * plain.columns);
        row.largest = std::max(row.largest, difference);
      }
    }
  }
  static void compare_pooled(const Matrix& plain, const Matrix& other, PermutationRow& row) {
    for (std::int64_t m = 0; m < plain.columns; ++m) {
      row.pooled = std::max(row.pooled, std::fabs(pooled(plain, m) - pooled(other, m)));
    }
  }

  Matrix words_, moved_, other_;
  PermutationResult& result_;
};

PermutationRow row_of(const std::string& name, const Spec& spec) {
  const auto* window = std::get_if<Window>(&spec);
  const bool causal = window != nullptr && window->right == 0;
  return {.name = name, .spec = spec, .note = causal ? "no encoding: a causal mask alone" : ""};
}

// In the words that a reader would type, which is not always the order of to_text.
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

// A power of ten above the rounding of sums of that many products of size 1.
double rounding_of(std::int64_t width) {
  return std::pow(10.0, std::ceil(std::log10(std::sqrt(static_cast<double>(width)) * 0x1p-23)));
}

}  // namespace

PermutationResult demonstrate_permutation(const PermutationQuestion& question) {
  check_size(question);
  if (!question.order.empty()) check_order(question.order, question.words.size());
  for (const Spec& spec : question.specs) validate(spec);
  PermutationResult result;
  result.words = question.words;
  result.order = question.order.empty() ? usual_order(question.words.size()) : question.order;
  result.moved = permuted(result.words, result.order);
  result.other = other_words(question, result.moved);
  result.rounding = rounding_of(question.width);
  const DemonstrationModel model{question.width, question.heads, question.seed};
  Demonstration demonstration(model, result);
  for (const PermutationRow& row : attention_rows(model, question)) {
    demonstration.add(row, [&](const Matrix& x) { return model.attention(*row.spec, x); });
  }
  const std::string note = "order is built in";
  demonstration.add({.name = "recurrence", .note = note}, [&](const Matrix& x) { return model.recurrence(x); });
  demonstration.add({.name = "filter of 3 tokens", .note = note}, [&](const Matrix& x) { return model.filter(x); });
  return result;
}

}  // namespace posenc
