// POSENC_ADDRESS_SANITIZED and POSENC_THREAD_SANITIZED are 1 if this file is compiled with that sanitizer, else 0.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POSENC_ADDRESS_SANITIZED 1
#endif
#if __has_feature(thread_sanitizer)
#define POSENC_THREAD_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define POSENC_ADDRESS_SANITIZED 1
#endif
#if defined(__SANITIZE_THREAD__)
#define POSENC_THREAD_SANITIZED 1
#endif
#if !defined(POSENC_ADDRESS_SANITIZED)
#define POSENC_ADDRESS_SANITIZED 0
#endif
#if !defined(POSENC_THREAD_SANITIZED)
#define POSENC_THREAD_SANITIZED 0
#endif
