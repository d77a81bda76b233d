// GGUF files: if the header parses, everything is within the file, small tensors can be loaded or are refused, and a
// model made from it has valid encodings.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "fuzz.h"
#include "models/gguf.h"
#include "posenc/files/gguf.h"

namespace {

// A file in memory: the reader needs a file, and a disk would be slow.
std::string file_with(std::string_view bytes) {
  static const int descriptor = ::memfd_create("input", 0);
  const bool written = ::ftruncate(descriptor, 0) == 0 &&
                       ::pwrite(descriptor, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
  require(written, "cannot write the input");
  return "/proc/self/fd/" + std::to_string(descriptor);
}

void check_header(const posenc::GgufHeader& header, std::int64_t size) {
  require(header.version == 2 || header.version == 3, "a version that is not read");
  std::set<std::string> keys;
  for (const posenc::GgufEntry& entry : header.entries) {
    require(keys.insert(entry.key).second, "a key twice");
    require(entry.offset <= size, "a value behind the file");
  }
  for (const posenc::GgufTensor& tensor : header.tensors) {
    require(tensor.offset % header.alignment == 0, "a tensor that is not aligned");
    require(tensor.offset <= size - header.data_start, "a tensor behind the file");
  }
}

void check_tensors(const posenc::Gguf& file) {
  for (const posenc::GgufTensor& tensor : file.tensors) {
    try {
      const posenc::Array array = file.load(tensor.name);
      volatile double sink = 0.0;  // prevents the compiler from removing the reads
      for (std::int64_t i = 0; i < array.size(); ++i) sink = array.number(i);
      static_cast<void>(sink);
    } catch (const posenc::Error&) {  // an unsupported type
    }
  }
}

void check_model(const std::string& path, bool lenient) {
  posenc::Model model;
  try {
    model = posenc::models::model_from_gguf(std::make_shared<posenc::files::FileReader>(path),
                                            {.lenient = lenient, .other_readings = {}});
  } catch (const posenc::Error&) {
    return;
  }
  require(!model.groups.empty(), "a model without groups");
  for (const posenc::ModelGroup& group : model.groups) {
    require(accepted([&] { posenc::validate(group.spec); }), "a spec that is none");
    if (group.query_scale) {
      require(accepted([&] { posenc::validate(*group.query_scale); }), "a query scale that is none");
    }
  }
}

}  // namespace

void fuzz(std::string_view input) {
  const auto size = static_cast<std::int64_t>(input.size());
  check_header(posenc::parse_gguf_header(input, size, "input"), size);
  const std::string path = file_with(input);
  check_tensors(posenc::open_gguf(path));
  check_model(path, false);
  check_model(path, true);
}
