// Prints the gradients of one loss: the embeddings and a learned table get one, a sinusoidal encoding has no numbers
// that could.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "cli/commands/commands.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "posenc/error.h"
#include "posenc/files/spec_json.h"
#include "posenc/insight/demonstration.h"

namespace posenc::cli {
namespace {

struct GradientCommand {
  std::string sentence = "the cat sat on the mat";
  std::int64_t width = 4;
  std::uint64_t seed = 0;
  OutputOptions output;
};

using Rows = std::vector<std::vector<double>>;

GradientQuestion make_question(const GradientCommand& options) {
  if (options.width % 2 != 0) {
    fail(ErrorKind::usage, fmt::format("--width must be even but got {}", options.width));
  }
  GradientQuestion question{.words = {}, .width = options.width, .seed = options.seed};
  std::istringstream stream(options.sentence);
  for (std::string word; stream >> word;) question.words.push_back(word);
  if (question.words.size() >= 2 && question.words.size() <= 24) return question;
  fail(ErrorKind::usage, fmt::format("--words must have 2 to 24 words but has {}", question.words.size()));
}

std::string line(const std::string& name, std::size_t column, const std::vector<double>& row, const char* remark = "") {
  std::string text = fmt::format("  {:<{}}", name, column);
  for (const double value : row) text += fmt::format("{:>9.4f}", std::fabs(value) < 5e-5 ? 0.0 : value);
  return text + remark + "\n";
}

std::string embeddings_text(const GradientDemonstration& demo, const GradientResult& result, std::size_t column) {
  std::string text;
  for (std::size_t i = 0; i < demo.vocabulary.size(); ++i) {
    text += line(demo.vocabulary[i], column, result.embeddings[i]);
  }
  return text;
}

std::size_t count(const GradientResult& result) {
  return result.embeddings.size() * result.embeddings[0].size() + static_cast<std::size_t>(result.learned_numbers);
}

// The digits of rounding errors differ between machines, so they are not printed.
std::string agreement(const GradientDemonstration& demo) {
  const double largest = std::max(demo.fixed.difference, demo.learned.difference);
  return largest < 1e-8 ? "less than 1e-8" : fmt::format("{:.1g}", largest);
}

std::string demo_text(const GradientQuestion& question, const GradientDemonstration& demo) {
  std::size_t column = 8;
  for (std::size_t n = 0; n < question.words.size(); ++n) {
    column = std::max(column, fmt::format("{}  {}", n, question.words[n]).size() + 2);
  }
  const std::string fixed = to_text(demo.fixed.spec), learned = to_text(demo.learned.spec);
  std::string text = fmt::format(
      "{} tokens of width {}: embedding + position, one head of attention, and a loss; float64, seed {}\n"
      "loss: half the squared distance of the outputs from random targets\n\n",
      question.words.size(), question.width, question.seed);
  text += fmt::format("1. {}: loss {:.6f}\n\n", fixed, demo.fixed.loss);
  text += "  Gradient of the embeddings, one row per word:\n\n" + embeddings_text(demo, demo.fixed, column);
  text += fmt::format(
      "\n  Gradient of the positions: none. The encoding has {} learned numbers: its rows are a formula of the\n"
      "  position, so a training step leaves them as they are.\n\n",
      demo.fixed.learned_numbers);
  text += fmt::format("2. {}, untrained: loss {:.6f}\n\n", learned, demo.learned.loss);
  text += "  Gradient of the embeddings, one row per word:\n\n" + embeddings_text(demo, demo.learned, column);
  text += fmt::format("\n  Gradient of the table, {} learned numbers, one row per position:\n\n",
                      demo.learned.learned_numbers);
  for (std::size_t p = 0; p < demo.learned.table.size(); ++p) {
    const bool used = p < question.words.size();
    text += line(fmt::format("{}  {}", p, used ? question.words[p] : "-"), column, demo.learned.table[p],
                 used ? "" : "   no token here: no gradient");
  }
  return text + fmt::format(
                    "\nThe gradient of a sum goes to both of its terms: row p of the table gets that of the token at "
                    "position p,\nand a word gets the sum over the places where it occurs.\n"
                    "Checked: all {} gradients differ from finite differences of the loss by {}.\n",
                    count(demo.fixed) + count(demo.learned), agreement(demo));
}

Json result_json(const GradientResult& result) {
  Json item;
  item.set("spec", to_json(result.spec)).set("loss", result.loss).set("learned_numbers", result.learned_numbers);
  const auto matrix = [](const Rows& rows) { return Json(Json::Array(rows.begin(), rows.end())); };
  item.set("arriving", matrix(result.arriving)).set("embeddings", matrix(result.embeddings));
  item.set("table", matrix(result.table));
  return item.set("difference", result.difference);
}

int run(const GradientCommand& options) {
  const std::string format = choose_format(options.output, {"text", "json"});
  const GradientQuestion question = make_question(options);
  const GradientDemonstration demo = demonstrate_gradient(question);
  if (format == "json") {
    write_json(options.output, {{"demo", "gradient"},
                                {"tokens", Json::Array(question.words.begin(), question.words.end())},
                                {"vocabulary", Json::Array(demo.vocabulary.begin(), demo.vocabulary.end())},
                                {"fixed", result_json(demo.fixed)},
                                {"learned", result_json(demo.learned)}});
  } else {
    write_text(options.output, demo_text(question, demo));
  }
  return 0;
}

}  // namespace

void add_demo_gradient(Command& app) {
  const auto options = std::make_shared<GradientCommand>();
  Command command = app.command("gradient", "Show that a learned table gets a gradient, and a fixed encoding does not",
                                "  posenc demo gradient\n"
                                "  posenc demo gradient --words \"I saw her duck\" --width 6 --seed 3");
  command.text("--words", options->sentence, "the words are the tokens; equal words have equal embeddings")
      .show_default()
      .formerly("--sentence");
  command.add("--width", options->width, "width of the embeddings, an even number").within(2, 16).show_default();
  command.add("--seed", options->seed, "another seed gives other numbers (default: 0)");
  add_output(command, options->output, "text, json");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
