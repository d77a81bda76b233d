// Published results that figures and advice refer to, with their source.
//
//     for (const posenc::PublishedCurve& curve : posenc::published_perplexity()) plot(curve.lengths, curve.values);
#pragma once

#include <string_view>
#include <vector>

namespace posenc::properties {

struct PublishedCurve {
  std::string_view name;  // "sinusoidal"
  std::string_view kind;  // posenc's kind of encoding
  double train_length = 0.0;
  std::vector<double> lengths;  // evaluated at; NaN in `values` where memory ran out
  std::vector<double> values;
};

// Validation perplexity on WikiText-103 of models with 247 million parameters, evaluated on longer texts than they were
// trained on, without overlap: Press, Smith, Lewis, "Train short, test long" (ICLR 2022), tables 2 and 3.
std::vector<properties::PublishedCurve> published_perplexity();
std::string_view published_perplexity_source() noexcept;

}  // namespace posenc::properties
