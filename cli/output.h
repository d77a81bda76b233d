// The output of a command: standard output, or a file, which an error leaves unchanged.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/shared_options.h"
#include "core/text/wrapped.h"
#include "posenc/files/file.h"
#include "posenc/files/json.h"

namespace posenc::cli {

// The format of --format, else that of the file's extension, else text. Throws unless it is one of `known`.
std::string choose_format(const OutputOptions& options, const std::vector<std::string_view>& known);

class Output {
 public:
  // `binary` output to a terminal is refused.
  Output(const OutputOptions& options, bool binary);

  void write(std::string_view bytes);
  void finish();  // the file appears at its path only now

 private:
  void flush();

  std::string buffer_;
  std::unique_ptr<FileWriter> file_;  // none: standard output
};

// Writes the whole text.
void write_text(const OutputOptions& options, std::string_view text);
// Writes "schema", then `members`, then the members of `tree` except its own "schema".
void write_json(const OutputOptions& options, Json::Object members, const Json& tree = {});

// Whether to write escape codes, given --color, NO_COLOR, TERM and whether standard output is a terminal.
bool use_color(const std::string& color, const OutputOptions& options);
bool writes_to_terminal(const OutputOptions& options);

// Whether a file or folder has this path.
bool is_there(const std::string& path);

using text::wrapped;
// "1.5 GB", for messages.
std::string bytes_text(double bytes);

}  // namespace posenc::cli
