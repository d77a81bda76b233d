#include "files/load_array.h"

#include <sys/stat.h>

#include <memory>
#include <optional>
#include <utility>

#include "core/base/refuse.h"
#include "core/text/quotable.h"
#include "files/file_format.h"
#include "files/safetensors_format.h"
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

// The path and the tensor's name may both contain ':', so the longest prefix that is an existing file is the path.
ArraySource split(const std::string& text) {
  base::require(!text.empty(), "load_array", "the name of a file must not be empty");
  if (is_there(text)) return {text, std::nullopt};
  for (std::size_t colon = text.rfind(':'); colon != std::string::npos && colon > 0;
       colon = text.rfind(':', colon - 1)) {
    if (is_there(text.substr(0, colon))) return {text.substr(0, colon), text.substr(colon + 1)};
  }
  // No such file exists; this split only serves the error message.
  constexpr std::string_view kEnding = ".safetensors:";
  const std::size_t ending = text.find(kEnding);
  return {ending == std::string::npos ? text : text.substr(0, ending + kEnding.size() - 1), std::nullopt};
}

Array from_npy(const ArraySource& place, const files::FileReader& file, std::int64_t limit) {
  if (place.tensor) {
    base::refuse_file(place.path, "':", text::quotable(*place.tensor),
                      "' selects a tensor, but only safetensors files have named tensors");
  }
  return files::load_npy(file, limit);
}

Array from_safetensors(ArraySource& place, std::shared_ptr<const files::FileReader> reader, std::int64_t limit) {
  const Safetensors file = files::open_safetensors(std::move(reader));
  const std::vector<TensorInfo>& tensors = file.tensors();
  base::require_file(place.tensor || !tensors.empty(), place.path, "expected a tensor but it has none");
  if (!place.tensor && tensors.size() > 1) {
    base::refuse_file(place.path, "expected FILE:TENSOR because the file has ", tensors.size(),
                      " tensors: ", files::names_text(tensors));
  }
  if (!place.tensor) place.tensor = tensors.front().name;
  const std::string& name = *place.tensor;
  for (const TensorInfo& tensor : tensors) {
    if (tensor.name != name || tensor.end - tensor.begin <= limit) continue;
    base::refuse_file(place.path, "tensor '", text::quotable(name), "': expected at most ", limit, " bytes but it has ",
                      tensor.end - tensor.begin);
  }
  return file.load(name);
}

Array load(ArraySource& place, std::int64_t limit) {
  const auto file = std::make_shared<files::FileReader>(place.path, files::FileReader::Of::anything);
  const std::string start = file->start();
  // A pipe or device cannot be inspected, so it is read as .npy.
  if (!file->regular() || files::is_npy(start)) return from_npy(place, *file, limit);
  if (files::is_safetensors(start)) return from_safetensors(place, file, limit);
  // Unrecognised contents: the reader for the extension reports the error.
  if (place.path.ends_with(".npy")) return from_npy(place, *file, limit);
  if (place.path.ends_with(".safetensors")) return from_safetensors(place, file, limit);
  const std::string_view name = files::format_name(start);
  base::refuse_file(place.path, "expected a file of numbers, .npy or .safetensors, but it ",
                    (name.empty() ? "begins like neither of them" : "seems to be " + std::string(name)));
}

constexpr std::int64_t kMaxArray = std::int64_t{1} << 36;

}  // namespace

Array files::load_array(const std::string& text, std::int64_t limit) {
  ArraySource place = split(text);
  return load(place, limit);
}

Array load_array(const std::string& text) { return files::load_array(text, kMaxArray); }

NamedArray load_named_array(const std::string& text) {
  ArraySource place = split(text);
  Array array = load(place, kMaxArray);
  return {place.tensor.value_or(""), std::move(array)};
}

}  // namespace posenc
