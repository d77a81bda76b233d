// safetensors files: if a file parses, its tensors fill it without gaps, every tensor can be loaded or is refused, and
// loaded tensors can be written and read again.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz.h"
#include "posenc/files/safetensors.h"

namespace {

// A file in memory: the reader needs a file, and a disk would be slow.
std::string file_with(std::string_view bytes) {
  static const int descriptor = ::memfd_create("input", 0);
  const bool written = ::ftruncate(descriptor, 0) == 0 &&
                       ::pwrite(descriptor, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
  require(written, "cannot write the input");
  return "/proc/self/fd/" + std::to_string(descriptor);
}

void check_layout(const posenc::SafetensorsHeader& header, std::int64_t size) {
  std::int64_t end = 0;
  for (const posenc::TensorInfo& tensor : header.tensors) {
    require(tensor.begin == end && tensor.end >= tensor.begin, "tensors do not lie end to end");
    end = tensor.end;
  }
  require(header.data_start + end == size, "the file is not filled");
}

// Writes a header for the tensors that a view can describe, and reads it back.
void check_round_trip(const std::vector<posenc::NamedTensor>& tensors, const posenc::Metadata& metadata) {
  std::int64_t size = 0;
  for (const posenc::NamedTensor& tensor : tensors) size += tensor.view.size() * posenc::size_of(tensor.view.dtype);
  const std::string header = posenc::safetensors_header(tensors, metadata);
  require(header.size() % 8 == 0, "the header is not padded");
  const posenc::SafetensorsHeader again =
      posenc::parse_safetensors_header(header, static_cast<std::int64_t>(header.size()) + size, "again");
  require(again.metadata == metadata && again.tensors.size() == tensors.size(), "the header differs");
}

}  // namespace

void fuzz(std::string_view input) {
  const auto size = static_cast<std::int64_t>(input.size());
  const posenc::SafetensorsHeader header = posenc::parse_safetensors_header(input, size, "input");
  check_layout(header, size);
  const posenc::Safetensors file = posenc::open_safetensors(file_with(input));
  std::vector<posenc::Array> arrays;
  std::vector<posenc::NamedTensor> tensors;
  arrays.reserve(header.tensors.size());
  for (const posenc::TensorInfo& tensor : header.tensors) {
    try {
      arrays.push_back(file.load(tensor.name));
    } catch (const posenc::Error&) {  // an unsupported type, or a number that does not fit
      continue;
    }
    const posenc::Array& array = arrays.back();
    const std::int64_t bytes = array.size() * posenc::size_of(array.dtype);
    require(static_cast<std::int64_t>(array.data.size()) == bytes, "shape and data differ");
    volatile double sink = 0.0;  // prevents the compiler from removing the reads
    for (std::int64_t i = 0; i < array.size(); ++i) sink = array.number(i);
    static_cast<void>(sink);
    if (array.shape.size() <= posenc::kMaxRank) tensors.push_back({tensor.name, array.view()});
  }
  check_round_trip(tensors, header.metadata);
}
