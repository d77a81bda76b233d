// Perplexity against length, as published.
#include "insight/properties/published.h"

#include <string>

#include "insight/figure/figure_call.h"

namespace posenc::figure {
namespace {

Figure make_perplexity(const FigureCall& call) {
  FigurePage page = begin_figure(
      call,
      {.title = "Published perplexity beyond the training length",
       .finding = "trained on 512 tokens and tested on 3512: sinusoidal 178.97, rotary 35.54, T5 bias 22.91, ALiBi "
                  "18.40; at the training length all four are near 20",
       .more = {std::string(properties::published_perplexity_source()),
                "lower is better; part of ALiBi's fall is that longer texts have fewer tokens with little context",
                "T5's bias ran out of memory at the longest texts"},
       .body_height = 380.0,
       .least_lines = 16});
  const std::vector<Box> boxes = drawing::columns_of(page.drawing(), page.body, {1.0, 1.0});
  for (const double train : {512.0, 1024.0}) {
    drawing::PanelOptions options{.title = "trained on " + std::to_string(static_cast<int>(train)) + " tokens",
                                  .x = {.label = "tokens at test", .low = 400.0, .high = 20000.0, .log = true},
                                  .y = {.label = "perplexity", .low = 15.0, .high = 500.0, .log = true},
                                  .marks = {{train, "trained on"}}};
    std::vector<properties::PublishedCurve> shown;
    for (properties::PublishedCurve& curve : properties::published_perplexity()) {
      if (curve.train_length != train) continue;
      options.legend.push_back(
          {.ink = series_ink(static_cast<std::int64_t>(shown.size())), .width = 2.0, .label = std::string(curve.name)});
      shown.push_back(std::move(curve));
    }
    drawing::Panel panel(page.drawing(), boxes[train == 512.0 ? 0 : 1], options);
    DataTable data{options.title, {{"tokens", shown.front().lengths}}};
    for (std::size_t i = 0; i < shown.size(); ++i) {
      panel.line(shown[i].lengths, shown[i].values, options.legend[i]);
      panel.dots(shown[i].lengths, shown[i].values, options.legend[i], 3.0);
      data.columns.push_back({std::string(shown[i].name), shown[i].values});
    }
    page.figure.data.push_back(std::move(data));
  }
  return std::move(page.figure);
}

}  // namespace

std::vector<FigureEntry> published_figures() {
  return {{{.name = "perplexity",
            .summary = "published perplexity against length, of four encodings",
            .look_for = "Which curves stay flat beyond the length that the model was trained on?",
            .options = "",
            .default_spec = ""},
           make_perplexity}};
}

}  // namespace posenc::figure
