// Reads numbers from bytes in a given byte order.
#pragma once

#include <cstddef>
#include <cstdint>

namespace posenc::files {

// Returns the bits of one element. The byte order of the file is given, so that of the machine does not matter.
template <class Bits, bool big_endian>
Bits load_bits(const char* from) noexcept {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < sizeof(Bits); ++i) {
    std::size_t place = big_endian ? sizeof(Bits) - 1 - i : i;
    bits |= std::uint64_t{static_cast<unsigned char>(from[i])} << (8 * place);
  }
  return static_cast<Bits>(bits);
}

}  // namespace posenc::files
