#include "insight/drawing/drawing_check.h"

#include <cmath>
#include <initializer_list>
#include <string>

#include "core/text/number_text.h"
#include "posenc/error.h"

namespace posenc::drawing {
namespace {

// Larger than any page, and small enough for the number types of every back end.
constexpr double kLargest = 1e6;

class Check {
 public:
  explicit Check(std::string_view caller) : caller_(caller) {}

  void page(const Drawing& drawing) const {
    for (const double size : {drawing.width, drawing.height}) {
      if (size > 0.0 && size <= kLargest) continue;
      wrong("the page must be larger than 0 and at most 1e6 points wide and high but is " +
            text::general_text(drawing.width, 6) + " x " + text::general_text(drawing.height, 6));
    }
  }

  void operator()(const Path& path) const {
    for (const Point& point : path.points) numbers({point.x, point.y});
    numbers({path.line_width, path.opacity});
  }
  void operator()(const Rectangle& rectangle) const {
    box(rectangle.box);
    numbers({rectangle.line_width, rectangle.opacity, rectangle.radius});
  }
  void operator()(const Circle& circle) const {
    numbers({circle.center.x, circle.center.y, circle.radius, circle.line_width, circle.opacity});
  }
  void operator()(const Text& text) const { numbers({text.at.x, text.at.y, text.size}); }
  void operator()(const Image& image) const {
    box(image.box);
    const auto size = static_cast<std::int64_t>(image.levels.size());
    if (image.rows > 0 && image.columns > 0 && size / image.rows == image.columns && size % image.rows == 0) return;
    wrong("an image of " + std::to_string(image.rows) + " x " + std::to_string(image.columns) + " cells has " +
          std::to_string(size) + " levels");
  }

 private:
  [[noreturn]] void wrong(const std::string& message) const {
    fail(ErrorKind::usage, "[" + std::string(caller_) + "] " + message);
  }
  void numbers(std::initializer_list<double> values) const {
    for (const double value : values) {
      if (!(std::fabs(value) <= kLargest))
        wrong("coordinates must be within 1e6 but got " + text::general_text(value, 6));
    }
  }
  void box(const Box& box) const { numbers({box.x, box.y, box.width, box.height}); }

  std::string_view caller_;
};

}  // namespace

void check_drawing(const Drawing& drawing, std::string_view caller) {
  const Check check(caller);
  check.page(drawing);
  for (const Mark& mark : drawing.marks) std::visit(check, mark);
}

}  // namespace posenc::drawing
