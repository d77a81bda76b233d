#include "posenc/error.h"

#include "core/text/quotable.h"

#if defined(__cpp_exceptions)
// Null unless the program defines it. A program without exceptions must define it.
extern "C" [[noreturn, gnu::weak]] POSENC_API void posenc_on_error(posenc::ErrorKind kind, const char* message);
#endif

namespace posenc {

Error::Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

// Defined here so that the type has one vtable and can be caught across shared libraries.
Error::~Error() = default;

void fail(ErrorKind kind, const std::string& message) {
  // Messages quote external input, so their size and characters are not under our control.
  constexpr std::size_t kLongest = 2000;
  const std::string shown = text::quotable(message, kLongest);
#if defined(__cpp_exceptions)
  if (posenc_on_error != nullptr) posenc_on_error(kind, shown.c_str());
  throw Error(kind, shown);
#else
  posenc_on_error(kind, shown.c_str());
#endif
}

}  // namespace posenc
