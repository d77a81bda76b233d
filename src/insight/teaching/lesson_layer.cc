// The layer of the lesson: that of `posenc layer`, which draws the same random numbers.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text/number_text.h"
#include "insight/drawing/chart.h"
#include "insight/teaching/html.h"
#include "insight/teaching/lesson.h"
#include "posenc/layer.h"
#include "posenc/random.h"
#include "posenc/schedule.h"

namespace posenc::teaching {
namespace {

constexpr std::int64_t kTokens = 20, kWidth = 64, kHeads = 8;

// The numbers of a random array of the command line: each has its own stream.
std::vector<float> random_rows(std::int64_t rows, double std, std::uint64_t seed, std::uint64_t stream) {
  constexpr std::uint64_t kInputStream = 0x746f6b656e73;
  std::vector<float> numbers(static_cast<std::size_t>(rows * kWidth));
  fill_random(make_view(numbers.data(), {rows, kWidth}), {.std = std, .seed = (seed + (stream << 32)) ^ kInputStream});
  return numbers;
}

struct Layer {
  explicit Layer(std::uint64_t seed)
      : x(random_rows(2 * kTokens, 1.0, seed, 0)),  // a batch of 2, of which the first is shown
        in(random_rows(3 * kWidth, 0.125, seed, 1)),
        out(random_rows(kWidth, 0.125, seed, 2)) {}

  MultiHeadAttention weights() const {
    return {.heads = kHeads,
            .in_proj_weight = make_view(in.data(), {3 * kWidth, kWidth}),
            .out_proj_weight = make_view(out.data(), {kWidth, kWidth})};
  }
  // The output for `rows`, [20, 64]; the weights averaged over the heads go to `average`, [20, 20].
  std::vector<float> apply(const std::vector<float>& rows, Residual residual, std::vector<float>& average) const {
    std::vector<float> result(static_cast<std::size_t>(kTokens * kWidth));
    average.resize(static_cast<std::size_t>(kTokens * kTokens));
    apply_layer(make_view(rows.data(), {kTokens, kWidth}), {.attention = weights(), .residual = residual},
                make_view(result.data(), {kTokens, kWidth}),
                {.rows = StreamedRows{&schedule},
                 .attention = {.average_weights = make_view(average.data(), {kTokens, kTokens})}});
    return result;
  }

  std::vector<float> x, in, out;
  SinusoidalSchedule schedule = make_schedule(Sinusoidal{.width = kWidth});
};

// The mean distance between the rows of an output.
double spread_of(const std::vector<float>& rows) {
  double sum = 0.0;
  for (std::int64_t a = 0; a < kTokens; ++a) {
    for (std::int64_t b = 0; b < a; ++b) {
      double square = 0.0;
      for (std::int64_t m = 0; m < kWidth; ++m) {
        const double step = static_cast<double>(rows[static_cast<std::size_t>(a * kWidth + m)]) -
                            static_cast<double>(rows[static_cast<std::size_t>(b * kWidth + m)]);
        square += step * step;
      }
      sum += std::sqrt(square);
    }
  }
  return sum / static_cast<double>(kTokens * (kTokens - 1) / 2);
}

Figure map_of(const std::vector<float>& average, const std::string& command) {
  Figure figure{.name = "layer_map", .title = "Attention of the layer, averaged over 8 heads", .command = command};
  drawing::Heat heat{kTokens, kTokens, {average.begin(), average.end()}};
  const double largest = *std::max_element(heat.values.begin(), heat.values.end());
  figure.finding = "the weights of 20 tokens, averaged over 8 heads: up to " + text::fixed_text(largest, 2) +
                   ", where equal weights would be " + text::fixed_text(1.0 / static_cast<double>(kTokens), 2);
  figure.drawing.title = figure.title;
  figure.drawing.description = figure.finding;
  const Box body = drawing::lay_out_page(
      figure.drawing, {.title = figure.title,
                       .notes = {"sinusoidal:width=64, random embeddings and weights; every row adds up to 1"},
                       .width = 520.0,
                       .body_height = 400.0});
  drawing::draw_heat(figure.drawing, body, heat,
                     {.row_label = "query",
                      .column_label = "key",
                      .low = 0.0,
                      .high = largest,
                      .map = ColorMap::sequential,
                      .square = true});
  return figure;
}

}  // namespace

Values layer_values(const LessonSubject& subject) {
  const std::uint64_t seed = subject.options.seed;
  const Layer layer(seed);
  std::vector<float> first(layer.x.begin(), layer.x.begin() + kTokens * kWidth), average, unused;
  layer.apply(first, Residual::encoded, average);
  std::vector<float> same;  // token 0 at every position
  for (std::int64_t n = 0; n < kTokens; ++n) same.insert(same.end(), first.begin(), first.begin() + kWidth);
  const std::string command = "posenc layer --map layer.svg" + (seed == 0 ? "" : " --seed " + std::to_string(seed));
  const Figure figure = map_of(average, command);
  return {{"layer.id", "layer-map"},
          {"layer.drawing", drawing_of(figure, "layer-map", false)},
          {"layer.finding", inline_html(figure.finding)},
          {"encoded", text::fixed_text(spread_of(layer.apply(same, Residual::encoded, unused)), 2)},
          {"bare", text::fixed_text(spread_of(layer.apply(same, Residual::input, unused)), 2)}};
}

}  // namespace posenc::teaching
