#include "insight/teaching/lesson.h"

#include "core/text/shell.h"
#include "insight/teaching/html.h"
#include "insight/teaching/page_limit.h"
#include "posenc/error.h"
#include "posenc/spec.h"

namespace posenc {
namespace teaching {
namespace {

std::vector<std::string> words_of(const std::string& sentence) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : sentence + " ") {
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

void check_words(const std::vector<std::string>& words) {
  constexpr std::size_t kMost = 24;
  if (words.size() < 2 || words.size() > kMost) {
    fail(ErrorKind::usage, "[make_lesson] the sentence must have 2 to " + std::to_string(kMost) + " words but has " +
                               std::to_string(words.size()));
  }
  for (const std::string& word : words) {
    if (word.size() > 40) fail(ErrorKind::usage, "[make_lesson] a word must have at most 40 bytes: '" + word + "'");
  }
}

struct LessonFigure {
  std::string name;
  std::string spec = {};
  std::string extra = {};  // more options of the command that draws it: "--positions 0:60"
  FigureOptions options = {};
};

// A fragment in assets/lesson and its values. A figure gives {{NAME.id}}, {{NAME.drawing}} and {{NAME.finding}}.
struct Section {
  std::string name;
  std::string told;  // name in the progress
  std::vector<LessonFigure> figures = {};
  Values (*values)(const LessonSubject& subject) = nullptr;
};

std::vector<Section> sections(const LessonSubject& subject) {
  const FigureOptions sentence = {.tokens = subject.words};
  const auto of = [](const char* spec) {
    return [spec](const char* name) { return LessonFigure{.name = name, .spec = spec}; };
  };
  const auto narrow = of("sinusoidal:width=64"), wide = of("sinusoidal:width=128");
  const auto alibi = of("alibi:heads=8"), rotary = of("rotary:head_dim=64");
  const auto attention = [&](const char* spec) {
    return LessonFigure{.name = "attention", .spec = spec, .options = sentence};
  };
  return {
      {"problem", "the problem", {attention("none")}, problem_values},
      {"wishes", "what an encoding should be", {}, wishes_values},
      {"formula", "the formula", {narrow("cells")}, formula_values},
      {"by_hand", "by hand", {}, by_hand_values},
      {"waves",
       "waves and heatmap",
       {{.name = "two_speeds"},
        narrow("waves"),
        {.name = "wavelengths",
         .spec = "sinusoidal:width=64",
         .extra = "--trained 512",
         .options = {.train_length = 512}},
        wide("heatmap")},
       waves_values},
      {"live", "the live figure", {}, live_values},
      {"shift",
       "the shift",
       {{.name = "shift",
         .spec = "sinusoidal:width=64",
         .extra = "--positions 5 --shift 5",
         .options = {.position = 5.0, .shift = 5.0}},
        narrow("similarity"),
        narrow("distance")},
       shift_values},
      {"model", "into the model", {narrow("pipeline"), wide("mixing"), wide("angle"), wide("same_word")}, model_values},
      {"score",
       "the score's four parts",
       {{.name = "parts", .spec = "sinusoidal:width=64", .options = sentence}, attention("sinusoidal:width=64")},
       score_values},
      {"limits",
       "limits",
       {of("learned:rows=256,width=64,past_end=error")("learned"), {.name = "perplexity"}, narrow("precision")},
       limits_values},
      {"relative",
       "relative encodings",
       {alibi("bias"), alibi("bias_distance"), of("t5:heads=8")("buckets"), attention("alibi:heads=8"),
        alibi("entropy")},
       relative_values},
      {"rotary",
       "rotary",
       {rotary("turn"),
        rotary("rotated_scores"),
        {.name = "layouts"},
        attention("rotary:head_dim=64"),
        rotary("scalings")},
       rotary_values},
      {"layer", "one layer", {}, layer_values},
      {"choice", "choosing, and exercises", {}, choice_values},
  };
}

Figure drawn(const LessonFigure& wanted, const LessonOptions& lesson) {
  FigureOptions options = wanted.options;
  options.seed = lesson.seed;
  options.caption = false;  // the text shows the finding, after the question
  options.command = "posenc plot " + wanted.name + (wanted.spec.empty() ? "" : " " + wanted.spec) +
                    (wanted.extra.empty() ? "" : " " + wanted.extra) +
                    (options.tokens.empty() ? "" : " --words " + text::shell_word(lesson.sentence)) +
                    (lesson.seed == 0 ? "" : " --seed " + std::to_string(lesson.seed));
  if (wanted.spec.empty()) return make_figure(wanted.name, options);
  return make_figure(wanted.name, find_encoding(wanted.spec), options);
}

}  // namespace
}  // namespace teaching

void check_lesson(const LessonOptions& options) { teaching::check_words(teaching::words_of(options.sentence)); }

std::string make_lesson(const LessonOptions& options) {
  check_lesson(options);
  const teaching::LessonSubject subject{options, teaching::words_of(options.sentence)};
  const std::vector<teaching::Section> sections = teaching::sections(subject);
  std::string body;
  std::int64_t done = 0, figures = 0;
  for (const teaching::Section& section : sections) {
    if (options.progress) options.progress(section.told, done, static_cast<std::int64_t>(sections.size()));
    ++done;
    teaching::Values values = section.values ? section.values(subject) : teaching::Values{};
    for (const teaching::LessonFigure& wanted : section.figures) {
      const Figure figure = teaching::drawn(wanted, options);
      const std::string id = "f" + std::to_string(++figures) + "-" + wanted.name;
      values[wanted.name + ".id"] = id;
      values[wanted.name + ".drawing"] = teaching::drawing_of(figure, id, false);
      values[wanted.name + ".finding"] = teaching::inline_html(figure.finding);
    }
    body += teaching::filled("lesson/" + section.name + ".html", values);
  }
  return teaching::checked_page(
      teaching::page(
          {.title = "Word order in transformers: positional encodings",
           .lead = "A lesson with numbers that you can check by hand. Each figure begins with a question: answer it "
                   "before you look. Below each figure is the command that draws it, and a button that saves it.",
           .body = body,
           .script = "\n" + std::string(teaching::asset("live.js")),
           .command = options.command}),
      "[make_lesson]");
}

}  // namespace posenc
