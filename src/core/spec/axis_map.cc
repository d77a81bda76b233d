#include "core/spec/axis_map.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <numeric>

#include "core/base/refuse.h"

namespace posenc::spec {
namespace {

using base::Refusal;

std::int64_t at(const std::vector<std::int64_t>& list, std::int64_t i) { return list[static_cast<std::size_t>(i)]; }

// The axis of entry i if the sections follow each other, each `multiple` times as long.
std::int64_t chunk_axis(const Rotary& spec, std::int64_t i, std::int64_t multiple) {
  std::int64_t section = 0;
  for (std::int64_t end = multiple * at(spec.sections, 0); i >= end; end += multiple * at(spec.sections, section)) {
    ++section;
  }
  return section % axes_of(spec);
}

std::int64_t section_axis(const Rotary& spec, std::int64_t i) {
  const std::int64_t axes = axes_of(spec), turn = i % axes;
  switch (spec.section_order) {
    case SectionOrder::alternating:
      return turn;
    case SectionOrder::interleaved:
      return turn > 0 && i < axes * at(spec.sections, turn) ? turn : 0;
    case SectionOrder::ernie:
      return i < at(spec.sections, 0) + at(spec.sections, 1) ? 1 + i % 2 : 0;
    case SectionOrder::chunked:
      break;
  }
  return spec.sections.empty() ? 0 : chunk_axis(spec, i, 1);
}

std::int64_t pair_axis(const Rotary& spec, const RotaryWindow& window, std::int64_t i) {
  if (!spec.axis_of_pair.empty()) return at(spec.axis_of_pair, i);
  if (has_parts(spec.layout)) return i / (window.pairs() / axes_of(spec));
  return section_axis(spec, i);
}

// Numbers the frequencies per axis: each axis has its own ladder (restart), or the axes take the frequencies of one
// ladder in turn (dealt).
void number_by_axis(const Rotary& spec, std::vector<PairPlace>& places) {
  std::array<std::int64_t, 8> count{};
  for (PairPlace& place : places) place.index = count[static_cast<std::size_t>(place.axis)]++;
  for (PairPlace& place : places) {
    if (spec.axis_frequencies == AxisFrequencies::dealt) {
      place.index = place.index * axes_of(spec) + place.axis;
    } else if (spec.exponent_dim == 0) {
      place.exponent_dim = 2 * count[static_cast<std::size_t>(place.axis)];
    }
  }
}

std::vector<PairPlace> pair_map(const Rotary& spec, const RotaryWindow& window) {
  const std::int64_t in_part = has_parts(spec.layout) ? window.pairs() / axes_of(spec) : window.pairs();
  std::vector<PairPlace> places;
  for (std::int64_t i = 0; i < window.pairs(); ++i) {
    places.push_back({pair_axis(spec, window, i), i % in_part, window.exponent_dim, i});
  }
  if (!has_parts(spec.layout) && spec.axis_frequencies != AxisFrequencies::shared) number_by_axis(spec, places);
  return places;
}

void check_given_frequencies(const Rotary& spec, std::int64_t pairs, const Refusal& refuse) {
  const auto given = static_cast<std::int64_t>(spec.inv_freq.size());
  const std::int64_t axes = axes_of(spec);
  if (given == 0) return;
  if (given != pairs && given != axes * pairs) {
    refuse("inv_freq must have one number per pair, ", pairs,
           (axes == 1 ? "" : ", or per axis and pair, " + std::to_string(axes * pairs)), ", but has ", given);
  }
  refuse.unless(spec.axis_frequencies == AxisFrequencies::shared,
                "axis_frequencies is a rule for frequencies, and inv_freq replaces it: leave it out");
  if (axes == 1 || given == pairs) return;
  refuse.unless(is_rotation(spec.layout), "inv_freq must be given once per pair where the layout says the axes");
  refuse.unless(spec.axis_of_pair.empty(),
                "axis_of_pair says which axis a pair has: give inv_freq once per pair, or leave it out");
  refuse.unless(spec.sections.empty() && spec.section_order == SectionOrder::chunked,
                "sections say which axis a pair has: give inv_freq once per pair, or leave them out");
}

void check_axis_of_pair(const Rotary& spec, std::int64_t pairs, const Refusal& refuse) {
  if (spec.axis_of_pair.empty()) return;
  refuse.unless(spec.sections.empty() && spec.section_order == SectionOrder::chunked,
                "axis_of_pair and sections say the same thing: give one of them");
  refuse.unless(spec.axes != 1, "axis_of_pair is for several axes but axes is 1");
  refuse.unless(static_cast<std::int64_t>(spec.axis_of_pair.size()) == pairs,
                "axis_of_pair must have one number per pair, ", pairs, ", but has ", spec.axis_of_pair.size());
  for (const std::int64_t axis : spec.axis_of_pair) {
    if (axis < spec.axes) continue;
    refuse("axis_of_pair must name axes below axes, ", spec.axes, ", but got ", axis);
  }
}

// Checks what each section_order requires of the sections, beyond the right sum.
void check_order(const Rotary& spec, std::int64_t pairs, const Refusal& refuse) {
  const std::int64_t axes = axes_of(spec);
  const auto count = static_cast<std::int64_t>(spec.sections.size());
  refuse.unless(spec.section_order != SectionOrder::interleaved || count == axes,
                "section_order=interleaved needs one of sections per axis, ", axes, ", but has ", count);
  refuse.unless(spec.section_order != SectionOrder::ernie ||
                    (count == 3 && axes == 3 && at(spec.sections, 0) == at(spec.sections, 1)),
                "section_order=ernie needs three axes and three sections, (h, w, t), the first two equal");
  if (spec.section_order != SectionOrder::alternating || count == 0) return;
  for (std::int64_t k = 0; k < axes; ++k) {
    const std::int64_t wanted = (pairs - k + axes - 1) / axes;
    if (k < count && count == axes && at(spec.sections, k) == wanted) continue;
    refuse("sections must be what section_order=alternating gives, ", wanted, " pairs on axis ", k, ", or be left out");
  }
}

void check_sections(const Rotary& spec, std::int64_t pairs, const Refusal& refuse) {
  const std::int64_t axes = axes_of(spec);
  refuse.unless(axes <= 8, "sections must be at most 8 where axes is left out but are ", axes);
  refuse.unless(axes != 1 || spec.section_order == SectionOrder::chunked, "section_order is for several axes");
  refuse.unless(axes != 1 || spec.axis_frequencies == AxisFrequencies::shared, "axis_frequencies is for several axes");
  const std::int64_t sum = std::accumulate(spec.sections.begin(), spec.sections.end(), std::int64_t{0});
  refuse.unless(spec.sections.empty() || sum == pairs, "sections must sum to the number of pairs, ", pairs,
                ", but sum to ", sum);
  check_order(spec, pairs, refuse);
}

std::string layout_word(Layout layout) {
  if (layout == Layout::half_per_axis) return "layout=half_per_axis";
  return layout == Layout::full_width_half ? "layout=full_width_half"
                                           : "layout=interleaved_pairs_with_halves_tiling_per_axis";
}

// Checks the layouts that determine the axes themselves, wholly or in part.
void check_layout(const Rotary& spec, const RotaryWindow& window, const Refusal& refuse) {
  const std::int64_t axes = axes_of(spec);
  const std::string layout = layout_word(spec.layout);
  refuse.unless(is_rotation(spec.layout) || axes != 1, layout, " is for several axes but axes is 1");
  if (has_parts(spec.layout)) {
    refuse.unless(window.rotary_dim % (2 * axes) == 0, layout, " needs an even part of the window per axis but ",
                  window.rotary_dim, " channels are to be shared by axes=", axes);
    refuse.unless(spec.sections.empty() && spec.section_order == SectionOrder::chunked, layout,
                  " has one part per axis: leave out sections and section_order");
    refuse.unless(spec.axis_frequencies != AxisFrequencies::dealt, layout,
                  " begins its frequencies anew in every part: leave out axis_frequencies");
  }
  if (is_rotation(spec.layout)) return;
  refuse.unless(spec.axis_of_pair.empty(), layout, " says the axes by channel: leave out axis_of_pair");
  if (spec.layout != Layout::full_width_half) return;
  refuse.unless(!spec.sections.empty(), layout, " needs sections");
  refuse.unless(spec.section_order == SectionOrder::chunked && spec.axis_frequencies == AxisFrequencies::shared, layout,
                " takes sections one after the other over shared frequencies: leave out section_order and ",
                "axis_frequencies");
}

}  // namespace

std::vector<PairPlace> axis_map(const Rotary& spec, const RotaryWindow& window) {
  std::vector<PairPlace> places = pair_map(spec, window);
  if (is_rotation(spec.layout)) return places;
  const std::vector<PairPlace> pairs = std::move(places);
  const bool full = spec.layout == Layout::full_width_half;
  const std::int64_t half = full ? window.pairs() : window.pairs() / axes_of(spec);
  places.clear();
  for (std::int64_t c = 0; c < window.rotary_dim; ++c) {
    const std::int64_t pair = c / (2 * half) * half + c % half;
    places.push_back(pairs[static_cast<std::size_t>(pair)]);
    if (full) places.back().axis = chunk_axis(spec, c, 2);
  }
  return places;
}

void check_axes(const Rotary& spec, const RotaryWindow& window, const Refusal& refuse) {
  check_sections(spec, window.pairs(), refuse);
  check_layout(spec, window, refuse);
  check_given_frequencies(spec, window.pairs(), refuse);
  check_axis_of_pair(spec, window.pairs(), refuse);
  const std::int64_t axes = axes_of(spec);
  const bool known = axes == 1 || has_parts(spec.layout) || !spec.sections.empty() || !spec.axis_of_pair.empty() ||
                     spec.section_order == SectionOrder::alternating ||
                     static_cast<std::int64_t>(spec.inv_freq.size()) == axes * window.pairs();
  if (known) return;
  refuse("axes=", axes, " needs sections, or axis_of_pair, the axis of each of the ", window.pairs(),
         " pairs, or inv_freq for every axis and pair");
}

std::vector<Ladder> ladders_of(const Rotary& spec, const std::vector<PairPlace>& places) {
  std::vector<Ladder> ladders;
  for (const PairPlace& place : places) {
    auto found = std::find_if(ladders.begin(), ladders.end(),
                              [&](const Ladder& ladder) { return ladder.dim == place.exponent_dim; });
    if (found == ladders.end()) {
      ladders.push_back({spec.base, place.exponent_dim, 0, spec.head_dim, spec.sequence_length});
      found = ladders.end() - 1;
    }
    found->pairs = std::max(found->pairs, place.index + 1);
  }
  return ladders;
}

std::vector<Ladder> ladders_of(const Rotary& spec) { return ladders_of(spec, axis_map(spec, window_of(spec))); }

}  // namespace posenc::spec
