// Breaks prose into lines, between words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace posenc::text {

// Lines of at most `width` columns; a longer word has a line of its own. An empty text is one empty line.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

}  // namespace posenc::text
