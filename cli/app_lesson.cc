// The grammar of the commands for lessons.
#include "cli/grammar.h"

namespace posenc::cli {
namespace {

void add_exercises(CLI::App& app, ExercisesOptions& options) {
  CLI::App* command =
      add_command(app, "exercises", "A worksheet about an encoding, its key, and the grading of answers.",
                  "  posenc exercises sinusoidal:width=64 --seed 7 -o sheet.md\n"
                  "  posenc exercises sinusoidal:width=64 --seed 7 --answers -o key.html\n"
                  "  posenc exercises sinusoidal:width=64 --seed 7 --grade answers.txt");
  command->add_option("SPEC", options.spec, kSpecHelp)->required();
  command->add_option("--seed", options.seed, "another seed, other numbers (default: 0)")->check(not_empty);
  command->add_flag("--answers", options.answers, "with the key and the worked solutions");
  command
      ->add_option(
          "--grade", options.grade,
          "grade this file instead, {\"q1\": \"0.84147\"} or lines q1: 0.84147; SPEC and seed as on the sheet;\n"
          "exit 1 where an answer is wrong or missing")
      ->check(not_empty);
  add_output(*command, options.output, "text, md, html, json");
}

}  // namespace

void add_lesson_commands(CLI::App& app, LessonCommands& commands) { add_exercises(app, commands.exercises); }

bool got_lesson_command(const CLI::App& app) { return app.got_subcommand("exercises"); }

int run_lesson_command(const CLI::App&, const LessonCommands& commands) { return run_exercises(commands.exercises); }

}  // namespace posenc::cli
