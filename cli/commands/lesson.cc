// Writes the lesson: one page that leads from word order to the choice of an encoding.
#include "cli/commands/commands.h"
#include "cli/page_file.h"
#include "core/text/shell.h"

namespace posenc::cli {
namespace {

constexpr const char* kLessonName = "posenc-lesson.html";

// The command as a shell reads it, without the options for the output file.
std::string command_of(const LessonCommand& options) {
  std::string text = "posenc lesson";
  if (!options.sentence.empty()) text += " --words " + text::shell_word(options.sentence);
  if (options.seed != 0) text += " --seed " + std::to_string(options.seed);
  return text;
}

}  // namespace

void write_lesson(const LessonCommand& options) {
  LessonOptions lesson{.seed = options.seed, .command = command_of(options)};
  if (!options.sentence.empty()) lesson.sentence = options.sentence;
  check_lesson(lesson);
  write_page(options.page, kLessonName, [&](const PageProgress& progress) {
    lesson.progress = progress;
    return make_lesson(lesson);
  });
}

void add_lesson(Command& app) {
  const auto options = std::make_shared<LessonCommand>();
  Command command = app.command("lesson", "Write a lesson on positional encodings, as a page for a browser",
                                "  posenc lesson\n"
                                "  posenc lesson --words \"I saw her duck\" -o lesson.html");
  command.text("--words", options->sentence, "the words of its examples (default: the cat sat on the mat)")
      .formerly("--sentence");
  command.add("--seed", options->seed, "another seed gives other random numbers (default: 0)")
      .formerly("--random-seed");
  add_page_output(command, options->page, kLessonName);
  command.runs([options] {
    write_lesson(*options);
    return 0;
  });
}

}  // namespace posenc::cli
