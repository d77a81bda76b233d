#include "posenc/insight/report.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "cli/commands/commands.h"
#include "cli/encoding.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/shared_options.h"
#include "core/text/shell.h"
#include "posenc/error.h"
#include "posenc/insight/check.h"

namespace posenc::cli {
namespace {

struct ReportCommand {
  std::vector<std::string> specs;
  EncodingOptions encoding;
  bool lesson = false;
  std::string sentence;  // with lesson
  bool advise = false;
  std::optional<std::int64_t> train;        // none: what the scaling of a spec was trained on, else 2048
  std::optional<std::int64_t> infer;        // with advise; 8 times the training length
  std::optional<std::uint64_t> draws_seed;  // 0
  bool overwrite = false;
  OutputOptions output;
};

namespace fs = std::filesystem;

// A folder that posenc made and that has nothing in it goes away again if no page follows.
class Target {
 public:
  Target(const std::string& path, bool overwrite) : path_(path) {
    if (path.empty() || path == "-" || path.ends_with(".html")) return;
    const fs::path folder(path);
    std::error_code error;
    const fs::file_status status = fs::status(folder, error);
    if (fs::exists(status) && !fs::is_directory(status)) {
      fail(ErrorKind::io, fmt::format("'{}' is a file: -o takes a folder, or a name that ends in .html", path));
    }
    if (!fs::exists(status)) {
      if (!fs::create_directory(folder, error)) {
        fail(ErrorKind::io, fmt::format("cannot make the folder '{}': {}", path, error.message()));
      }
      made_ = folder;
    } else if (!overwrite && !fs::is_empty(folder, error)) {
      fail(ErrorKind::io,
           error ? fmt::format("cannot read the folder '{}': {}", path, error.message())
                 : fmt::format("the folder '{}' is not empty: --overwrite writes index.html into it", path));
    }
    path_ = (folder / "index.html").string();
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;
  ~Target() {
    std::error_code ignored;
    if (made_) fs::remove(*made_, ignored);  // only if it is empty
  }

  void write(const std::string& page) {
    write_text({.path = path_}, page);
    made_.reset();
    if (path_.empty() || path_ == "-") return;
    std::fprintf(stderr, "posenc: wrote %s: open it in a browser\n", path_.c_str());
  }

 private:
  std::string path_;
  std::optional<fs::path> made_;
};

PageProgress shown_progress(std::unique_ptr<Progress>& progress) {
  return [&progress](std::string_view, std::int64_t done, std::int64_t total) {
    if (!progress) progress = std::make_unique<Progress>("page", total);
    progress->update(done);
  };
}

void check_together(const ReportCommand& options) {
  if (options.lesson && (!options.specs.empty() || options.advise)) {
    fail(ErrorKind::usage, "--lesson is a page of its own: it takes neither a SPEC nor --advise");
  }
  if (!options.lesson && !options.sentence.empty()) fail(ErrorKind::usage, "--sentence goes with --lesson");
  if (!options.advise && options.infer) fail(ErrorKind::usage, "--infer goes with --advise");
  if (!options.lesson && !options.advise && options.specs.empty()) {
    fail(ErrorKind::usage, "a SPEC is needed, or --lesson, or --advise");
  }
  const EncodingOptions& given = options.encoding;
  const bool numbers = given.has_table() || !given.parameters.empty() || !given.values.empty();
  if (numbers && options.specs.size() != 1) {
    fail(ErrorKind::usage, "learned numbers are given for one SPEC: make a report of that one");
  }
}

// As a shell reads it back, without where the page goes.
std::string command_of(const ReportCommand& options, const std::vector<Encoding>& found) {
  std::string text = "posenc report";
  for (const Encoding& encoding : found) text += " " + text::shell_word(encoding.text());
  if (options.lesson) text += " --lesson";
  if (!options.sentence.empty()) text += " --sentence " + text::shell_word(options.sentence);
  if (options.advise) text += " --advise";
  if (options.train) text += fmt::format(" --train {}", *options.train);
  if (options.infer) text += fmt::format(" --infer {}", *options.infer);
  if (options.draws_seed) text += fmt::format(" --random-seed {}", *options.draws_seed);
  return text;
}

std::string make_page(const ReportCommand& options, const std::vector<Encoding>& found) {
  std::unique_ptr<Progress> progress;
  const std::uint64_t seed = options.draws_seed.value_or(0);
  if (options.lesson) {
    LessonOptions lesson{.seed = seed, .command = command_of(options, found), .progress = shown_progress(progress)};
    if (!options.sentence.empty()) lesson.sentence = options.sentence;
    return make_lesson(lesson);
  }
  EncodingOptions learned = options.encoding;
  learned.missing = Missing::leave;  // they are drawn
  std::vector<Encoding> encodings;
  for (const Encoding& encoding : found) encodings.push_back(with_learned(encoding, learned));
  ReportOptions report{.train_length = options.train,
                       .seed = seed,
                       .command = command_of(options, found),
                       .progress = shown_progress(progress)};
  if (options.advise) {
    const std::int64_t train = options.train.value_or(CheckOptions{}.train_length);
    const std::int64_t usual = train > 2147483647 / 8 ? 2147483647 : 8 * train;
    report.advice = AdviceOptions{.train_length = train, .infer_length = options.infer.value_or(usual)};
  }
  return make_report(encodings, report);
}

int run(const ReportCommand& options) {
  const std::vector<Encoding> found = find_with_remarks(options.specs, options.encoding);
  check_together(options);
  catch_interrupts();
  Target target(options.output.path, options.overwrite);
  target.write(make_page(options, found));
  return 0;
}

}  // namespace

void add_report(Command& app) {
  const auto options = std::make_shared<ReportCommand>();
  Command command = app.command("report", "One offline page of HTML: a report on encodings, or the lesson.",
                                "  posenc report sinusoidal:width=64 rotary:head_dim=64 -o report\n"
                                "  posenc report --lesson --sentence \"dog bites man\" -o lesson\n"
                                "  posenc report --advise --train 2048 --infer 16384 -o advice.html\n"
                                "  posenc report learned:past_end=error --file wpe.npy -o wpe.html");
  command.add("SPEC", options->specs, kSpecHelp);
  add_spec_choice(command, options->encoding);
  command.flag("--lesson", options->lesson, "the lesson instead");
  command.text("--sentence", options->sentence, "with --lesson: its words (default: the cat sat on the mat)");
  command.flag("--advise", options->advise, "a section that compares, recommends, and says what that rests on");
  add_train(command, options->train);
  command.add("--infer", options->infer, "with --advise: the length it is used at (default: 8 times as long)")
      .within(1, kMaxSequence);
  command.add("--random-seed", options->draws_seed, "of what is drawn at random (default: 0)");
  command.flag("--overwrite", options->overwrite, "replace index.html in a folder that exists");
  add_weights(command, options->encoding);
  add_parameters(command, options->encoding);
  command.text("-o,--output", options->output.path,
               "a new folder, which gets index.html, or a file that ends in .html (default: standard output)");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
