// POSENC_API marks what a shared build of the library shows to its users; everything else is hidden.
#pragma once

#define POSENC_API __attribute__((visibility("default")))

// POSENC_INTERNAL marks what posenc's own libraries and its command line share beyond the public headers. It is not
// part of the interface.
#define POSENC_INTERNAL POSENC_API

// POSENC_LIFETIMEBOUND marks what a result refers to: an argument, or the object that a function was called on. clang
// then warns where a temporary is gone before the result is used (-Wdangling, on by default); g++ has no such warning.
#if defined(__has_cpp_attribute)
#if __has_cpp_attribute(clang::lifetimebound)
#define POSENC_LIFETIMEBOUND [[clang::lifetimebound]]
#endif
#endif
#if !defined(POSENC_LIFETIMEBOUND)
#define POSENC_LIFETIMEBOUND
#endif
