#include <string>
#include <vector>

#include "core/base/refuse.h"
#include "core/text/joined.h"
#include "files/npy_header.h"
#include "files/view_writer.h"
#include "posenc/error.h"
#include "posenc/files/file.h"
#include "posenc/files/npy.h"

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
  fail(ErrorKind::unsupported,
       "[npy_header] .npy files have no bf16: write FILE.safetensors instead, or f16, f32 or f64 numbers");
}

// "()", "(3,)", "(3, 4)": as Python prints tuples.
std::string shape_tuple(const std::vector<std::int64_t>& shape) {
  return "(" + text::joined(shape, ", ") + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace

std::string npy_header(DType dtype, const std::vector<std::int64_t>& shape) {
  std::string_view descr = descr_of(dtype);
  base::require(shape.size() <= files::kMaxNpyRank, "npy_header", "shape must have at most ", files::kMaxNpyRank,
                " axes but got ", shape.size());
  for (std::int64_t length : shape) {
    if (length < 0) base::refuse("npy_header", "lengths must not be negative but got ", shape_tuple(shape));
  }
  if (files::checked_size(shape, size_of(dtype)) < 0) {
    base::refuse("npy_header", "the data must have less than 2^63 bytes but got ", shape_tuple(shape));
  }
  std::string text =
      "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': " + shape_tuple(shape) + ", }";
  // Like NumPy, aligns the data to 64 bytes, so that the file can be memory-mapped.
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
  base::require(view.rank >= 0 && view.rank <= kMaxRank, "save_npy", "rank must be 0 to 4 but got ", view.rank);
  std::string header = npy_header(view.dtype, {view.shape.begin(), view.shape.begin() + view.rank});
  if (view.data == nullptr && view.size() > 0) {
    base::refuse("save_npy", "a view of ", shape_text(view), " must not be null");
  }
  FileWriter file(path);
  files::ViewWriter writer(file);
  writer.add(header);
  writer.add(view);
  writer.flush();
  file.commit();
}

}  // namespace posenc
