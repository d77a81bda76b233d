// The errors of the usual ways to compute a cosine, by position and pair.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/text/number_text.h"
#include "insight/figure/figure_call.h"
#include "posenc/insight/analysis.h"

namespace posenc::figure {
namespace {

constexpr std::int64_t kNear = 24;
constexpr double kFloor = 1e-9;  // smaller errors are shown as this

struct Way {
  Pipeline pipeline;
  const char* label;
};
constexpr std::array<Way, 4> kWays = {{{Pipeline::f16, "float16 angles"},
                                       {Pipeline::bf16, "bfloat16 angles"},
                                       {Pipeline::f32, "float32 angles, the usual way"},
                                       {Pipeline::posenc_f32, "posenc, float32 table"}}};

// Some positions near each power of two, because the error at a single position is a matter of luck.
std::vector<std::int64_t> positions_near(double position) {
  const auto center = static_cast<std::int64_t>(std::min(position, 2147483647.0));
  std::vector<std::int64_t> near;
  for (std::int64_t n = 0; n < kNear; ++n) near.push_back(std::max<std::int64_t>(center - n * (n + 1) / 2, 1));
  return near;
}

double worst_near(Pipeline pipeline, double inv_freq, double position) {
  double worst = 0.0;
  for (const std::int64_t p : positions_near(position)) worst = std::max(worst, pipeline_error(pipeline, inv_freq, p));
  return worst;
}

Figure make_precision(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  const std::vector<double>& all = numbers.rotary() ? numbers.rotary()->inv_freq : numbers.sinusoidal()->inv_freq;
  std::vector<double> inv_freq;
  const std::size_t every = (all.size() + 31) / 32;
  for (std::size_t i = 0; i < all.size(); i += every) inv_freq.push_back(all[i]);
  std::vector<double> positions;
  for (double power = 0.0; power <= 31.0; power += 0.5) positions.push_back(std::round(std::exp2(power)));
  std::array<std::vector<double>, kWays.size()> worst;
  for (std::size_t w = 0; w < kWays.size(); ++w) {
    for (const double position : positions) {
      double error = 0.0;
      for (const double frequency : inv_freq) {
        error = std::max(error, worst_near(kWays[w].pipeline, frequency, position));
      }
      worst[w].push_back(std::max(error, kFloor));
    }
  }
  // Pairs down, positions across; the logarithm of the error.
  drawing::Heat heat{static_cast<std::int64_t>(inv_freq.size()), static_cast<std::int64_t>(positions.size()), {}};
  for (const double frequency : inv_freq) {
    for (const double position : positions) {
      heat.values.push_back(std::log10(std::max(worst_near(Pipeline::f32, frequency, position), kFloor)));
    }
  }
  double million = 0.0;
  for (const double frequency : inv_freq) million = std::max(million, worst_near(Pipeline::f32, frequency, 1048576.0));
  FigurePage page = begin_figure(
      call,
      {.title = "Errors of angles: " + numbers.command_text(),
       .finding = "near position one million the usual float32 angles are off by up to " +
                  text::general_text(million, 2) + "; posenc's float32 table stays within 3e-8 everywhere",
       .note = every > 1 ? "errors are computed for " + std::to_string(inv_freq.size()) + " of the " +
                               std::to_string(all.size()) + " pairs"
                         : "",
       .more = {"the larger error of cos and sin against exact values, the worst of 24 positions near each point"},
       .body_height = 560.0,
       .least_lines = 34});
  const std::vector<Box> boxes = drawing::rows_of(page.drawing(), page.body, {1.15, 1.0});
  drawing::PanelOptions options{.title = "the worst pair",
                                .x = {.label = "position", .low = 1.0, .high = 2147483648.0, .log = true},
                                .y = {.label = "error", .low = kFloor, .high = 4.0, .log = true}};
  for (std::size_t w = 0; w < kWays.size(); ++w) {
    options.legend.push_back({.ink = series_ink(static_cast<std::int64_t>(w)), .width = 2.0, .label = kWays[w].label});
  }
  drawing::Panel panel(page.drawing(), boxes[0], options);
  DataTable data{"worst pair", {{"position", positions}}};
  for (std::size_t w = 0; w < kWays.size(); ++w) {
    panel.line(positions, worst[w], options.legend[w]);
    data.columns.push_back({kWays[w].label, worst[w]});
  }
  drawing::HeatOptions heat_options{.title = "float32 angles, pair by pair: the error as a power of ten",
                                    .row_label = "pair",
                                    .column_label = "position",
                                    .row_step = static_cast<double>(every),
                                    .low = -9.0,
                                    .high = 0.5,
                                    .map = ColorMap::sequential,
                                    .rows_every = static_cast<std::int64_t>(every)};
  for (int power = 0; power <= 9; ++power) {
    heat_options.column_ticks.push_back(
        {2.0 * std::log2(std::pow(10.0, power)), drawing::tick_text(std::pow(10.0, power))});
  }
  drawing::draw_heat(page.drawing(), boxes[1], heat, heat_options);
  page.figure.data.push_back(std::move(data));
  return page.with(
      heat_table("float32, log10 of the error", heat, "pair", "position", 0.0, static_cast<double>(every)));
}

}  // namespace

std::vector<FigureEntry> precision_figures() {
  return {{{.name = "precision",
            .summary = "the error of float32, bfloat16, float16 and posenc's angles, by position and pair",
            .look_for = "Straight lines that rise with the position: every doubling doubles the error.",
            .options = "",
            .default_spec = "rotary:head_dim=128"},
           make_precision}};
}

}  // namespace posenc::figure
