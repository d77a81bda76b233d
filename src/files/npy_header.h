// The part of an .npy file before the data: magic, version, and a Python dictionary as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "files/shape.h"

namespace posenc::files {

struct NpyHeader {
  char type = 'f';    // f float, i signed, u unsigned, b boolean
  int bytes = 4;      // per element
  std::string descr;  // the type as the file spells it
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::int64_t size = 0;        // number of elements; size * bytes fits in 63 bits
  std::size_t data_offset = 0;  // where the data start
};

inline constexpr std::size_t kMaxNpyRank = 32;  // NumPy's own limit

inline constexpr std::size_t kMaxNpyStart = (std::size_t{1} << 20) + 12;  // the longest header and what precedes it

// Reads and checks the header at the start of a file. Allocates no more memory than the header is long.
NpyHeader read_npy_header(std::string_view start, std::string_view source);

// Throws unless the data have exactly the size given by type and shape.
void check_npy_data(const NpyHeader& header, std::size_t have, std::string_view source);

}  // namespace posenc::files
