// The checks that every back end makes before it paints a drawing.
#pragma once

#include <string_view>

#include "posenc/export.h"
#include "posenc/insight/drawing.h"

namespace posenc::drawing {

// Throws unless sizes and coordinates are finite, the page is not empty, and images have a level for each cell.
// `caller` opens the message: "to_svg".
POSENC_INTERNAL void check_drawing(const Drawing& drawing, std::string_view caller);

}  // namespace posenc::drawing
