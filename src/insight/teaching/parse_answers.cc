// Reads answers from lines and from JSON. What belongs to one answer and cannot be read is an error of that answer.
#include <algorithm>

#include "core/text/joined.h"
#include "core/text/number_text.h"
#include "core/text/quotable.h"
#include "core/text/utf8.h"
#include "insight/teaching/answer_text.h"
#include "posenc/error.h"
#include "posenc/files/json.h"
#include "posenc/insight/exercises.h"

namespace posenc {
namespace {

using teaching::trimmed;

constexpr std::size_t kMostBytes = 1000000;
constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

[[noreturn]] void bad(std::string_view source, const std::string& message) {
  fail(ErrorKind::bad_input, text::quotable(source) + ": " + message);
}

void check_text(std::string_view text, std::string_view source) {
  if (text.size() > kMostBytes) {
    bad(source,
        "answers must be at most " + std::to_string(kMostBytes) + " bytes but are " + std::to_string(text.size()));
  }
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    bad(source, "this is UTF-16 text; save it as UTF-8");
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) bad(source, "this is not text: byte " + std::to_string(zero) + " is 0");
}

// Where a text stops being UTF-8; npos if it never does.
std::size_t first_bad_byte(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = text::utf8_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

// The id that is meant by "q1", "Q1", "1" or "Question 1"; other names stay as they are, in lower case.
std::string plain_id(std::string_view name) {
  std::string id = teaching::lowered(name);
  std::erase_if(id, teaching::is_blank);
  if (id.starts_with("question")) id = "q" + id.substr(8);
  const bool digits = !id.empty() && std::all_of(id.begin(), id.end(), teaching::is_digit);
  return digits ? "q" + id : id;
}

bool is_question_id(std::string_view id) {
  return id.size() >= 2 && id.size() <= 10 && id.front() == 'q' &&
         std::all_of(id.begin() + 1, id.end(), teaching::is_digit);
}

void add_answer(std::vector<Answer>& answers, Answer answer) {
  for (Answer& other : answers) {
    if (other.id != answer.id) continue;
    other.error = "'" + text::quotable(answer.id) + "' is answered twice; keep one answer";
    return;
  }
  answers.push_back(std::move(answer));
}

void add_numbers(std::vector<std::string>& items, const Json& value) {
  if (value.is_array()) {
    for (const Json& item : value.array()) add_numbers(items, item);
  } else {
    items.push_back(value.is_string() ? value.string() : text::number_text(value.number()));
  }
}

bool is_list_of_answers(const Json& value) {
  if (!value.is_array()) return value.is_number() || value.is_string();
  return std::all_of(value.array().begin(), value.array().end(), is_list_of_answers);
}

std::vector<Answer> json_answers(std::string_view text, std::string_view source) {
  const Json tree = parse_json(text, source);
  std::vector<Answer> answers;
  for (const auto& [id, value] : tree.object(source)) {
    Answer answer{plain_id(id)};
    std::vector<std::string> items;
    if (is_list_of_answers(value)) {
      add_numbers(items, value);
      answer.text = text::joined(items, ", ");
    } else if (!value.is_null()) {
      answer.error = "expected a text, a number or a list of them";
    }
    add_answer(answers, std::move(answer));
  }
  return answers;
}

// The name before the colon of a line; "q1 0.5", "q1 = 0.5", "q1) 0.5" and "q1. 0.5" do without one.
std::size_t name_length(std::string_view line) {
  std::size_t size = 0;
  while (size < line.size() && (teaching::is_letter(line[size]) || teaching::is_digit(line[size]))) ++size;
  const std::string_view after = trimmed(line.substr(size));
  const bool point = after.starts_with('.') && (after.size() == 1 || teaching::is_blank(after[1]));
  const bool separated = after.starts_with('=') || after.starts_with(')') || point;
  const bool blank = size < line.size() && teaching::is_blank(line[size]) && teaching::is_letter(line.front());
  const bool is_id = is_question_id(plain_id(line.substr(0, size)));
  return is_id && !after.starts_with(':') && (separated || blank) ? size : line.find(':');
}

std::string_view without_separator(std::string_view rest) {
  rest = trimmed(rest);
  const bool separator = !rest.empty() && std::string_view(":=).").find(rest.front()) != std::string_view::npos;
  const bool decimals = rest.size() > 1 && rest.front() == '.' && teaching::is_digit(rest[1]);  // q1 .5
  return separator && !decimals ? trimmed(rest.substr(1)) : rest;
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 32 && std::all_of(text.begin(), text.end(), [](char c) {
    return teaching::is_letter(c) || teaching::is_digit(c) || c == ' ';
  });
}

std::vector<Answer> line_answers(std::string_view text, std::string_view source) {
  std::vector<Answer> answers;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (trimmed(line).empty() || line.starts_with('#')) continue;
    const std::string where = "line " + std::to_string(number);
    const std::size_t unreadable = first_bad_byte(line);
    const std::string bytes =
        unreadable == std::string_view::npos
            ? ""
            : where + ": byte " + std::to_string(unreadable + 1) + " is not UTF-8 text; save the file as UTF-8";
    if (teaching::is_blank(line.front()) && !answers.empty() && !answers.back().id.empty()) {
      answers.back().text += "\n" + std::string(trimmed(line));
      if (!bytes.empty()) answers.back().error = bytes;
      continue;
    }
    const std::size_t size = name_length(line);
    const std::string_view name = trimmed(line.substr(0, size));
    if (teaching::is_blank(line.front())) {
      answers.push_back({"", "", where + " begins with a blank, but there is no answer above to continue"});
    } else if (size == std::string_view::npos || !is_name(name)) {
      answers.push_back(
          {"", "", where + ": expected 'q1: answer' but got '" + text::quotable(trimmed(line), 40) + "'"});
    } else {
      add_answer(answers, {plain_id(name), std::string(without_separator(line.substr(size))), bytes});
    }
  }
  const bool none = std::all_of(answers.begin(), answers.end(), [](const Answer& answer) { return answer.id.empty(); });
  if (none && !answers.empty()) bad(source, answers.front().error);
  return answers;
}

}  // namespace

std::vector<Answer> parse_answers(std::string_view text, std::string_view source) {
  check_text(text, source);
  if (text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
  return trimmed(text).starts_with('{') ? json_answers(text, source) : line_answers(text, source);
}

}  // namespace posenc
