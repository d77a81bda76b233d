#include "cli/figure_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/word_choice.h"
#include "core/text/joined.h"
#include "posenc/spec.h"

namespace posenc::cli {

std::string figure_csv(const Figure& figure) {
  if (figure.data.size() == 1) return to_csv(figure.data.front());
  std::string text;
  for (const DataTable& table : figure.data) {
    text += fmt::format("{}# {}\n{}", text.empty() ? "" : "\n", table.name, to_csv(table));
  }
  return text;
}

const FigureInfo* find_figure(const std::string& word) {
  const auto found = std::find_if(figures().begin(), figures().end(),
                                  [lower = lower_case(word)](const FigureInfo& info) { return info.name == lower; });
  return found == figures().end() ? nullptr : &*found;
}

std::string kinds_of_figure(const FigureInfo& info) {
  std::vector<std::string> names;
  for (const KindInfo& kind : kinds()) {
    const Spec spec = complete_spec(kind.name, {.example = ExampleSize::picture}).spec;
    const bool usual = !info.default_spec.empty() && kind_of(parse_spec(info.default_spec)) == kind.name;
    if (usual || figure_fits(info.name, spec)) names.push_back(kind.name);
  }
  return text::joined(names, ", ");
}

}  // namespace posenc::cli
