// The exception type of posenc, and the function that throws it.
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

// The cause of an error, so that a caller can react without parsing the message.
enum class ErrorKind {
  usage,        // the caller's mistake: a wrong argument, shape or value
  bad_input,    // invalid external data: a file, a text, or a number in it
  io,           // the system reported an error: cannot open, disk full, write failed
  unsupported,  // valid input that posenc does not support
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

// Throws Error(kind, message). All errors of the library are thrown here. Unprintable bytes in the message become '?',
// and the message is cut after 2000 bytes.
//
// If the program defines `posenc_on_error`, that function is called instead. Code compiled without exceptions must
// define it, even if the library was compiled with exceptions: it does not link otherwise.
[[noreturn]] POSENC_API void fail(ErrorKind kind, const std::string& message);

}  // namespace posenc

// The error handler that a program may define. It must not return, and may be called on a thread of Workers.
extern "C" [[noreturn]] POSENC_API void posenc_on_error(posenc::ErrorKind kind, const char* message);

#if !defined(__cpp_exceptions)
namespace posenc {
// Makes every file compiled without exceptions refer to the handler, so that linking fails if it is missing.
[[gnu::used]] inline void (*const error_handler)(ErrorKind kind, const char* message) = &posenc_on_error;
}  // namespace posenc
#endif
