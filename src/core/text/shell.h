// Quotes the words of a command so that a shell reads them back unchanged.
//
//     posenc::text::shell_word("the cat");  // 'the cat'
#pragma once

#include <string>
#include <string_view>

#include "posenc/export.h"

namespace posenc::text {

// `word`, in single quotes if a shell needs them.
POSENC_INTERNAL std::string shell_word(std::string_view word);

}  // namespace posenc::text
