// POSENC_API marks the symbols that a shared build exports; everything else is hidden.
#pragma once

#define POSENC_API __attribute__((visibility("default")))

// POSENC_INTERNAL marks symbols that posenc's own libraries and command line share beyond the public headers. They are
// not part of the interface.
#define POSENC_INTERNAL POSENC_API

// POSENC_LIFETIMEBOUND marks an argument or object that the result refers to. clang then warns if a temporary is
// destroyed before the result is used (-Wdangling, on by default); g++ has no such warning.
#if defined(__has_cpp_attribute)
#if __has_cpp_attribute(clang::lifetimebound)
#define POSENC_LIFETIMEBOUND [[clang::lifetimebound]]
#endif
#endif
#if !defined(POSENC_LIFETIMEBOUND)
#define POSENC_LIFETIMEBOUND
#endif
