#include "models/source_file.h"

#include <cctype>
#include <string>

#include "files/file_format.h"
#include "posenc/error.h"

namespace posenc::models {
namespace {

constexpr std::int64_t kMaxConfigFile = std::int64_t{1} << 28;

}  // namespace

SourceFile open_source(const std::string& path) {
  const auto reader = std::make_shared<files::FileReader>(path, files::FileReader::Of::anything);
  const std::string start = reader->start();
  if (start.starts_with("GGUF")) return {.reader = reader, .gguf = true, .json = {}};
  if (const std::string_view foreign = files::format_name(start); !foreign.empty()) {
    fail(ErrorKind::unsupported,
         path + ": expected a posenc spec, a model's config.json or a GGUF file, but the file seems to be " +
             std::string(foreign));
  }
  // A file that begins with a letter is not JSON: say so, which is clearer than a syntax error.
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && std::isalpha(static_cast<unsigned char>(start[first])) != 0) {
    fail(ErrorKind::bad_input, path +
                                   ": expected a posenc spec, a model's config.json or a GGUF file, but it is neither "
                                   "JSON nor GGUF");
  }
  const std::string text = reader->read_all(kMaxConfigFile);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    fail(ErrorKind::bad_input, path +
                                   ": the file is empty; expected a posenc spec, a model's config.json, such as "
                                   "{\"model_type\": \"llama\", ...}, or a GGUF file");
  }
  return {.reader = reader, .gguf = false, .json = parse_json(text, path)};
}

}  // namespace posenc::models
