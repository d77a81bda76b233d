// GGUF files, versions 2 and 3 in either byte order: their metadata, their list of tensors, and small float tensors.
//
//     posenc::Gguf file = posenc::open_gguf("model.gguf");         // reads the header only, through a small buffer
//     const posenc::GgufEntry* base = file.find("llama.rope.freq_base");
//     if (base) use(std::get<double>(base->value));
//     posenc::Array factors = file.load("rope_freqs.weight");      // reads that tensor only
//
// A header contains the whole vocabulary and can be large, so arrays and long strings are skipped, except for the
// arrays of numbers that the options request. The format's rules are enforced: no duplicate key or tensor, lengths
// within the file, tensors aligned and within the file. An error names the file, the byte, and the key or tensor.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "posenc/export.h"
#include "posenc/files/array.h"

namespace posenc {

struct GgufEntry {
  std::string key;          // may contain any bytes
  std::string type;         // "u8" ... "u64", "i8" ... "i64", "f32", "f64", "bool", "string", "array of f32", ...
  std::int64_t size = 1;    // number of elements of an array, or bytes of a string
  std::int64_t offset = 0;  // byte of the file where the value begins
  bool held = true;         // false: a skipped array or long string; `value` then has no meaning
  // Integers of all widths are int64; a u64 beyond its range is a double. Requested arrays are lists of numbers; bools
  // in them are 0 or 1.
  std::variant<std::int64_t, double, bool, std::string, std::vector<double>> value = std::int64_t{0};
};

struct GgufTensor {
  std::string name;
  std::string type;                 // "F32", "Q4_K", ...; "type 99" if posenc does not know it
  std::vector<std::int64_t> shape;  // as in the file: the innermost, contiguous axis first
  std::int64_t offset = 0;          // bytes from data_start
};

struct POSENC_API GgufHeader {
  int version = 0;
  bool big_endian = false;
  std::vector<GgufEntry> entries;   // in file order
  std::vector<GgufTensor> tensors;  // in file order
  std::int64_t alignment = 32;
  std::int64_t data_start = 0;  // bytes before the data

  // Returns null if there is no such key or tensor.
  const GgufEntry* find(std::string_view key) const noexcept POSENC_LIFETIMEBOUND;
  const GgufTensor* find_tensor(std::string_view name) const noexcept POSENC_LIFETIMEBOUND;
};

struct GgufOptions {
  // The arrays to read, given by the end of their key: ".rope.dimension_sections". Arrays of strings and of arrays are
  // never read.
  std::vector<std::string> arrays = {};
  std::int64_t longest_array = 4096;    // a longer array that is requested is an error
  std::int64_t longest_string = 16384;  // a longer string is skipped
};

// Reads and checks the header of a file of `file_size` bytes. `bytes` starts at the beginning of the file and contains
// at least the header. Messages begin with `source` (a file name).
POSENC_API GgufHeader parse_gguf_header(std::string_view bytes, std::int64_t file_size, std::string_view source,
                                        const GgufOptions& options = {});

class Gguf;
namespace files {
class FileReader;
POSENC_INTERNAL Gguf open_gguf(std::shared_ptr<const FileReader> file, const GgufOptions& options);
}  // namespace files

// The file stays open until the last copy of this object is destroyed.
class POSENC_API Gguf : public GgufHeader {
 public:
  const std::string& path() const noexcept POSENC_LIFETIMEBOUND { return path_; }

  // Reads a tensor of F32, F16, BF16 or F64 with at most 2^24 numbers; the shape is as in `GgufTensor`. Throws if there
  // is no such tensor (the message names the nearest), if the file has changed since its header was read, and for
  // pipes.
  Array load(std::string_view name) const;

 private:
  friend Gguf files::open_gguf(std::shared_ptr<const files::FileReader> file, const GgufOptions& options);
  std::string path_;
  std::shared_ptr<const files::FileReader> file_;
};

// Opens a file, a pipe or a device, and reads and checks the header. For a pipe or device the ends of tensors are not
// checked, and no tensor can be loaded.
POSENC_API Gguf open_gguf(const std::string& path, const GgufOptions& options = {});

}  // namespace posenc
