// Reads answers from text and grades them.
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/text/joined.h"
#include "core/text/number_text.h"
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
        bad(source,
            "line " + std::to_string(number) + " begins with a blank, but there is no answer above to continue");
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

// The digits after the point of a plain number as it was typed; none for a formula.
std::optional<int> typed_decimals(std::string_view text) {
  if (!text::parse_number(text) || text.find_first_of("eE") != std::string_view::npos) return {};
  const std::size_t point = text.find('.');
  return point == std::string_view::npos ? 0 : static_cast<int>(text.size() - point) - 1;
}

// Whether a number is right to `decimals` decimals, rounded or cut. Whole answers must be exact.
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

// One number of an answer, as a student gave it.
struct Given {
  double value = 0.0;
  std::optional<int> decimals = {};  // how many were typed
  bool right = false;
  bool cut_short = false;  // right so far, but with too few decimals

  bool is_wrong() const { return !right && !cut_short; }
};

constexpr int kFewestDecimals = 2;  // fewer do not show what was computed

bool is_right(const Given& given, double value, const Question& question) {
  if (question.kind == AnswerKind::symbolic) return is_same_value(given.value, value);
  if (is_right(given.value, value, question.decimals)) return true;
  const int enough = enough_decimals(question);
  return given.decimals && *given.decimals <= enough && is_right(given.value, value, enough);
}

// Whether a number that is not right would be right if only the decimals that were typed counted.
bool is_cut_short(const Given& given, double value, const Question& question) {
  const int typed = given.decimals.value_or(0);
  return question.kind == AnswerKind::numeric && typed >= kFewestDecimals && typed < enough_decimals(question) &&
         is_right(given.value, value, typed);
}

// The decimals of a number that can be compared with those of a mistake.
int compared_decimals(const Given& given, const Question& question) {
  return std::min(given.decimals.value_or(question.decimals), question.decimals);
}

// Whether a mistake leads to a number. A number that was rounded to few digits says little.
bool leads_to(double mistaken, const Given& given, const Question& question) {
  if (question.kind == AnswerKind::symbolic || is_same_value(given.value, mistaken)) {
    return is_same_value(given.value, mistaken);
  }
  const int decimals = compared_decimals(given, question);
  return decimals >= std::min(kFewestDecimals, question.decimals) && is_right(given.value, mistaken, decimals);
}

// Whether a mistake changes a value in the digits that were typed. If not, the number does not show the mistake.
bool changes(double mistaken, double value, const Given& given, const Question& question) {
  // A number that is exactly the mistaken one, such as 0.2 for 1/5, has all its digits.
  const bool exact = question.kind == AnswerKind::symbolic || is_same_value(given.value, mistaken);
  if (exact) return !is_same_value(mistaken, value);
  const double unit = std::pow(10.0, -compared_decimals(given, question));
  return std::round(mistaken / unit) != std::round(value / unit);
}

// The mistakes that lead to the numbers of an answer for which `counts` holds and change at least one that is wrong.
template <class Counts>
std::vector<std::string> matching(const Question& question, const std::vector<Given>& given, const Counts& counts) {
  std::vector<std::string> texts;
  for (const Mistake& mistake : question.mistakes) {
    bool all = true, evidence = false;
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (!counts(i)) continue;
      const double mistaken = mistake.values[i];
      all = all && std::isfinite(mistaken) && leads_to(mistaken, given[i], question);
      evidence = evidence || (given[i].is_wrong() && changes(mistaken, question.values[i], given[i], question));
    }
    if (all && evidence && std::find(texts.begin(), texts.end(), mistake.text) == texts.end())
      texts.push_back(mistake.text);
  }
  return texts;
}

// The mistakes that lead to the whole answer; if there are none, those that lead to all of its wrong numbers.
std::vector<std::string> matching(const Question& question, const std::vector<Given>& given) {
  const std::vector<std::string> whole = matching(question, given, [](std::size_t) { return true; });
  return !whole.empty() ? whole : matching(question, given, [&](std::size_t i) { return given[i].is_wrong(); });
}

// The values for which `counts` holds: "value 3", "values 1, 2 and 4". There must be at least one.
template <class Counts>
std::string values_text(const std::vector<Given>& given, const Counts& counts) {
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (counts(given[i])) numbers.push_back(std::to_string(i + 1));
  }
  if (numbers.size() == 1) return "value " + numbers[0];
  const std::string last = numbers.back();
  numbers.pop_back();
  return "values " + text::joined(numbers, ", ") + " and " + last;
}

// "values 1, 2 and 4: "; empty if all are wrong.
std::string which_values(const std::vector<Given>& given) {
  const auto wrong = [](const Given& each) { return each.is_wrong(); };
  return std::all_of(given.begin(), given.end(), wrong) ? "" : values_text(given, wrong) + ": ";
}

// "; values 1 and 2 need 4 decimals"; empty if none was cut short.
std::string more_decimals_text(const Question& question, const std::vector<Given>& given) {
  const auto cut_short = [](const Given& each) { return each.cut_short; };
  const auto count = std::count_if(given.begin(), given.end(), cut_short);
  if (count == 0) return "";
  return "; " + values_text(given, cut_short) + (count == 1 ? " needs " : " need ") +
         std::to_string(enough_decimals(question)) + " decimals";
}

// A remark that follows from a wrong number itself; may be empty.
std::string seen_of(const Question& question, const Given& given, double value) {
  if (question.kind == AnswerKind::symbolic) {
    return std::fabs(given.value - value) <= 1e-4 ? "close, but rounded: write it in symbols" : "";
  }
  if (question.decimals == 0 || value == 0.0) return given.value == -value && value != 0.0 ? "the sign is wrong" : "";
  const double error = std::fabs(given.value - value);
  if (error <= 0.01 * std::fabs(value) || error <= std::min(0.005, 20.0 * std::pow(10.0, -question.decimals))) {
    return "close; probably a number was rounded too early";
  }
  const int typed = std::max(given.decimals.value_or(question.decimals), std::min(kFewestDecimals, question.decimals));
  return is_right(-given.value, value, std::min(typed, enough_decimals(question))) ? "the sign is wrong" : "";
}

// Why the wrong numbers of an answer are wrong: the mistakes that explain them, else a remark on the first one.
std::string why_numbers_are_wrong(const Question& question, const std::vector<Given>& given) {
  const std::vector<std::string> all = matching(question, given);
  if (!all.empty()) return which_values(given) + text::joined(all, "; or ");
  std::size_t first = 0;
  while (!given[first].is_wrong()) ++first;
  const std::string which = given.size() == 1 ? "" : "value " + std::to_string(first + 1) + ": ";
  const std::vector<std::string> one = matching(question, given, [&](std::size_t i) { return i == first; });
  if (!one.empty()) return which + text::joined(one, "; or ");
  const std::string seen = seen_of(question, given[first], question.values[first]);
  return which + (seen.empty() ? "not the right value" : seen);
}

std::string why_wrong(const Question& question, const std::vector<Given>& given) {
  if (std::none_of(given.begin(), given.end(), [](const Given& each) { return each.is_wrong(); })) {
    return "too few digits: give " + std::to_string(enough_decimals(question)) + " decimals";
  }
  return why_numbers_are_wrong(question, given) + more_decimals_text(question, given);
}

AnswerMark wrong(const std::string& id, const std::string& note) { return {id, AnswerVerdict::wrong, note}; }

AnswerMark grade_values(const Question& question, const std::string& text) {
  const std::vector<std::string> items = teaching::list_items(text);
  if (items.size() != question.values.size()) {
    return wrong(question.id, "expected " + std::to_string(question.values.size()) +
                                  (question.values.size() == 1 ? " value" : " values, separated by commas,") +
                                  " but got " + std::to_string(items.size()));
  }
  std::vector<Given> given;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const teaching::Evaluated item = teaching::evaluate(items[i]);
    if (!item.error.empty()) {
      return wrong(question.id, (items.size() == 1 ? "" : "value " + std::to_string(i + 1) + ": ") + item.error);
    }
    given.push_back({item.value, typed_decimals(items[i])});
    given.back().right = is_right(given.back(), question.values[i], question);
    given.back().cut_short = !given.back().right && is_cut_short(given.back(), question.values[i], question);
  }
  const bool right = std::all_of(given.begin(), given.end(), [](const Given& each) { return each.right; });
  return right ? AnswerMark{question.id, AnswerVerdict::right} : wrong(question.id, why_wrong(question, given));
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
    if (trimmed(text) == choice) return wrong(question.id, "not this choice");
  }
  return wrong(question.id, is_choice ? "not this choice" : "expected the letter of a choice");
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
    fail(ErrorKind::bad_input, "[grade] there is no question '" + text::quotable(answer.id) + "', only q1 to q" +
                                   std::to_string(ids.size()) + "; are the spec and the seed those of the worksheet?");
  }
}

}  // namespace

int enough_decimals(const Question& question) noexcept {
  double largest = 0.0;
  for (const double value : question.values) largest = std::max(largest, std::fabs(value));
  return largest < 0.1 ? question.decimals : std::min(question.decimals, 4);
}

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
