// Answers: read from text, and compared with the key.
#include <algorithm>
#include <cmath>

#include "core/text/quotable.h"
#include "core/text/utf8.h"
#include "insight/teaching/exercise_sheet.h"
#include "insight/teaching/expression.h"
#include "posenc/error.h"
#include "posenc/files/json.h"
#include "posenc/insight/exercises.h"

namespace posenc {
namespace {

constexpr std::size_t kMostBytes = 1000000;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

[[noreturn]] void bad(std::string_view source, const std::string& message) {
  fail(ErrorKind::bad_input, text::quotable(source) + ": " + message);
}

void check_text(std::string_view text, std::string_view source) {
  if (text.size() > kMostBytes) {
    bad(source,
        "answers must be at most " + std::to_string(kMostBytes) + " bytes but are " + std::to_string(text.size()));
  }
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = text::utf8_length(rest);
    if (length == 0 || rest.front() == '\0') {
      bad(source, "byte " + std::to_string(text.size() - rest.size()) + " is not UTF-8 text");
    }
    rest.remove_prefix(length);
  }
}

void add_answer(std::vector<Answer>& answers, Answer answer, std::string_view source) {
  for (const Answer& other : answers) {
    if (other.id == answer.id) bad(source, "'" + text::quotable(answer.id) + "' is answered twice");
  }
  answers.push_back(std::move(answer));
}

std::vector<Answer> json_answers(std::string_view text, std::string_view source) {
  const Json tree = parse_json(text, source);
  std::vector<Answer> answers;
  for (const auto& [id, value] : tree.object(source)) {
    if (!value.is_string() && !value.is_number()) {
      bad(source, "the answer '" + text::quotable(id) + "' must be a text or a number");
    }
    answers.push_back({id, value.is_string() ? value.string() : text::number_text(value.number())});
  }
  return answers;
}

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= 32 && std::all_of(text.begin(), text.end(), [](char c) {
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9');
  });
}

std::vector<Answer> line_answers(std::string_view text, std::string_view source) {
  std::vector<Answer> answers;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (trimmed(line).empty() || line.starts_with('#')) continue;
    if (line.front() == ' ' || line.front() == '\t') {
      if (answers.empty())
        bad(source, "line " + std::to_string(number) + " continues an answer but there is none before");
      answers.back().text += "\n" + std::string(trimmed(line));
      continue;
    }
    const std::size_t colon = line.find(':');
    const std::string_view id = trimmed(line.substr(0, colon));
    if (colon == std::string_view::npos || !is_id(id)) {
      bad(source,
          "line " + std::to_string(number) + ": expected 'q1: answer' but got '" + text::quotable(line, 40) + "'");
    }
    add_answer(answers, {lowered(id), std::string(trimmed(line.substr(colon + 1)))}, source);
  }
  return answers;
}

// Right to the decimals asked for: what rounding gives, or cutting. Whole answers must be met exactly.
bool is_right(double given, double value, int decimals) {
  const double unit = std::pow(10.0, -decimals);
  const double slack = 1e-9 * std::max({unit, std::fabs(value) * 1e-3, 1e-6});
  if (decimals == 0 && value == std::round(value)) return std::fabs(given - value) <= slack;
  const double cut = std::trunc(value / unit) * unit;
  return std::fabs(given - value) <= 0.5 * unit + slack || std::fabs(given - cut) <= slack;
}

bool is_same_value(double given, double value) {
  return std::fabs(given - value) <= 1e-9 * std::max(1.0, std::fabs(value));
}

AnswerMark wrong(const std::string& id, const std::string& note) { return {id, AnswerVerdict::wrong, note}; }

AnswerMark grade_values(const Question& question, const std::string& text) {
  const std::vector<std::string> items = teaching::list_items(text);
  if (items.size() != question.values.size()) {
    return wrong(question.id, "expected " + std::to_string(question.values.size()) +
                                  (question.values.size() == 1 ? " value" : " values, parted by commas,") +
                                  " but got " + std::to_string(items.size()));
  }
  const bool symbolic = question.kind == AnswerKind::symbolic;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string which = items.size() == 1 ? "" : "value " + std::to_string(i + 1) + ": ";
    const teaching::Evaluated given = teaching::evaluate(items[i]);
    if (!given.error.empty()) return wrong(question.id, which + given.error);
    const double value = question.values[i];
    if (symbolic ? is_same_value(given.value, value) : is_right(given.value, value, question.decimals)) continue;
    const bool rounded = symbolic && std::fabs(given.value - value) <= 1e-4;
    return wrong(question.id, which + (rounded ? "close, but rounded: write it in symbols" : "not the value"));
  }
  return {question.id, AnswerVerdict::right};
}

AnswerMark grade_choice(const Question& question, const std::string& text) {
  std::string letters;
  for (const char c : lowered(trimmed(text))) {
    if (c != '(' && c != ')' && c != '.') letters += c;
  }
  const auto right = static_cast<std::size_t>(question.answer[0] - 'a');
  const bool same = letters == question.answer || trimmed(text) == question.choices[right];
  const bool is_choice = letters.size() == 1 && letters[0] >= 'a' &&
                         letters[0] < static_cast<char>('a' + static_cast<int>(question.choices.size()));
  if (same) return {question.id, AnswerVerdict::right};
  for (const std::string& choice : question.choices) {
    if (trimmed(text) == choice) return wrong(question.id, "not that one");
  }
  return wrong(question.id, is_choice ? "not that one" : "expected the letter of a choice");
}

AnswerMark grade_reasoned(const Question& question, const std::string& text) {
  AnswerMark mark{question.id, AnswerVerdict::for_a_person};
  const std::string words = lowered(text);
  for (const KeyPoint& point : question.points) {
    const bool found = std::any_of(point.keywords.begin(), point.keywords.end(),
                                   [&](const std::string& word) { return words.find(word) != std::string::npos; });
    (found ? mark.found : mark.not_found).push_back(point.text);
  }
  return mark;
}

AnswerMark grade_one(const Question& question, const std::string& text) {
  if (trimmed(text).empty()) return {question.id, AnswerVerdict::missing};
  if (question.kind == AnswerKind::choice) return grade_choice(question, text);
  if (question.kind == AnswerKind::reasoned) return grade_reasoned(question, text);
  return grade_values(question, text);
}

void check_ids(const std::vector<Question>& questions, const std::vector<Answer>& answers) {
  std::vector<std::string_view> ids;
  for (const Question& question : questions) ids.push_back(question.id);
  for (const Answer& answer : answers) {
    if (std::find(ids.begin(), ids.end(), answer.id) != ids.end()) continue;
    fail(ErrorKind::bad_input, "[grade] there is no question '" + text::quotable(answer.id) + "': there are q1 .. q" +
                                   std::to_string(ids.size()) + "; are spec and seed those of the worksheet?");
  }
}

}  // namespace

std::vector<Answer> parse_answers(std::string_view text, std::string_view source) {
  check_text(text, source);
  return trimmed(text).starts_with('{') ? json_answers(text, source) : line_answers(text, source);
}

Grade grade(const std::vector<Question>& questions, const std::vector<Answer>& answers) {
  check_ids(questions, answers);
  Grade grade;
  for (const Question& question : questions) {
    const auto given =
        std::find_if(answers.begin(), answers.end(), [&](const Answer& answer) { return answer.id == question.id; });
    grade.marks.push_back(given == answers.end() ? AnswerMark{question.id, AnswerVerdict::missing}
                                                 : grade_one(question, given->text));
  }
  return grade;
}

std::int64_t Grade::count(AnswerVerdict verdict) const noexcept {
  return std::count_if(marks.begin(), marks.end(), [&](const AnswerMark& mark) { return mark.verdict == verdict; });
}

}  // namespace posenc
