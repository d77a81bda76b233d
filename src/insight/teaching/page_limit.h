// Limits the size of pages, because they are sent by mail.
#pragma once

#include <string>
#include <utility>

#include "posenc/error.h"
#include "posenc/insight/report.h"

namespace posenc::teaching {

inline std::string checked_page(std::string page, const std::string& where) {
  if (static_cast<std::int64_t>(page.size()) <= kMaxPageBytes) return page;
  fail(ErrorKind::usage, where + " the page would have " + std::to_string(page.size()) + " bytes, more than " +
                             std::to_string(kMaxPageBytes) + ": use fewer encodings");
}

}  // namespace posenc::teaching
