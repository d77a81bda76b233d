// Answers of students: an expression has a finite value or an error; a file of answers is refused or graded, and every
// question gets a verdict.
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz.h"
#include "insight/teaching/expression.h"
#include "posenc/insight/exercises.h"

namespace {

void try_expression(std::string_view input) {
  const posenc::teaching::Evaluated result = posenc::teaching::evaluate(input);
  require(std::isfinite(result.value), "a value is not finite");
  require(result.error.empty() || result.value == 0.0, "an error has a value");
  // A valid expression has the same value in parentheses, unless they make it too long or too deep.
  if (!result.error.empty() || input.size() > 900) return;
  const posenc::teaching::Evaluated again = posenc::teaching::evaluate("(" + std::string(input) + ")");
  require(!again.error.empty() || again.value == result.value, "parentheses changed the value");
  for (const std::string& item : posenc::teaching::list_items(input)) posenc::teaching::evaluate(item);
}

// One question of every kind.
std::vector<posenc::Question> make_questions() {
  using posenc::AnswerKind;
  return {{.id = "q1", .kind = AnswerKind::numeric, .answer = "0.84, 0.54", .values = {0.8414, 0.5403}, .decimals = 2},
          {.id = "q2", .kind = AnswerKind::symbolic, .answer = "sin(1/100)", .values = {0.00999983}},
          {.id = "q3", .kind = AnswerKind::choice, .choices = {"more", "less", "as many"}, .answer = "b"},
          {.id = "q4", .kind = AnswerKind::reasoned, .points = {{"it decays", {"decay", "less"}}, {"far", {"far"}}}}};
}

}  // namespace

void fuzz(std::string_view input) {
  static const std::vector<posenc::Question> questions = make_questions();
  try_expression(input);
  // Without ids, the text answers every question.
  std::vector<posenc::Answer> same;
  for (const posenc::Question& question : questions) same.push_back({question.id, std::string(input)});
  posenc::grade(questions, same);
  const std::vector<posenc::Answer> answers = posenc::parse_answers(input, "answers");
  const posenc::Grade grade = posenc::grade(questions, answers);
  require(grade.marks.size() == questions.size(), "a question has no mark");
}
