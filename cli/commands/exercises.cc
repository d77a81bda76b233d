#include "posenc/insight/exercises.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "cli/commands/commands.h"
#include "cli/encoding.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "core/text/shell.h"
#include "posenc/error.h"
#include "posenc/files/file.h"
#include "posenc/files/load.h"
#include "posenc/files/spec_json.h"
#include "posenc/insight/report.h"

namespace posenc::cli {
namespace {

struct ExercisesCommand {
  std::string spec;  // empty: kUsualSpec
  EncodingOptions encoding;
  std::uint64_t seed = 0;
  bool answers = false;
  std::string grade;  // a file of answers; empty: write the worksheet
  OutputOptions output;
};

constexpr const char* kUsualSpec = "sinusoidal:width=8";
constexpr std::int64_t kMostBytes = 1'000'000;

WorksheetOptions worksheet(const Encoding& encoding, const ExercisesCommand& options) {
  const std::string& spec = encoding.text();
  return {.title = fmt::format("Exercises: {}, seed {}", spec, options.seed),
          .grade_command =
              fmt::format("posenc exercises {} --seed {} --grade answers.txt", text::shell_word(spec), options.seed),
          .remark = exercises_remark(encoding.spec(), options.seed),
          .answers = options.answers};
}

Json question_json(const Question& question, bool answers) {
  Json item;
  item.set("id", question.id).set("level", level_name(question.level)).set("text", question.text);
  item.set("hint", question.hint).set("kind", answer_kind_name(question.kind));
  item.set("choices", Json::Array(question.choices.begin(), question.choices.end()));
  item.set("decimals", question.kind == AnswerKind::numeric ? Json(question.decimals) : Json());
  if (!answers) return item;
  item.set("answer", question.answer.empty() ? Json() : Json(question.answer)).set("values", question.values);
  item.set("solution", Json::Array(question.solution.begin(), question.solution.end()));
  Json::Array points;
  for (const KeyPoint& point : question.points) {
    Json each;
    each.set("text", point.text).set("keywords", Json::Array(point.keywords.begin(), point.keywords.end()));
    points.push_back(std::move(each));
  }
  return item.set("points", std::move(points));
}

// The verdict as a word without blanks, for JSON: "for_a_person".
std::string verdict_key(AnswerVerdict verdict) {
  std::string key(answer_verdict_name(verdict));
  std::replace(key.begin(), key.end(), ' ', '_');
  return key;
}

Json mark_json(const AnswerMark& mark) {
  Json item;
  item.set("id", mark.id).set("verdict", verdict_key(mark.verdict)).set("note", mark.note);
  item.set("found", Json::Array(mark.found.begin(), mark.found.end()));
  return item.set("not_found", Json::Array(mark.not_found.begin(), mark.not_found.end()));
}

// The counts of verdicts, in the order of the text.
std::string total_text(const Grade& grade) {
  const std::int64_t people = grade.count(AnswerVerdict::for_a_person);
  return fmt::format("{} right, {} wrong, {} missing, {} for a person, of {}\n", grade.count(AnswerVerdict::right),
                     grade.count(AnswerVerdict::wrong), grade.count(AnswerVerdict::missing), people,
                     grade.marks.size());
}

std::string grade_text(const Grade& grade) {
  std::string text;
  for (const AnswerMark& mark : grade.marks) {
    text += fmt::format("{:<4} {}{}{}\n", mark.id, answer_verdict_name(mark.verdict), mark.note.empty() ? "" : ": ",
                        mark.note);
    if (mark.verdict != AnswerVerdict::for_a_person) continue;
    for (const std::string& point : mark.found) text += "       found:     " + point + "\n";
    for (const std::string& point : mark.not_found) text += "       not found: " + point + "\n";
  }
  if (grade.count(AnswerVerdict::for_a_person) > 0)
    text += "Points are matched by keyword: a hint for the grader, not a verdict.\n";
  return text + total_text(grade);
}

// A seed beyond the integers of JSON is a text.
Json::Object heading(const Spec& spec, std::uint64_t seed) {
  return {{"spec", to_json(spec)}, {"seed", std::to_string(seed)}};
}

int run_grade(const ExercisesCommand& options, const Spec& spec) {
  if (options.answers) fail(ErrorKind::usage, "--grade and --answers exclude each other");
  const std::string format = choose_format(options.output, {"text", "json"});
  const std::vector<Answer> answers = parse_answers(read_file(options.grade, kMostBytes), options.grade);
  if (answers.empty()) fmt::print(stderr, "posenc: {} has no answers\n", options.grade);
  const Grade result = grade(make_exercises(spec, options.seed), answers);
  for (const std::string& remark : result.remarks) fmt::print(stderr, "posenc: {}: {}\n", options.grade, remark);
  if (format == "json") {
    Json::Array marks;
    for (const AnswerMark& mark : result.marks) marks.push_back(mark_json(mark));
    Json total;
    for (const AnswerVerdict verdict :
         {AnswerVerdict::right, AnswerVerdict::wrong, AnswerVerdict::missing, AnswerVerdict::for_a_person}) {
      total.set(verdict_key(verdict), result.count(verdict));
    }
    Json::Object members = heading(spec, options.seed);
    members.emplace_back("marks", marks);
    members.emplace_back("total", total);
    write_json(options.output, members);
  } else {
    write_text(options.output, grade_text(result));
  }
  const bool all_right = result.count(AnswerVerdict::wrong) + result.count(AnswerVerdict::missing) == 0;
  return all_right && result.remarks.empty() ? 0 : 1;
}

// The encoding of the sheet, with a default because a beginner may not know a SPEC.
Encoding chosen(const ExercisesCommand& options) {
  if (!options.spec.empty()) return find_with_remarks(options.spec, options.encoding);
  fmt::print(stderr, "posenc: no SPEC was given: using {}; posenc list shows other encodings\n", kUsualSpec);
  return find_with_remarks(kUsualSpec, options.encoding);
}

int run(const ExercisesCommand& options) {
  const Encoding encoding = chosen(options);
  const Spec& spec = encoding.spec();
  if (!options.grade.empty()) return run_grade(options, spec);
  const std::string format = choose_format(options.output, {"text", "md", "html", "json"});
  const std::vector<Question> questions = make_exercises(spec, options.seed);
  const WorksheetOptions sheet = worksheet(encoding, options);
  if (format == "json") {
    Json::Array list;
    for (const Question& question : questions) list.push_back(question_json(question, options.answers));
    Json::Object members = heading(spec, options.seed);
    members.emplace_back("grade_command", sheet.grade_command);
    members.emplace_back("remark", sheet.remark);
    members.emplace_back("questions", list);
    write_json(options.output, members);
  } else if (format == "html") {
    write_text(options.output, exercises_page(questions, sheet));
  } else {
    write_text(options.output,
               format == "md" ? exercises_markdown(questions, sheet) : exercises_text(questions, sheet));
  }
  return 0;
}

}  // namespace

void add_exercises(Command& app) {
  const auto options = std::make_shared<ExercisesCommand>();
  Command command = app.command("exercises", "Write a worksheet on an encoding, and grade the answers",
                                "  posenc exercises\n"
                                "  posenc exercises sinusoidal:width=64 --seed 7 -o sheet.md\n"
                                "  posenc exercises sinusoidal:width=64 --seed 7 --answers -o key.html\n"
                                "  posenc exercises sinusoidal:width=64 --seed 7 --grade answers.txt");
  command.add("SPEC", options->spec, std::string(kSpecHelp) + "; default: " + kUsualSpec);
  add_spec_choice(command, options->encoding);
  options->encoding.example = ExampleSize::by_hand;
  command.add("--seed", options->seed, "another seed gives other numbers (default: 0)");
  command.flag("--answers", options->answers, "add the answers and the worked solutions");
  command
      .text("--grade", options->grade,
            "grade the answers in this file: lines such as q1: 0.84147, or JSON, {\"q1\": \"0.84147\"};\n"
            "SPEC and --seed must be those of the sheet; exit code 1 if an answer is wrong or missing")
      .value("FILE");
  add_output(command, options->output, "text, md, html, json");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
