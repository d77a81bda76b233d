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
  add_spec_choice(*command, options.spec);
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

void add_report(CLI::App& app, ReportCommandOptions& options) {
  CLI::App* command = add_command(app, "report", "One offline page of HTML: a report on encodings, or the lesson.",
                                  "  posenc report sinusoidal:width=64 rotary:head_dim=64 -o report\n"
                                  "  posenc report --lesson --sentence \"dog bites man\" -o lesson\n"
                                  "  posenc report --advise --train 2048 --infer 16384 -o advice.html\n"
                                  "  posenc report learned:past_end=error --file wpe.npy -o wpe.html");
  command->add_option("SPEC", options.specs, kSpecHelp);
  add_spec_choice(*command, options.specs);
  command->add_flag("--lesson", options.lesson, "the lesson instead");
  command->add_option("--sentence", options.sentence, "with --lesson: its words (default: the cat sat on the mat)")
      ->check(not_empty);
  command->add_flag("--advise", options.advise, "a section that compares, recommends, and says what that rests on");
  command
      ->add_option("--train", options.train,
                   "the length that was trained on (default: original_positions of a scaling, else 2048)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{2147483647}));
  command->add_option("--infer", options.infer, "with --advise: the length it is used at (default: 8 times as long)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{2147483647}));
  command->add_option("--random-seed", options.draws_seed, "of what is drawn at random (default: 0)")->check(not_empty);
  command->add_flag("--overwrite", options.overwrite, "replace index.html in a folder that exists");
  add_weights(*command, options.weights);
  add_parameters(*command, options.parameters, options.values);
  command
      ->add_option("-o,--output", options.output.path,
                   "a new folder, which gets index.html, or a file that ends in .html (default: standard output)")
      ->check(not_empty);
}

}  // namespace

void add_lesson_commands(CLI::App& app, LessonCommands& commands) {
  add_exercises(app, commands.exercises);
  add_report(app, commands.report);
}

bool got_lesson_command(const CLI::App& app) { return app.got_subcommand("exercises") || app.got_subcommand("report"); }

int run_lesson_command(const CLI::App& app, const LessonCommands& commands) {
  return app.got_subcommand("report") ? run_report(commands.report) : run_exercises(commands.exercises);
}

}  // namespace posenc::cli
