// Attention weights of one sequence, [N, S], to look at: numbers with shades beside them, or a heatmap.
#pragma once

#include <string>
#include <vector>

#include "posenc/insight/drawing.h"
#include "posenc/view.h"

namespace posenc::cli {

// Percent per query (row) and key (column), and a shade per key; the first 24 of each. `words` are labels of the rows;
// without them rows are numbered.
std::string attention_map_text(const ConstView& weights, const std::vector<std::string>& words);

// A heatmap for svg, png and pdf.
Drawing attention_map_drawing(const ConstView& weights, const std::vector<std::string>& words,
                              const std::string& title);

}  // namespace posenc::cli
