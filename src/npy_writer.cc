#include <bit>
#include <string>
#include <vector>

#include "detail/npy_header.h"
#include "posenc/error.h"
#include "posenc/file.h"
#include "posenc/npy.h"

namespace posenc {
namespace {

std::string_view descr_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return "<f4";
    case DType::f64:
      return "<f8";
    case DType::f16:
      return "<f2";
    case DType::i32:
      return "<i4";
    case DType::i64:
      return "<i8";
    case DType::u8:
      return "|u1";
    case DType::bf16:
      break;
  }
  fail(ErrorKind::unsupported, "[npy_header] .npy files have no bf16; safetensors files do, or write f32");
}

// "()", "(3,)", "(3, 4)": as Python prints it.
std::string shape_tuple(const std::vector<std::int64_t>& shape) {
  std::string text = "(";
  for (std::size_t axis = 0; axis < shape.size(); ++axis) text += (axis ? ", " : "") + std::to_string(shape[axis]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

// Collects small pieces: a system call per element would take minutes.
class Buffer {
 public:
  explicit Buffer(FileWriter& file) : file_(file) {}

  void add(const char* data, std::size_t size) {
    if (bytes_.size() + size > kFull) flush();
    if (size > kFull) return file_.write(data, size);
    bytes_.append(data, size);
  }

  void flush() {
    file_.write(bytes_.data(), bytes_.size());
    bytes_.clear();
  }

 private:
  static constexpr std::size_t kFull = std::size_t{1} << 20;
  FileWriter& file_;
  std::string bytes_;
};

void add_element(Buffer& buffer, const char* element, std::size_t size) {
  if constexpr (std::endian::native == std::endian::little) {
    buffer.add(element, size);
  } else {
    for (std::size_t i = size; i-- > 0;) buffer.add(element + i, 1);
  }
}

void add_view(Buffer& buffer, const ConstView& view) {
  std::size_t bytes = static_cast<std::size_t>(size_of(view.dtype));
  const char* data = static_cast<const char*>(view.data);
  if (view.rank == 0) return add_element(buffer, data, bytes);
  if (view.rank > 1) {
    for (std::int64_t i = 0; i < view.shape[0]; ++i) add_view(buffer, view[i]);
    return;
  }
  if (view.strides[0] == 1 && std::endian::native == std::endian::little) {
    return buffer.add(data, static_cast<std::size_t>(view.shape[0]) * bytes);
  }
  std::int64_t step = view.strides[0] * static_cast<std::int64_t>(bytes);
  for (std::int64_t i = 0; i < view.shape[0]; ++i) add_element(buffer, data + i * step, bytes);
}

}  // namespace

std::string npy_header(DType dtype, const std::vector<std::int64_t>& shape) {
  std::string_view descr = descr_of(dtype);
  if (shape.size() > detail::kMaxNpyRank) {
    fail(ErrorKind::usage, "[npy_header] shape must have at most " + std::to_string(detail::kMaxNpyRank) +
                               " axes but got " + std::to_string(shape.size()));
  }
  for (std::int64_t length : shape) {
    if (length < 0) fail(ErrorKind::usage, "[npy_header] lengths must not be negative but got " + shape_tuple(shape));
  }
  if (detail::checked_size(shape, size_of(dtype)) < 0) {
    fail(ErrorKind::usage, "[npy_header] the data must have less than 2^63 bytes but got " + shape_tuple(shape));
  }
  std::string text =
      "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': " + shape_tuple(shape) + ", }";
  // NumPy aligns the data to 64 bytes, so that it can be mapped.
  constexpr std::size_t kBefore = 10;
  constexpr std::size_t kAlign = 64;
  std::size_t total = (kBefore + text.size() + 1 + kAlign - 1) / kAlign * kAlign;
  text.resize(total - kBefore - 1, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xFF);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

void save_npy(const std::string& path, const ConstView& view) {
  if (view.rank < 0 || view.rank > kMaxRank) {
    fail(ErrorKind::usage, "[save_npy] rank must be 0 to 4 but got " + std::to_string(view.rank));
  }
  std::string header = npy_header(view.dtype, {view.shape.begin(), view.shape.begin() + view.rank});
  if (view.data == nullptr && view.size() > 0) {
    fail(ErrorKind::usage, "[save_npy] a view of " + shape_text(view) + " must have data but got null");
  }
  FileWriter file(path);
  Buffer buffer(file);
  buffer.add(header.data(), header.size());
  if (view.size() > 0) add_view(buffer, view);
  buffer.flush();
  file.commit();
}

}  // namespace posenc
