#include "posenc/files/safetensors.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "core/base/refuse.h"
#include "core/text/joined.h"
#include "core/text/nearest.h"
#include "core/text/quotable.h"
#include "files/load_array.h"
#include "files/load_bits.h"
#include "files/read_file.h"
#include "files/safetensors_format.h"
#include "posenc/error.h"

namespace posenc {
namespace {

// Fills array.data with elements of type To, made by convert(Bits).
template <class Bits, class To, class Convert>
void convert_as(const std::string& bytes, Array& array, const Convert& convert) {
  const std::size_t count = bytes.size() / sizeof(Bits);
  array.dtype = dtype_of<To>();
  array.data.resize(count * sizeof(To));
  for (std::size_t i = 0; i < count; ++i) {
    const To value = convert(files::load_bits<Bits, false>(bytes.data() + i * sizeof(Bits)));
    std::memcpy(array.data.data() + i * sizeof(To), &value, sizeof(To));
  }
}

// Converts types that are stored differently in memory and in the file.
void convert_data(std::string_view dtype, const std::string& bytes, const std::string& place, Array& array) {
  using i32 = std::int32_t;
  using i64 = std::int64_t;
  array.stored = dtype;
  for (char& letter : array.stored) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  if (dtype == "BOOL") {
    convert_as<std::uint8_t, std::uint8_t>(bytes, array, [](auto bits) { return std::uint8_t{bits != 0}; });
  } else if (dtype == "I8") {
    convert_as<std::uint8_t, i32>(bytes, array, [](auto bits) { return i32{static_cast<std::int8_t>(bits)}; });
  } else if (dtype == "I16") {
    convert_as<std::uint16_t, i32>(bytes, array, [](auto bits) { return i32{static_cast<std::int16_t>(bits)}; });
  } else if (dtype == "U16") {
    convert_as<std::uint16_t, i32>(bytes, array, [](auto bits) { return i32{bits}; });
  } else if (dtype == "U32") {
    convert_as<std::uint32_t, i64>(bytes, array, [](auto bits) { return i64{bits}; });
  } else {
    convert_as<std::uint64_t, i64>(bytes, array, [&](auto bits) {
      base::require_file(bits <= static_cast<std::uint64_t>(std::numeric_limits<i64>::max()), place,
                         "expected numbers below 2^63 but got ", bits);
      return static_cast<i64>(bits);
    });
  }
}

// Converts elements of `size` bytes from the file's byte order to the machine's.
void make_native(std::vector<std::byte>& data, std::size_t size) {
  if constexpr (std::endian::native == std::endian::little) return;
  for (std::size_t i = 0; i < data.size(); i += size) {
    const auto first = data.begin() + static_cast<std::ptrdiff_t>(i);
    std::reverse(first, first + static_cast<std::ptrdiff_t>(size));
  }
}

[[noreturn]] void fail_unsupported(const TensorInfo& tensor, const std::string& place) {
  std::string list;
  for (const files::SafetensorsDType& known : files::kSafetensorsDTypes) {
    if (known.read_as) list += " " + std::string(known.name);
  }
  fail(ErrorKind::unsupported, place + " is stored as " + tensor.dtype + "; posenc reads" + list);
}

[[noreturn]] void fail_no_tensor(const std::vector<TensorInfo>& tensors, std::string_view name,
                                 const std::string& path) {
  base::refuse_file(path, "there is no tensor '", text::quotable(name), "'",
                    (tensors.empty() ? " because the file has none" : " among " + files::names_text(tensors)),
                    text::hint(name, tensors, &TensorInfo::name));
}

}  // namespace

std::string files::names_text(const std::vector<TensorInfo>& tensors) {
  constexpr std::size_t kMost = 10;
  const std::string text =
      text::joined(std::span(tensors).first(std::min(tensors.size(), kMost)), ", ",
                   [](const TensorInfo& tensor) { return "'" + text::quotable(tensor.name) + "'"; });
  return tensors.size() <= kMost ? text : text + " and " + std::to_string(tensors.size() - kMost) + " more";
}

Array Safetensors::load(std::string_view name) const {
  const auto tensor = std::find_if(header_.tensors.begin(), header_.tensors.end(),
                                   [&](const TensorInfo& candidate) { return candidate.name == name; });
  if (tensor == header_.tensors.end()) fail_no_tensor(header_.tensors, name, file_->path());
  const std::string place = file_->path() + ": tensor '" + text::quotable(name) + "'";
  const files::SafetensorsDType& dtype = *files::find_safetensors_dtype(tensor->dtype);
  if (!dtype.read_as) fail_unsupported(*tensor, place);
  file_->check_unchanged();
  const std::int64_t offset = header_.data_start + tensor->begin;
  const auto size = static_cast<std::size_t>(tensor->end - tensor->begin);
  Array array{*dtype.read_as, tensor->shape, {}};
  if (dtype.converted) {
    convert_data(dtype.name, file_->read(offset, size), place, array);
  } else {
    array.data.resize(size);
    file_->read(offset, reinterpret_cast<char*>(array.data.data()), size);
    make_native(array.data, static_cast<std::size_t>(size_of(array.dtype)));
  }
  return array;
}

Safetensors open_safetensors(const std::string& path) {
  return files::open_safetensors(std::make_shared<files::FileReader>(path));
}

Safetensors files::open_safetensors(std::shared_ptr<const FileReader> reader) {
  const FileReader& file = *reader;
  Safetensors result;
  result.file_ = std::move(reader);
  constexpr std::int64_t kStart = files::kSafetensorsStart;
  std::string start = file.read(0, static_cast<std::size_t>(std::min(file.size(), kStart)));
  // An impossible length is not read: the parser reports it.
  if (file.size() >= kStart) {
    const auto length = files::load_bits<std::uint64_t, false>(start.data());
    const std::int64_t most = std::min(files::kMaxSafetensorsHeader, file.size() - kStart);
    if (length <= static_cast<std::uint64_t>(most)) start += file.read(kStart, static_cast<std::size_t>(length));
  }
  result.header_ = parse_safetensors_header(start, file.size(), file.path());
  return result;
}

}  // namespace posenc
