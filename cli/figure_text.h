// Figures by name, and their data as text.
#pragma once

#include <string>
#include <vector>

#include "posenc/insight/figure.h"

namespace posenc::cli {

// All tables as CSV. If there are several, each follows a line with its name, and an empty line separates them.
std::string figure_csv(const Figure& figure);

// The figure of this name, in any case; null if there is none.
const FigureInfo* find_figure(const std::string& word);
// The kinds that a figure can show, "sinusoidal, learned", and the options of posenc plot that change it.
std::string kinds_of_figure(const FigureInfo& info);
std::vector<std::string> options_of_figure(const FigureInfo& info);

}  // namespace posenc::cli
