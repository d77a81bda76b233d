#include <cstddef>
#include <cstdint>

#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    fuzz({reinterpret_cast<const char*>(data), size});
  } catch (const posenc::Error&) {  // anything else that is thrown is a bug
  }
  return 0;
}
