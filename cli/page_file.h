// Writes a page of HTML to the file or folder that -o names, or under a usual name to the current folder.
#pragma once

#include <functional>
#include <string>

#include "cli/grammar.h"
#include "posenc/insight/report.h"

namespace posenc::cli {

struct PageOptions {
  std::string path;        // empty: the usual name; "-": standard output; a folder gets index.html
  bool overwrite = false;  // replace a file even if posenc did not make it
};
// -o and --overwrite; `usual` is the name of a page for which no -o is given.
void add_page_output(Command& command, PageOptions& options, const char* usual);

// Writes the page, completely or not at all, and prints its name on standard error. A place that cannot be written to
// is refused before `make` starts to work. Files that posenc did not make are kept, unless -o names them.
void write_page(const PageOptions& options, const char* usual,
                const std::function<std::string(const PageProgress& progress)>& make);

// The options of the lesson, for `lesson` and for its former name, `report --lesson`.
struct LessonCommand {
  std::string sentence;  // empty: that of LessonOptions
  std::uint64_t seed = 0;
  PageOptions page;
};
void write_lesson(const LessonCommand& options);

}  // namespace posenc::cli
