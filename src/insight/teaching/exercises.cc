#include "posenc/insight/exercises.h"

#include "insight/properties/kind_page.h"
#include "insight/teaching/exercise_sheet.h"

namespace posenc {

std::vector<Question> make_exercises(const Spec& spec, std::uint64_t seed, const ExerciseOptions& options) {
  validate(spec);
  teaching::Sheet sheet(seed, options);
  properties::page_of(spec).questions(spec, sheet);
  return sheet.questions();
}

std::string exercises_remark(const Spec& spec, std::uint64_t seed) {
  validate(spec);
  teaching::Sheet sheet(seed, {});
  properties::page_of(spec).questions(spec, sheet);
  return sheet.remarks();
}

std::string_view level_name(Level level) noexcept {
  constexpr std::string_view kNames[] = {"easy", "medium", "hard"};
  return kNames[static_cast<std::size_t>(level)];
}

std::string_view answer_kind_name(AnswerKind kind) noexcept {
  constexpr std::string_view kNames[] = {"numeric", "symbolic", "choice", "reasoned"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view answer_verdict_name(AnswerVerdict verdict) noexcept {
  constexpr std::string_view kNames[] = {"right", "wrong", "missing", "for a person"};
  return kNames[static_cast<std::size_t>(verdict)];
}

}  // namespace posenc
