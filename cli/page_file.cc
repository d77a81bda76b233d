#include "cli/page_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <system_error>

#include "cli/output.h"
#include "cli/progress.h"
#include "posenc/error.h"

namespace posenc::cli {
namespace {

namespace fs = std::filesystem;

bool is_page_name(const std::string& path) { return path.ends_with(".html") || path.ends_with(".htm"); }

// Whether the file begins as every page of posenc does.
bool is_made_by_posenc(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(1000, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  return start.find("<meta name=\"generator\" content=\"posenc ") != std::string::npos;
}

// The file that a page is written to. A folder that was made for it is removed again if no page follows.
class PageFile {
 public:
  PageFile(const PageOptions& options, const char* usual) : path_(options.path) {
    if (path_ == "-") return;
    const bool named = is_page_name(path_);
    if (path_.empty()) {
      path_ = usual;
    } else if (!named || fs::is_directory(path_)) {
      path_ = (folder(path_) / "index.html").string();
    }
    check_file(named, options.overwrite);
  }
  PageFile(const PageFile&) = delete;
  PageFile& operator=(const PageFile&) = delete;
  ~PageFile() {
    std::error_code ignored;
    if (made_) fs::remove(*made_, ignored);  // only if it is empty
  }

  void write(const std::string& page) {
    const char* done = is_there(path_) ? "replaced" : "wrote";
    write_text({.path = path_}, page);
    made_.reset();
    if (path_ != "-") fmt::print(stderr, "posenc: {} {}: open it in a browser\n", done, path_);
  }

 private:
  // The folder for the page: an existing one, or a new one.
  fs::path folder(const std::string& path) {
    const fs::path folder(path);
    if (fs::is_directory(folder)) return folder;
    if (fs::exists(folder)) {
      fail(ErrorKind::usage,
           fmt::format("-o {}: a page is HTML, so its name must end in .html; this is another file", path));
    }
    if (folder.has_extension()) {  // report.pdf; "report.d/" has none
      const bool pdf = folder.extension() == ".pdf";
      fail(ErrorKind::usage, fmt::format("-o {}: a page is HTML, so its name must end in .html{}", path,
                                         pdf ? "; to get a PDF, print the page from a browser" : ""));
    }
    std::error_code error;
    if (!fs::create_directory(folder, error) && !fs::is_directory(folder)) {
      fail(ErrorKind::io, fmt::format("cannot make the folder '{}': {}", path, error.message()));
    }
    made_ = folder;
    return folder;
  }

  void check_file(bool named, bool overwrite) const {
    const fs::path parent = fs::path(path_).parent_path();
    if (!parent.empty() && !fs::is_directory(parent)) {
      fail(ErrorKind::io, fmt::format("cannot write '{}': there is no folder '{}'", path_, parent.string()));
    }
    if (named || overwrite || !fs::exists(path_) || is_made_by_posenc(path_)) return;
    fail(ErrorKind::io,
         fmt::format("'{}' is there already, and posenc did not make it: choose another name with -o, or --overwrite",
                     path_));
  }

  std::string path_;
  std::optional<fs::path> made_;
};

}  // namespace

void add_page_output(Command& command, PageOptions& options, const char* usual) {
  command.flag("--overwrite", options.overwrite, "replace a page even if posenc did not make it");
  command
      .text("-o,--output", options.path,
            fmt::format("a name that ends in .html, a folder, which gets index.html, or - for standard output\n"
                        "(default: {} in the current folder)",
                        usual))
      .value("FILE");
}

void write_page(const PageOptions& options, const char* usual,
                const std::function<std::string(const PageProgress& progress)>& make) {
  catch_interrupts();
  PageFile file(options, usual);
  std::unique_ptr<Progress> shown;
  const std::string page = make([&shown](std::string_view, std::int64_t done, std::int64_t total) {
    if (!shown) shown = std::make_unique<Progress>("page", total);
    shown->update(done);
  });
  shown.reset();
  file.write(page);
}

}  // namespace posenc::cli
