// Write drawings as PNG or PDF with Cairo. This is the library posenc::plot; no other library needs Cairo.
//
//     posenc::write_png("figure.png", drawing, {.theme = posenc::Theme::dark, .scale = 2.0});
//     posenc::write_pdf("figure.pdf", drawing, {});
//
// Files are written completely or not at all. On one machine, the same drawing gives the same bytes; other machines may
// have other fonts.
#pragma once

#include <string>

#include "posenc/error.h"
#include "posenc/export.h"
#include "posenc/insight/drawing.h"

namespace posenc {

struct PaintOptions {
  Theme theme = Theme::light;
  double scale = 2.0;  // pixels per point in a PNG, 0.1 to 16
};

// Return the bytes of the file. A drawing of more than 100 million pixels is an error.
POSENC_API std::string to_png(const Drawing& drawing, const PaintOptions& options);
POSENC_API std::string to_pdf(const Drawing& drawing, const PaintOptions& options);

POSENC_API void write_png(const std::string& path, const Drawing& drawing, const PaintOptions& options);
POSENC_API void write_pdf(const std::string& path, const Drawing& drawing, const PaintOptions& options);

}  // namespace posenc
