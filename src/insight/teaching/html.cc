#include "insight/teaching/html.h"

#include <algorithm>

#include "core/text/number_text.h"
#include "insight/teaching/assets.h"
#include "posenc/insight/svg.h"
#include "posenc/version.h"

namespace posenc::teaching {
namespace {

std::string tag(std::string_view name, const std::string& inside, const std::string& attributes = {}) {
  const std::string text(name);
  return "<" + text + (attributes.empty() ? "" : " " + attributes) + ">" + inside + "</" + text + ">";
}

std::string attribute(std::string_view name, std::string_view value) {
  return std::string(name) + "=\"" + xml_text(value) + "\"";
}

// The CSS class of a verdict: holds-to.
std::string verdict_class(Verdict verdict) {
  std::string name(to_text(verdict));
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

// A table that scrolls if it is too wide.
std::string scrolling_table(std::string_view caption, const std::vector<std::string>& head, const std::string& rows) {
  std::string cells;
  for (const std::string& cell : head) cells += tag("th", inline_html(cell), "scope=\"col\"");
  return tag("div",
             tag("table",
                 tag("caption", inline_html(caption)) + tag("thead", tag("tr", cells)) + "\n" + tag("tbody", rows)),
             "class=\"scroll\" tabindex=\"0\" role=\"region\" " + attribute("aria-label", caption)) +
         "\n";
}

// Table of contents from the level 2 headings of a body.
std::string contents(const std::string& body) {
  std::string items;
  const std::string open = "<h2 id=\"";
  for (std::size_t at = body.find(open); at != std::string::npos; at = body.find(open, at + 1)) {
    const std::size_t id = at + open.size();
    const std::size_t id_end = body.find('"', id);
    const std::size_t text = body.find('>', id_end) + 1;
    const std::size_t end = body.find("</h2>", text);
    items +=
        tag("li", tag("a", body.substr(text, end - text), "href=\"#" + body.substr(id, id_end - id) + "\"")) + "\n";
  }
  return tag("nav", tag("h2", "Contents") + tag("ol", items), "class=\"contents\" aria-label=\"Contents\"") + "\n";
}

}  // namespace

std::string inline_html(std::string_view text) {
  std::string result;
  const std::string escaped = xml_text(text);
  bool code = false;
  bool emphasis = false;
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    const char c = escaped[i];
    if (c == '`') {
      result += code ? "</code>" : "<code>";
      code = !code;
    } else if (c == '*' && !code && (emphasis || (i + 1 < escaped.size() && escaped[i + 1] != ' '))) {
      result += emphasis ? "</em>" : "<em>";
      emphasis = !emphasis;
    } else {
      result += c;
    }
  }
  if (code) result += "</code>";
  if (emphasis) result += "</em>";
  return result;
}

std::string paragraph(std::string_view text) { return tag("p", inline_html(text)) + "\n"; }

std::string heading(int level, std::string_view text, std::string_view id) {
  return tag("h" + std::to_string(level), inline_html(text), id.empty() ? "" : attribute("id", id)) + "\n";
}

std::string list(const std::vector<std::string>& items) {
  std::string inside;
  for (const std::string& item : items) inside += tag("li", inline_html(item)) + "\n";
  return tag("ul", "\n" + inside) + "\n";
}

std::string formula(const std::string& mathml) {
  return tag("div", mathml, "class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Formula\"") + "\n";
}

std::string preformatted(std::string_view text) { return tag("pre", xml_text(text), "tabindex=\"0\"") + "\n"; }

std::string details(std::string_view summary, const std::string& inside) {
  return tag("details", tag("summary", inline_html(summary)) + "\n" + inside) + "\n";
}

std::string box(std::string_view title, const std::string& inside) {
  return tag("aside", tag("p", tag("strong", inline_html(title))) + "\n" + inside,
             "class=\"box\" " + attribute("aria-label", title)) +
         "\n";
}

std::string table(const HtmlTable& table) {
  std::string rows;
  for (const std::vector<std::string>& row : table.rows) {
    std::string cells;
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells += i == 0 ? tag("th", inline_html(row[i]), "scope=\"row\"") : tag("td", inline_html(row[i]));
    }
    rows += tag("tr", cells) + "\n";
  }
  return scrolling_table(table.caption, table.head, rows);
}

std::string drawing_of(const Figure& figure, const std::string& id, bool with_finding) {
  return tag("div", to_svg(figure.drawing, {.standalone = false, .id = id}),
             "class=\"drawing\" tabindex=\"0\" role=\"region\" " + attribute("aria-label", figure.title)) +
         tag("figcaption",
             (with_finding ? tag("p", inline_html(figure.finding)) : "") +
                 tag("p", tag("code", xml_text(figure.command)) + " " +
                              tag("button", "Save as SVG",
                                  "type=\"button\" class=\"save\" " + attribute("data-name", figure.name) + " " +
                                      attribute("aria-label", "Save the figure " + figure.title + " as SVG")))) +
         "\n";
}

std::string figure_block(const Figure& figure, const std::string& id) {
  return tag("figure", "\n" + drawing_of(figure, id, true), attribute("id", id)) + "\n";
}

std::string verdict_text(const Property& property) {
  const std::string text(to_text(property.verdict));
  return property.until ? text + " " + text::general_text(*property.until, 10) : text;
}

std::string property_table(const std::vector<Property>& properties, std::string_view caption) {
  std::string rows;
  for (const Property& property : properties) {
    rows += tag("tr", tag("th", inline_html(property.title), "scope=\"row\"") +
                          tag("td", tag("span", xml_text(verdict_text(property)),
                                        "class=\"verdict " + verdict_class(property.verdict) + "\"")) +
                          tag("td", inline_html(property.finding))) +
            "\n";
  }
  return scrolling_table(caption, {"Property", "Verdict", "What was found"}, rows);
}

std::string steps_list(const std::vector<Step>& steps) {
  std::string items;
  for (const Step& step : steps) {
    std::string lines;
    for (const std::string& line : step.lines) lines += line + "\n";
    items += tag("li", tag("p", tag("strong", inline_html(step.title))) + preformatted(lines)) + "\n";
  }
  return tag("ol", "\n" + items, "class=\"steps\"") + "\n";
}

std::string page(const HtmlPage& page) {
  return filled("page.html", {{"version", std::string(version())},
                              {"title_text", xml_text(page.title)},
                              {"figure_style", svg_style(Theme::automatic)},
                              {"style", std::string(asset("page.css"))},
                              {"title", inline_html(page.title)},
                              {"lead", inline_html(page.lead)},
                              {"contents", contents(page.body)},
                              {"body", page.body},
                              {"command", xml_text(page.command)},
                              {"script", std::string(asset("page.js")) + page.script}});
}

}  // namespace posenc::teaching
