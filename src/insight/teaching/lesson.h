// What the sections of the lesson take from C++: tables, worked examples and numbers. Their prose is in assets/lesson.
#pragma once

#include <string>
#include <vector>

#include "insight/teaching/assets.h"
#include "posenc/insight/report.h"

namespace posenc::teaching {

// What the whole lesson is about.
struct LessonSubject {
  const LessonOptions& options;
  std::vector<std::string> words;  // of its sentence
};

Values problem_values(const LessonSubject& subject);
Values wishes_values(const LessonSubject& subject);
Values formula_values(const LessonSubject& subject);
Values by_hand_values(const LessonSubject& subject);
Values live_values(const LessonSubject& subject);
Values model_values(const LessonSubject& subject);
Values relative_values(const LessonSubject& subject);
Values rotary_values(const LessonSubject& subject);
Values choice_values(const LessonSubject& subject);

}  // namespace posenc::teaching
