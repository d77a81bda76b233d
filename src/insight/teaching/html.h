// Parts of HTML pages: prose, tables, figures, boxes, and the page around them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "posenc/insight/check.h"
#include "posenc/insight/explain.h"
#include "posenc/insight/figure.h"

namespace posenc::teaching {

// The text escaped for HTML, with `this` as code and *this* as emphasis.
std::string inline_html(std::string_view text);

std::string paragraph(std::string_view text);
// <h2 id="...">; the page's contents list those of level 2.
std::string heading(int level, std::string_view text, std::string_view id = {});
std::string list(const std::vector<std::string>& items);
// A <math> element that scrolls if it is too wide.
std::string formula(const std::string& mathml);
std::string preformatted(std::string_view text);
std::string details(std::string_view summary, const std::string& inside);
// A box beside the text: "Recommendation".
std::string box(std::string_view title, const std::string& inside);

// A table whose first column has the row headers; it scrolls if it is too wide. Cells are inline_html.
struct HtmlTable {
  std::string caption;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};
std::string table(const HtmlTable& table);

// A drawing with its command and a button that saves it; `id` must be unique in the page.
std::string drawing_of(const Figure& figure, const std::string& id, bool with_finding);
// A whole figure: the drawing and its finding.
std::string figure_block(const Figure& figure, const std::string& id);

// "holds to 2048".
std::string verdict_text(const Property& property);
std::string property_table(const std::vector<Property>& properties, std::string_view caption);
std::string steps_list(const std::vector<Step>& steps);

struct HtmlPage {
  std::string title;
  std::string lead;     // a paragraph below the title
  std::string body;     // sections, with headings of level 2 that have an id
  std::string script;   // in addition to that of every page; may be empty
  std::string command;  // that made the page
};
// The whole file. The page works without a network, in light and dark mode, on paper and by keyboard.
std::string page(const HtmlPage& page);

}  // namespace posenc::teaching
