// The data of a figure as text.
#pragma once

#include <string>

#include "posenc/insight/figure.h"

namespace posenc::cli {

// All tables as CSV. If there are several, each follows a line with its name, and an empty line separates them.
std::string figure_csv(const Figure& figure);

}  // namespace posenc::cli
