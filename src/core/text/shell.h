// Words of a command, as a shell reads them back.
//
//     posenc::shell_word("the cat");    // 'the cat'
#pragma once

#include <string>
#include <string_view>

#include "posenc/export.h"

namespace posenc::text {

// In single quotes where a shell needs them.
POSENC_INTERNAL std::string shell_word(std::string_view word);

}  // namespace posenc::text
