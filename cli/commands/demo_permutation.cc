// Passes a sentence and its permutations through a layer of attention, with and without positions, and through layers
// that have order built in, and prints how much the outputs differ.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <utility>

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
  std::vector<std::string> others;  // the same words in other orders
  std::string permutation;          // token permutation[n] moves to place n
  bool outputs = false;             // print those of every row
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

std::vector<Words> other_sentences(const PermutationCommand& options, const Words& words) {
  if (options.others.size() > 4) {
    fail(ErrorKind::usage, fmt::format("--other can be given 4 times but was given {} times", options.others.size()));
  }
  std::vector<Words> result;
  for (const std::string& text : options.others) {
    result.push_back(words_of(text, "--other"));
    if (std::is_permutation(words.begin(), words.end(), result.back().begin(), result.back().end())) continue;
    fail(ErrorKind::usage,
         fmt::format("--other must have the words of the sentence in another order, '{}', but has '{}'",
                     fmt::join(words, " "), fmt::join(result.back(), " ")));
  }
  return result;
}

// Sizes that the user omitted become those of the layer: "rotary" becomes rotary:head_dim=8.
Encoding fitted(const Encoding& found, const PermutationCommand& options, std::size_t tokens) {
  if (found.assumed().empty()) return found;
  std::string text = found.text();
  const std::pair<std::string, std::int64_t> sizes[] = {{"width", options.width},
                                                        {"heads", options.heads},
                                                        {"head_dim", options.width / options.heads},
                                                        {"rows", static_cast<std::int64_t>(tokens)}};
  for (const auto& [name, size] : sizes) {
    for (const char* opening : {":", ",", "."}) {
      const std::string field = opening + name + "=";
      const std::size_t at = text.find(field);
      const bool assumed =
          ("," + found.assumed()).find((*opening == ':' ? "," : opening) + name + "=") != std::string::npos;
      if (at == std::string::npos || !assumed) continue;
      const std::size_t start = at + field.size();
      text.replace(start, std::min(text.find(',', start), text.size()) - start, std::to_string(size));
    }
  }
  say_assumed(found.assumed(), text);
  return find_encoding(text);
}

// The encodings to try, by the names that the user gave them: a path, or fields in another order.
std::vector<std::pair<std::string, Encoding>> find_fitted(const PermutationCommand& options, std::size_t tokens) {
  std::vector<std::pair<std::string, Encoding>> result;
  const std::vector<Encoding> all = find_encodings(options.specs, options.encoding);
  for (std::size_t i = 0; i < all.size(); ++i) {
    say_remarks(all[i], options.encoding);
    const Encoding encoding = fitted(all[i], options, tokens);
    result.emplace_back(all[i].assumed().empty() ? options.specs[i] : encoding.text(), encoding);
  }
  return result;
}

// The library refuses the same values, but these messages name the options.
PermutationQuestion make_question(const PermutationCommand& options, std::vector<std::string>& names) {
  if (options.width % (2 * options.heads) != 0) {
    fail(ErrorKind::usage,
         fmt::format("--width must be a multiple of 2 x heads, {}, but got {}", 2 * options.heads, options.width));
  }
  PermutationQuestion question{.width = options.width, .heads = options.heads};
  question.words = words_of(options.sentence, "--words");
  question.order = order_of(options, question.words.size());
  question.seed = options.seed;
  question.others = other_sentences(options, question.words);
  question.outputs = true;
  for (const auto& [name, encoding] : find_fitted(options, question.words.size())) {
    names.push_back(name);
    question.specs.push_back(encoding.spec());
  }
  return question;
}

PermutationResult answer(const PermutationQuestion& question, const std::vector<std::string>& names) {
  PermutationResult result = demonstrate_permutation(question);
  for (std::size_t i = 0; i < names.size(); ++i) result.rows[i + 1].name = names[i];
  return result;
}

std::string number(double value, double rounding) {
  return value < rounding ? fmt::format("below 1e{:.0f}", std::log10(rounding)) : fmt::format("{:.2g}", value);
}

std::size_t name_column(const PermutationResult& result) {
  std::size_t column = 0;
  for (const PermutationRow& row : result.rows) column = std::max(column, row.name.size());
  return column;
}

std::string note_text(const PermutationRow& row) { return row.note.empty() ? "" : "  (" + row.note + ")"; }

// The table of encodings. If there are two sentences, it has their comparison too.
std::string table_text(const PermutationResult& result) {
  const std::size_t column = name_column(result);
  const bool two = result.others.size() == 1;
  std::string text = fmt::format("{:<{}}  {:>11}  {:>11}  order{}\n", "", column, "mean", "largest",
                                 two ? "          pooled  sentences" : "");
  for (const PermutationRow& row : result.rows) {
    std::string line = fmt::format("{:<{}}  {:>11}  {:>11}  {:<8}", row.name, column, number(row.mean, result.rounding),
                                   number(row.largest, result.rounding), row.sees_order ? "seen" : "not seen");
    if (two) {
      const PooledPair& pair = row.pooled[0];
      line += fmt::format("  {:>11}  {:<9}", number(pair.largest, result.rounding),
                          pair.unseen == Unseen::not_so ? "differ" : "the same");
    }
    line += note_text(row);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

// The table of every pair of sentences, if there are three or more.
std::string pairs_text(const PermutationResult& result) {
  if (result.others.size() < 2) return "";
  const std::size_t column = name_column(result);
  std::string text = fmt::format("\npooled, for every pair of sentences\n\n{:<{}}", "", column);
  for (const PooledPair& pair : result.rows[0].pooled) {
    text += fmt::format("  {:>11}", fmt::format("{} and {}", pair.first + 1, pair.second + 1));
  }
  text += "\n";
  for (const PermutationRow& row : result.rows) {
    text += fmt::format("{:<{}}", row.name, column);
    for (const PooledPair& pair : row.pooled) text += fmt::format("  {:>11}", number(pair.largest, result.rounding));
    text += note_text(row) + "\n";
  }
  return text;
}

std::string vector_text(const std::vector<float>& numbers, std::size_t token, std::size_t width, std::size_t shown) {
  std::string text;
  for (std::size_t m = 0; m < shown; ++m) {
    const double value = static_cast<double>(numbers[token * width + m]);
    text += fmt::format("{:>8.3f}", std::fabs(value) < 5e-4 ? 0.0 : value);
  }
  return text;
}

// The outputs of each token in both orders, side by side.
std::string outputs_text(const PermutationCommand& options, const PermutationResult& result) {
  const auto width = static_cast<std::size_t>(options.width);
  const std::size_t shown = std::min<std::size_t>(width, 4), tokens = std::min<std::size_t>(result.words.size(), 12);
  std::string text = fmt::format(
      "\nOutputs of each token, {}: in the sentence, and in the permuted sentence\n",
      shown == width ? fmt::format("{} channels", width) : fmt::format("the first {} of {} channels", shown, width));
  std::size_t column = 5;
  for (std::size_t n = 0; n < tokens; ++n) column = std::max(column, result.words[n].size());
  for (const PermutationRow& row : result.rows) {
    if (!options.outputs && &row != &result.rows[0]) break;
    text += fmt::format("\n  {}\n", row.name);
    const std::vector<float> moved = moved_without_rounding(row, result.rounding);
    for (std::size_t n = 0; n < tokens; ++n) {
      text += fmt::format("  {:<{}}{}   |{}\n", result.words[n], column, vector_text(row.outputs, n, width, shown),
                          vector_text(moved, n, width, shown));
    }
  }
  if (tokens < result.words.size()) text += fmt::format("  and {} more tokens\n", result.words.size() - tokens);
  return text;
}

// Why an encoding does not see an order although it knows positions.
std::string reason_text(const PermutationResult& result, const PermutationRow& row) {
  std::string text;
  const auto sentence = [&](std::size_t i) {
    return fmt::format("'{}'", fmt::join(i == 0 ? result.words : result.others[i - 1], " "));
  };
  if (row.unseen == Unseen::same_distances) {
    text += fmt::format(
        "{} does not see this permutation: every pair of tokens keeps its distance, and the\n"
        "encoding depends on distances only. So each token has the same output as before, at its new "
        "place.\n",
        row.name);
  }
  for (const PooledPair& pair : row.pooled) {
    if (pair.unseen != Unseen::same_distances) continue;
    if (row.unseen == Unseen::same_distances && pair.first == 0 && result.others[pair.second - 1] == result.moved) {
      text += "The mean over all tokens is therefore the same too.\n";
    } else {
      text += fmt::format(
          "{} cannot tell {} from {}: each token has the same output, at\nanother place, so the mean over "
          "all tokens is the same.\n",
          row.name, sentence(pair.first), sentence(pair.second));
    }
  }
  if (row.causal) {
    text += fmt::format(
        "A causal mask changes that, because a token then sees only those before it: with one, the\n"
        "outputs of {} differ by up to {}.\n",
        row.name, number(*row.causal, result.rounding));
  }
  return text.empty() ? "" : "\n" + text;
}

std::string demo_text(const PermutationCommand& options, const PermutationResult& result) {
  std::string text = fmt::format(
      "Self-attention over {} tokens, width {}, {} {}, float32, random weights (seed {})\n\n", result.words.size(),
      options.width, options.heads, options.heads == 1 ? "head" : "heads", options.seed);
  const bool two = result.others.size() == 1, moved_is_other = result.moved == result.others[0];
  text += fmt::format("  {:<11} {}\n", two ? "sentence" : "sentence 1", fmt::join(result.words, " "));
  text += fmt::format("  {:<11} {}  ({})\n", "permuted", fmt::join(result.moved, " "), fmt::join(result.order, ","));
  for (std::size_t i = 0; i < result.others.size(); ++i) {
    if (two && moved_is_other) break;
    text += fmt::format("  {:<11} {}\n", two ? std::string("other") : fmt::format("sentence {}", i + 2),
                        fmt::join(result.others[i], " "));
  }
  text +=
      "\nmean, largest: difference between the outputs of the sentence and of the permuted one, put back in "
      "order\n";
  text += fmt::format("pooled: largest difference of the mean over all outputs{}\n\n", !two ? ""
                                                                                       : moved_is_other
                                                                                           ? ", sentence and permuted"
                                                                                           : ", sentence and other");
  text += table_text(result) + pairs_text(result) + outputs_text(options, result);
  for (const PermutationRow& row : result.rows) text += reason_text(result, row);
  return text +
         "\nWithout positions attention is equivariant: if the tokens are permuted, the outputs are permuted in the "
         "same\n"
         "way and do not change otherwise. Only their mean is invariant, so sentences of the same words look the "
         "same.\n"
         "A causal mask alone breaks this symmetry; a recurrence and a filter have order built in.\n";
}

Json words_json(const Words& words) { return Json::Array(words.begin(), words.end()); }

Json matrix_json(const std::vector<float>& numbers, std::int64_t width) {
  Json::Array rows;
  for (auto at = numbers.begin(); at != numbers.end(); at += width) {
    Json::Array row;
    for (auto number = at; number != at + width; ++number) row.emplace_back(static_cast<double>(*number));
    rows.emplace_back(std::move(row));
  }
  return rows;
}

// The reason in JSON; null if the order is seen.
Json unseen_name(Unseen unseen) {
  constexpr const char* kNames[] = {"", "no_positions", "same_sentence", "same_distances", "unknown"};
  return unseen == Unseen::not_so ? Json() : Json(kNames[static_cast<std::size_t>(unseen)]);
}

void write_demo_json(const OutputOptions& output, const PermutationQuestion& question, const PermutationResult& result,
                     bool outputs) {
  Json::Array rows, others;
  for (const Words& other : result.others) others.push_back(words_json(other));
  for (const PermutationRow& each : result.rows) {
    Json row;
    row.set("name", each.name).set("spec", each.spec ? to_json(*each.spec) : Json());
    row.set("note", each.note);
    row.set("mean", each.mean).set("largest", each.largest).set("sees_order", each.sees_order);
    row.set("unseen", unseen_name(each.unseen)).set("causal_largest", each.causal ? Json(*each.causal) : Json());
    Json::Array pairs;
    for (const PooledPair& pair : each.pooled) {
      Json item;
      item.set("sentences", Json::Array{pair.first + 1, pair.second + 1}).set("largest", pair.largest);
      pairs.push_back(std::move(item.set("unseen", unseen_name(pair.unseen))));
    }
    row.set("pooled", pairs);
    if (outputs) {
      row.set("outputs", matrix_json(each.outputs, question.width))
          .set("permuted", matrix_json(each.moved, question.width));
    }
    rows.push_back(std::move(row));
  }
  write_json(output, {{"demo", "permutation"},
                      {"tokens", words_json(result.words)},
                      {"permutation", Json::Array(result.order.begin(), result.order.end())},
                      {"others", others},
                      {"width", question.width},
                      {"heads", question.heads},
                      {"seed", fmt::format("{}", question.seed)},
                      {"rounding", result.rounding},
                      {"rows", rows}});
}

int run(const PermutationCommand& options) {
  const std::string format = choose_format(options.output, {"text", "json"});
  std::vector<std::string> names;
  const PermutationQuestion question = make_question(options, names);
  const PermutationResult result = answer(question, names);
  if (format == "json") {
    write_demo_json(options.output, question, result, options.outputs);
  } else {
    write_text(options.output, demo_text(options, result));
  }
  return 0;
}

}  // namespace

void add_demo_permutation(Command& app) {
  const auto options = std::make_shared<PermutationCommand>();
  Command command = app.command(
      "permutation", "Show that attention does not see word order, and what encodings change about that",
      "  posenc demo permutation\n"
      "  posenc demo permutation --words \"dog bites man\" --other \"man bites dog\"\n"
      "  posenc demo permutation --words \"I love Paris\" --other \"Paris love I\" --other \"love I Paris\"\n"
      "  posenc demo permutation --width 64 --heads 8 --encoding alibi:heads=8 --encoding rotary:head_dim=8");
  command.text("--words", options->sentence, "the words are the tokens; equal words have equal embeddings")
      .show_default()
      .formerly("--sentence");
  command
      .add("--other", options->others,
           "the same words in another order; may be given up to 4 times\n"
           "(default: 'the mat sat on the cat', else the permuted sentence)")
      .not_empty()
      .one_value();
  command.text("--permutation", options->permutation,
               "2,0,1 moves token 2 to the front, then token 0, then token 1\n"
               "(default: the order of --other; for 6 tokens 2,0,4,1,5,3)");
  command.add("--width", options->width, "width of the embeddings, a multiple of 2 x heads")
      .within(2, 4096)
      .show_default();
  command.add("--heads", options->heads, "attention heads").within(1, 1024).show_default();
  command.add("--seed", options->seed, "another seed gives other embeddings and weights (default: 0)");
  command.add("--encoding", options->specs, "a SPEC to try; may be repeated (default: one of every sort)").not_empty();
  command.flag("--outputs", options->outputs, "print the outputs with every encoding, not only without positions");
  add_spec_choice(command, options->encoding);
  options->encoding.example = ExampleSize::by_hand;
  add_output(command, options->output, "text, json");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
