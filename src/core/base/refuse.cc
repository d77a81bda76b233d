#include "core/base/refuse.h"

#include <string>

namespace posenc::base {

void Refusal::refuse(std::span<const text::Part> message) const {
  fail(kind, text::message("[", where, "] ", opening, text::joined_parts(message)));
}

}  // namespace posenc::base
