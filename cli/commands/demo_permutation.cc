// Prints what permuted tokens become in a layer of attention, with and without positions, and in layers that have order
// built in.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "cli/commands/commands.h"
#include "cli/encoding.h"
#include "cli/integers.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "posenc/error.h"
#include "posenc/files/spec_json.h"
#include "posenc/insight/demonstration.h"

namespace posenc::cli {
namespace {

struct PermutationCommand {
  std::string sentence = "the cat sat on the mat";
  std::string other;        // the same words in another order; empty: "the mat sat on the cat", else as permuted
  std::string permutation;  // token permutation[n] comes to place n; empty: by the number of tokens
  std::int64_t width = 32;
  std::int64_t heads = 4;
  std::uint64_t seed = 0;
  std::vector<std::string> specs;  // empty: one of every sort
  EncodingOptions encoding;
  OutputOptions output;
};

using Words = std::vector<std::string>;
using Order = std::vector<std::int64_t>;

constexpr std::size_t kMostTokens = 1024;

Words words_of(const std::string& sentence, const char* option) {
  std::istringstream stream(sentence);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  if (words.size() >= 2 && words.size() <= kMostTokens) return words;
  fail(ErrorKind::usage, fmt::format("{} must have 2 to {} words but has {}", option, kMostTokens, words.size()));
}

Order order_of(const PermutationCommand& options, std::size_t tokens) {
  if (options.permutation.empty()) return {};
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

Words other_words(const PermutationCommand& options, const Words& words) {
  if (options.other.empty()) return {};
  const Words other = words_of(options.other, "--other");
  if (std::is_permutation(words.begin(), words.end(), other.begin(), other.end())) return other;
  fail(ErrorKind::usage, fmt::format("--other must have the words of the sentence in another order, '{}', but has '{}'",
                                     fmt::join(words, " "), fmt::join(other, " ")));
}

// The library refuses the same; here messages name the options.
PermutationQuestion make_question(const PermutationCommand& options) {
  if (options.width % (2 * options.heads) != 0) {
    fail(ErrorKind::usage,
         fmt::format("--width must be a multiple of 2 x heads, {}, but got {}", 2 * options.heads, options.width));
  }
  PermutationQuestion question{.width = options.width, .heads = options.heads};
  question.words = words_of(options.sentence, "--sentence");
  question.order = order_of(options, question.words.size());
  question.seed = options.seed;
  question.other = other_words(options, question.words);
  for (const Encoding& encoding : find_with_remarks(options.specs, options.encoding)) {
    question.specs.push_back(encoding.spec());
  }
  return question;
}

// Rows have the names that the user gave: a path, or fields in another order.
PermutationResult answer(const PermutationQuestion& question, const std::vector<std::string>& encodings) {
  PermutationResult result = demonstrate_permutation(question);
  for (std::size_t i = 0; i < encodings.size(); ++i) result.rows[i + 1].name = encodings[i];
  return result;
}

std::string number(double value, double rounding) {
  return value < rounding ? fmt::format("below 1e{:.0f}", std::log10(rounding)) : fmt::format("{:.2g}", value);
}

std::string table_text(const PermutationResult& result) {
  std::size_t column = 0;
  for (const PermutationRow& row : result.rows) column = std::max(column, row.name.size());
  std::string text = fmt::format("{:<{}}  {:>11}  {:>11}  {:>11}  order\n", "", column, "mean", "largest", "pooled");
  for (const PermutationRow& row : result.rows) {
    text += fmt::format("{:<{}}  {:>11}  {:>11}  {:>11}  {}{}\n", row.name, column, number(row.mean, result.rounding),
                        number(row.largest, result.rounding), number(row.pooled, result.rounding),
                        row.sees_order ? "seen" : "not seen", row.note.empty() ? "" : "; " + row.note);
  }
  return text;
}

std::string demo_text(const PermutationQuestion& question, const PermutationResult& result) {
  std::string text = fmt::format(
      "Self-attention over {} tokens, width {}, {} {}, float32, random weights of seed {}\n\n", result.words.size(),
      question.width, question.heads, question.heads == 1 ? "head" : "heads", question.seed);
  text += fmt::format("  tokens    {}\n", fmt::join(result.words, " "));
  text += fmt::format("  permuted  {}  ({})\n", fmt::join(result.moved, " "), fmt::join(result.order, ","));
  text += fmt::format("  other     {}\n\n", fmt::join(result.other, " "));
  text +=
      "mean, largest: the outputs of the permuted tokens, put back in order, beside those of the tokens\n"
      "pooled: the mean of all outputs, beside that of the other sentence; largest difference\n\n";
  text += table_text(result);
  text +=
      "\nWithout positions attention is equivariant: permuted tokens give the same outputs, permuted. Only what is "
      "pooled\n"
      "over all tokens is invariant: two sentences of the same words cannot be told apart. A causal mask alone ends "
      "that,\n"
      "for what a token sees depends on its place; a recurrence and a filter have order built in.\n";
  return text;
}

Json words_json(const Words& words) { return Json::Array(words.begin(), words.end()); }

void write_demo_json(const OutputOptions& output, const PermutationQuestion& question,
                     const PermutationResult& result) {
  Json::Array rows;
  for (const PermutationRow& each : result.rows) {
    Json row;
    row.set("name", each.name).set("spec", each.spec ? to_json(*each.spec) : Json());
    row.set("mean", each.mean).set("largest", each.largest).set("pooled", each.pooled);
    row.set("sees_order", each.sees_order);
    rows.push_back(std::move(row));
  }
  write_json(output, {{"demo", "permutation"},
                      {"tokens", words_json(result.words)},
                      {"permutation", Json::Array(result.order.begin(), result.order.end())},
                      {"other", words_json(result.other)},
                      {"width", question.width},
                      {"heads", question.heads},
                      {"seed", fmt::format("{}", question.seed)},
                      {"rounding", result.rounding},
                      {"rows", rows}});
}

int run(const PermutationCommand& options) {
  const std::string format = choose_format(options.output, {"text", "json"});
  const PermutationQuestion question = make_question(options);
  const PermutationResult result = answer(question, options.specs);
  if (format == "json") {
    write_demo_json(options.output, question, result);
  } else {
    write_text(options.output, demo_text(question, result));
  }
  return 0;
}

}  // namespace

void add_demo_permutation(Command& app) {
  const auto options = std::make_shared<PermutationCommand>();
  Command command = app.command(
      "permutation", "Attention does not see the order of tokens; what each encoding changes about that.",
      "  posenc demo permutation\n"
      "  posenc demo permutation --sentence \"dog bites man\" --other \"man bites dog\"\n"
      "  posenc demo permutation --width 64 --heads 8 --encoding alibi:heads=8 --encoding rotary:head_dim=8");
  command.text("--sentence", options->sentence, "its words are the tokens; equal words have equal embeddings")
      .show_default();
  command.text("--other", options->other,
               "the same words in another order (default: 'the mat sat on the cat', else as permuted)");
  command.text("--permutation", options->permutation,
               "2,0,4,1,5,3: token 2 comes first, then token 0, .. (default: this for 6 tokens)");
  command.add("--width", options->width, "of the embeddings, a multiple of 2 x heads").within(2, 4096).show_default();
  command.add("--heads", options->heads, "of attention").within(1, 1024).show_default();
  command.add("--seed", options->seed, "another seed, other embeddings and weights (default: 0)");
  command.add("--encoding", options->specs, "a SPEC to try, may be repeated (default: one of every sort)").not_empty();
  add_spec_choice(command, options->encoding);
  add_output(command, options->output, "text, json");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
