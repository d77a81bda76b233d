// An array that owns its numbers, as read from a file.
//
//     posenc::Array table = posenc::load_array("model.safetensors:wpe.weight");   // posenc/files/load.h
//     posenc::ConstView view = table.view();
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "posenc/export.h"
#include "posenc/view.h"

namespace posenc {

struct POSENC_API Array {
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;  // empty: a single number
  std::vector<std::byte> data;      // C order, native byte order
  std::string stored = {};          // the type in the file if it was converted to dtype, as "bool" or "i8"; else empty

  std::int64_t size() const noexcept;           // number of elements
  double number(std::int64_t index) const;      // element `index` in C order, as a double; the index is not checked
  std::string text() const;                     // "[2, 3] f32", for messages; the type is that of the file
  ConstView view() const POSENC_LIFETIMEBOUND;  // more than kMaxRank axes is an error
};

}  // namespace posenc
