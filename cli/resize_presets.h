// How well-known packages resize their tables.
#pragma once

#include <string_view>
#include <vector>

#include "posenc/resize.h"

namespace posenc::cli {

struct ResizePreset {
  std::string_view name;
  std::string_view help;
  Resize rule;  // method, align, antialias and extra_size; the lengths are the caller's
};

std::vector<ResizePreset> resize_presets();

}  // namespace posenc::cli
