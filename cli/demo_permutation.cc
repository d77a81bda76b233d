// Permuted tokens through a layer of attention, with and without positions, and through layers that have order built
// in.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <sstream>

#include "cli/commands.h"
#include "cli/demo_model.h"
#include "cli/encoding.h"
#include "cli/integers.h"
#include "cli/output.h"
#include "posenc/error.h"
#include "posenc/load.h"
#include "posenc/spec_json.h"

namespace posenc::cli {
namespace {

using Words = std::vector<std::string>;
using Order = std::vector<std::int64_t>;
using Layer = std::function<Matrix(const Matrix&)>;

constexpr std::size_t kMostTokens = 1024;

Words words_of(const std::string& sentence, const char* option) {
  std::istringstream stream(sentence);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  if (words.size() >= 2 && words.size() <= kMostTokens) return words;
  fail(ErrorKind::usage, fmt::format("{} must have 2 to {} words but has {}", option, kMostTokens, words.size()));
}

// Not the reverse, which symmetric biases do not see: those at odd places first. For 6 tokens, one that is well known.
Order usual_order(std::size_t tokens) {
  if (tokens == 6) return {2, 0, 4, 1, 5, 3};
  Order order;
  for (const std::size_t first : {std::size_t{1}, std::size_t{0}}) {
    for (std::size_t n = first; n < tokens; n += 2) order.push_back(static_cast<std::int64_t>(n));
  }
  return order;
}

Order order_of(const PermutationOptions& options, std::size_t tokens) {
  if (options.permutation.empty()) return usual_order(tokens);
  Order order = read_list(options.permutation, "--permutation");
  Order sorted = order;
  std::sort(sorted.begin(), sorted.end());
  Order every(tokens);
  std::iota(every.begin(), every.end(), 0);
  if (sorted != every) {
    fail(ErrorKind::usage, fmt::format("--permutation must have every number from 0 to {} once, as there are {} "
                                       "tokens, but got '{}'",
                                       tokens - 1, tokens, options.permutation));
  }
  if (order == every) fail(ErrorKind::usage, "--permutation must move a token but leaves all where they are");
  return order;
}

Words permuted(const Words& words, const Order& order) {
  Words result;
  for (const std::int64_t from : order) result.push_back(words[static_cast<std::size_t>(from)]);
  return result;
}

Words other_words(const PermutationOptions& options, const Words& words, const Order& order) {
  const bool usual = options.sentence == PermutationOptions{}.sentence;
  if (options.other.empty() && !usual) return permuted(words, order);
  const Words other = words_of(options.other.empty() ? "the mat sat on the cat" : options.other, "--other");
  if (std::is_permutation(words.begin(), words.end(), other.begin(), other.end())) return other;
  fail(ErrorKind::usage, fmt::format("--other must have the words of the sentence in another order, '{}', but has '{}'",
                                     fmt::join(words, " "), fmt::join(other, " ")));
}

// Equal words have equal embeddings; the first word that comes has the first row.
struct Vocabulary {
  DemoModel model;
  std::map<std::string, std::int64_t> rows;

  Vocabulary(const DemoModel& given, const Words& words) : model(given) {
    for (const std::string& word : words) rows.emplace(word, static_cast<std::int64_t>(rows.size()));
  }
  Matrix embed(const Words& words) const {
    const auto count = static_cast<std::int64_t>(rows.size());
    const Matrix table = random_matrix(count, model.width, 1.0, model.seed, kEmbeddings);
    Matrix tokens(static_cast<std::int64_t>(words.size()), model.width);
    for (std::int64_t n = 0; n < tokens.rows; ++n) {
      std::copy_n(table.row(rows.at(words[static_cast<std::size_t>(n)])), model.width, tokens.row(n));
    }
    return tokens;
  }
};

struct Difference {
  double mean = 0.0;
  double largest = 0.0;
  double pooled = 0.0;
};

// Of the outputs of permuted tokens, put back, and of the tokens.
void compare_permuted(const Matrix& plain, const Matrix& moved, const Order& order, Difference& result) {
  for (std::int64_t n = 0; n < plain.rows; ++n) {
    const float* back = plain.row(order[static_cast<std::size_t>(n)]);
    for (std::int64_t m = 0; m < plain.columns; ++m) {
      const double difference = std::fabs(static_cast<double>(moved.row(n)[m]) - static_cast<double>(back[m]));
      result.mean += difference / static_cast<double>(plain.rows * plain.columns);
      result.largest = std::max(result.largest, difference);
    }
  }
}

// The mean over tokens, in double.
double pooled(const Matrix& outputs, std::int64_t channel) {
  double sum = 0.0;
  for (std::int64_t n = 0; n < outputs.rows; ++n) sum += static_cast<double>(outputs.row(n)[channel]);
  return sum / static_cast<double>(outputs.rows);
}

struct Tried {
  std::string name;
  Json spec;  // null: no encoding
  std::string note;
  Difference difference;
};

struct Demo {
  DemoModel model;
  Words words, moved, other;
  Order order;
  double rounding;  // differences below are that of float32, whatever their digits
  std::vector<Tried> rows = {};

  void add(const std::string& name, const Json& spec, const std::string& note, const Layer& layer) {
    const Vocabulary vocabulary(model, words);
    const Matrix plain = layer(vocabulary.embed(words));
    Difference difference;
    compare_permuted(plain, layer(vocabulary.embed(moved)), order, difference);
    const Matrix second = layer(vocabulary.embed(other));
    for (std::int64_t m = 0; m < model.width; ++m) {
      difference.pooled = std::max(difference.pooled, std::fabs(pooled(plain, m) - pooled(second, m)));
    }
    rows.push_back({name, spec, note, difference});
  }
  bool sees_order(const Tried& tried) const { return tried.difference.largest >= rounding; }
};

std::vector<std::string> usual_encodings(const DemoModel& model, std::size_t tokens) {
  const std::int64_t head_dim = model.width / model.heads;
  return {fmt::format("sinusoidal:width={}", model.width),
          fmt::format("learned:rows={},width={},past_end=error", tokens, model.width),
          fmt::format("rotary:head_dim={}", head_dim),
          fmt::format("alibi:heads={}", model.heads),
          fmt::format("t5:heads={}", model.heads),
          fmt::format("clipped:heads={},max_distance=4", model.heads),
          fmt::format("shaw:head_dim={},left=4,right=4", head_dim),
          "window:right=0"};
}

Demo make_demo(const PermutationOptions& options) {
  if (options.width % (2 * options.heads) != 0) {
    fail(ErrorKind::usage,
         fmt::format("--width must be a multiple of 2 x heads, {}, but got {}", 2 * options.heads, options.width));
  }
  const Words words = words_of(options.sentence, "--sentence");
  const Order order = order_of(options, words.size());
  const DemoModel model{options.width, options.heads, whole_number(options.seed, "--seed")};
  // A power of ten above the rounding of sums of that many products of size 1.
  const double rounding = std::pow(10.0, std::ceil(std::log10(std::sqrt(static_cast<double>(model.width)) * 0x1p-23)));
  Demo demo{model, words, permuted(words, order), other_words(options, words, order), order, rounding};
  demo.add("none", to_json(Spec(NoPosition{})), "", [&](const Matrix& x) { return attention(model, NoPosition{}, x); });
  const bool usual = options.encodings.empty();
  for (const std::string& text : usual ? usual_encodings(model, words.size()) : options.encodings) {
    const Spec spec = load_spec(text);
    const auto* window = std::get_if<Window>(&spec);
    const bool causal = window != nullptr && window->right == 0;
    demo.add(text, to_json(spec), causal ? "no encoding: a causal mask alone" : "",
             [&](const Matrix& x) { return attention(model, spec, x); });
  }
  demo.add("recurrence", nullptr, "order is built in", [&](const Matrix& x) { return recurrence(model, x); });
  demo.add("filter of 3 tokens", nullptr, "order is built in", [&](const Matrix& x) { return filter(model, x); });
  return demo;
}

std::string number(double value, double rounding) {
  return value < rounding ? fmt::format("below 1e{:.0f}", std::log10(rounding)) : fmt::format("{:.2g}", value);
}

std::string table_text(const Demo& demo) {
  std::size_t column = 0;
  for (const Tried& tried : demo.rows) column = std::max(column, tried.name.size());
  std::string text = fmt::format("{:<{}}  {:>11}  {:>11}  {:>11}  order\n", "", column, "mean", "largest", "pooled");
  for (const Tried& tried : demo.rows) {
    const Difference& d = tried.difference;
    text += fmt::format("{:<{}}  {:>11}  {:>11}  {:>11}  {}{}\n", tried.name, column, number(d.mean, demo.rounding),
                        number(d.largest, demo.rounding), number(d.pooled, demo.rounding),
                        demo.sees_order(tried) ? "seen" : "not seen", tried.note.empty() ? "" : "; " + tried.note);
  }
  return text;
}

std::string demo_text(const Demo& demo) {
  std::string text = fmt::format(
      "Self-attention over {} tokens, width {}, {} {}, float32, random weights of seed {}\n\n", demo.words.size(),
      demo.model.width, demo.model.heads, demo.model.heads == 1 ? "head" : "heads", demo.model.seed);
  text += fmt::format("  tokens    {}\n", fmt::join(demo.words, " "));
  text += fmt::format("  permuted  {}  ({})\n", fmt::join(demo.moved, " "), fmt::join(demo.order, ","));
  text += fmt::format("  other     {}\n\n", fmt::join(demo.other, " "));
  text +=
      "mean, largest: the outputs of the permuted tokens, put back in order, beside those of the tokens\n"
      "pooled: the mean of all outputs, beside that of the other sentence; largest difference\n\n";
  text += table_text(demo);
  text +=
      "\nWithout positions attention is equivariant: permuted tokens give the same outputs, permuted. Only what is "
      "pooled\n"
      "over all tokens is invariant: two sentences of the same words cannot be told apart. A causal mask alone ends "
      "that,\n"
      "for what a token sees depends on its place; a recurrence and a filter have order built in.\n";
  return text;
}

Json words_json(const Words& words) { return Json::Array(words.begin(), words.end()); }

void write_demo_json(const OutputOptions& output, const Demo& demo) {
  Json::Array rows;
  for (const Tried& tried : demo.rows) {
    Json row;
    row.set("name", tried.name).set("spec", tried.spec).set("mean", tried.difference.mean);
    row.set("largest", tried.difference.largest).set("pooled", tried.difference.pooled);
    row.set("sees_order", demo.sees_order(tried));
    rows.push_back(std::move(row));
  }
  write_json(output, {{"demo", "permutation"},
                      {"tokens", words_json(demo.words)},
                      {"permutation", Json::Array(demo.order.begin(), demo.order.end())},
                      {"other", words_json(demo.other)},
                      {"width", demo.model.width},
                      {"heads", demo.model.heads},
                      {"seed", fmt::format("{}", demo.model.seed)},
                      {"rounding", demo.rounding},
                      {"rows", rows}});
}

}  // namespace

int run_demo_permutation(const PermutationOptions& options) {
  const std::string format = choose_format(options.output, {"text", "json"});
  const Demo demo = make_demo(options);
  if (format == "json") {
    write_demo_json(options.output, demo);
  } else {
    write_text(options.output, demo_text(demo));
  }
  return 0;
}

}  // namespace posenc::cli
