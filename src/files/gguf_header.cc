// The header of a GGUF file. Every length is checked against the rest of the file before anything is read or stored.
#include "files/gguf_header.h"

#include <algorithm>
#include <bit>
#include <string>
#include <unordered_set>
#include <utility>

#include "core/text/quotable.h"
#include "files/gguf_cursor.h"
#include "files/gguf_format.h"
#include "files/shape.h"

namespace posenc {
namespace {

using files::GgufCursor;
using files::kGgufTypes;

std::string in_quotes(std::string_view name) { return "'" + text::quotable(name) + "'"; }

// Describes the first bytes of a file that is not GGUF.
std::string magic_text(std::string_view magic) {
  if (magic == "ggml" || magic == "tjgg" || magic == "fmgg" || magic == "algg" || magic == "lmgg") {
    return "a ggml file from before GGUF, which has no keys: convert it again";
  }
  return "'" + text::quotable(magic) + "'";
}

class HeaderReader {
 public:
  HeaderReader(files::ByteStream& stream, std::string_view source, const GgufOptions& options)
      : cursor_(stream, source), options_(options) {}

  GgufHeader read() {
    read_version();
    const std::uint64_t tensors = read_count("tensors", files::kMaxGgufTensors, 24);
    const std::uint64_t keys = read_count("keys", files::kMaxGgufKeys, 13);
    for (std::uint64_t i = 0; i < keys; ++i) read_entry(i);
    read_alignment();
    for (std::uint64_t i = 0; i < tensors; ++i) read_tensor(i);
    const std::int64_t end = cursor_.offset();
    header_.data_start = (end + header_.alignment - 1) / header_.alignment * header_.alignment;
    for (const GgufTensor& tensor : header_.tensors) check_place(tensor);
    return std::move(header_);
  }

 private:
  void read_version() {
    char magic[4] = {};
    cursor_.at("the first 4 bytes");
    cursor_.read(magic, 4);
    if (std::string_view(magic, 4) != "GGUF") {
      cursor_.refuse("expected 'GGUF' but got ", magic_text({magic, 4}));
    }
    cursor_.at("the version");
    auto version = cursor_.number<std::uint32_t>();
    // 'GGUF' is the same in both byte orders, but a small version read in the wrong order has two low bytes of 0.
    if (version != 0 && (version & 0xFFFFU) == 0) {
      cursor_.set_big_endian();
      header_.big_endian = true;
      version = version >> 24U | (version >> 8U & 0xFF00U);
    }
    cursor_.require(version != 1,
                    "expected version 2 or 3 but got 1, which is too old (it has 32-bit lengths): convert it again");
    cursor_.require(version == 2 || version == 3, "expected version 2 or 3 but got ", version);
    header_.version = static_cast<int>(version);
  }

  // Reads a number of tensors or keys, each of which takes at least `least` bytes.
  std::uint64_t read_count(const std::string& of, std::uint64_t most, std::uint64_t least) {
    cursor_.at("the number of " + of);
    const auto count = cursor_.number<std::uint64_t>();
    cursor_.require(count <= most, "expected at most ", most, " ", of, " but got ", count);
    cursor_.need(count * least, count, of);
    return count;
  }

  void read_entry(std::uint64_t number) {
    cursor_.at("key " + std::to_string(number));
    GgufEntry entry;
    entry.key = cursor_.name("a key");
    cursor_.at("key " + in_quotes(entry.key));
    if (!keys_.insert(entry.key).second) cursor_.refuse("expected every key once but this key occurs twice");
    const std::uint32_t type = read_type();
    entry.offset = cursor_.offset();
    entry.type = kGgufTypes[type].name;
    if (type == files::kGgufString) {
      read_string(entry);
    } else if (type == files::kGgufArray) {
      read_array(entry);
    } else {
      entry.value = read_value(type);
    }
    cursor_.hold(sizeof(GgufEntry) + 2 * entry.key.size());
    header_.entries.push_back(std::move(entry));
  }

  std::uint32_t read_type() {
    const auto type = cursor_.number<std::uint32_t>();
    cursor_.require(type < kGgufTypes.size(), "expected a value type from 0 to ", kGgufTypes.size() - 1, " but got ",
                    type);
    return type;
  }

  decltype(GgufEntry::value) read_value(std::uint32_t type) {
    switch (type) {
      case 0:
        return std::int64_t{cursor_.number<std::uint8_t>()};
      case 1:
        return std::int64_t{static_cast<std::int8_t>(cursor_.number<std::uint8_t>())};
      case 2:
        return std::int64_t{cursor_.number<std::uint16_t>()};
      case 3:
        return std::int64_t{static_cast<std::int16_t>(cursor_.number<std::uint16_t>())};
      case 4:
        return std::int64_t{cursor_.number<std::uint32_t>()};
      case 5:
        return std::int64_t{static_cast<std::int32_t>(cursor_.number<std::uint32_t>())};
      case 6:
        return double{std::bit_cast<float>(cursor_.number<std::uint32_t>())};
      case files::kGgufBool:
        return read_bool();
      case 11:
        return static_cast<std::int64_t>(cursor_.number<std::uint64_t>());
      case 12:
        return std::bit_cast<double>(cursor_.number<std::uint64_t>());
      default:
        break;
    }
    const auto wide = cursor_.number<std::uint64_t>();
    if (wide >> 63U) return static_cast<double>(wide);
    return static_cast<std::int64_t>(wide);
  }

  bool read_bool() {
    const auto byte = cursor_.number<std::uint8_t>();
    cursor_.require(byte <= 1, "expected a bool, 0 or 1, but got ", byte);
    return byte == 1;
  }

  void read_string(GgufEntry& entry) {
    const std::uint64_t size = cursor_.string_size();
    entry.size = static_cast<std::int64_t>(size);
    entry.held = entry.size <= options_.longest_string;
    if (!entry.held) return cursor_.skip(size);
    cursor_.hold(size);
    entry.value = cursor_.bytes(static_cast<std::size_t>(size));
  }

  bool is_wanted(const std::string& key) const {
    return std::any_of(options_.arrays.begin(), options_.arrays.end(),
                       [&](const std::string& end) { return key.ends_with(end); });
  }

  void read_array(GgufEntry& entry) {
    const std::uint32_t type = read_type();
    const std::uint64_t size = read_array_size(type);
    entry.type = "array of " + std::string(kGgufTypes[type].name);
    entry.size = static_cast<std::int64_t>(size);
    entry.held = kGgufTypes[type].bytes != 0 && is_wanted(entry.key);
    if (!entry.held) return skip_array(type, size, 1);
    cursor_.require(entry.size <= options_.longest_array, "expected at most ", options_.longest_array,
                    " numbers but got ", size);
    cursor_.hold(size * sizeof(double));
    std::vector<double> numbers;
    for (std::uint64_t i = 0; i < size; ++i) numbers.push_back(as_number(read_value(type)));
    entry.value = std::move(numbers);
  }

  static double as_number(const decltype(GgufEntry::value)& value) {
    if (const bool* flag = std::get_if<bool>(&value)) return *flag ? 1.0 : 0.0;
    if (const std::int64_t* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    return std::get<double>(value);
  }

  // Strings take at least 8 bytes, arrays 12.
  std::uint64_t read_array_size(std::uint32_t type) {
    const auto size = cursor_.number<std::uint64_t>();
    const int bytes = kGgufTypes[type].bytes;
    const auto least = static_cast<std::uint64_t>(bytes != 0 ? bytes : type == files::kGgufString ? 8 : 12);
    cursor_.require(size <= files::kMaxGgufArray, "expected an array of at most ", files::kMaxGgufArray,
                    " values but got ", size);
    cursor_.need(size * least, size, "values");
    return size;
  }

  void skip_array(std::uint32_t type, std::uint64_t size, int depth) {
    cursor_.require(depth <= files::kMaxGgufDepth, "expected arrays nested at most ", files::kMaxGgufDepth,
                    " deep but there are deeper ones");
    if (kGgufTypes[type].bytes != 0) return cursor_.skip(size * static_cast<std::uint64_t>(kGgufTypes[type].bytes));
    for (std::uint64_t i = 0; i < size; ++i) {
      if (type == files::kGgufString) {
        cursor_.skip(cursor_.string_size());
      } else {
        const std::uint32_t inner = read_type();
        skip_array(inner, read_array_size(inner), depth + 1);
      }
    }
  }

  void read_alignment() {
    const GgufEntry* entry = header_.find("general.alignment");
    if (entry == nullptr) return;
    const std::int64_t* alignment = std::get_if<std::int64_t>(&entry->value);
    cursor_.at("key 'general.alignment'");
    constexpr std::int64_t kMost = std::int64_t{1} << 30;
    if (alignment == nullptr || *alignment < 1 || *alignment > kMost ||
        !std::has_single_bit(static_cast<std::uint64_t>(*alignment))) {
      cursor_.refuse("expected a power of two up to 2^30 but got ",
                     (alignment == nullptr ? "a " + entry->type : std::to_string(*alignment)));
    }
    header_.alignment = *alignment;
  }

  void read_tensor(std::uint64_t number) {
    cursor_.at("tensor " + std::to_string(number));
    GgufTensor tensor;
    tensor.name = cursor_.name("a name");
    cursor_.at("tensor " + in_quotes(tensor.name));
    if (!tensors_.insert(tensor.name).second) cursor_.refuse("expected every tensor once but this name occurs twice");
    const auto rank = cursor_.number<std::uint32_t>();
    cursor_.require(rank <= files::kMaxGgufRank, "expected at most ", files::kMaxGgufRank, " axes but got ", rank);
    for (std::uint32_t axis = 0; axis < rank; ++axis) tensor.shape.push_back(cursor_.count("a length"));
    const auto type = cursor_.number<std::uint32_t>();
    const files::GgufTensorType* known = files::find_gguf_tensor_type(type);
    tensor.type = known != nullptr ? std::string(known->name) : "type " + std::to_string(type);
    tensor.offset = cursor_.count("an offset");
    cursor_.require(tensor.offset % header_.alignment == 0, "expected an offset that is a multiple of the alignment, ",
                    header_.alignment, ", but got ", tensor.offset);
    cursor_.hold(sizeof(GgufTensor) + 2 * tensor.name.size() + 8 * rank);
    header_.tensors.push_back(std::move(tensor));
  }

  // The size of a tensor of unknown type is not known: then only its start must be within the file.
  void check_place(const GgufTensor& tensor) {
    cursor_.at("tensor " + in_quotes(tensor.name));
    const bool known = !tensor.type.starts_with("type ");
    const std::optional<std::int64_t> bytes = files::gguf_tensor_bytes(tensor);
    const std::string shape = "shape " + files::shape_text(tensor.shape) + " of " + tensor.type;
    cursor_.require(!known || bytes, "expected whole blocks and less than 2^63 bytes of data but got ", shape);
    const std::optional<std::int64_t> file = cursor_.file_size();
    if (!file) return;
    const std::int64_t room = *file - header_.data_start;
    if (tensor.offset <= room && bytes.value_or(0) <= room - tensor.offset) return;
    cursor_.refuse("expected a tensor within the file's ", std::max<std::int64_t>(room, 0), " bytes of data but ",
                   shape, " begins at byte ", tensor.offset, " of the data",
                   (bytes ? " and has " + std::to_string(*bytes) + " bytes" : ""));
  }

  GgufCursor cursor_;
  const GgufOptions& options_;
  GgufHeader header_;
  std::unordered_set<std::string> keys_;
  std::unordered_set<std::string> tensors_;
};

}  // namespace

std::optional<std::int64_t> files::gguf_tensor_bytes(const GgufTensor& tensor) {
  const auto type = std::find_if(kGgufTensorTypes.begin(), kGgufTensorTypes.end(),
                                 [&](const GgufTensorType& known) { return known.name == tensor.type; });
  if (type == kGgufTensorTypes.end()) return std::nullopt;
  const std::int64_t count = checked_size(tensor.shape, type->bytes);
  const std::int64_t row = tensor.shape.empty() ? 1 : tensor.shape.front();
  if (count < 0 || row % type->elements != 0) return std::nullopt;
  return count / type->elements * type->bytes;
}

GgufHeader files::read_gguf_header(ByteStream& stream, std::string_view source, const GgufOptions& options) {
  return HeaderReader(stream, source, options).read();
}

GgufHeader parse_gguf_header(std::string_view bytes, std::int64_t file_size, std::string_view source,
                             const GgufOptions& options) {
  files::ByteStream stream(bytes, file_size);
  return files::read_gguf_header(stream, source, options);
}

}  // namespace posenc
