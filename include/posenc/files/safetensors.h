// safetensors files: named tensors behind a JSON header, little-endian, C order.
//
//     posenc::Safetensors file = posenc::open_safetensors("model.safetensors");     // reads the header only
//     posenc::Array wpe = file.load("wpe.weight");                                  // reads that tensor only
//     posenc::save_safetensors("out.safetensors", {{"sum", view}}, {{"posenc", spec_json}});
//
// The format's rules are enforced: a header of at most 100,000,000 bytes that begins with '{' and may end in spaces;
// string metadata only; no name twice; every tensor's bytes where its offsets say, as many as its shape and dtype need;
// no overlap, no holes, nothing after the last. A file that breaks one is an error that names the tensor. Beyond the
// format, a tensor with a key that is not dtype, shape or data_offsets is refused.
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

// A tensor as the header describes it, whatever its dtype.
struct TensorInfo {
  std::string name;
  std::string dtype;  // as the file spells it: "F32", "BF16", "F8_E4M3", ...
  std::vector<std::int64_t> shape;
  std::int64_t begin = 0;  // bytes from the end of the header
  std::int64_t end = 0;
};

using Metadata = std::vector<std::pair<std::string, std::string>>;

struct SafetensorsHeader {
  std::vector<TensorInfo> tensors;  // in the order of their bytes
  Metadata metadata;
  std::int64_t data_start = 0;  // bytes before the data: 8 + the header
};

// Reads and checks the header of a file of `file_size` bytes; `bytes` are its first ones, as many as the header needs
// or more. `source` (a file name) opens every message.
POSENC_API SafetensorsHeader parse_safetensors_header(std::string_view bytes, std::int64_t file_size,
                                                      std::string_view source);

class Safetensors;
namespace files {
class FileReader;
Safetensors open_safetensors(std::shared_ptr<const FileReader> file);
}  // namespace files

// The file stays open as long as this or a copy lives.
class POSENC_API Safetensors {
 public:
  const std::vector<TensorInfo>& tensors() const noexcept POSENC_LIFETIMEBOUND { return header_.tensors; }
  const Metadata& metadata() const noexcept POSENC_LIFETIMEBOUND { return header_.metadata; }

  // F64, F32, F16, BF16, I64, I32 and U8 as they are; BOOL as u8, 0 or 1; I8, I16, U16 widened to i32, U32 and U64 to
  // i64 (a number beyond it is an error). Other types are errors that say so. A name that is not there is an error that
  // names the nearest, and so is a file that has changed since its header was read.
  Array load(std::string_view name) const;

 private:
  friend Safetensors files::open_safetensors(std::shared_ptr<const files::FileReader> file);
  std::shared_ptr<const files::FileReader> file_;
  SafetensorsHeader header_;
};

// Reads and checks the header. Pipes and devices are errors: load() could not go back to a tensor.
POSENC_API Safetensors open_safetensors(const std::string& path);

struct NamedTensor {
  std::string name;
  ConstView view;
};

// The bytes before the data, for tensors of these names, types and shapes in this order of their bytes: for writing
// rows one after the other; the views' data is not looked at. Names must be UTF-8 and differ, and none may be
// "__metadata__"; metadata must be UTF-8, no key twice. Padded with spaces to a multiple of 8 bytes.
POSENC_API std::string safetensors_header(const std::vector<NamedTensor>& tensors, const Metadata& metadata = {});

// Writes whole or not at all; any strides. The tensors lie as the original library lays them out, by type from wide to
// narrow and then by name: so each is aligned to its element size.
POSENC_API void save_safetensors(const std::string& path, const std::vector<NamedTensor>& tensors,
                                 const Metadata& metadata = {});

}  // namespace posenc
