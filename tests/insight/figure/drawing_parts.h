// What the tests of figures ask a figure and its drawing.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "posenc/error.h"
#include "posenc/insight/figure.h"
#include "posenc/insight/terminal.h"
#include "posenc/spec.h"

namespace posenc::figure_test {

inline Figure make(const std::string& name, const std::string& spec, const FigureOptions& options = {}) {
  return make_figure(name, {parse_spec(spec)}, options);
}

inline const std::vector<double>& column(const Figure& figure, const std::string& name, std::size_t table = 0) {
  for (const DataColumn& each : figure.data.at(table).columns) {
    if (each.name == name) return std::get<std::vector<double>>(each.values);
  }
  throw std::runtime_error("no column " + name);
}

inline std::string error_of(const std::string& name, const std::string& spec, const FigureOptions& options = {}) {
  try {
    make(name, spec, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

inline std::string text_of(const Drawing& drawing, std::size_t mark) {
  return std::get<Text>(drawing.marks[mark]).text;
}

inline void expect_readable(const Figure& figure, const std::string& what) {
  for (const auto& [a, b] : overlapping_texts(figure.drawing)) {
    ADD_FAILURE() << what << ": '" << text_of(figure.drawing, a) << "' meets '" << text_of(figure.drawing, b) << "'";
  }
  for (const std::size_t mark : texts_outside(figure.drawing)) {
    ADD_FAILURE() << what << ": '" << text_of(figure.drawing, mark) << "' leaves the page";
  }
}

inline bool has_text(const Figure& figure, const std::string& text) {
  std::string all;
  for (const Mark& mark : figure.drawing.marks) {
    if (const auto* one = std::get_if<Text>(&mark)) all += one->text + " ";
  }
  return all.find(text) != std::string::npos;
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline const Image& first_image(const Figure& figure) {
  for (const Mark& mark : figure.drawing.marks) {
    if (const auto* image = std::get_if<Image>(&mark)) return *image;
  }
  throw std::runtime_error("no image");
}

inline FigureOptions in_cells(double columns, double lines, bool plain = false) {
  FigureOptions options{.metrics = TextMetrics::cells, .plain = plain};
  options.width = kCellWidth * columns;
  options.height = kCellHeight * lines;
  return options;
}

}  // namespace posenc::figure_test
