#include "posenc/insight/report.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "cli/commands/commands.h"
#include "cli/encoding.h"
#include "cli/page_file.h"
#include "cli/random_input.h"
#include "cli/shared_options.h"
#include "core/text/shell.h"
#include "posenc/error.h"
#include "posenc/insight/check.h"
#include "posenc/insight/figure.h"

namespace posenc::cli {
namespace {

struct ReportCommand {
  std::vector<std::string> specs;
  EncodingOptions encoding;
  bool lesson = false;   // write the page of posenc lesson: the former name of that command
  std::string sentence;  // with lesson
  bool advise = false;
  std::optional<std::int64_t> trained;  // none: what the scaling of a spec was trained on, else 2048
  std::optional<std::int64_t> target;   // with advise; 8 times the training length
  PageOptions page;
};

constexpr const char* kReportName = "posenc-report.html";

void check_together(const ReportCommand& options) {
  if (!options.sentence.empty()) fail(ErrorKind::usage, "--words is an option of posenc lesson");
  if (!options.advise && options.target) fail(ErrorKind::usage, "--target needs --advise");
  if (!options.advise && options.specs.empty()) {
    fail(ErrorKind::usage, "a report needs a SPEC, for example: posenc report sinusoidal:width=64; or --advise");
  }
  const EncodingOptions& given = options.encoding;
  const bool numbers = given.has_table() || !given.parameters.empty() || !given.values.empty();
  if (numbers && options.specs.size() != 1) {
    fail(ErrorKind::usage,
         "learned numbers need exactly one SPEC, but there are " + std::to_string(options.specs.size()));
  }
}

// The command as a shell reads it, without the options for the output file.
std::string command_of(const ReportCommand& options, const std::vector<Encoding>& found) {
  std::string text = "posenc report";
  for (const Encoding& encoding : found) text += " " + text::shell_word(encoding.text());
  if (options.advise) text += " --advise";
  if (options.trained) text += fmt::format(" --trained {}", *options.trained);
  if (options.target) text += fmt::format(" --target {}", *options.target);
  const bool told = std::any_of(found.begin(), found.end(), [](const Encoding& one) { return one.made_by_init(); });
  if (options.encoding.seed && !told) text += fmt::format(" --seed {}", *options.encoding.seed);
  return text;
}

std::string make_page(const ReportCommand& options, const std::vector<Encoding>& encodings,
                      const std::vector<Encoding>& found, const PageProgress& progress) {
  ReportOptions report{.train_length = options.trained,
                       .seed = options.encoding.seed.value_or(0),
                       .command = command_of(options, found),
                       .progress = progress};
  if (options.advise) {
    const std::int64_t train = options.trained.value_or(CheckOptions{}.train_length);
    const std::int64_t usual = train > kMaxSequence / 8 ? kMaxSequence : 8 * train;
    report.advice = AdviceOptions{.train_length = train, .infer_length = options.target.value_or(usual)};
  }
  return make_report(encodings, report);
}

// Throws if a figure of the report would refuse the spec: before the others are drawn.
void check_size(const Spec& spec) {
  for (const std::string_view figure : figures_of(spec)) check_figure(figure, spec, {});
}

void write_report(const ReportCommand& options) {
  const std::vector<Encoding> found = find_with_remarks(options.specs, options.encoding);
  check_together(options);
  EncodingOptions learned = learned_options(options.encoding, /*made_input=*/true);
  learned.missing = Missing::leave;  // figures draw them, and the page says so
  for (const Encoding& encoding : found) check_size(encoding.spec());
  std::vector<Encoding> encodings;
  for (std::size_t i = 0; i < found.size(); ++i) {
    encodings.push_back(with_learned(found[i], learned));
    check_learned_of_model(encodings.back(), options.specs[i], "posenc report", found.size() == 1);
  }
  write_page(options.page, kReportName,
             [&](const PageProgress& progress) { return make_page(options, encodings, found, progress); });
}

// `report --lesson`, the former name of `lesson`.
void write_former_lesson(const ReportCommand& options) {
  if (!options.specs.empty() || options.advise) {
    fail(ErrorKind::usage, "--lesson takes neither a SPEC nor --advise: use posenc lesson");
  }
  find_with_remarks(std::vector<std::string>(), options.encoding);  // refuses --part and --layer
  fmt::print(stderr, "posenc: report --lesson is now called lesson; the old name goes away in the next release\n");
  write_lesson({.sentence = options.sentence, .seed = options.encoding.seed.value_or(0), .page = options.page});
}

int run(const ReportCommand& options) {
  if (options.lesson) {
    write_former_lesson(options);
  } else {
    write_report(options);
  }
  return 0;
}

}  // namespace

void add_report(Command& app) {
  const auto options = std::make_shared<ReportCommand>();
  Command command = app.command("report", "Write a report on one or more encodings, as a page for a browser",
                                "  posenc report sinusoidal:width=64 rotary:head_dim=64\n"
                                "  posenc report --advise --trained 2048 --target 16384 -o advice.html\n"
                                "  posenc report learned:past_end=error --file wpe.npy -o wpe.html");
  command.add("SPEC", options->specs, kSpecHelp);
  add_spec_choice(command, options->encoding);
  options->encoding.example = ExampleSize::by_hand;
  command.flag("--advise", options->advise, "recommend an encoding, and say what that is based on");
  add_trained(command, options->trained);
  command.add("--target", options->target, "with --advise: the length in use (default: 8 times --trained)")
      .within(1, kMaxSequence)
      .formerly("--infer");
  add_weights(command, options->encoding, "another seed gives other random numbers (default: 0)")
      .formerly("--random-seed");
  add_parameters(command, options->encoding);
  add_page_output(command, options->page, kReportName);
  command.flag("--lesson", options->lesson, "").group("");
  command.text("--words", options->sentence, "").group("").formerly("--sentence");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
