#include "files/load_array.h"

#include <sys/stat.h>

#include <optional>

#include "core/text/quotable.h"
#include "files/file_format.h"
#include "files/safetensors_format.h"
#include "posenc/error.h"
#include "posenc/files/load.h"
#include "posenc/files/npy.h"
#include "posenc/files/safetensors.h"

namespace posenc {
namespace {

struct ArraySource {
  std::string path;
  std::optional<std::string> tensor;
};

bool is_there(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

// Both names may contain ':', so the longest part that is a file is the path.
ArraySource split(const std::string& text) {
  if (text.empty()) fail(ErrorKind::usage, "[load_array] the name of a file must not be empty");
  if (is_there(text)) return {text, std::nullopt};
  for (std::size_t colon = text.rfind(':'); colon != std::string::npos && colon > 0;
       colon = text.rfind(':', colon - 1)) {
    if (is_there(text.substr(0, colon))) return {text.substr(0, colon), text.substr(colon + 1)};
  }
  // Nothing is there: only for the message.
  constexpr std::string_view kEnding = ".safetensors:";
  const std::size_t ending = text.find(kEnding);
  return {ending == std::string::npos ? text : text.substr(0, ending + kEnding.size() - 1), std::nullopt};
}

Array from_npy(const ArraySource& place, std::int64_t limit) {
  if (place.tensor) {
    fail(ErrorKind::bad_input, place.path + ": only tensors of safetensors files have names, but ':" +
                                   text::quotable(*place.tensor) + "' asks for one of another file");
  }
  return load_npy(place.path, limit);
}

Array from_safetensors(const ArraySource& place, std::int64_t limit) {
  const Safetensors file = open_safetensors(place.path);
  const std::vector<TensorInfo>& tensors = file.tensors();
  if (!place.tensor && tensors.empty()) fail(ErrorKind::bad_input, place.path + ": expected a tensor but it has none");
  if (!place.tensor && tensors.size() > 1) {
    fail(ErrorKind::bad_input, place.path + ": expected the name of a tensor after it, FILE:NAME, as it has " +
                                   std::to_string(tensors.size()) + ": " + files::names_text(tensors));
  }
  const std::string& name = place.tensor ? *place.tensor : tensors.front().name;
  for (const TensorInfo& tensor : tensors) {
    if (tensor.name != name || tensor.end - tensor.begin <= limit) continue;
    fail(ErrorKind::bad_input, place.path + ": tensor '" + text::quotable(name) + "': expected at most " +
                                   std::to_string(limit) + " bytes but it has " +
                                   std::to_string(tensor.end - tensor.begin));
  }
  return file.load(name);
}

}  // namespace

Array files::load_array(const std::string& text, std::int64_t limit) {
  const ArraySource place = split(text);
  const std::optional<std::string> start = file_start(place.path);
  // Nothing to look at: a pipe or device, which are read as .npy, or the system says why not.
  if (!start || is_npy(*start)) return from_npy(place, limit);
  if (is_safetensors(*start)) return from_safetensors(place, limit);
  // What it is not the reader of its name knows best.
  if (place.path.ends_with(".npy")) return from_npy(place, limit);
  if (place.path.ends_with(".safetensors")) return from_safetensors(place, limit);
  const std::string_view name = format_name(*start);
  fail(ErrorKind::bad_input, place.path + ": expected a file of numbers, .npy or .safetensors, but it " +
                                 (name.empty() ? "begins like neither" : "seems to be " + std::string(name)));
}

Array load_array(const std::string& text) { return files::load_array(text, std::int64_t{1} << 36); }

}  // namespace posenc
