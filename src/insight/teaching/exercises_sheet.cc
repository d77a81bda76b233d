// Worksheets as Markdown, plain text and HTML.
#include "core/text/joined.h"
#include "core/text/wrapped.h"
#include "insight/teaching/html.h"
#include "posenc/insight/exercises.h"
#include "posenc/insight/svg.h"

namespace posenc {
namespace {

constexpr const char* kToGrade = "To grade them: ";

std::string level_heading(Level level) {
  constexpr const char* kHeadings[] = {"Easy", "Medium", "Hard"};
  return kHeadings[static_cast<std::size_t>(level)];
}

std::string letter(std::size_t choice) {
  return "(" + std::string(1, static_cast<char>('a' + static_cast<int>(choice))) + ")";
}

// The lines before the questions.
std::vector<std::string> introduction(const WorksheetOptions& options) {
  std::vector<std::string> lines;
  if (!options.remark.empty()) lines.push_back(options.remark);
  if (!options.introduction) return lines;
  for (const char* line :
       {"Write your answers to a file, one line each: q1: 0.84147. Separate several values with commas. A line that "
        "begins "
        "with a blank continues the answer above.",
        "A number is right if it is right to the decimals asked for, rounded or cut; if five are asked for, four are "
        "enough unless the number is between -0.1 and 0.1. A formula such as sqrt(2)/2 counts by its value. A person "
        "has to judge "
        "answers in sentences."}) {
    lines.emplace_back(line);
  }
  if (!options.grade_command.empty()) lines.push_back(kToGrade + options.grade_command);
  return lines;
}

// Solution, answer and points of a question.
std::vector<std::string> key_lines(const Question& question) {
  std::vector<std::string> lines = question.solution;
  if (question.kind != AnswerKind::reasoned) {
    lines.push_back("Answer: " + (question.kind == AnswerKind::choice ? "(" + question.answer + ")" : question.answer));
  }
  for (const KeyPoint& point : question.points) lines.push_back("Point: " + point.text);
  return lines;
}

// In Markdown * and _ begin emphasis, and < begins a tag.
std::string plain_markdown(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '*' || c == '_' || c == '<' || c == '`' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string html_key(const Question& question) {
  std::string body = "<ol>\n";
  for (const std::string& line : key_lines(question)) body += "<li>" + xml_text(line) + "</li>\n";
  return teaching::details("Solution", body + "</ol>\n");
}

std::string html_question(const Question& question, const WorksheetOptions& options) {
  std::string text = "<article id=\"" + xml_text(options.id_prefix) + question.id + "\">\n" +
                     teaching::heading(options.heading_level + 2, question.id) + "<p>" + xml_text(question.text) +
                     "</p>\n";
  if (!question.choices.empty()) text += "<ol type=\"a\">\n";
  for (const std::string& choice : question.choices) text += "<li>" + xml_text(choice) + "</li>\n";
  if (!question.choices.empty()) text += "</ol>\n";
  text += teaching::details("Hint", "<p>" + xml_text(question.hint) + "</p>\n");
  if (options.answers) text += html_key(question);
  return text + "</article>\n";
}

std::string markdown_question(const Question& question, bool answers) {
  std::string text = "### " + question.id + "\n\n" + plain_markdown(question.text) + "\n\n";
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    text += "- " + letter(i) + " " + plain_markdown(question.choices[i]) + "\n";
  }
  if (!question.choices.empty()) text += "\n";
  text += teaching::details("Hint", "\n" + plain_markdown(question.hint) + "\n\n") + "\n";
  if (!answers) return text;
  std::string body = "\n```text\n";
  for (const std::string& line : key_lines(question)) body += line + "\n";
  return text + teaching::details("Solution", body + "```\n\n") + "\n";
}

// Plain text in lines of at most kColumns, those after the first indented. A command stays whole.
std::string paragraph(const std::string& prose, std::size_t indent) {
  constexpr std::size_t kColumns = 100;
  if (prose.starts_with(kToGrade)) return prose + "\n";
  return text::joined(text::wrapped(prose, kColumns - indent), "\n" + std::string(indent, ' ')) + "\n";
}

// "q1  How many", the lines below the text.
std::string named_paragraph(const std::string& id, const std::string& prose) {
  const std::string name = id + "  ";
  return name + paragraph(prose, name.size());
}

std::string text_question(const Question& question, bool answers) {
  std::string text = named_paragraph(question.id, question.text);
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    text += "    " + letter(i) + " " + paragraph(question.choices[i], 8);
  }
  if (!answers) return text + "\n";
  text += "    Solution\n";
  // Formulas stay whole.
  for (const std::string& line : key_lines(question)) text += "      " + line + "\n";
  return text + "\n";
}

// Calls level(heading) before the first question of each level, and question(q) for each question.
template <class OnLevel, class OnQuestion>
void walk(const std::vector<Question>& questions, const OnLevel& level, const OnQuestion& question) {
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (i == 0 || questions[i].level != questions[i - 1].level) level(level_heading(questions[i].level));
    question(questions[i]);
  }
}

}  // namespace

std::string exercises_markdown(const std::vector<Question>& questions, const WorksheetOptions& options) {
  std::string text = "# " + plain_markdown(options.title) + "\n\n";
  for (const std::string& line : introduction(options)) text += plain_markdown(line) + "\n\n";
  walk(
      questions, [&](const std::string& name) { text += "## " + name + "\n\n"; },
      [&](const Question& question) { text += markdown_question(question, options.answers); });
  text.pop_back();
  return text;
}

std::string exercises_text(const std::vector<Question>& questions, const WorksheetOptions& options) {
  std::string text = options.title + "\n\n";
  for (const std::string& line : introduction(options)) text += paragraph(line, 0);
  walk(
      questions, [&](const std::string& name) { text += "\n" + name + "\n\n"; },
      [&](const Question& question) { text += text_question(question, options.answers); });
  text += "Hints\n\n";
  for (const Question& question : questions) text += named_paragraph(question.id, question.hint);
  return text;
}

std::string exercises_html(const std::vector<Question>& questions, const WorksheetOptions& options) {
  std::string text = "<section class=\"exercises\">\n" + teaching::heading(options.heading_level, options.title);
  for (const std::string& line : introduction(options)) text += "<p>" + xml_text(line) + "</p>\n";
  walk(
      questions, [&](const std::string& name) { text += teaching::heading(options.heading_level + 1, name); },
      [&](const Question& question) { text += html_question(question, options); });
  return text + "</section>\n";
}

}  // namespace posenc
