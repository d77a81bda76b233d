// Grades answers.
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/text/joined.h"
#include "core/text/number_text.h"
#include "core/text/quotable.h"
#include "insight/teaching/answer_text.h"
#include "insight/teaching/expression.h"
#include "posenc/error.h"
#include "posenc/insight/exercises.h"

namespace posenc {
namespace {

using teaching::lowered;
using teaching::trimmed;

// The digits after the point of a plain number as it was typed; none for a formula.
std::optional<int> typed_decimals(std::string_view text) {
  if (!text::parse_number(text) || text.find_first_of("eE") != std::string_view::npos) return {};
  const std::size_t point = text.find('.');
  return point == std::string_view::npos ? 0 : static_cast<int>(text.size() - point) - 1;
}

// The digits of a plain number from the first that is not 0.
int typed_digits(std::string_view text) {
  const std::size_t first = text.find_first_of("123456789");
  const auto digits = first == std::string_view::npos ? std::string_view() : text.substr(first);
  return static_cast<int>(std::count_if(digits.begin(), digits.end(), teaching::is_digit));
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
  int digits = 0;                    // significant ones that were typed
  bool right = false;
  bool cut_short = false;  // right so far, but with too few decimals

  bool is_wrong() const { return !right && !cut_short; }
};

constexpr int kFewestDecimals = 2;  // fewer decimals, and fewer digits, do not show what was computed

bool is_right(const Given& given, double value, const Question& question) {
  if (question.kind == AnswerKind::symbolic) return is_same_value(given.value, value);
  if (is_right(given.value, value, question.decimals)) return true;
  const int enough = enough_decimals(question, value);
  return given.decimals && *given.decimals <= enough && is_right(given.value, value, enough);
}

// Whether a number that is not right would be right if only the decimals that were typed counted.
bool is_cut_short(const Given& given, double value, const Question& question) {
  if (question.kind != AnswerKind::numeric || !given.decimals) return false;
  const int typed = *given.decimals;
  return (typed >= kFewestDecimals || given.digits >= kFewestDecimals) && typed < enough_decimals(question, value) &&
         is_right(given.value, value, typed);
}

// Whether a list is right in all digits that were typed, with at least one decimal each: together they show what was
// computed, even if no number alone does.
bool is_rounded_list(const std::vector<Given>& given, const Question& question) {
  if (question.kind != AnswerKind::numeric || given.size() < 2) return false;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const int typed = given[i].decimals.value_or(0);
    if (given[i].is_wrong() && (typed < 1 || !is_right(given[i].value, question.values[i], typed))) return false;
  }
  return true;
}

// The decimals of a number that can be compared with those of a mistake.
int compared_decimals(const Given& given, const Question& question) {
  return std::min(given.decimals.value_or(question.decimals), question.decimals);
}

// How closely a number must agree with that of a mistake: in all its digits, or nearly so, as if numbers were rounded
// on the way.
enum class Agreement : int { exact, near };
constexpr double kNearUnits = 2.5;

// Whether a mistake leads to a number. A number that was rounded to few digits says little.
bool leads_to(double mistaken, const Given& given, const Question& question, Agreement agreement) {
  if (question.kind == AnswerKind::symbolic || is_same_value(given.value, mistaken)) {
    return is_same_value(given.value, mistaken);
  }
  const int decimals = compared_decimals(given, question);
  if (agreement == Agreement::near && decimals >= kFewestDecimals + 2) {
    return std::fabs(given.value - mistaken) <= kNearUnits * std::pow(10.0, -decimals);
  }
  return decimals >= std::min(kFewestDecimals, question.decimals) && is_right(given.value, mistaken, decimals);
}

// Whether a mistake changes a value in the digits that were typed. If not, the number does not show the mistake.
bool changes(double mistaken, double value, const Given& given, const Question& question, Agreement agreement) {
  // A number that is exactly the mistaken one, such as 0.2 for 1/5, has all its digits.
  const bool exact = question.kind == AnswerKind::symbolic || is_same_value(given.value, mistaken);
  if (exact) return !is_same_value(mistaken, value);
  const double unit = std::pow(10.0, -compared_decimals(given, question));
  if (agreement == Agreement::near) return std::fabs(mistaken - value) > 4.0 * kNearUnits * unit;
  return std::round(mistaken / unit) != std::round(value / unit);
}

// The mistakes that lead to the numbers of an answer for which `counts` holds and change at least one that is wrong. Of
// several, those that agree with most of the other numbers.
template <class Counts>
std::vector<std::string> matching(const Question& question, const std::vector<Given>& given, Agreement agreement,
                                  const Counts& counts) {
  std::vector<std::string> texts;
  std::size_t most = 0;
  for (const Mistake& mistake : question.mistakes) {
    bool all = true, evidence = false;
    std::size_t agreeing = 0;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const double mistaken = mistake.values[i];
      const bool agrees = std::isfinite(mistaken) && leads_to(mistaken, given[i], question, agreement);
      agreeing += agrees ? 1 : 0;
      if (!counts(i)) continue;
      all = all && agrees;
      evidence =
          evidence || (given[i].is_wrong() && changes(mistaken, question.values[i], given[i], question, agreement));
    }
    if (!all || !evidence || agreeing < most) continue;
    if (agreeing > most) texts.clear();
    most = agreeing;
    if (std::find(texts.begin(), texts.end(), mistake.text) == texts.end()) texts.push_back(mistake.text);
  }
  return texts;
}

// The mistakes that lead to the whole answer; if there are none, those that lead to all of its wrong numbers.
std::vector<std::string> matching(const Question& question, const std::vector<Given>& given) {
  for (const Agreement agreement : {Agreement::exact, Agreement::near}) {
    std::vector<std::string> texts = matching(question, given, agreement, [](std::size_t) { return true; });
    if (texts.empty()) texts = matching(question, given, agreement, [&](std::size_t i) { return given[i].is_wrong(); });
    if (!texts.empty()) return texts;
  }
  return {};
}

// The places of the numbers for which `counts` holds.
template <class Counts>
std::vector<std::size_t> places_of(const std::vector<Given>& given, const Counts& counts) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (counts(given[i])) places.push_back(i);
  }
  return places;
}

// "value 3", "values 1, 2 and 4", "values 2 to 4". There must be at least one.
std::string values_text(const std::vector<std::size_t>& places) {
  const std::string first = std::to_string(places.front() + 1), last = std::to_string(places.back() + 1);
  if (places.size() == 1) return "value " + first;
  if (places.size() > 2 && places.back() - places.front() + 1 == places.size()) {
    return "values " + first + " to " + last;
  }
  const std::vector<std::size_t> others(places.begin(), places.end() - 1);
  return "values " + text::joined(others, ", ", [](std::size_t place) { return std::to_string(place + 1); }) + " and " +
         last;
}

// "values 1, 2 and 4: "; empty if all are wrong.
std::string which_values(const std::vector<Given>& given) {
  const std::vector<std::size_t> wrong = places_of(given, [](const Given& each) { return each.is_wrong(); });
  return wrong.size() == given.size() ? "" : values_text(wrong) + ": ";
}

// "4 decimals": enough for all of these numbers.
std::string decimals_text(const Question& question, const std::vector<std::size_t>& places) {
  int enough = 0;
  for (const std::size_t place : places) enough = std::max(enough, enough_decimals(question, question.values[place]));
  return std::to_string(enough) + (enough == 1 ? " decimal" : " decimals");
}

// "values 1 and 2 need 4 decimals".
std::string more_decimals_text(const Question& question, const std::vector<std::size_t>& places) {
  return values_text(places) + (places.size() == 1 ? " needs " : " need ") + decimals_text(question, places);
}

// A remark that follows from a wrong number itself; may be empty.
std::string seen_of(const Question& question, const Given& given, double value) {
  if (question.kind == AnswerKind::symbolic) {
    return given.decimals && std::fabs(given.value - value) <= 1e-4 ? "close, but rounded: write it in symbols" : "";
  }
  if (question.decimals == 0 || value == 0.0) return given.value == -value && value != 0.0 ? "the sign is wrong" : "";
  const double error = std::fabs(given.value - value);
  if (error <= 0.01 * std::fabs(value) || error <= std::min(0.005, 20.0 * std::pow(10.0, -question.decimals))) {
    return "close; probably a number was rounded too early";
  }
  const int typed = std::max(given.decimals.value_or(question.decimals), std::min(kFewestDecimals, question.decimals));
  return is_right(-given.value, value, std::min(typed, enough_decimals(question, value))) ? "the sign is wrong" : "";
}

// The mistakes that lead to one wrong number, else a remark on it; may be empty.
std::string why_number_is_wrong(const Question& question, const std::vector<Given>& given, std::size_t place) {
  const std::vector<std::string> one =
      matching(question, given, Agreement::exact, [&](std::size_t i) { return i == place; });
  return one.empty() ? seen_of(question, given[place], question.values[place]) : text::joined(one, "; or ");
}

// Why the wrong numbers of an answer are wrong: the mistakes that explain all of them, else what is known of each.
std::string why_numbers_are_wrong(const Question& question, const std::vector<Given>& given) {
  const std::vector<std::string> all = matching(question, given);
  if (!all.empty()) return which_values(given) + text::joined(all, "; or ");
  std::vector<std::pair<std::string, std::vector<std::size_t>>> reasons;  // each with its numbers
  for (const std::size_t place : places_of(given, [](const Given& each) { return each.is_wrong(); })) {
    const std::string why = why_number_is_wrong(question, given, place);
    auto reason = std::find_if(reasons.begin(), reasons.end(), [&](const auto& each) { return each.first == why; });
    if (reason == reasons.end()) reason = reasons.insert(reason, {why, {}});
    reason->second.push_back(place);
  }
  return text::joined(reasons, "; ", [&](const auto& reason) {
    const auto& [why, places] = reason;
    const std::string which = given.size() == 1 ? "" : values_text(places) + ": ";
    return which + (!why.empty() ? why : places.size() == 1 ? "not the right value" : "not the right values");
  });
}

std::string why_wrong(const Question& question, const std::vector<Given>& given) {
  const std::vector<std::size_t> cut_short = places_of(given, [](const Given& each) { return each.cut_short; });
  if (cut_short.size() == given.size()) return "too few digits: give " + decimals_text(question, cut_short);
  if (std::none_of(given.begin(), given.end(), [](const Given& each) { return each.is_wrong(); })) {
    return "too few digits: " + more_decimals_text(question, cut_short);
  }
  const std::string why = why_numbers_are_wrong(question, given);
  return cut_short.empty() ? why : why + "; " + more_decimals_text(question, cut_short);
}

AnswerMark wrong(const std::string& id, const std::string& note) { return {id, AnswerVerdict::wrong, note}; }

// 0,5 and 1,000 as 0.5 and 1.000: with points for the commas between two digits.
std::string with_points(std::string text) {
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == ',' && teaching::is_digit(text[i - 1]) && teaching::is_digit(text[i + 1])) text[i] = '.';
  }
  return text;
}

std::string why_another_count(const Question& question, const std::string& text, std::size_t count) {
  const std::vector<std::string> items = teaching::list_items(with_points(text));
  const bool is_number = std::all_of(items.begin(), items.end(),
                                     [](const std::string& item) { return teaching::evaluate(item).error.empty(); });
  if (count > items.size() && items.size() == question.values.size()) {
    return is_number ? "a comma separates values: write 0.5, not 0,5"
                     : "a comma separates values: write 1000, not 1,000";
  }
  return "expected " + std::to_string(question.values.size()) +
         (question.values.size() == 1 ? " value" : " values, separated by commas,") + " but got " +
         std::to_string(count);
}

// The value of an answer such as "sin 6 = -0.279": in symbols the first side that is a formula, else the last side.
std::string answering_side(const Question& question, const std::string& item) {
  const std::vector<std::string> sides = teaching::equal_parts(item);
  if (question.kind == AnswerKind::symbolic) {
    for (const std::string& side : sides) {
      if (teaching::evaluate(side).error.empty()) return side;
    }
  }
  return sides.back();
}

AnswerMark grade_values(const Question& question, const std::string& text) {
  std::vector<std::string> items = teaching::list_items(text);
  if (items.size() != question.values.size()) {
    if (auto words = teaching::items_at_blanks(items); words.size() == question.values.size()) items = std::move(words);
  }
  if (items.size() != question.values.size()) {
    return wrong(question.id, why_another_count(question, text, items.size()));
  }
  std::vector<Given> given;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string side = answering_side(question, items[i]);
    const teaching::Evaluated item = teaching::evaluate(side);
    if (!item.error.empty()) {
      return wrong(question.id, (items.size() == 1 ? "" : "value " + std::to_string(i + 1) + ": ") + item.error);
    }
    given.push_back({item.value, typed_decimals(side), typed_digits(side)});
    given.back().right = is_right(given.back(), question.values[i], question);
    given.back().cut_short = !given.back().right && is_cut_short(given.back(), question.values[i], question);
  }
  if (is_rounded_list(given, question)) {
    for (Given& each : given) each.cut_short = !each.right;
  }
  const bool right = std::all_of(given.begin(), given.end(), [](const Given& each) { return each.right; });
  return right ? AnswerMark{question.id, AnswerVerdict::right} : wrong(question.id, why_wrong(question, given));
}

// In lower case, with single blanks and without a point at the end: a choice as people copy it.
std::string plain_words(std::string_view text) {
  std::string words;
  for (const char c : lowered(trimmed(text))) {
    if (!teaching::is_blank(c)) {
      words += c;
    } else if (words.back() != ' ') {
      words += ' ';
    }
  }
  if (words.ends_with('.')) words.pop_back();
  return words;
}

// The number of the choice whose text this is, if there is one.
std::optional<std::size_t> choice_with(const Question& question, std::string_view text) {
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    if (plain_words(text) == plain_words(question.choices[i])) return i;
  }
  return {};
}

// "b", "(b)", "b) and the text of the choice".
AnswerMark grade_choice(const Question& question, const std::string& text) {
  const auto mark = [&](std::size_t choice) {
    return question.answer == std::string(1, static_cast<char>('a' + static_cast<int>(choice)))
               ? AnswerMark{question.id, AnswerVerdict::right}
               : wrong(question.id, "not this choice");
  };
  if (const auto whole = choice_with(question, text)) return mark(*whole);
  std::string_view rest = trimmed(text);
  if (rest.starts_with('(')) rest = trimmed(rest.substr(1));
  const int letter = rest.empty() ? -1 : teaching::lower(rest.front()) - 'a';
  if (letter < 0 || letter >= static_cast<int>(question.choices.size())) {
    return wrong(question.id, "expected the letter of a choice");
  }
  rest = trimmed(rest.substr(1));
  const bool marked = rest.starts_with(')') || rest.starts_with('.') || rest.starts_with(':');
  if (marked) rest = trimmed(rest.substr(1));
  const auto copied = choice_with(question, rest);
  if (copied && *copied != static_cast<std::size_t>(letter)) {
    return wrong(question.id, "the letter and the text are of different choices");
  }
  if (!copied && !marked && !rest.empty()) return wrong(question.id, "expected the letter of a choice");
  return mark(static_cast<std::size_t>(letter));
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

AnswerMark grade_one(const Question& question, const Answer& answer) {
  if (!answer.error.empty()) return wrong(question.id, answer.error);
  const std::string& text = answer.text;
  if (trimmed(text).empty()) return {question.id, AnswerVerdict::missing};
  if (question.kind == AnswerKind::choice) return grade_choice(question, text);
  if (question.kind == AnswerKind::reasoned) return grade_reasoned(question, text);
  return grade_values(question, text);
}

// Why an answer belongs to no question; empty if it belongs to one.
std::string why_not_graded(const std::vector<Question>& questions, const Answer& answer) {
  if (answer.id.empty()) return answer.error;
  for (const Question& question : questions) {
    if (question.id == answer.id) return "";
  }
  return "there is no question '" + text::quotable(answer.id) + "', only q1 to q" + std::to_string(questions.size()) +
         "; are the spec and the seed those of the worksheet?";
}

}  // namespace

int enough_decimals(const Question& question, double value) noexcept {
  return std::fabs(value) < 0.1 ? question.decimals : std::min(question.decimals, 4);
}

Grade grade(const std::vector<Question>& questions, const std::vector<Answer>& answers) {
  Grade grade;
  for (const Answer& answer : answers) {
    const std::string why = why_not_graded(questions, answer);
    if (!why.empty()) grade.remarks.push_back(why);
  }
  if (!answers.empty() && grade.remarks.size() == answers.size()) {
    fail(ErrorKind::bad_input, "[grade] " + grade.remarks.front());
  }
  for (const Question& question : questions) {
    const auto given =
        std::find_if(answers.begin(), answers.end(), [&](const Answer& answer) { return answer.id == question.id; });
    grade.marks.push_back(given == answers.end() ? AnswerMark{question.id, AnswerVerdict::missing}
                                                 : grade_one(question, *given));
  }
  return grade;
}

std::int64_t Grade::count(AnswerVerdict verdict) const noexcept {
  return std::count_if(marks.begin(), marks.end(), [&](const AnswerMark& mark) { return mark.verdict == verdict; });
}

}  // namespace posenc
