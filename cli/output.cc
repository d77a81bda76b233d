#include "cli/output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/progress.h"
#include "cli/word_choice.h"
#include "posenc/error.h"
#include "posenc/files/spec_json.h"

namespace posenc::cli {
namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 20;

bool is_standard_output(const OutputOptions& options) { return options.path.empty() || options.path == "-"; }

std::string extension_of(const std::string& path) {
  const std::size_t dot = path.find_last_of("./");
  if (dot == std::string::npos || path[dot] == '/') return {};
  return path.substr(dot + 1);
}

[[noreturn]] void refuse_binary() {
  fail(ErrorKind::usage,
       "binary data cannot be shown on a terminal: write it to a file with -o FILE, or pipe it to another program");
}

void write_standard_output(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(ErrorKind::io, std::string("cannot write to standard output: ") + std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::string choose_format(const OutputOptions& options, const std::vector<std::string_view>& known) {
  if (!options.format.empty()) return std::string(known[place_of_word(options.format, "--format", known)]);
  const std::string extension = is_standard_output(options) ? "" : lower_case(extension_of(options.path));
  if (std::find(known.begin(), known.end(), extension) != known.end()) return extension;
  if (extension.empty() || extension == "txt") return "text";
  fail(ErrorKind::unsupported,
       fmt::format("-o {}: this command does not write .{} files; the formats are {} (--format)", options.path,
                   extension, fmt::join(known, ", ")));
}

bool writes_to_terminal(const OutputOptions& options) {
  return is_standard_output(options) && ::isatty(STDOUT_FILENO) == 1;
}

bool is_there(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

Output::Output(const OutputOptions& options, bool binary) {
  if (binary && writes_to_terminal(options)) refuse_binary();
  if (is_standard_output(options)) return;
  file_ = std::make_unique<FileWriter>(options.path);
  if (binary && file_->is_terminal()) refuse_binary();
  // If a signal comes, the temporary file must be removed. Without a temporary file, the signal may end the program at
  // once.
  if (!file_->is_direct()) catch_interrupts();
}

void Output::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= kBufferSize) flush();
}

void Output::flush() {
  stop_if_interrupted();
  if (file_) {
    file_->write(buffer_.data(), buffer_.size());
  } else {
    write_standard_output(buffer_);
  }
  buffer_.clear();
}

void Output::finish() {
  flush();
  if (file_) file_->commit();
}

void write_text(const OutputOptions& options, std::string_view text) {
  Output output(options, /*binary=*/false);
  output.write(text);
  output.finish();
}

void write_json(const OutputOptions& options, Json::Object members, const Json& tree) {
  members.insert(members.begin(), {"schema", Json(kSchema)});
  if (tree.is_object()) {
    for (const auto& member : tree.object()) {
      if (member.first != "schema") members.push_back(member);
    }
  }
  write_text(options, to_text(Json(std::move(members))));
}

std::string bytes_text(double bytes) {
  if (bytes >= 1e12) return fmt::format("{:.3g} TB", bytes / 1e12);
  if (bytes >= 1e9) return fmt::format("{:.3g} GB", bytes / 1e9);
  if (bytes >= 1e6) return fmt::format("{:.3g} MB", bytes / 1e6);
  return fmt::format("{:.0f} bytes", bytes);
}

bool use_color(const std::string& color, const OutputOptions& options) {
  if (color != "auto") return color == "always";
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  if (no_color != nullptr && *no_color != '\0') return false;
  if (term == nullptr || std::strcmp(term, "dumb") == 0) return false;
  return writes_to_terminal(options);
}

}  // namespace posenc::cli
