#include "posenc/error.h"

namespace posenc {

Error::Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

// Out of line, so that the type has one home and can be caught across a shared library.
Error::~Error() = default;

void fail(ErrorKind kind, const std::string& message) {
#if defined(__cpp_exceptions)
  throw Error(kind, message);
#else
  posenc_on_error(kind, message.c_str());
#endif
}

}  // namespace posenc
