#include "posenc/plot/plot.h"

#include <cairo-pdf.h>
#include <cairo.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numbers>
#include <optional>
#include <string_view>

#include "core/text/number_text.h"
#include "core/text/utf8.h"
#include "insight/drawing/drawing_check.h"
#include "posenc/error.h"
#include "posenc/files/file.h"

namespace posenc {
namespace {

constexpr double kMostPixels = 1e8;
constexpr double kMostSide = 32767;  // Cairo's limit for images
constexpr double kTurn = 2.0 * std::numbers::pi;

struct Destroy {
  void operator()(cairo_surface_t* surface) const noexcept { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const noexcept { cairo_destroy(context); }
  void operator()(cairo_pattern_t* pattern) const noexcept { cairo_pattern_destroy(pattern); }
  void operator()(cairo_font_options_t* options) const noexcept { cairo_font_options_destroy(options); }
};
using Surface = std::unique_ptr<cairo_surface_t, Destroy>;
using Context = std::unique_ptr<cairo_t, Destroy>;

void check_status(cairo_status_t status, std::string_view caller) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  fail(ErrorKind::unsupported, "[" + std::string(caller) + "] Cairo: " + cairo_status_to_string(status));
}

cairo_status_t append(void* bytes, const unsigned char* data, unsigned int size) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), size);
  return CAIRO_STATUS_SUCCESS;
}

// Converts an image to Cairo's RGB24: four bytes per cell, as one number in native byte order.
Surface cells_of(const Image& image, Theme theme, std::string_view caller) {
  const auto columns = static_cast<double>(image.columns);
  const auto rows = static_cast<double>(image.rows);
  if (columns > kMostSide || rows > kMostSide) {
    fail(ErrorKind::unsupported, "[" + std::string(caller) + "] an image must have at most 32767 rows and columns " +
                                     "but has " + std::to_string(image.rows) + " x " + std::to_string(image.columns));
  }
  Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(columns), static_cast<int>(rows)));
  check_status(cairo_surface_status(surface.get()), caller);
  cairo_surface_flush(surface.get());
  unsigned char* data = cairo_image_surface_get_data(surface.get());
  const std::ptrdiff_t stride = cairo_image_surface_get_stride(surface.get());
  for (std::size_t cell = 0; cell < image.levels.size(); ++cell) {
    const Color color = color_of(image.map, image.levels[cell], theme);
    const auto row = static_cast<std::ptrdiff_t>(cell) / image.columns;
    const auto column = static_cast<std::ptrdiff_t>(cell) % image.columns;
    auto* line = reinterpret_cast<std::uint32_t*>(data + row * stride);
    line[column] = static_cast<std::uint32_t>(color.red) << 16U | static_cast<std::uint32_t>(color.green) << 8U |
                   static_cast<std::uint32_t>(color.blue);
  }
  cairo_surface_mark_dirty(surface.get());
  return surface;
}

class Painter {
 public:
  Painter(cairo_t* context, Theme theme, std::string_view caller) : cairo_(context), theme_(theme), caller_(caller) {
    // Without hinting, letters are where they were measured, at every resolution. Gray has no colour fringes.
    const std::unique_ptr<cairo_font_options_t, Destroy> fonts(cairo_font_options_create());
    cairo_font_options_set_antialias(fonts.get(), CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(fonts.get(), CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(fonts.get(), CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(cairo_, fonts.get());
    cairo_set_line_join(cairo_, CAIRO_LINE_JOIN_ROUND);
  }

  void paper() {
    set_color(color_of(Ink::paper, theme_), 1.0);
    cairo_paint(cairo_);
  }

  void operator()(const Path& path) {
    if (path.points.empty()) return;
    cairo_new_path(cairo_);
    for (const Point& point : path.points) cairo_line_to(cairo_, point.x, point.y);
    if (path.closed) cairo_close_path(cairo_);
    const double dashes[] = {4.0 * path.line_width, 2.5 * path.line_width};
    if (path.dashed) cairo_set_dash(cairo_, dashes, 2, 0.0);
    paint(path.stroke, path.fill, path.line_width, path.opacity);
    cairo_set_dash(cairo_, nullptr, 0, 0.0);
  }
  void operator()(const Rectangle& rectangle) {
    const Box& box = rectangle.box;
    const double radius = std::fmin(rectangle.radius, std::fmin(box.width, box.height) / 2.0);
    cairo_new_path(cairo_);
    if (radius > 0.0) {
      cairo_arc(cairo_, box.right() - radius, box.y + radius, radius, 0.75 * kTurn, kTurn);
      cairo_arc(cairo_, box.right() - radius, box.bottom() - radius, radius, 0.0, 0.25 * kTurn);
      cairo_arc(cairo_, box.x + radius, box.bottom() - radius, radius, 0.25 * kTurn, 0.5 * kTurn);
      cairo_arc(cairo_, box.x + radius, box.y + radius, radius, 0.5 * kTurn, 0.75 * kTurn);
      cairo_close_path(cairo_);
    } else {
      cairo_rectangle(cairo_, box.x, box.y, box.width, box.height);
    }
    paint(rectangle.stroke, rectangle.fill, rectangle.line_width, rectangle.opacity);
  }
  void operator()(const Circle& circle) {
    cairo_new_path(cairo_);
    cairo_arc(cairo_, circle.center.x, circle.center.y, circle.radius, 0.0, kTurn);
    paint(circle.stroke, circle.fill, circle.line_width, circle.opacity);
  }
  void operator()(const Text& text) {
    const std::string line = text::one_line(text.text);
    cairo_select_font_face(cairo_, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           text.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo_, text.size);
    cairo_text_extents_t extents;
    cairo_text_extents(cairo_, line.c_str(), &extents);
    const double share = text.anchor == Anchor::start ? 0.0 : text.anchor == Anchor::middle ? 0.5 : 1.0;
    set_color(color(text), 1.0);
    cairo_save(cairo_);
    cairo_translate(cairo_, text.at.x, text.at.y);
    if (text.upward) cairo_rotate(cairo_, -0.25 * kTurn);
    cairo_move_to(cairo_, -share * extents.x_advance, 0.0);
    cairo_show_text(cairo_, line.c_str());
    cairo_restore(cairo_);
  }
  void operator()(const Image& image) {
    const Surface cells = cells_of(image, theme_, caller_);
    const std::unique_ptr<cairo_pattern_t, Destroy> pattern(cairo_pattern_create_for_surface(cells.get()));
    cairo_pattern_set_filter(pattern.get(), CAIRO_FILTER_NEAREST);
    cairo_pattern_set_extend(pattern.get(), CAIRO_EXTEND_PAD);
    cairo_save(cairo_);
    // Without antialiasing, so that no pixel at the edges is half covered.
    cairo_set_antialias(cairo_, CAIRO_ANTIALIAS_NONE);
    cairo_new_path(cairo_);
    cairo_rectangle(cairo_, image.box.x, image.box.y, image.box.width, image.box.height);
    cairo_clip(cairo_);
    cairo_translate(cairo_, image.box.x, image.box.y);
    cairo_scale(cairo_, image.box.width / static_cast<double>(image.columns),
                image.box.height / static_cast<double>(image.rows));
    cairo_set_source(cairo_, pattern.get());
    cairo_paint(cairo_);
    cairo_restore(cairo_);
  }

 private:
  Color color(const Text& text) const {
    if (text.color) return *text.color;
    if (text.on) return readable_on(color_of(text.on->map, text.on->level, theme_));
    return color_of(text.ink, theme_);
  }
  void set_color(Color color, double opacity) {
    cairo_set_source_rgba(cairo_, color.red / 255.0, color.green / 255.0, color.blue / 255.0, opacity);
  }
  void paint(std::optional<Ink> stroke, std::optional<Ink> fill, double line_width, double opacity) {
    if (fill) {
      set_color(color_of(*fill, theme_), opacity);
      cairo_fill_preserve(cairo_);
    }
    if (stroke) {
      set_color(color_of(*stroke, theme_), opacity);
      cairo_set_line_width(cairo_, line_width);
      cairo_stroke_preserve(cairo_);
    }
    cairo_new_path(cairo_);
  }

  cairo_t* cairo_;
  Theme theme_;
  std::string_view caller_;
};

void paint_all(const Drawing& drawing, cairo_surface_t* surface, const PaintOptions& options, double scale,
               std::string_view caller) {
  const Context context(cairo_create(surface));
  cairo_scale(context.get(), scale, scale);
  Painter painter(context.get(), options.theme, caller);
  painter.paper();
  for (const Mark& mark : drawing.marks) std::visit(painter, mark);
  check_status(cairo_status(context.get()), caller);
}

Surface make_pixels(const Drawing& drawing, double scale) {
  if (!(scale >= 0.1 && scale <= 16.0)) {
    fail(ErrorKind::usage, "[to_png] scale must be 0.1 to 16 but got " + text::general_text(scale, 6));
  }
  const double columns = std::fmax(std::round(drawing.width * scale), 1.0);
  const double rows = std::fmax(std::round(drawing.height * scale), 1.0);
  if (columns > kMostSide || rows > kMostSide || columns * rows > kMostPixels) {
    fail(ErrorKind::usage, "[to_png] a picture may have at most 1e8 pixels and sides of 32767 but would have " +
                               text::general_text(columns, 9) + " x " + text::general_text(rows, 9));
  }
  Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(columns), static_cast<int>(rows)));
  check_status(cairo_surface_status(surface.get()), "to_png");
  return surface;
}

}  // namespace

std::string to_png(const Drawing& drawing, const PaintOptions& options) {
  drawing::check_drawing(drawing, "to_png");
  const Surface surface = make_pixels(drawing, options.scale);
  paint_all(drawing, surface.get(), options, options.scale, "to_png");
  std::string bytes;
  check_status(cairo_surface_write_to_png_stream(surface.get(), append, &bytes), "to_png");
  return bytes;
}

std::string to_pdf(const Drawing& drawing, const PaintOptions& options) {
  drawing::check_drawing(drawing, "to_pdf");
  std::string bytes;
  const Surface surface(cairo_pdf_surface_create_for_stream(append, &bytes, drawing.width, drawing.height));
  check_status(cairo_surface_status(surface.get()), "to_pdf");
  const std::string title = text::one_line(drawing.title);
  const std::string subject = text::one_line(drawing.description);
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, title.c_str());
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_SUBJECT, subject.c_str());
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATOR, "posenc");
  // A fixed date, so that the same drawing gives the same bytes.
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
  paint_all(drawing, surface.get(), options, 1.0, "to_pdf");
  cairo_surface_finish(surface.get());
  check_status(cairo_surface_status(surface.get()), "to_pdf");
  return bytes;
}

void write_png(const std::string& path, const Drawing& drawing, const PaintOptions& options) {
  write_file(path, to_png(drawing, options));
}

void write_pdf(const std::string& path, const Drawing& drawing, const PaintOptions& options) {
  write_file(path, to_pdf(drawing, options));
}

}  // namespace posenc
