#include "cli/layer_steps.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "cli/array_output.h"
#include "cli/arrays.h"
#include "posenc/embed.h"
#include "posenc/random.h"

namespace posenc::cli {
namespace {

// Comparing every pair of positions takes time that grows with the square of their number.
constexpr std::int64_t kMostSpread = 64;

// apply_layer gives each place of dropout its own seed; this computes the seed of the input.
Dropout input_dropout(const LayerCall& call) {
  const PhiloxKey key = {static_cast<std::uint32_t>(call.seed), static_cast<std::uint32_t>(call.seed >> 32)};
  const PhiloxCounter seed = philox4x32({0, 0, 0, 0}, key);
  return {.p = call.dropout, .seed = seed[0] | static_cast<std::uint64_t>(seed[1]) << 32};
}

LayerOptions options_of(const LayerCall& call) {
  LayerOptions options{.scale = call.scale, .attention = {.attend = call.attend}};
  if (call.input) options.rows = call.input->rows();
  options.dropout = {.input = call.dropout, .seed = call.seed};
  return options;
}

Array output_of(const ConstView& x, const LayerCall& call, Residual residual) {
  Array out = make_array(x.dtype, {x.shape[0], x.shape[1], x.shape[2]});
  apply_layer(x, {.attention = call.weights, .residual = residual}, writable(out), options_of(call));
  return out;
}

double spread_of(const Array& out) {
  const ConstView rows = out.view()[0];
  double sum = 0.0;
  std::int64_t pairs = 0;
  for (std::int64_t a = 0; a < rows.shape[0]; ++a) {
    for (std::int64_t b = 0; b < a; ++b) {
      double square = 0.0;
      for (std::int64_t m = 0; m < rows.shape[1]; ++m) {
        const double step = number_at(rows[a], m) - number_at(rows[b], m);
        square += step * step;
      }
      sum += std::sqrt(square);
      ++pairs;
    }
  }
  return pairs > 0 ? sum / static_cast<double>(pairs) : 0.0;
}

}  // namespace

LayerSteps run_layer(const ConstView& x, const LayerCall& call) {
  const std::int64_t batch = x.shape[0], tokens = x.shape[1], width = x.shape[2];
  LayerSteps steps;
  steps.h = make_array(x.dtype, {batch, tokens, width});
  steps.encoded = output_of(x, call, Residual::encoded);  // checks everything
  steps.bare = output_of(x, call, Residual::input);
  if (call.input) {
    const PositionView positions = PositionView::range(0, tokens);
    steps.encoding = make_array(x.dtype, {tokens, width});
    fill_rows(call.input->rows(), positions, writable(steps.encoding));
    add_positions(x, positions, call.input->rows(), writable(steps.h),
                  {.scale = call.scale, .dropout = input_dropout(call)});
  } else {
    std::memcpy(steps.h.data.data(), x.data, steps.h.data.size());
  }
  steps.weights = make_array(x.dtype, {batch, call.weights.heads, tokens, tokens});
  steps.average = make_array(x.dtype, {batch, tokens, tokens});
  steps.attention = make_array(x.dtype, {batch, tokens, width});
  MultiHeadOptions options{.attend = call.attend, .average_weights = writable(steps.average)};
  options.attend.weights = writable(steps.weights);
  multi_head_attend(steps.h.view(), call.weights, writable(steps.attention), options);
  return steps;
}

Difference difference_of(const Array& a, const Array& b) {
  Difference difference;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const double size = std::fabs(a.number(i) - b.number(i));
    difference.largest = std::max(difference.largest, size);
    difference.mean += size / static_cast<double>(a.size());
  }
  return difference;
}

Spread spread_of(const ConstView& x, const LayerCall& call) {
  const std::int64_t tokens = std::min(x.shape[1], kMostSpread), width = x.shape[2];
  Array same = make_array(x.dtype, {1, tokens, width});
  for (std::int64_t n = 0; n < tokens; ++n) {
    for (std::int64_t m = 0; m < width; ++m) {
      set_number(writable(same)[0][n], m, number_at(x[0][0], m));
    }
  }
  LayerCall plain = call;
  plain.dropout = 0.0;  // dropout would make the rows differ too
  return {spread_of(output_of(same.view(), plain, Residual::encoded)),
          spread_of(output_of(same.view(), plain, Residual::input))};
}

}  // namespace posenc::cli
