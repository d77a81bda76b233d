#include "posenc/version.h"

#define POSENC_TEXT_OF(x) #x
#define POSENC_TEXT(x) POSENC_TEXT_OF(x)

namespace posenc {

const char* version() noexcept {
  return POSENC_TEXT(POSENC_VERSION_MAJOR) "." POSENC_TEXT(POSENC_VERSION_MINOR) "." POSENC_TEXT(POSENC_VERSION_PATCH);
}

}  // namespace posenc
