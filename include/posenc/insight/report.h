// Pages: a report on encodings, and the lesson; each one file of HTML that opens from disk, without a network.
//
//     posenc::write_file("report.html", posenc::make_report({{posenc::Alibi{.heads = 8}}}, {}));
//     posenc::write_file("lesson.html", posenc::make_lesson({.sentence = "the cat sat on the mat"}));
//
// The same options give the same bytes. Figures stand in the page as SVG; dark mode follows the reader's system.
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

// Called before each part of a page is made: what it is, how many are done, and how many there are.
using PageProgress = std::function<void(std::string_view what, std::int64_t done, std::int64_t total)>;

// Which lengths the advice of a report compares.
struct AdviceOptions {
  std::int64_t train_length = 2048;   // at least 1
  std::int64_t infer_length = 16384;  // at least 1
};

struct ReportOptions {
  std::optional<std::int64_t> train_length = {};  // none: usual_train_length of every encoding
  std::optional<AdviceOptions> advice = {};       // with it, a section that compares and recommends
  std::uint64_t seed = 0;
  std::string command = "posenc report";  // what made the page
  PageProgress progress = {};
};

// For each subject: what it is, figures, properties with verdicts, a worked example, precision and cost; for several,
// tables that compare them. No subjects: the advice alone, which must then be asked for.
POSENC_API std::string make_report(const std::vector<Encoding>& subjects, const ReportOptions& options);

struct LessonOptions {
  std::string sentence = "the cat sat on the mat";  // 2 to 24 words
  std::uint64_t seed = 0;
  std::string command = "posenc report --lesson";
  PageProgress progress = {};
};
POSENC_API std::string make_lesson(const LessonOptions& options);

// A worksheet as a page of its own.
POSENC_API std::string exercises_page(const std::vector<Question>& questions, const WorksheetOptions& options);

// How many bytes a page may have; make_report and make_lesson refuse to give more.
inline constexpr std::int64_t kMaxPageBytes = 5'000'000;

}  // namespace posenc
