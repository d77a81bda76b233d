#include "posenc/insight/svg.h"

#include <array>
#include <cstddef>
#include <optional>

#include "core/text/number_text.h"
#include "core/text/utf8.h"
#include "insight/drawing/base64.h"
#include "insight/drawing/drawing_check.h"

namespace posenc {
namespace {

// In the order of Ink.
constexpr std::array<std::string_view, 13> kInkNames = {"paper",   "text",    "muted",   "axis",    "grid",
                                                        "cool",    "warm",    "series1", "series2", "series3",
                                                        "series4", "series5", "series6"};
static_assert(kInkNames.size() == static_cast<std::size_t>(Ink::series6) + 1);

std::string ink_name(Ink ink) { return std::string(kInkNames[static_cast<std::size_t>(ink)]); }

std::string number(double value) {
  std::string text = text::fixed_text(value, 2);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string hex(Color color) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "#";
  for (const unsigned part : {color.red, color.green, color.blue}) {
    text += kDigits[part >> 4U];
    text += kDigits[part & 15U];
  }
  return text;
}

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + std::string(value) + "\"";
}
std::string attribute(std::string_view name, double value) { return attribute(name, number(value)); }

// Characters that XML 1.0 does not allow.
bool is_forbidden(std::uint32_t code) noexcept {
  return (code < 0x20 && code != '\t' && code != '\n' && code != '\r') || code == 0xFFFE || code == 0xFFFF;
}

std::string_view entity(char byte) noexcept {
  switch (byte) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

std::string custom_properties(Theme theme) {
  std::string css;
  for (std::size_t index = 0; index < kInkNames.size(); ++index) {
    css += "--posenc-" + std::string(kInkNames[index]) + ":" + hex(color_of(static_cast<Ink>(index), theme)) + ";";
  }
  // Text that is white on a cell in the light theme and black in the dark one, and the reverse.
  css += theme == Theme::dark ? "--posenc-white-black:#000000;--posenc-black-white:#ffffff"
                              : "--posenc-white-black:#ffffff;--posenc-black-white:#000000";
  return css;
}

// Writes the colour twice: programs that do not know custom properties use the first value.
std::string paint_class(std::string_view property, const std::string& name, Color color) {
  return ".posenc-" + std::string(property) + "-" + name + "{" + std::string(property) + ":" + hex(color) + ";" +
         std::string(property) + ":var(--posenc-" + name + ")}\n";
}

std::string classes(Theme theme) {
  std::string css;
  for (std::size_t index = 0; index < kInkNames.size(); ++index) {
    const std::string name(kInkNames[index]);
    const Color color = color_of(static_cast<Ink>(index), theme);
    css += paint_class("fill", name, color) + paint_class("stroke", name, color);
  }
  const bool dark = theme == Theme::dark;
  const Color white = {255, 255, 255};
  css += paint_class("fill", "white-black", dark ? Color{} : white);
  css += paint_class("fill", "black-white", dark ? white : Color{});
  css += ".posenc{max-width:100%;height:auto}\n";
  css +=
      ".posenc text{font-family:system-ui,\"Segoe UI\",Helvetica,Arial,\"DejaVu Sans\",sans-serif;white-space:pre}\n";
  css += ".posenc path{stroke-linejoin:round}\n";
  css += ".posenc image{image-rendering:optimizeSpeed;image-rendering:crisp-edges;image-rendering:pixelated}\n";
  return css;
}

// Every image is there in a light and in a dark version, of which one is shown. data-theme on the root element
// overrides the preference of the system.
std::string dark_rules(const std::string& root) {
  return root + "{color-scheme:dark;" + custom_properties(Theme::dark) + "}\n" + root +
         " .posenc-dark{display:inline}\n" + root + " .posenc-light{display:none}\n";
}

class SvgWriter {
 public:
  explicit SvgWriter(Theme theme) : theme_(theme) {}

  void operator()(const Path& path) {
    if (path.points.empty() || (!path.stroke && !path.fill)) return;
    std::string element = "<path" + attribute("d", path_data(path)) + paint(path.stroke, path.fill, path.line_width);
    if (path.dashed && path.stroke) {
      element += attribute("stroke-dasharray", number(4.0 * path.line_width) + " " + number(2.5 * path.line_width));
    }
    close(element + opacity(path.opacity), "path", path.title);
  }
  void operator()(const Rectangle& rectangle) {
    if (!rectangle.stroke && !rectangle.fill) return;
    std::string element = "<rect" + place(rectangle.box);
    if (rectangle.radius > 0.0) element += attribute("rx", rectangle.radius);
    element += paint(rectangle.stroke, rectangle.fill, rectangle.line_width) + opacity(rectangle.opacity);
    close(element, "rect", rectangle.title);
  }
  void operator()(const Circle& circle) {
    if (!circle.stroke && !circle.fill) return;
    close("<circle" + attribute("cx", circle.center.x) + attribute("cy", circle.center.y) +
              attribute("r", circle.radius) + paint(circle.stroke, circle.fill, circle.line_width) +
              opacity(circle.opacity),
          "circle", circle.title);
  }
  void operator()(const Text& text) {
    if (text.text.empty()) return;
    std::string element = "<text" + attribute("x", text.at.x) + attribute("y", text.at.y);
    element += attribute("font-size", text.size);
    if (text.bold) element += attribute("font-weight", "700");
    if (text.anchor != Anchor::start) {
      element += attribute("text-anchor", text.anchor == Anchor::middle ? "middle" : "end");
    }
    if (text.upward) {
      element += attribute("transform", "rotate(-90 " + number(text.at.x) + " " + number(text.at.y) + ")");
    }
    body_ += element + text_paint(text) + ">" + xml_text(text.text) + "</text>\n";
  }
  void operator()(const Image& image) {
    if (theme_ != Theme::automatic) return put_image(image, theme_, "");
    put_image(image, Theme::light, "posenc-light");
    put_image(image, Theme::dark, "posenc-dark");
  }

  std::string finish() { return std::move(body_); }

 private:
  static std::string path_data(const Path& path) {
    std::string data;
    for (const Point& point : path.points) {
      data += data.empty() ? "M" : "L";
      data += number(point.x) + " " + number(point.y);
    }
    return path.closed ? data + "Z" : data;
  }
  static std::string place(const Box& box) {
    return attribute("x", box.x) + attribute("y", box.y) + attribute("width", box.width) +
           attribute("height", box.height);
  }
  static std::string opacity(double value) { return value == 1.0 ? "" : attribute("opacity", value); }
  static std::string paint(std::optional<Ink> stroke, std::optional<Ink> fill, double line_width) {
    std::string names;
    if (fill) names += "posenc-fill-" + ink_name(*fill);
    if (stroke) names += (names.empty() ? "posenc-stroke-" : " posenc-stroke-") + ink_name(*stroke);
    std::string text = attribute("class", names);
    if (!fill) text += attribute("fill", "none");
    if (stroke) text += attribute("stroke-width", line_width);
    return text;
  }
  std::string text_paint(const Text& text) const {
    if (text.color) return attribute("fill", hex(*text.color));
    if (!text.on) return attribute("class", "posenc-fill-" + ink_name(text.ink));
    const auto paint_in = [&](Theme theme) { return readable_on(color_of(text.on->map, text.on->level, theme)); };
    const Color light = paint_in(Theme::light);
    if (theme_ != Theme::automatic || light == paint_in(Theme::dark)) return attribute("fill", hex(paint_in(theme_)));
    return attribute("class", light == Color{} ? "posenc-fill-black-white" : "posenc-fill-white-black");
  }
  void put_image(const Image& image, Theme theme, std::string_view name) {
    std::string element = "<image" + place(image.box) + attribute("preserveAspectRatio", "none");
    if (!name.empty()) element += attribute("class", name);
    const std::string png = palette_png(image.levels, image.columns, image.rows, image.map, theme);
    element += attribute("href", "data:image/png;base64," + drawing::base64(png));
    close(element, "image", image.title);
  }
  void close(const std::string& element, std::string_view name, const std::string& title) {
    body_ += element;
    body_ += title.empty() ? "/>\n" : "><title>" + xml_text(title) + "</title></" + std::string(name) + ">\n";
  }

  Theme theme_;
  std::string body_;
};

std::string opening_tag(const Drawing& drawing, const std::string& id) {
  const std::string size = number(drawing.width) + " " + number(drawing.height);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"posenc\"" + attribute("width", drawing.width) +
         attribute("height", drawing.height) + attribute("viewBox", "0 0 " + size) + attribute("role", "img") +
         attribute("aria-labelledby", id + "-title " + id + "-description") + ">\n";
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const text::Character character = text::first_character(text);
    const std::string_view bytes = text.substr(0, character.length);
    text.remove_prefix(character.length);
    if (is_forbidden(character.code)) continue;
    if (character.code == 0xFFFD) {
      result += "\xef\xbf\xbd";
    } else if (const std::string_view replaced = entity(bytes[0]); !replaced.empty()) {
      result += replaced;
    } else {
      result += bytes;
    }
  }
  return result;
}

std::string svg_style(Theme theme) {
  const std::string scheme = theme == Theme::dark ? "dark" : "light";
  std::string css = ":root{color-scheme:" + scheme + ";" + custom_properties(theme) + "}\n" + classes(theme);
  if (theme != Theme::automatic) return css;
  return css + ".posenc-dark{display:none}\n@media (prefers-color-scheme:dark){\n" +
         dark_rules(":root:not([data-theme=\"light\"])") + "}\n" + dark_rules(":root[data-theme=\"dark\"]");
}

std::string to_svg(const Drawing& drawing, const SvgOptions& options) {
  drawing::check_drawing(drawing, "to_svg");
  const std::string id = xml_text(options.id.empty() ? "posenc" : options.id);
  std::string svg = opening_tag(drawing, id);
  svg += "<title id=\"" + id + "-title\">" + xml_text(drawing.title) + "</title>\n";
  svg += "<desc id=\"" + id + "-description\">" + xml_text(drawing.description) + "</desc>\n";
  if (options.standalone) svg += "<style>\n" + svg_style(options.theme) + "</style>\n";
  svg += "<rect" + attribute("width", drawing.width) + attribute("height", drawing.height) +
         " class=\"posenc-fill-paper\"/>\n";
  SvgWriter writer(options.theme);
  for (const Mark& mark : drawing.marks) std::visit(writer, mark);
  return svg + writer.finish() + "</svg>\n";
}

}  // namespace posenc
