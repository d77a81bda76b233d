#include "posenc/plot/plot.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "posenc/error.h"
#include "posenc/files/file.h"

namespace posenc::plot_test {
namespace {

// A PNG read back by Cairo.
class Pixels {
 public:
  explicit Pixels(const std::string& png) : rest_(png) {
    surface_ = cairo_image_surface_create_from_png_stream(
        [](void* self, unsigned char* data, unsigned int size) {
          std::string& rest = static_cast<Pixels*>(self)->rest_;
          if (rest.size() < size) return CAIRO_STATUS_READ_ERROR;
          std::memcpy(data, rest.data(), size);
          rest.erase(0, size);
          return CAIRO_STATUS_SUCCESS;
        },
        this);
    EXPECT_EQ(cairo_surface_status(surface_), CAIRO_STATUS_SUCCESS);
  }
  Pixels(const Pixels&) = delete;
  Pixels& operator=(const Pixels&) = delete;
  ~Pixels() { cairo_surface_destroy(surface_); }

  int width() const { return cairo_image_surface_get_width(surface_); }
  int height() const { return cairo_image_surface_get_height(surface_); }
  Color at(int x, int y) const {
    std::uint32_t pixel = 0;
    std::memcpy(&pixel, cairo_image_surface_get_data(surface_) + y * cairo_image_surface_get_stride(surface_) + 4 * x,
                4);
    return {static_cast<std::uint8_t>(pixel >> 16), static_cast<std::uint8_t>(pixel >> 8),
            static_cast<std::uint8_t>(pixel)};
  }

 private:
  std::string rest_;
  cairo_surface_t* surface_ = nullptr;
};

std::string error_of(const Drawing& drawing, double scale) {
  try {
    to_png(drawing, {.scale = scale});
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// Cells of 3 x 2 points: every pixel of a cell has its colour, also at the edges of the image.
TEST(Png, CellsHaveTheirColours) {
  Drawing drawing{.width = 60, .height = 40};
  Image image{.box = {5, 10, 48, 20}, .columns = 16, .rows = 10};
  for (int cell = 0; cell < 160; ++cell) image.levels.push_back(static_cast<std::uint8_t>(cell * 255 / 159));
  drawing.add(image);
  for (const Theme theme : {Theme::light, Theme::dark}) {
    for (const int scale : {1, 2}) {
      const Pixels pixels(to_png(drawing, {.theme = theme, .scale = static_cast<double>(scale)}));
      ASSERT_EQ(pixels.width(), 60 * scale);
      ASSERT_EQ(pixels.height(), 40 * scale);
      for (int y = 0; y < 40 * scale; ++y) {
        for (int x = 0; x < 60 * scale; ++x) {
          const int column = (x - 5 * scale) / (3 * scale);
          const int row = (y - 10 * scale) / (2 * scale);
          const bool inside = x >= 5 * scale && y >= 10 * scale && column < 16 && row < 10;
          const Color expected =
              inside ? color_of(ColorMap::diverging, image.levels[static_cast<std::size_t>(16 * row + column)], theme)
                     : color_of(Ink::paper, theme);
          ASSERT_EQ(pixels.at(x, y), expected) << x << ", " << y << " at scale " << scale;
        }
      }
    }
  }
}

TEST(Png, MarksAreWhereTheySay) {
  Drawing drawing{.width = 100, .height = 60};
  drawing.add(Rectangle{.box = {10, 10, 20, 20}, .fill = Ink::series1});
  drawing.add(Circle{.center = {60, 20}, .radius = 10, .fill = Ink::series2});
  drawing.add(Path{.points = {{10, 50}, {90, 50}}, .stroke = Ink::series3, .line_width = 4});
  drawing.add(Path{.points = {{80, 5}, {95, 5}, {95, 20}}, .fill = Ink::series4, .closed = true});
  drawing.add(Rectangle{.box = {10, 35, 20, 8}, .fill = Ink::text, .opacity = 0.5, .radius = 4});
  const Pixels pixels(to_png(drawing, {.scale = 1.0}));
  const auto ink = [](Ink name) { return color_of(name, Theme::light); };
  EXPECT_EQ(pixels.at(10, 10), ink(Ink::series1));
  EXPECT_EQ(pixels.at(29, 29), ink(Ink::series1));
  EXPECT_EQ(pixels.at(30, 30), ink(Ink::paper));
  EXPECT_EQ(pixels.at(60, 12), ink(Ink::series2));
  EXPECT_EQ(pixels.at(69, 11), ink(Ink::paper));  // beside the circle, inside its box
  EXPECT_EQ(pixels.at(50, 49), ink(Ink::series3));
  EXPECT_EQ(pixels.at(50, 46), ink(Ink::paper));
  EXPECT_EQ(pixels.at(93, 7), ink(Ink::series4));
  EXPECT_EQ(pixels.at(83, 15), ink(Ink::paper));
  EXPECT_NEAR(pixels.at(20, 39).red, (31 + 255) / 2, 1);  // half text, half paper
  EXPECT_EQ(pixels.at(10, 35), ink(Ink::paper));          // cut off by the round corner
}

// The box around the pixels of a text that are not paper.
TEST(Png, TextStandsInItsBox) {
  for (const bool upward : {false, true}) {
    for (const Anchor anchor : {Anchor::start, Anchor::middle, Anchor::end}) {
      Drawing drawing{.width = 300, .height = 300};
      const Text text{.text = "HqW", .at = {150, 150}, .size = 40, .anchor = anchor, .upward = upward};
      drawing.add(text);
      const Box box = drawing.box_of(text);
      const Pixels pixels(to_png(drawing, {.scale = 1.0}));
      int left = 300, right = 0, top = 300, bottom = 0;
      for (int y = 0; y < 300; ++y) {
        for (int x = 0; x < 300; ++x) {
          if (pixels.at(x, y) == color_of(Ink::paper, Theme::light)) continue;
          left = std::min(left, x);
          right = std::max(right, x + 1);
          top = std::min(top, y);
          bottom = std::max(bottom, y + 1);
        }
      }
      const std::string where = "anchor " + std::to_string(static_cast<int>(anchor)) + (upward ? ", upward" : "");
      EXPECT_NEAR(left, box.x, 5) << where;
      EXPECT_NEAR(right, box.right(), 5) << where;
      EXPECT_NEAR(top, box.y, 5) << where;
      EXPECT_NEAR(bottom, box.bottom(), 5) << where;
    }
  }
}

TEST(Png, WidthsOfTextAreCairos) {
  cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1);
  cairo_t* cairo = cairo_create(surface);
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_set_font_options(cairo, options);
  cairo_set_font_size(cairo, 100.0);
  const std::vector<std::string> texts = {
      "position p, channel 2i+1",
      "0123456789.-e",
      "THE QUICK BROWN FOX",
      "\xce\xb8 = p / 10000^(2i/M)",
      "\xe2\x88\x9a\xcf\x80 \xe2\x89\x88 1.77 \xc2\xb7 \xc3\x97 \xe2\x89\xa4 \xe2\x88\x92",
      "\xce\x94 \xce\xbb \xcf\x83 \xe2\x86\x92 \xe2\x80\xa6 \xe2\x82\x82 \xc2\xbd \xe2\x88\x9e"};
  for (const bool bold : {false, true}) {
    cairo_select_font_face(cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    for (const std::string& text : texts) {
      cairo_text_extents_t extents;
      cairo_text_extents(cairo, text.c_str(), &extents);
      EXPECT_NEAR(text_width(text, 100.0, bold, TextMetrics::proportional), extents.x_advance, 0.01 * extents.x_advance)
          << text;
    }
  }
  cairo_font_options_destroy(options);
  cairo_destroy(cairo);
  cairo_surface_destroy(surface);
}

TEST(Png, WhatCannotBePaintedIsAnError) {
  Drawing drawing{.width = 5000, .height = 5000};
  EXPECT_EQ(error_of(drawing, 0.05), "[to_png] scale must be 0.1 to 16 but got 0.05");
  EXPECT_EQ(error_of(drawing, NAN), "[to_png] scale must be 0.1 to 16 but got nan");
  EXPECT_EQ(error_of(drawing, 2.5),
            "[to_png] a picture may have at most 1e8 pixels and sides of 32767 but would have 12500 x 12500");
  drawing = {.width = 4,
             .height = 4,
             .marks = {Image{.columns = 40000, .rows = 1, .levels = std::vector<std::uint8_t>(40000)}}};
  EXPECT_EQ(error_of(drawing, 1), "[to_png] an image must have at most 32767 rows and columns but has 1 x 40000");
}

TEST(Png, BrokenTextIsShownWithoutIt) {
  Drawing drawing{.width = 100, .height = 40};
  drawing.add(Text{.text = "a\xff\x1b[31m", .at = {5, 20}});
  EXPECT_EQ(error_of(drawing, 1), "no error");
}

TEST(Pdf, SameBytesWithTextAndTitle) {
  Drawing drawing{.width = 200, .height = 100, .title = "Two waves", .description = "They differ."};
  drawing.add(Text{.text = "position", .at = {20, 50}});
  const std::string pdf = to_pdf(drawing, {});
  EXPECT_EQ(pdf, to_pdf(drawing, {}));
  EXPECT_EQ(pdf.substr(0, 5), "%PDF-");
  EXPECT_NE(pdf.find("/MediaBox [ 0 0 200 100 ]"), std::string::npos);
  EXPECT_NE(pdf.find("(Two waves)"), std::string::npos);
  EXPECT_NE(pdf.find("20000101000000"), std::string::npos);
  EXPECT_NE(pdf.find("DejaVuSans"), std::string::npos);  // the font is embedded, so text is text
}

TEST(Plot, FilesAreWrittenWholeOrNotAtAll) {
  const std::string path = ::testing::TempDir() + "plot_test_figure.png";
  Drawing drawing{.width = 20, .height = 10};
  write_png(path, drawing, {});
  EXPECT_EQ(read_file(path), to_png(drawing, {}));
  drawing.width = -1;
  EXPECT_THROW(write_png(path, drawing, {}), Error);
  EXPECT_EQ(read_file(path).substr(1, 3), "PNG");
  drawing.width = 20;
  write_pdf(path, drawing, {});
  EXPECT_EQ(read_file(path), to_pdf(drawing, {}));
  std::remove(path.c_str());
  EXPECT_THROW(write_pdf("/nowhere/at/all.pdf", drawing, {}), Error);
}

}  // namespace
}  // namespace posenc::plot_test
