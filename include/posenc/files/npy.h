// NumPy's .npy files. Reads versions 1 to 3 in either byte order and either index order; writes version 1,
// little-endian, C order.
//
//     posenc::Array ids = posenc::load_npy("ids.npy");
//     posenc::ConstView view = ids.view();
//     posenc::save_npy("table.npy", table.view());
//
// The format has no bf16; writing it is an error that suggests safetensors. Arrays are read into C order and native
// byte order as f16, f32, f64, i32 or i64: narrower integers and booleans are widened to i32, u32 and u64 to i64 (a u64
// beyond i64 is an error). Truncated files, trailing bytes, huge headers and unknown types are errors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "posenc/export.h"
#include "posenc/files/array.h"
#include "posenc/view.h"

namespace posenc {

// Reads a whole .npy file from memory. Messages begin with `source` (a file name).
POSENC_API Array parse_npy(std::string_view bytes, std::string_view source);
// Reads a file of at most `limit` bytes.
POSENC_API Array load_npy(const std::string& path, std::int64_t limit = std::int64_t{1} << 36);

// Returns the bytes before the data, so that a caller can write rows one after the other.
POSENC_API std::string npy_header(DType dtype, const std::vector<std::int64_t>& shape);
// Writes the file completely or not at all; any strides.
POSENC_API void save_npy(const std::string& path, const ConstView& view);

}  // namespace posenc
