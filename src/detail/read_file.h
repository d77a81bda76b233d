// Reading a file that says at its start how long it should be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace posenc::detail {

// As posenc::read_file. Once the first `enough` bytes are there, or all, whole_size(start) is asked for the limit from
// then on; it may throw instead.
std::string read_file(const std::string& path, std::int64_t limit, std::size_t enough,
                      const std::function<std::int64_t(std::string_view start)>& whole_size);

}  // namespace posenc::detail
