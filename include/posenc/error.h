// The one exception type of posenc, and the one function that throws it.
//
//     try {
//       posenc::Spec spec = posenc::parse_spec("sinusoidal:width=0");
//     } catch (const posenc::Error& error) {
//       std::fputs(error.what(), stderr);  // [sinusoidal] width must be at least 1 but got 0
//     }
#pragma once

#include <stdexcept>
#include <string>

#include "posenc/export.h"

namespace posenc {

// What went wrong, so that a caller can decide what to do without reading the message.
enum class ErrorKind {
  usage,        // the caller's own mistake: a wrong argument, shape or value
  bad_input,    // outside data that is not what it should be: a file, a text, a number in it
  io,           // the system refused: cannot open, disk full, write failed
  unsupported,  // well-formed, but posenc does not do it
};

class POSENC_API Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message);
  Error(const Error&) = default;
  Error& operator=(const Error&) = default;
  ~Error() override;

  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

// Throws Error(kind, message). Every error of the library passes through here: what is not printable in the message
// becomes '?', and beyond 2000 bytes it is cut.
//
// A program that defines `posenc_on_error` gets the call instead. Code compiled without exceptions must define it: it
// does not link otherwise, whether or not the library was compiled with them.
[[noreturn]] POSENC_API void fail(ErrorKind kind, const std::string& message);

}  // namespace posenc

// The handler, for a program to define. It must not return, and may be called on a thread of Workers.
extern "C" [[noreturn]] POSENC_API void posenc_on_error(posenc::ErrorKind kind, const char* message);

#if !defined(__cpp_exceptions)
namespace posenc {
// Refers to the handler from every file that could not catch an exception.
[[gnu::used]] inline void (*const error_handler)(ErrorKind kind, const char* message) = &posenc_on_error;
}  // namespace posenc
#endif
