// Pages: a report on encodings, and a lesson. Each is one HTML file that works without a network.
//
//     posenc::write_file("report.html", posenc::make_report({{posenc::Alibi{.heads = 8}}}, {}));
//     posenc::write_file("lesson.html", posenc::make_lesson({.sentence = "the cat sat on the mat"}));
//
// The same options give the same bytes. Figures are inline SVG; dark mode follows the reader's system.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "posenc/export.h"
#include "posenc/insight/exercises.h"
#include "posenc/insight/kind_facts.h"

namespace posenc {

// Called before each part of a page is made, with its name, the number of parts done, and the number of all parts.
using PageProgress = std::function<void(std::string_view what, std::int64_t done, std::int64_t total)>;

// The lengths that the advice of a report compares.
struct AdviceOptions {
  std::int64_t train_length = 2048;   // at least 1
  std::int64_t infer_length = 16384;  // at least 1
};

struct ReportOptions {
  std::optional<std::int64_t> train_length = {};  // none: trained_length_of each encoding
  std::optional<AdviceOptions> advice = {};       // if set: a section that compares and recommends
  std::uint64_t seed = 0;
  std::string command = "posenc report";  // printed at the end of the page
  PageProgress progress = {};
};

// For each subject: its formula, properties with verdicts, a worked example and figures; tables that compare several
// subjects. Without subjects the report is the advice, which must then be set.
POSENC_API std::string make_report(const std::vector<Encoding>& subjects, const ReportOptions& options);

struct LessonOptions {
  std::string sentence = "the cat sat on the mat";  // 2 to 24 words
  std::uint64_t seed = 0;
  std::string command = "posenc lesson";
  PageProgress progress = {};
};
// Throws what make_lesson would throw about its options, before any work.
POSENC_API void check_lesson(const LessonOptions& options);
POSENC_API std::string make_lesson(const LessonOptions& options);

// A worksheet as a page.
POSENC_API std::string exercises_page(const std::vector<Question>& questions, const WorksheetOptions& options);

// make_report and make_lesson throw if a page has more bytes.
inline constexpr std::int64_t kMaxPageBytes = 5'000'000;

}  // namespace posenc
