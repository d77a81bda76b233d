#include "files/shape.h"

#include <limits>

#include "core/text/joined.h"

namespace posenc::files {

std::string shape_text(const std::vector<std::int64_t>& shape) { return "[" + text::joined(shape, ", ") + "]"; }

std::int64_t checked_size(const std::vector<std::int64_t>& shape, std::int64_t bytes) noexcept {
  std::int64_t room = std::numeric_limits<std::int64_t>::max() / bytes;
  bool empty = false;
  std::int64_t size = 1;
  for (std::int64_t length : shape) {
    empty = empty || length == 0;
    std::int64_t factor = length == 0 ? 1 : length;
    if (size > room / factor) return -1;
    size *= factor;
  }
  return empty ? 0 : size;
}

}  // namespace posenc::files
