// Exercises about an encoding, with hints, worked solutions and a key, drawn from a seed; and their grading.
//
//     std::vector<posenc::Question> questions = posenc::make_exercises(posenc::Sinusoidal{.width = 64}, 7);
//     std::string sheet = posenc::exercises_markdown(questions, {.title = "Week 3"});
//     posenc::Grade grade = posenc::grade(questions, posenc::parse_answers(text, "answers.txt"));
//
// Pure: the same spec and seed give the same questions on every machine. Every number of a key is computed.
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
  numeric,   // numbers, right to the decimals asked for: rounded or cut
  symbolic,  // formulas, as docs/exercises.md describes them: whatever has the same value counts
  choice,    // the letter of one of the choices
  reasoned,  // sentences: a person decides; grading looks for the points that a good answer makes
};

// What a good answer says, and words of which one is enough to find it.
struct KeyPoint {
  std::string text = {};
  std::vector<std::string> keywords;  // in small letters
};

struct Question {
  std::string id = {};  // "q1", ...
  Level level = Level::easy;
  AnswerKind kind = AnswerKind::numeric;
  std::string text = {};
  std::string hint = {};
  std::vector<std::string> choices = {};   // of a choice: (a), (b), ...
  std::string answer = {};                 // as the key prints it, and as grade() accepts it
  std::vector<double> values = {};         // numeric and symbolic: the numbers of the answer, in full
  int decimals = 0;                        // numeric: those after the point that are asked for
  std::vector<std::string> solution = {};  // worked, line by line
  std::vector<KeyPoint> points = {};       // of a reasoned answer
};

struct ExerciseOptions {
  // With the question which encoding to choose for texts longer than those of training. Its text is the same for most
  // kinds, so that a page with several sheets may want it once; some kinds have no other hard question.
  bool long_context = true;
};

// At least two easy, two medium and one hard question, in this order of levels. Questions are about the spec where that
// can be done by hand, else about a small encoding of its kind, and say so: also which of the spec's fields they leave
// at their defaults. Throws what validate(spec) throws.
POSENC_API std::vector<Question> make_exercises(const Spec& spec, std::uint64_t seed,
                                                const ExerciseOptions& options = {});

// "easy", ... and "numeric", ...
POSENC_API std::string_view level_name(Level level) noexcept;
POSENC_API std::string_view answer_kind_name(AnswerKind kind) noexcept;

struct Answer {
  std::string id;
  std::string text = {};
};

// Answers as JSON, {"q1": "0.84147", ...}, or as lines `q1: 0.84147`; lines that begin with a blank continue an answer,
// empty lines and those that begin with # are passed over. An id given twice, a text that is not UTF-8 and one of more
// than a million bytes are errors that name the source.
POSENC_API std::vector<Answer> parse_answers(std::string_view text, std::string_view source);

enum class AnswerVerdict : int { right, wrong, missing, for_a_person };
POSENC_API std::string_view answer_verdict_name(AnswerVerdict verdict) noexcept;  // "right", ..., "for a person"

struct AnswerMark {
  std::string id;
  AnswerVerdict verdict = AnswerVerdict::missing;
  std::string note = {};                    // why it is wrong; empty where there is nothing to say
  std::vector<std::string> found = {};      // reasoned: points whose words were found, a hint for who reads it ...
  std::vector<std::string> not_found = {};  // ... and those that were not
};

struct POSENC_API Grade {
  std::vector<AnswerMark> marks;  // one per question, in their order
  std::int64_t count(AnswerVerdict verdict) const noexcept;
};

// Answers to questions that are not there are errors: the worksheet was another one.
POSENC_API Grade grade(const std::vector<Question>& questions, const std::vector<Answer>& answers);

struct WorksheetOptions {
  std::string title = "Exercises";
  std::string grade_command = {};  // what grades the answers; empty: not said
  bool answers = false;            // with the key and the worked solutions
  bool introduction = true;        // with what to do with the answers
  int heading_level = 1;           // HTML: of the title, 1 to 4; those below follow
  std::string id_prefix = {};      // HTML: opens the ids of questions, which must be unique in a page
};
// A worksheet: Markdown, plain text, or a fragment of HTML (sections, no page around them). Hints stand apart.
POSENC_API std::string exercises_markdown(const std::vector<Question>& questions, const WorksheetOptions& options);
POSENC_API std::string exercises_text(const std::vector<Question>& questions, const WorksheetOptions& options);
POSENC_API std::string exercises_html(const std::vector<Question>& questions, const WorksheetOptions& options);

}  // namespace posenc
