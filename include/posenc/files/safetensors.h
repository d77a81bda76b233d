// safetensors files: named tensors after a JSON header, little-endian, C order.
//
//     posenc::Safetensors file = posenc::open_safetensors("model.safetensors");     // reads the header only
//     posenc::Array wpe = file.load("wpe.weight");                                  // reads that tensor only
//     posenc::save_safetensors("out.safetensors", {{"sum", view}}, {{"posenc", spec_json}});
//
// The format's rules are enforced: a header of at most 100,000,000 bytes that begins with '{' and may end in spaces;
// metadata of strings only; no duplicate names; each tensor's byte range matches its shape and dtype; ranges neither
// overlap nor leave gaps, and nothing follows the last. An error names the tensor. In addition, a tensor with a key
// other than dtype, shape or data_offsets is refused.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "posenc/export.h"
#include "posenc/files/array.h"
#include "posenc/view.h"

namespace posenc {

// A tensor as described by the header, of any dtype.
struct TensorInfo {
  std::string name;
  std::string dtype;  // as the file spells it: "F32", "BF16", "F8_E4M3", ...
  std::vector<std::int64_t> shape;
  std::int64_t begin = 0;  // bytes from the end of the header
  std::int64_t end = 0;
};

using Metadata = std::vector<std::pair<std::string, std::string>>;

struct SafetensorsHeader {
  std::vector<TensorInfo> tensors;  // ordered by their bytes in the file
  Metadata metadata;
  std::int64_t data_start = 0;  // where the data begin: 8 plus the size of the JSON
};

// Reads and checks the header of a file of `file_size` bytes. `bytes` starts at the beginning of the file and contains
// at least the header. Messages begin with `source` (a file name).
POSENC_API SafetensorsHeader parse_safetensors_header(std::string_view bytes, std::int64_t file_size,
                                                      std::string_view source);

class Safetensors;
namespace files {
class FileReader;
Safetensors open_safetensors(std::shared_ptr<const FileReader> file);
}  // namespace files

// The file stays open until the last copy of this object is destroyed.
class POSENC_API Safetensors {
 public:
  const std::vector<TensorInfo>& tensors() const noexcept POSENC_LIFETIMEBOUND { return header_.tensors; }
  const Metadata& metadata() const noexcept POSENC_LIFETIMEBOUND { return header_.metadata; }

  // Reads a tensor. F64, F32, F16, BF16, I64, I32 and U8 keep their type; BOOL becomes u8, 0 or 1; I8, I16 and U16
  // become i32, U32 and U64 become i64 (a number beyond it is an error). Throws for other types, if there is no such
  // tensor (the message names the nearest), and if the file has changed since its header was read.
  Array load(std::string_view name) const;

 private:
  friend Safetensors files::open_safetensors(std::shared_ptr<const files::FileReader> file);
  std::shared_ptr<const files::FileReader> file_;
  SafetensorsHeader header_;
};

// Opens a file, and reads and checks its header. Throws for pipes and devices, because load() must seek to a tensor.
POSENC_API Safetensors open_safetensors(const std::string& path);

struct NamedTensor {
  std::string name;
  ConstView view;
};

// Returns the bytes before the data, so that a caller can write rows one after the other. The data of the tensors must
// follow in this order; only names, dtypes and shapes of the views are used. Names must be UTF-8, unique and not
// "__metadata__"; metadata must be UTF-8 without duplicate keys. Padded with spaces to a multiple of 8 bytes.
POSENC_API std::string safetensors_header(const std::vector<NamedTensor>& tensors, const Metadata& metadata = {});

// Writes the file completely or not at all; any strides. Tensors are ordered as by the original library, by dtype from
// wide to narrow and then by name, so that each is aligned to its element size.
POSENC_API void save_safetensors(const std::string& path, const std::vector<NamedTensor>& tensors,
                                 const Metadata& metadata = {});

}  // namespace posenc
