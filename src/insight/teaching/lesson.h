// Tables, worked examples and numbers for the sections of the lesson. The prose is in assets/lesson.
#pragma once

#include <string>
#include <vector>

#include "insight/teaching/assets.h"
#include "posenc/insight/report.h"

namespace posenc::teaching {

// What all sections of a lesson share.
struct LessonSubject {
  const LessonOptions& options;
  std::vector<std::string> words;  // of its sentence
};

Values problem_values(const LessonSubject& subject);
Values wishes_values(const LessonSubject& subject);
Values formula_values(const LessonSubject& subject);
Values by_hand_values(const LessonSubject& subject);
Values waves_values(const LessonSubject& subject);
Values live_values(const LessonSubject& subject);
Values shift_values(const LessonSubject& subject);
Values model_values(const LessonSubject& subject);
Values score_values(const LessonSubject& subject);
Values limits_values(const LessonSubject& subject);
Values relative_values(const LessonSubject& subject);
Values rotary_values(const LessonSubject& subject);
Values layer_values(const LessonSubject& subject);
Values choice_values(const LessonSubject& subject);

}  // namespace posenc::teaching
