// .npy files: if a file parses, its data have exactly the size of its shape, and every element can be read.
#include <cstdint>
#include <string_view>

#include "fuzz.h"
#include "posenc/files/npy.h"

void fuzz(std::string_view input) {
  const posenc::Array array = posenc::parse_npy(input, "input");
  const std::int64_t bytes = array.size() * posenc::size_of(array.dtype);
  require(static_cast<std::int64_t>(array.data.size()) == bytes, "shape and data differ");
  volatile double sink = 0.0;  // prevents the compiler from removing the reads
  for (std::int64_t i = 0; i < array.size(); ++i) sink = array.number(i);
  static_cast<void>(sink);
  if (array.shape.size() <= posenc::kMaxRank) require(array.view().size() == array.size(), "the view differs");
}
