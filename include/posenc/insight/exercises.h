// Exercises on an encoding, with hints, worked solutions and answers, and the grading of what students answer.
//
//     std::vector<posenc::Question> questions = posenc::make_exercises(posenc::Sinusoidal{.width = 64}, 7);
//     std::string sheet = posenc::exercises_markdown(questions, {.title = "Week 3"});
//     posenc::Grade grade = posenc::grade(questions, posenc::parse_answers(text, "answers.txt"));
//
// Pure: the same spec and seed give the same questions on every machine. Every number in an answer is computed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "posenc/export.h"
#include "posenc/spec.h"

namespace posenc {

enum class Level : int { easy, medium, hard };

enum class AnswerKind : int {
  numeric,   // numbers, right to the decimals asked for, rounded or cut; see enough_decimals
  symbolic,  // formulas, as docs/exercises.md describes them: any formula with the same value is right
  choice,    // the letter of one of the choices
  reasoned,  // sentences: a person decides; grading looks for the points that a good answer makes
};

// A point that a good answer makes; any one of the keywords finds it.
struct KeyPoint {
  std::string text = {};
  std::vector<std::string> keywords;  // in lower case
};

// A likely mistake, as a clause, and the answer that it leads to.
struct Mistake {
  std::string text = {};
  std::vector<double> values = {};  // as many as the question has; different mistakes may give the same
};

struct Question {
  std::string id = {};  // "q1", ...
  Level level = Level::easy;
  AnswerKind kind = AnswerKind::numeric;
  std::string text = {};
  std::string hint = {};
  std::vector<std::string> choices = {};   // for AnswerKind::choice: (a), (b), ...
  std::string answer = {};                 // as printed, and as grade() accepts it
  std::vector<double> values = {};         // numeric and symbolic: the numbers of the answer, in full
  int decimals = 0;                        // numeric: digits after the point that are asked for
  std::vector<std::string> solution = {};  // worked, line by line
  std::vector<KeyPoint> points = {};       // for AnswerKind::reasoned
  std::vector<Mistake> mistakes = {};      // numeric and symbolic: how grade() explains a wrong answer
};

// The digits after the point that grade() needs for one of the numbers: four, if more are asked for and the number is
// not between -0.1 and 0.1.
POSENC_API int enough_decimals(const Question& question, double value) noexcept;

struct ExerciseOptions {
  // Include the question which encoding to choose for texts longer than the training texts. It is the same for most
  // kinds, so a page with several sheets may want it only once; some kinds have no other hard question.
  bool long_context = true;
};

// At least two easy, two medium and one hard question, in this order. Questions are about the spec if that can be done
// by hand, else about a part of it or a small encoding of its kind; the text says so. Throws what validate(spec)
// throws.
POSENC_API std::vector<Question> make_exercises(const Spec& spec, std::uint64_t seed,
                                                const ExerciseOptions& options = {});

// What the questions of a seed change about the spec: "These questions leave out first=1 and odd=zero." Empty if
// nothing. For the top of a sheet.
POSENC_API std::string exercises_remark(const Spec& spec, std::uint64_t seed);

// "easy", ... and "numeric", ...
POSENC_API std::string_view level_name(Level level) noexcept;
POSENC_API std::string_view answer_kind_name(AnswerKind kind) noexcept;

struct Answer {
  std::string id;  // empty if the line has none
  std::string text = {};
  std::string error = {};  // why it cannot be read; empty if it can
};

// Reads answers from JSON, {"q1": "0.84147", "q2": [6, 3]}, or from lines `q1: 0.84147`. A line that begins with a
// blank continues the answer above; empty lines and lines that begin with # are skipped. "Q1", "1" and "question 1" are
// q1. An answer that cannot be read, such as a second one to a question, has an error. Broken JSON, bytes that are not
// text and more than a million bytes are errors that name the source.
POSENC_API std::vector<Answer> parse_answers(std::string_view text, std::string_view source);

enum class AnswerVerdict : int { right, wrong, missing, for_a_person };
POSENC_API std::string_view answer_verdict_name(AnswerVerdict verdict) noexcept;  // "right", ..., "for a person"

struct AnswerMark {
  std::string id;
  AnswerVerdict verdict = AnswerVerdict::missing;
  std::string note = {};                    // why it is wrong; may be empty
  std::vector<std::string> found = {};      // reasoned: points whose keywords were found, a hint for the grader ...
  std::vector<std::string> not_found = {};  // ... and the other points
};

struct POSENC_API Grade {
  std::vector<AnswerMark> marks;          // one per question, in their order
  std::vector<std::string> remarks = {};  // answers that belong to no question
  std::int64_t count(AnswerVerdict verdict) const noexcept;
};

// Grades the answers. One wrong number is explained by the mistakes that lead to it, if there are any; if several do,
// all are named. An answer to a question that does not exist is a remark. If there are only such answers, it is an
// error: they belong to another worksheet.
POSENC_API Grade grade(const std::vector<Question>& questions, const std::vector<Answer>& answers);

struct WorksheetOptions {
  std::string title = "Exercises";
  std::string grade_command = {};  // the command that grades the answers, printed if not empty
  std::string remark = {};         // exercises_remark(spec, seed), printed below the title if not empty
  bool answers = false;            // include answers and worked solutions
  bool introduction = true;        // include how to write answers
  int heading_level = 1;           // HTML: level of the title, 1 to 4
  std::string id_prefix = {};      // HTML: prefix of the ids of questions, which must be unique in a page
};
// A worksheet in Markdown, in plain text, or as a fragment of HTML. Hints are folded away or at the end.
POSENC_API std::string exercises_markdown(const std::vector<Question>& questions, const WorksheetOptions& options);
POSENC_API std::string exercises_text(const std::vector<Question>& questions, const WorksheetOptions& options);
POSENC_API std::string exercises_html(const std::vector<Question>& questions, const WorksheetOptions& options);

}  // namespace posenc
