// The rules of the header. The JSON library would accept several violations, so each rule is checked here.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/base/refuse.h"
#include "core/text/joined.h"
#include "core/text/nearest.h"
#include "core/text/quotable.h"
#include "files/load_bits.h"
#include "files/safetensors_format.h"
#include "files/shape.h"
#include "posenc/files/json.h"
#include "posenc/files/safetensors.h"

namespace posenc {
namespace {

using files::kMaxSafetensorsHeader;
using files::kMetadataKey;
using files::kSafetensorsStart;

std::string tensor_place(std::string_view source, std::string_view name) {
  return std::string(source) + ": tensor '" + text::quotable(name) + "'";
}

std::string byte_text(char byte) {
  if (byte > ' ' && byte <= '~') return std::string("'") + byte + "'";
  return "byte value " + std::to_string(static_cast<unsigned char>(byte));
}

// Returns the size of the header.
std::int64_t header_length(std::string_view bytes, std::int64_t file_size, std::string_view source) {
  const auto have = static_cast<std::int64_t>(bytes.size());
  base::require_file(std::min(file_size, have) >= kSafetensorsStart, source,
                     "expected a safetensors file, which begins with the 8 bytes of its header's length, but it has ",
                     file_size, " bytes");
  const auto length = files::load_bits<std::uint64_t, false>(bytes.data());
  base::require_file(length <= static_cast<std::uint64_t>(kMaxSafetensorsHeader), source,
                     "expected a safetensors header of at most ", kMaxSafetensorsHeader, " bytes but its length is ",
                     length);
  const std::int64_t rest = file_size - kSafetensorsStart;
  base::require_file(static_cast<std::int64_t>(length) <= rest, source, "expected a safetensors header of ", length,
                     " bytes but the file ends after ", rest, " of them");
  base::require(static_cast<std::int64_t>(length) <= have - kSafetensorsStart, "parse_safetensors_header",
                "bytes must hold the header, ", length, " bytes after the first 8, but got ", have);
  return static_cast<std::int64_t>(length);
}

// Returns the JSON text of a header without the spaces after it.
std::string_view json_text(std::string_view header, std::string_view source) {
  if (!header.starts_with('{')) {
    base::refuse_file(source, "expected a safetensors header that begins with '{' but ",
                      (header.empty() ? "it is empty" : "got " + byte_text(header.front())));
  }
  header = header.substr(0, header.find_last_not_of(' ') + 1);
  if (header.back() != '}') {
    base::refuse_file(source, "header: expected '}' and nothing but spaces after it but got ",
                      byte_text(header.back()));
  }
  return header;
}

// Reads a length, which must be written in digits only: 1e3 and 8.0 are not lengths.
std::int64_t read_count(const Json& json, const std::string& where) {
  const std::int64_t* count = std::get_if<std::int64_t>(&json.value);
  if (count == nullptr || *count < 0) {
    std::string got = to_text(json);
    got.pop_back();
    base::refuse_file(where, "expected an integer from 0 to 2^63 - 1 but got ", text::quotable(got));
  }
  return *count;
}

void check_keys(const Json::Object& members, const std::string& place) {
  const std::vector<std::string_view> known = {"dtype", "shape", "data_offsets"};
  for (const auto& [key, value] : members) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    base::refuse_file(place, "expected the keys dtype, shape and data_offsets but got '", text::quotable(key), "'",
                      text::hint(key, known));
  }
  for (const std::string_view key : known) {
    const bool found = std::any_of(members.begin(), members.end(), [&](const auto& m) { return m.first == key; });
    base::require_file(found, place, "expected the key ", key, " but it is missing");
  }
}

// Returns the bits of one element.
int bits_of(const std::string& dtype, const std::string& place) {
  if (const files::SafetensorsDType* known = files::find_safetensors_dtype(dtype)) return known->bits;
  base::refuse_file(place, "dtype: expected one of ",
                    text::joined(files::kSafetensorsDTypes, " ", &files::SafetensorsDType::name), " but got '",
                    text::quotable(dtype), "'",
                    text::hint(dtype, files::kSafetensorsDTypes, &files::SafetensorsDType::name));
}

// Throws unless the size of the tensor's data matches its shape and dtype.
void check_bytes(const TensorInfo& info, const std::string& place) {
  const int bits = bits_of(info.dtype, place);
  const std::string content = "shape " + files::shape_text(info.shape) + " of " + info.dtype;
  // Types narrower than a byte are counted as whole bytes here, which is an upper bound.
  const std::int64_t count = files::checked_size(info.shape, std::max(bits / 8, 1));
  base::require_file(count >= 0, place, "expected less than 2^63 bytes of data but got ", content);
  base::require_file(count % 8 * bits % 8 == 0, place, "expected elements that fill whole bytes but got ", content);
  const std::int64_t need = count / 8 * bits + count % 8 * bits / 8;
  base::require_file(info.end - info.begin == need, place, "expected ", need, " bytes of data for ", content,
                     " but its data_offsets [", info.begin, ", ", info.end, "] span ", info.end - info.begin);
}

TensorInfo read_tensor(const std::string& name, const Json& json, std::string_view source) {
  const std::string place = tensor_place(source, name);
  check_keys(json.object(place), place);
  TensorInfo info;
  info.name = name;
  info.dtype = json.find("dtype")->string(place + ": dtype");
  std::string where = place + ": shape";
  for (const Json& length : json.find("shape")->array(where)) info.shape.push_back(read_count(length, where));
  where = place + ": data_offsets";
  const Json::Array& offsets = json.find("data_offsets")->array(where);
  base::require_file(offsets.size() == 2, where, "expected [begin, end] but got ", offsets.size(), " numbers");
  info.begin = read_count(offsets[0], where);
  info.end = read_count(offsets[1], where);
  base::require_file(info.end >= info.begin, where, "expected an end at or after the begin but got [", info.begin, ", ",
                     info.end, "]");
  check_bytes(info, place);
  return info;
}

Metadata read_metadata(const Json& json, std::string_view source) {
  Metadata metadata;
  const std::string place = std::string(source) + ": " + std::string(kMetadataKey);
  for (const auto& [key, value] : json.object(place)) {
    metadata.emplace_back(key, value.string(place + ": '" + text::quotable(key) + "'"));
  }
  return metadata;
}

// Checks that the tensors, in file order, follow each other without gaps and fill the file.
void check_layout(const std::vector<TensorInfo>& tensors, std::int64_t data_size, std::string_view source) {
  std::int64_t end = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const TensorInfo& tensor = tensors[i];
    if (tensor.begin != end) {
      const std::string neighbour =
          i == 0 ? "the start" : "the end of tensor '" + text::quotable(tensors[i - 1].name) + "'";
      base::refuse_file(tensor_place(source, tensor.name), "expected its data to begin at byte ", end, ", ", neighbour,
                        ", but it begins at byte ", tensor.begin, (tensor.begin < end ? ": they overlap" : ": a gap"));
    }
    end = tensor.end;
  }
  if (end == data_size) return;
  base::refuse_file(source, "expected ", end, " bytes of data, the total of all tensors, but the file has ", data_size,
                    (end < data_size ? "" : ": it is cut off"));
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view bytes, std::int64_t file_size, std::string_view source) {
  const std::int64_t length = header_length(bytes, file_size, source);
  const std::string_view text = bytes.substr(kSafetensorsStart, static_cast<std::size_t>(length));
  const Json json = parse_json(json_text(text, source), std::string(source) + ": header");
  SafetensorsHeader header;
  for (const auto& [name, member] : json.object(source)) {
    if (name == kMetadataKey) {
      header.metadata = read_metadata(member, source);
    } else {
      header.tensors.push_back(read_tensor(name, member, source));
    }
  }
  // An empty tensor begins at the same byte as the tensor after it, so equal begins are sorted by end.
  std::stable_sort(header.tensors.begin(), header.tensors.end(), [](const TensorInfo& a, const TensorInfo& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  header.data_start = kSafetensorsStart + length;
  check_layout(header.tensors, file_size - header.data_start, source);
  return header;
}

}  // namespace posenc
