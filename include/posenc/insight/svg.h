// A drawing as SVG: real text, titles, colours that follow the reader's theme, images as embedded PNG.
//
//     posenc::write_file("figure.svg", posenc::to_svg(drawing, {}));
//     page += posenc::to_svg(drawing, {.standalone = false, .id = "heatmap"});      // inside HTML
//
// The same drawing gives the same bytes everywhere. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "posenc/error.h"
#include "posenc/export.h"
#include "posenc/insight/drawing.h"

namespace posenc {

struct SvgOptions {
  Theme theme = Theme::automatic;
  bool standalone = true;  // with its own style; false: for a page that contains svg_style()
  std::string id = {};     // the prefix of the ids of title and description, which must be unique in a page
};

// The root has a viewBox, a width and a height, role="img" and aria-labelledby its <title> and <desc>. Text is <text>.
// Throws if a size or a coordinate is not finite, or if an image does not have one level per cell.
POSENC_API std::string to_svg(const Drawing& drawing, const SvgOptions& options);

// The CSS that drawings inside a page share: custom properties per ink (--posenc-series1 and so on), once for light and
// once for dark, and the classes that use them. With automatic, `data-theme="dark"` or "light" on the root
// element of a page overrides the reader's system.
POSENC_API std::string svg_style(Theme theme);

// Escapes the five special characters of XML and removes control characters that XML does not allow.
POSENC_API std::string xml_text(std::string_view text);

// The bytes of a PNG file with palette colours, from levels [rows][columns]. The compression packs runs of equal cells
// and rows that repeat the row above, nothing else.
POSENC_API std::string palette_png(std::span<const std::uint8_t> levels, std::int64_t columns, std::int64_t rows,
                                   ColorMap map, Theme theme);

}  // namespace posenc
