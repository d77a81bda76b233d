#include "posenc/files/npy.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/base/refuse.h"
#include "files/load_array.h"
#include "files/load_bits.h"
#include "files/npy_header.h"
#include "files/read_file.h"
#include "posenc/half.h"

namespace posenc {
namespace {

// Calls visit(from) for every element of the result in C order; `from` is its index in the file.
template <class Visit>
void for_each_in_c_order(const files::NpyHeader& header, const Visit& visit) {
  std::size_t rank = header.shape.size();
  if (!header.fortran_order || rank < 2) {
    for (std::int64_t i = 0; i < header.size; ++i) visit(i);
    return;
  }
  std::vector<std::int64_t> strides(rank, 1);
  for (std::size_t axis = 1; axis < rank; ++axis) strides[axis] = strides[axis - 1] * header.shape[axis - 1];
  std::vector<std::int64_t> index(rank, 0);
  std::int64_t from = 0;
  for (std::int64_t i = 0; i < header.size; ++i) {
    visit(from);
    for (std::size_t axis = rank; axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < header.shape[axis]) break;
      from -= strides[axis] * header.shape[axis];
      index[axis] = 0;
    }
  }
}

template <class Bits, bool big_endian, class To, class Convert>
void convert_ordered(const files::NpyHeader& header, const char* data, Array& array, const Convert& convert) {
  array.dtype = dtype_of<To>();
  array.data.resize(static_cast<std::size_t>(header.size) * sizeof(To));
  std::byte* out = array.data.data();
  for_each_in_c_order(header, [&](std::int64_t from) {
    To value = convert(files::load_bits<Bits, big_endian>(data + from * static_cast<std::int64_t>(sizeof(Bits))));
    std::memcpy(out, &value, sizeof(To));
    out += sizeof(To);
  });
}

// Fills array.data with numbers of type To, made by convert(Bits).
template <class Bits, class To, class Convert>
void convert_as(const files::NpyHeader& header, const char* data, Array& array, const Convert& convert) {
  if (header.big_endian) {
    convert_ordered<Bits, true, To>(header, data, array, convert);
  } else {
    convert_ordered<Bits, false, To>(header, data, array, convert);
  }
}

template <class Bits, class To>
void convert_integers(const files::NpyHeader& header, const char* data, Array& array) {
  using Signed = std::make_signed_t<Bits>;
  if (header.type == 'i') {
    convert_as<Bits, To>(header, data, array, [](Bits bits) { return static_cast<To>(static_cast<Signed>(bits)); });
  } else {
    convert_as<Bits, To>(header, data, array, [](Bits bits) { return static_cast<To>(bits); });
  }
}

void convert_u64(const files::NpyHeader& header, const char* data, std::string_view source, Array& array) {
  convert_as<std::uint64_t, std::int64_t>(header, data, array, [&](std::uint64_t bits) {
    base::require_file(bits <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()), source,
                       "expected numbers below 2^63 but got ", bits);
    return static_cast<std::int64_t>(bits);
  });
}

void convert_data(const files::NpyHeader& header, const char* data, std::string_view source, Array& array) {
  using u8 = std::uint8_t;
  using u16 = std::uint16_t;
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  if (header.type == 'f') {
    if (header.bytes == 2) convert_as<u16, f16>(header, data, array, [](u16 bits) { return f16{bits}; });
    if (header.bytes == 4) convert_as<u32, float>(header, data, array, [](u32 b) { return std::bit_cast<float>(b); });
    if (header.bytes == 8) convert_as<u64, double>(header, data, array, [](u64 b) { return std::bit_cast<double>(b); });
    return;
  }
  array.stored = header.type == 'b' ? "bool" : header.type + std::to_string(8 * header.bytes);
  if (header.type == 'b') {
    convert_as<u8, std::int32_t>(header, data, array, [](u8 bits) { return std::int32_t{bits != 0}; });
  } else if (header.bytes == 1) {
    convert_integers<u8, std::int32_t>(header, data, array);
  } else if (header.bytes == 2) {
    convert_integers<u16, std::int32_t>(header, data, array);
  } else if (header.bytes == 4 && header.type == 'i') {
    convert_integers<u32, std::int32_t>(header, data, array);
  } else if (header.bytes == 4) {
    convert_integers<u32, std::int64_t>(header, data, array);
  } else if (header.type == 'i') {
    convert_integers<u64, std::int64_t>(header, data, array);
  } else {
    convert_u64(header, data, source, array);
  }
  if (array.stored == to_text(array.dtype)) array.stored.clear();
}

}  // namespace

Array parse_npy(std::string_view bytes, std::string_view source) {
  files::NpyHeader header = files::read_npy_header(bytes, source);
  files::check_npy_data(header, bytes.size() - header.data_offset, source);
  Array array;
  convert_data(header, bytes.data() + header.data_offset, source, array);
  array.shape = std::move(header.shape);
  return array;
}

Array load_npy(const std::string& path, std::int64_t limit) {
  return files::load_npy(files::FileReader(path, files::FileReader::Of::anything), limit);
}

Array files::load_npy(const FileReader& file, std::int64_t limit) {
  // The header gives the size of the data. A file of another format, or a device without end, is refused before it
  // fills the memory.
  const auto whole_size = [&](std::string_view start) {
    const files::NpyHeader header = files::read_npy_header(start, file.path());
    return std::min(limit, static_cast<std::int64_t>(header.data_offset) + header.size * header.bytes);
  };
  return parse_npy(file.read_all(limit, files::kMaxNpyStart, whole_size), file.path());
}

}  // namespace posenc
