// A drawing as PNG or PDF, painted by Cairo. In the library posenc::plot, which all else does without.
//
//     posenc::write_png("figure.png", drawing, {.theme = posenc::Theme::dark, .scale = 2.0});
//     posenc::write_pdf("figure.pdf", drawing, {});
//
// Files are written whole or not at all. On one machine the same drawing gives the same bytes; fonts may differ between
// machines.
#pragma once

#include <string>

#include "posenc/error.h"
#include "posenc/export.h"
#include "posenc/insight/drawing.h"

namespace posenc {

struct PaintOptions {
  Theme theme = Theme::light;
  double scale = 2.0;  // pixels per point of a PNG, 0.1 to 16
};

// The bytes of a file. A drawing of more than 100 million pixels is an error.
POSENC_API std::string to_png(const Drawing& drawing, const PaintOptions& options);
POSENC_API std::string to_pdf(const Drawing& drawing, const PaintOptions& options);

POSENC_API void write_png(const std::string& path, const Drawing& drawing, const PaintOptions& options);
POSENC_API void write_pdf(const std::string& path, const Drawing& drawing, const PaintOptions& options);

}  // namespace posenc
