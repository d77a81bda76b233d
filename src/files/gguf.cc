#include "posenc/files/gguf.h"

#include <algorithm>
#include <cstring>

#include "core/base/refuse.h"
#include "core/text/nearest.h"
#include "core/text/quotable.h"
#include "files/gguf_header.h"
#include "files/load_bits.h"
#include "files/read_file.h"
#include "posenc/error.h"

namespace posenc {
namespace {

constexpr std::int64_t kMaxNumbers = std::int64_t{1} << 24;

template <class Bits>
void load_numbers(const std::string& bytes, bool big_endian, Array& array) {
  array.data.resize(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(Bits)) {
    const char* from = bytes.data() + i;
    const Bits bits = big_endian ? files::load_bits<Bits, true>(from) : files::load_bits<Bits, false>(from);
    std::memcpy(array.data.data() + i, &bits, sizeof(Bits));
  }
}

[[noreturn]] void fail_no_tensor(const GgufHeader& header, std::string_view name, const std::string& path) {
  base::refuse_file(path, "there is no tensor '", text::quotable(name), "' among its ", header.tensors.size(),
                    text::hint(name, header.tensors, &GgufTensor::name));
}

DType dtype_of_tensor(const GgufTensor& tensor, const std::string& place) {
  if (tensor.type == "F32") return DType::f32;
  if (tensor.type == "F16") return DType::f16;
  if (tensor.type == "BF16") return DType::bf16;
  if (tensor.type == "F64") return DType::f64;
  fail(ErrorKind::unsupported, place + " is stored as " + tensor.type + "; posenc reads F32, F16, BF16 and F64");
}

}  // namespace

const GgufEntry* GgufHeader::find(std::string_view key) const noexcept {
  for (const GgufEntry& entry : entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

const GgufTensor* GgufHeader::find_tensor(std::string_view name) const noexcept {
  for (const GgufTensor& tensor : tensors) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

Array Gguf::load(std::string_view name) const {
  const GgufTensor* tensor = find_tensor(name);
  if (tensor == nullptr) fail_no_tensor(*this, name, path_);
  const std::string place = path_ + ": tensor '" + text::quotable(name) + "'";
  Array array{dtype_of_tensor(*tensor, place), tensor->shape, {}};
  const std::int64_t size = files::gguf_tensor_bytes(*tensor).value();  // checked when the header was read
  const std::int64_t most = kMaxNumbers * size_of(array.dtype);
  if (size > most) {
    fail(ErrorKind::unsupported,
         place + ": expected at most " + std::to_string(most) + " bytes but it has " + std::to_string(size));
  }
  if (!file_->regular()) files::FileReader(path_, files::FileReader::Of::regular);  // throws, because it is a pipe
  file_->check_unchanged();
  const std::string bytes = file_->read(data_start + tensor->offset, static_cast<std::size_t>(size));
  if (size_of(array.dtype) == 2) {
    load_numbers<std::uint16_t>(bytes, big_endian, array);
  } else if (size_of(array.dtype) == 4) {
    load_numbers<std::uint32_t>(bytes, big_endian, array);
  } else {
    load_numbers<std::uint64_t>(bytes, big_endian, array);
  }
  return array;
}

Gguf open_gguf(const std::string& path, const GgufOptions& options) {
  return files::open_gguf(std::make_shared<files::FileReader>(path, files::FileReader::Of::anything), options);
}

Gguf files::open_gguf(std::shared_ptr<const FileReader> file, const GgufOptions& options) {
  Gguf result;
  ByteStream stream(*file);
  static_cast<GgufHeader&>(result) = read_gguf_header(stream, file->path(), options);
  result.path_ = file->path();
  result.file_ = std::move(file);
  return result;
}

}  // namespace posenc
