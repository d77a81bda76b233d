// The functions that refuse a call. Every message begins alike: "[rotate] heads must be at least 1 but got 0".
//
//     base::refuse(where, "heads must be at least 1 but got ", heads);
//     base::require(heads >= 1, where, "heads must be at least 1 but got ", heads);
//
// A message is built only on failure.
#pragma once

#include <span>
#include <string_view>

#include "core/text/message.h"
#include "posenc/error.h"
#include "posenc/export.h"

namespace posenc::base {

// Refuses on behalf of one function, which passes it to the functions that check its arguments.
//
//     const base::Refusal refuse{where, ErrorKind::bad_input};
//     refuse.unless(width % 2 == 0, "width must be even but got ", width);
struct Refusal {
  std::string_view where;
  ErrorKind kind = ErrorKind::usage;
  std::string_view opening = {};  // begins every message: "learned."

  // Throws "[where] opening message".
  template <class... Parts>
  [[noreturn]] void operator()(const Parts&... parts) const {
    const text::Part list[] = {text::Part(parts)...};
    refuse(list);
  }
  template <class... Parts>
  void unless(bool holds, const Parts&... parts) const {
    if (!holds) (*this)(parts...);
  }

 private:
  [[noreturn, gnu::cold]] POSENC_INTERNAL void refuse(std::span<const text::Part> message) const;
};

template <class... Parts>
[[noreturn]] void refuse(std::string_view where, const Parts&... parts) {
  Refusal{where}(parts...);
}
template <class... Parts>
void require(bool holds, std::string_view where, const Parts&... parts) {
  if (!holds) refuse(where, parts...);
}

// The same for external input: a spec, a text, numbers in a view.
template <class... Parts>
[[noreturn]] void refuse_input(std::string_view where, const Parts&... parts) {
  Refusal{where, ErrorKind::bad_input}(parts...);
}
template <class... Parts>
void require_input(bool holds, std::string_view where, const Parts&... parts) {
  if (!holds) refuse_input(where, parts...);
}

// The same for a file: "model.gguf: message". `source` is its path, or a location in it.
template <class... Parts>
[[noreturn]] void refuse_file(std::string_view source, const Parts&... parts) {
  fail(ErrorKind::bad_input, text::message(source, ": ", parts...));
}
template <class... Parts>
void require_file(bool holds, std::string_view source, const Parts&... parts) {
  if (!holds) refuse_file(source, parts...);
}

}  // namespace posenc::base
