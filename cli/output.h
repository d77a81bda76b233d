// Where a command's results go: a file that is written whole or not at all, or standard output.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/shared_options.h"
#include "posenc/files/file.h"
#include "posenc/files/json.h"

namespace posenc::cli {

// The format asked for, or the one that the file's name ends in, or text; an error unless it is among `known`.
std::string choose_format(const OutputOptions& options, const std::vector<std::string_view>& known);

class Output {
 public:
  // `binary` output to a terminal is refused.
  Output(const OutputOptions& options, bool binary);

  void write(std::string_view bytes);
  void finish();  // nothing is at the path before this

 private:
  void flush();

  std::string buffer_;
  std::unique_ptr<FileWriter> file_;  // none: standard output
};

// All of it at once.
void write_text(const OutputOptions& options, std::string_view text);
// With "schema" in front; that of a tree, which comes behind the members, is left out.
void write_json(const OutputOptions& options, Json::Object members, const Json& tree = {});

// Whether escape codes may be written: by --color, NO_COLOR, TERM and whether standard output is a terminal.
bool use_color(const std::string& color, const OutputOptions& options);
bool writes_to_terminal(const OutputOptions& options);

// Words in lines of at most `width` columns.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);
// "1.5 GB", for messages.
std::string bytes_text(double bytes);

}  // namespace posenc::cli
