#include "files/view_writer.h"

#include <bit>
#include <cstdint>

namespace posenc::files {
namespace {

constexpr std::size_t kFull = std::size_t{1} << 20;
constexpr bool kLittleEndian = std::endian::native == std::endian::little;

}  // namespace

void ViewWriter::add(std::string_view bytes) {
  if (bytes_.size() + bytes.size() > kFull) flush();
  if (bytes.size() > kFull) return file_.write(bytes.data(), bytes.size());
  bytes_.append(bytes);
}

void ViewWriter::add(const ConstView& view) {
  if (view.size() > 0) add_axis(view);
}

void ViewWriter::flush() {
  file_.write(bytes_.data(), bytes_.size());
  bytes_.clear();
}

void ViewWriter::add_element(const char* element, std::size_t size) {
  if constexpr (kLittleEndian) {
    add({element, size});
  } else {
    for (std::size_t i = size; i-- > 0;) add({element + i, 1});
  }
}

void ViewWriter::add_axis(const ConstView& view) {
  const std::size_t bytes = static_cast<std::size_t>(size_of(view.dtype));
  const char* data = static_cast<const char*>(view.data);
  if (view.rank == 0) return add_element(data, bytes);
  if (view.rank > 1) {
    for (std::int64_t i = 0; i < view.shape[0]; ++i) add_axis(view[i]);
    return;
  }
  if (view.strides[0] == 1 && kLittleEndian) return add({data, static_cast<std::size_t>(view.shape[0]) * bytes});
  const std::int64_t step = view.strides[0] * static_cast<std::int64_t>(bytes);
  for (std::int64_t i = 0; i < view.shape[0]; ++i) add_element(data + i * step, bytes);
}

}  // namespace posenc::files
