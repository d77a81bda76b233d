// The parts of the lesson, in their order, and what they share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "insight/teaching/html.h"
#include "posenc/insight/figure.h"
#include "posenc/insight/report.h"

namespace posenc::teaching {

// A figure of the lesson: what to predict before looking, and what is seen.
struct LessonFigure {
  std::string name;
  std::string spec;
  std::string question;
  std::string answer;
  std::string extra = {};  // options of the command that makes it, behind the spec: "--positions 0:60"
  FigureOptions options = {};
};

class Lesson {
 public:
  explicit Lesson(const LessonOptions& options);

  const LessonOptions& options() const noexcept { return options_; }
  const std::vector<std::string>& words() const noexcept { return words_; }
  std::string figure(const LessonFigure& wanted);
  // Called before a section: what is made now.
  void tell(const std::string& what);

 private:
  const LessonOptions& options_;
  std::vector<std::string> words_;
  std::int64_t figures_ = 0;
  std::int64_t done_ = 0;
};

inline constexpr std::int64_t kLessonParts = 13;

std::string lesson_problem(Lesson& lesson);   // attention does not see order
std::string lesson_wishes(Lesson& lesson);    // what an encoding should be
std::string lesson_formula(Lesson& lesson);   // sines and cosines
std::string lesson_by_hand(Lesson& lesson);   // one row, step by step
std::string lesson_waves(Lesson& lesson);     // waves and heatmap
std::string lesson_live(Lesson& lesson);      // the figure that moves
std::string lesson_shift(Lesson& lesson);     // a shift is a rotation
std::string lesson_model(Lesson& lesson);     // into the model
std::string lesson_score(Lesson& lesson);     // the four parts of a score
std::string lesson_limits(Lesson& lesson);    // length and precision
std::string lesson_relative(Lesson& lesson);  // biases
std::string lesson_rotary(Lesson& lesson);    // turning
std::string lesson_choice(Lesson& lesson);    // which one, and exercises

}  // namespace posenc::teaching
