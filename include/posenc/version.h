// The version of the library: as macros at compile time, and as a function at run time.
//
//     static_assert(POSENC_VERSION_MAJOR == 0);
//     std::puts(posenc::version());  // "0.2.0"
#pragma once

#include "posenc/export.h"

#define POSENC_VERSION_MAJOR 0
#define POSENC_VERSION_MINOR 2
#define POSENC_VERSION_PATCH 0

namespace posenc {

// Returns the version of the library that runs, "major.minor.patch". It differs from the macros if a program was
// compiled against one shared library and started with another.
POSENC_API const char* version() noexcept;

}  // namespace posenc
