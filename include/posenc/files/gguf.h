// GGUF files, versions 2 and 3 in either byte order: their metadata, what tensors they have, and small ones of them.
//
//     posenc::Gguf file = posenc::open_gguf("model.gguf");         // reads the header only, through a small buffer
//     const posenc::GgufEntry* base = file.find("llama.rope.freq_base");
//     if (base) use(std::get<double>(base->value));
//     posenc::Array factors = file.load("rope_freqs.weight");      // reads that tensor only
//
// A header is as long as its vocabulary, so that arrays and long strings are passed over and not held, but for the
// arrays of numbers that are asked for. The format's rules are enforced: no key and no tensor twice, lengths within the
// file, tensors aligned and within the file. An error names the file, the byte, and the key or tensor.
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
  std::string key;          // any bytes
  std::string type;         // "u8" ... "u64", "i8" ... "i64", "f32", "f64", "bool", "string", "array of f32", ...
  std::int64_t size = 1;    // numbers of an array, bytes of a string
  std::int64_t offset = 0;  // where in the file its value stands
  bool held = true;         // false: an array or a long string that was passed over; then value means nothing
  // Integers of all widths are int64; u64 beyond it is a double. Arrays that were asked for are lists of numbers, those
  // of bool 0 or 1.
  std::variant<std::int64_t, double, bool, std::string, std::vector<double>> value = std::int64_t{0};
};

struct GgufTensor {
  std::string name;
  std::string type;                 // "F32", "Q4_K", ...; "type 99" where it is not known
  std::vector<std::int64_t> shape;  // as the file has it: the innermost, contiguous axis first
  std::int64_t offset = 0;          // bytes from data_start
};

struct POSENC_API GgufHeader {
  int version = 0;
  bool big_endian = false;
  std::vector<GgufEntry> entries;   // in the order of the file
  std::vector<GgufTensor> tensors;  // likewise
  std::int64_t alignment = 32;
  std::int64_t data_start = 0;  // bytes before the data

  // Null where there is none.
  const GgufEntry* find(std::string_view key) const noexcept POSENC_LIFETIMEBOUND;
  const GgufTensor* find_tensor(std::string_view name) const noexcept POSENC_LIFETIMEBOUND;
};

struct GgufOptions {
  // Arrays whose numbers are wanted, by how their keys end: ".rope.dimension_sections". Arrays of strings and of arrays
  // are never held.
  std::vector<std::string> arrays = {};
  std::int64_t longest_array = 4096;    // a longer one that is wanted is an error
  std::int64_t longest_string = 16384;  // a longer one is not held
};

// Reads and checks the header of a file of `file_size` bytes; `bytes` are its first ones, as many as the header needs
// or more. `source` (a file name) opens every message.
POSENC_API GgufHeader parse_gguf_header(std::string_view bytes, std::int64_t file_size, std::string_view source,
                                        const GgufOptions& options = {});

class Gguf;
namespace files {
class FileReader;
POSENC_INTERNAL Gguf open_gguf(std::shared_ptr<const FileReader> file, const GgufOptions& options);
}  // namespace files

// The file stays open as long as this or a copy lives.
class POSENC_API Gguf : public GgufHeader {
 public:
  const std::string& path() const noexcept POSENC_LIFETIMEBOUND { return path_; }

  // A tensor of F32, F16, BF16 or F64 and at most 2^24 numbers, its shape as in `GgufTensor`. A name that is not there
  // is an error that names the nearest, and so is a file that has changed since its header was read, and a pipe.
  Array load(std::string_view name) const;

 private:
  friend Gguf files::open_gguf(std::shared_ptr<const files::FileReader> file, const GgufOptions& options);
  std::string path_;
  std::shared_ptr<const files::FileReader> file_;
};

// Reads and checks the header, of a pipe or device too; there, where tensors end is not checked, and none can be
// loaded.
POSENC_API Gguf open_gguf(const std::string& path, const GgufOptions& options = {});

}  // namespace posenc
