#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/refuse.h"
#include "core/text/joined.h"
#include "core/text/quotable.h"
#include "core/text/utf8.h"
#include "files/safetensors_format.h"
#include "files/shape.h"
#include "files/view_writer.h"
#include "posenc/files/file.h"
#include "posenc/files/json.h"
#include "posenc/files/safetensors.h"

namespace posenc {
namespace {

constexpr base::Refusal refuse{"safetensors_header"};

// Returns the index of the type in the format's list; later types are at least as wide.
std::size_t type_index(DType dtype) {
  std::size_t index = 0;
  for (const files::SafetensorsDType& known : files::kSafetensorsDTypes) {
    if (known.read_as == dtype && !known.converted) break;
    ++index;
  }
  return index;
}

std::vector<std::int64_t> shape_of(const ConstView& view) {
  return {view.shape.begin(), view.shape.begin() + view.rank};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    std::uint64_t eight = 0;  // eight letters at once: most texts are ASCII, and some are long
    if (text.size() >= sizeof eight) std::memcpy(&eight, text.data(), sizeof eight);
    const bool ascii = text.size() >= sizeof eight && (eight & 0x8080808080808080U) == 0;
    const std::size_t length = ascii ? sizeof eight : text::utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// Checks that keys are UTF-8 and unique, as JSON needs; `what` is "names" or "metadata keys".
void check_keys(std::vector<std::string_view> keys, const std::string& what) {
  for (const std::string_view key : keys) {
    if (!is_utf8(key)) refuse(what, " must be UTF-8 but got '", text::quotable(key), "'");
  }
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice != keys.end()) refuse(what, " must be unique but '", text::quotable(*twice), "' occurs twice");
}

void check_view(const NamedTensor& tensor) {
  const ConstView& view = tensor.view;
  const std::string start = "tensor '" + text::quotable(tensor.name) + "' must have ";
  refuse.unless(view.rank >= 0 && view.rank <= kMaxRank, start, "0 to 4 axes but got ", view.rank);
  const std::vector<std::int64_t> shape = shape_of(view);
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t length) { return length < 0; })) {
    refuse(start, "lengths of at least 0 but has shape ", shape_text(view));
  }
  refuse.unless(type_index(view.dtype) != files::kSafetensorsDTypes.size(), start, "a known dtype");
  if (files::checked_size(shape, size_of(view.dtype)) < 0) {
    refuse(start, "less than 2^63 bytes but has shape ", shape_text(view));
  }
}

void check(const std::vector<NamedTensor>& tensors, const Metadata& metadata) {
  std::vector<std::string_view> names;
  for (const NamedTensor& tensor : tensors) {
    refuse.unless(tensor.name != files::kMetadataKey, "names must not be '__metadata__', which the format reserves");
    check_view(tensor);
    names.push_back(tensor.name);
  }
  check_keys(std::move(names), "names");
  std::vector<std::string_view> keys;
  for (const auto& [key, value] : metadata) {
    keys.push_back(key);
    if (!is_utf8(value)) refuse("metadata must be UTF-8 but the value of '", text::quotable(key), "' is not");
  }
  check_keys(std::move(keys), "metadata keys");
}

std::string quoted(const std::string& text) {
  std::string result = to_text(Json(text));
  result.pop_back();  // the newline
  return result;
}

// {"key":"value",...}
std::string metadata_json(const Metadata& metadata) {
  return "{" +
         text::joined(metadata, ",", [](const auto& item) { return quoted(item.first) + ":" + quoted(item.second); }) +
         "}";
}

// "[2,3]"
std::string compact_list(const std::vector<std::int64_t>& numbers) { return "[" + text::joined(numbers, ",") + "]"; }

}  // namespace

std::string safetensors_header(const std::vector<NamedTensor>& tensors, const Metadata& metadata) {
  check(tensors, metadata);
  std::string text = "{";
  const auto add = [&](const std::string& name, const std::string& value) {
    text += (text.size() > 1 ? "," : "") + name + ":" + value;
  };
  if (!metadata.empty()) add(quoted(std::string(files::kMetadataKey)), metadata_json(metadata));
  std::int64_t begin = 0;
  for (const auto& [name, view] : tensors) {
    std::int64_t end = 0;
    refuse.unless(!__builtin_add_overflow(begin, view.size() * size_of(view.dtype), &end),
                  "the tensors must have less than 2^63 bytes but got more");
    const std::string_view dtype = files::kSafetensorsDTypes[type_index(view.dtype)].name;
    add(quoted(name), "{\"dtype\":\"" + std::string(dtype) + "\",\"shape\":" + compact_list(shape_of(view)) +
                          ",\"data_offsets\":" + compact_list({begin, end}) + "}");
    begin = end;
  }
  text += '}';
  // The data begin at a multiple of 8 bytes, so that they can be memory-mapped.
  constexpr std::size_t kAlign = 8;
  text.resize((text.size() + kAlign - 1) / kAlign * kAlign, ' ');
  refuse.unless(text.size() <= static_cast<std::size_t>(files::kMaxSafetensorsHeader), "the header must have at most ",
                files::kMaxSafetensorsHeader, " bytes but has ", text.size());
  std::string header;
  for (int byte = 0; byte < files::kSafetensorsStart; ++byte) header += static_cast<char>(text.size() >> (8 * byte));
  return header + text;
}

void save_safetensors(const std::string& path, const std::vector<NamedTensor>& tensors, const Metadata& metadata) {
  std::vector<NamedTensor> sorted = tensors;
  std::sort(sorted.begin(), sorted.end(), [](const NamedTensor& a, const NamedTensor& b) {
    const std::size_t a_index = type_index(a.view.dtype);
    const std::size_t b_index = type_index(b.view.dtype);
    return a_index != b_index ? a_index > b_index : a.name < b.name;
  });
  const std::string header = safetensors_header(sorted, metadata);
  for (const auto& [name, view] : sorted) {
    if (view.data == nullptr && view.size() > 0) {
      base::refuse("save_safetensors", "tensor '", text::quotable(name), "' of shape ", shape_text(view),
                   " must not be null");
    }
  }
  FileWriter file(path);
  files::ViewWriter writer(file);
  writer.add(header);
  for (const NamedTensor& tensor : sorted) writer.add(tensor.view);
  writer.flush();
  file.commit();
}

}  // namespace posenc
