// All commands. Each is described, read and run by one file of this folder, and declares one function here.
#pragma once

#include "cli/grammar.h"

namespace posenc::cli {

void add_list(Command& app);
void add_table(Command& app);
void add_add(Command& app);
void add_rotate(Command& app);
void add_bias(Command& app);
void add_layer(Command& app);
void add_attend(Command& app);
void add_demo(Command& app);
void add_demo_permutation(Command& demo);
void add_demo_order(Command& demo);
void add_demo_gradient(Command& demo);
void add_check(Command& app);
void add_plan(Command& app);
void add_show(Command& app);
void add_compare(Command& app);
void add_diagnose(Command& app);
void add_resize(Command& app);
void add_explain(Command& app);
void add_plot(Command& app);
void add_exercises(Command& app);
void add_lesson(Command& app);
void add_report(Command& app);
void add_positions(Command& app);
void add_bench(Command& app);
void add_completions(Command& app);
void add_help(Command& app);

// Adds them in the order of `posenc --help`.
inline void add_commands(Command& app) {
  app.heading("Learn");
  add_explain(app);
  add_plot(app);
  add_demo(app);
  add_exercises(app);
  add_lesson(app);
  add_report(app);
  add_list(app);

  app.heading("Inspect");
  add_show(app);
  add_compare(app);
  add_diagnose(app);
  add_check(app);
  add_plan(app);

  app.heading("Compute");
  add_table(app);
  add_rotate(app);
  add_bias(app);
  add_positions(app);
  add_attend(app);
  add_layer(app);
  add_add(app);
  add_resize(app);

  app.heading("More");
  add_help(app);
  add_bench(app);
  add_completions(app);
}

}  // namespace posenc::cli
