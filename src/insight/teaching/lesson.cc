#include "insight/teaching/lesson.h"

#include "core/text/shell.h"
#include "insight/teaching/page_assets.h"
#include "insight/teaching/page_limit.h"
#include "posenc/error.h"
#include "posenc/spec.h"

namespace posenc {
namespace teaching {
namespace {

std::vector<std::string> words_of(const std::string& sentence) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : sentence + " ") {
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

}  // namespace

Lesson::Lesson(const LessonOptions& options) : options_(options), words_(words_of(options.sentence)) {
  constexpr std::size_t kMost = 24;
  if (words_.size() < 2 || words_.size() > kMost) {
    fail(ErrorKind::usage, "[make_lesson] the sentence must have 2 to " + std::to_string(kMost) + " words but has " +
                               std::to_string(words_.size()));
  }
  for (const std::string& word : words_) {
    if (word.size() > 40) fail(ErrorKind::usage, "[make_lesson] a word must have at most 40 bytes: '" + word + "'");
  }
}

void Lesson::tell(const std::string& what) {
  if (options_.progress) options_.progress(what, done_, kLessonParts);
  ++done_;
}

std::string Lesson::figure(const LessonFigure& wanted) {
  FigureOptions options = wanted.options;
  options.seed = options_.seed;
  options.command = "posenc plot " + wanted.name + (wanted.spec.empty() ? "" : " " + wanted.spec) +
                    (wanted.extra.empty() ? "" : " " + wanted.extra) +
                    (wanted.options.tokens.empty() ? "" : " --sentence " + text::shell_word(options_.sentence)) +
                    (options_.seed == 0 ? "" : " --random-seed " + std::to_string(options_.seed));
  const Figure figure = make_figure(wanted.name, find_encoding(wanted.spec.empty() ? "none" : wanted.spec), options);
  return figure_block({.figure = &figure,
                       .id = "f" + std::to_string(++figures_) + "-" + wanted.name,
                       .question = wanted.question,
                       .answer = wanted.answer});
}

}  // namespace teaching

std::string make_lesson(const LessonOptions& options) {
  teaching::Lesson lesson(options);
  std::string body;
  for (const auto part :
       {teaching::lesson_problem, teaching::lesson_wishes, teaching::lesson_formula, teaching::lesson_by_hand,
        teaching::lesson_waves, teaching::lesson_live, teaching::lesson_shift, teaching::lesson_model,
        teaching::lesson_score, teaching::lesson_limits, teaching::lesson_relative, teaching::lesson_rotary,
        teaching::lesson_choice}) {
    body += part(lesson);
  }
  return teaching::checked_page(
      teaching::page({.title = "Where a word stands: positional encodings of transformers",
                      .lead =
                          "A lesson with numbers that you can check by hand. Before each figure there is a question: "
                          "answer it before you look. Every figure says the command that makes it, and can be saved.",
                      .body = body,
                      .script = std::string(teaching::live_script()),
                      .command = options.command}),
      "[make_lesson]");
}

}  // namespace posenc
