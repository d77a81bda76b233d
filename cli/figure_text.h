// The data of a figure as text.
#pragma once

#include <string>

#include "posenc/insight/figure.h"

namespace posenc::cli {

// Title, finding, and each table in aligned columns, cut where it is long.
std::string figure_text(const Figure& figure);

// All tables; where there are several, each after a line with its name, and an empty line between.
std::string figure_csv(const Figure& figure);

}  // namespace posenc::cli
