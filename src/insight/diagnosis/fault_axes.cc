// Mistakes about positions with several coordinates.
#include <algorithm>
#include <numeric>

#include "core/text/joined.h"
#include "insight/diagnosis/fault.h"

namespace posenc::diagnosis {
namespace {

const Rotary* on_axes(const Engine& engine) {
  const auto* rotary = std::get_if<Rotary>(&engine.spec);
  return rotary != nullptr && engine.turn.turns > 0 && axes_of(*rotary) > 1 ? rotary : nullptr;
}

std::string order_text(const std::vector<std::int64_t>& order) { return text::joined(order, ", "); }

// Moves the frequencies to other axes, pair by pair.
Variation on_other_axes(const Engine& engine, const std::vector<std::int64_t>& axis_of_pair, std::string words) {
  const RotarySchedule right = plain_schedule(std::get<Rotary>(engine.spec));
  const auto columns = static_cast<std::size_t>(right.columns());
  std::vector<double> moved(right.inv_freq.size(), 0.0);
  for (std::size_t c = 0; c < columns; ++c) {
    double sum = 0.0;
    for (std::size_t a = 0; a < static_cast<std::size_t>(right.axes); ++a) sum += right.inv_freq[a * columns + c];
    moved[static_cast<std::size_t>(axis_of_pair[c]) * columns + c] = sum;
  }
  return {with_frequencies(engine, right, std::move(moved), right.attention_factor), std::move(words)};
}

std::vector<std::int64_t> axes_of_columns(const RotarySchedule& schedule) {
  const std::int64_t columns = schedule.columns();
  std::vector<std::int64_t> axes(static_cast<std::size_t>(columns), 0);
  for (std::int64_t a = 0; a < schedule.axes; ++a) {
    for (std::int64_t c = 0; c < columns; ++c) {
      if (schedule.inv_freq[static_cast<std::size_t>(a * columns + c)] != 0.0) axes[static_cast<std::size_t>(c)] = a;
    }
  }
  return axes;
}

// One section after the other.
std::vector<std::int64_t> chunked(const std::vector<std::int64_t>& sizes, std::size_t columns) {
  std::vector<std::int64_t> axes;
  for (std::size_t k = 0; k < sizes.size(); ++k)
    axes.insert(axes.end(), static_cast<std::size_t>(sizes[k]), static_cast<std::int64_t>(k));
  axes.resize(columns, static_cast<std::int64_t>(sizes.size()) - 1);
  return axes;
}

// The axes take turns while each has pairs left, as in Qwen3-VL; the remaining pairs go to axis 0.
std::vector<std::int64_t> dealt(const std::vector<std::int64_t>& sizes, std::size_t columns) {
  std::vector<std::int64_t> axes(columns, 0);
  const auto count = static_cast<std::int64_t>(sizes.size());
  for (std::int64_t a = 1; a < count; ++a) {
    for (std::int64_t i = a;
         i < std::min(count * sizes[static_cast<std::size_t>(a)], static_cast<std::int64_t>(columns)); i += count) {
      axes[static_cast<std::size_t>(i)] = a;
    }
  }
  return axes;
}

Variations sections_order(const Engine& engine, const Clues&) {
  const Rotary* rotary = on_axes(engine);
  if (rotary == nullptr || !is_rotation(rotary->layout) || rotary->layout == Layout::half_per_axis) return {};
  const RotarySchedule right = plain_schedule(*rotary);
  const auto columns = static_cast<std::size_t>(right.columns());
  const std::vector<std::int64_t> own = axes_of_columns(right);
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(right.axes), 0);
  for (const std::int64_t axis : own) ++sizes[static_cast<std::size_t>(axis)];
  std::vector<std::int64_t> turns(columns);
  for (std::size_t c = 0; c < columns; ++c) turns[c] = static_cast<std::int64_t>(c) % right.axes;
  std::vector<std::int64_t> reversed_sizes(sizes.rbegin(), sizes.rend());
  Variations variations;
  for (const auto& [axes, words] :
       {std::pair{chunked(sizes, columns), "one section after the other instead of interleaved"},
        std::pair{dealt(sizes, columns), "interleaved instead of one section after the other"},
        std::pair{turns, "the axes alternate, whatever the sections are"},
        std::pair{chunked(reversed_sizes, columns), "the section sizes are reversed"}}) {
    if (axes != own) variations.push_back(on_other_axes(engine, axes, words));
  }
  return variations;
}

Variations axes_swapped(const Engine& engine, const Clues&) {
  const bool concat = std::holds_alternative<Concat>(engine.spec) || std::holds_alternative<Fourier>(engine.spec);
  const std::int64_t count = axes_of(engine.spec);
  if ((on_axes(engine) == nullptr && !concat) || count < 2 || count > 4 || !engine.turn.axis_order.empty()) return {};
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  Variations variations;
  while (std::next_permutation(order.begin(), order.end())) {
    Variation variation{engine, "the axes read coordinates " + order_text(order)};
    variation.engine.turn.axis_order = order;
    variations.push_back(variation);
  }
  // Two axes swapped is likelier than three permuted.
  std::stable_sort(variations.begin(), variations.end(), [](const Variation& a, const Variation& b) {
    const auto moved = [](const Variation& v) {
      std::int64_t places = 0;
      for (std::size_t i = 0; i < v.engine.turn.axis_order.size(); ++i)
        places += v.engine.turn.axis_order[i] != static_cast<std::int64_t>(i);
      return places;
    };
    return moved(a) < moved(b);
  });
  return variations;
}

Variations axes_collapsed(const Engine& engine, const Clues&) {
  const Rotary* rotary = on_axes(engine);
  if (rotary == nullptr || !engine.turn.axis_order.empty()) return {};
  Variations variations;
  for (std::int64_t a = 0; a < axes_of(*rotary); ++a) {
    Variation variation{engine, "all pairs read coordinate " + std::to_string(a)};
    variation.engine.turn.axis_order.assign(static_cast<std::size_t>(axes_of(*rotary)), a);
    variations.push_back(variation);
  }
  Variation counted{engine, "all pairs read the index of the token, as in text"};
  counted.engine.ids = [](std::int64_t n, double) { return static_cast<double>(n); };
  variations.push_back(counted);
  return variations;
}

Variations axis_frequencies(const Engine& engine, const Clues&) {
  const Rotary* rotary = on_axes(engine);
  if (rotary == nullptr || !rotary->inv_freq.empty() || !std::holds_alternative<NoScaling>(rotary->scaling)) return {};
  if (rotary->layout > Layout::half_negative || rotary->exponent_dim != 0) return {};
  Variations variations;
  for (const AxisFrequencies rule : {AxisFrequencies::shared, AxisFrequencies::restart, AxisFrequencies::dealt}) {
    if (rule == rotary->axis_frequencies) continue;
    Variation variation{engine, rule == AxisFrequencies::shared    ? "one list of frequencies over all pairs"
                                : rule == AxisFrequencies::restart ? "every axis starts at the fastest frequency"
                                                                   : "one list of frequencies dealt out to the axes"};
    std::get<Rotary>(variation.engine.spec).axis_frequencies = rule;
    variations.push_back(variation);
  }
  return variations;
}

constexpr FaultChange kAxisChanges[] = {
    {"sections_order", sections_order},
    {"axes_swapped", axes_swapped},
    {"axes_collapsed", axes_collapsed},
    {"axis_frequencies", axis_frequencies},
};

}  // namespace

std::span<const FaultChange> axis_changes() { return kAxisChanges; }

}  // namespace posenc::diagnosis
