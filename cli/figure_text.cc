#include "cli/figure_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace posenc::cli {
namespace {

constexpr std::size_t kMostRows = 32;
constexpr std::size_t kMostColumns = 10;

std::size_t length_of(const DataColumn& column) {
  return std::visit([](const auto& values) { return values.size(); }, column.values);
}

std::string cell_text(const DataColumn& column, std::size_t row) {
  if (const auto* words = std::get_if<std::vector<std::string>>(&column.values)) return (*words)[row];
  const double value = std::get<std::vector<double>>(column.values)[row];
  return std::isnan(value) ? "" : fmt::format("{:.6g}", value);
}

// fmt counts code points where it pads, as a terminal does.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

std::string table_text(const DataTable& table) {
  const std::size_t all_rows = table.columns.empty() ? 0 : length_of(table.columns.front());
  const std::size_t rows = std::min(all_rows, kMostRows);
  const std::size_t columns = std::min(table.columns.size(), kMostColumns);
  std::vector<std::string> lines(rows + 1);
  for (std::size_t c = 0; c < columns; ++c) {
    const DataColumn& column = table.columns[c];
    std::vector<std::string> cells = {column.name};
    for (std::size_t r = 0; r < rows; ++r) cells.push_back(cell_text(column, r));
    std::size_t width = 0;
    for (const std::string& cell : cells) width = std::max(width, width_of(cell));
    for (std::size_t r = 0; r < cells.size(); ++r) {
      lines[r] += std::string(width - width_of(cells[r]) + (c == 0 ? 0 : 2), ' ') + cells[r];
    }
  }
  std::string text = table.name + ":\n";
  for (const std::string& line : lines) text += "  " + line + "\n";
  if (rows < all_rows || columns < table.columns.size()) {
    text += fmt::format("  of {} rows and {} columns; --format csv has all\n", all_rows, table.columns.size());
  }
  return text;
}

}  // namespace

std::string figure_text(const Figure& figure) {
  std::string text = figure.title + "\n" + figure.finding + "\n";
  if (!figure.note.empty()) text += figure.note + "\n";
  for (const DataTable& table : figure.data) text += "\n" + table_text(table);
  return text;
}

std::string figure_csv(const Figure& figure) {
  if (figure.data.size() == 1) return to_csv(figure.data.front());
  std::string text;
  for (const DataTable& table : figure.data) {
    text += fmt::format("{}# {}\n{}", text.empty() ? "" : "\n", table.name, to_csv(table));
  }
  return text;
}

}  // namespace posenc::cli
