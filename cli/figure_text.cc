#include "cli/figure_text.h"

#include <fmt/format.h>

namespace posenc::cli {

std::string figure_csv(const Figure& figure) {
  if (figure.data.size() == 1) return to_csv(figure.data.front());
  std::string text;
  for (const DataTable& table : figure.data) {
    text += fmt::format("{}# {}\n{}", text.empty() ? "" : "\n", table.name, to_csv(table));
  }
  return text;
}

}  // namespace posenc::cli
