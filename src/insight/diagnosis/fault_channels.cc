// Mistakes about which channels are rotated, how they are paired, in which direction and how often.

#include "insight/diagnosis/fault.h"

namespace posenc::diagnosis {
namespace {

// A spec that has one list of frequencies, so that its channels may be paired in another way.
const Rotary* with_simple_layout(const Engine& engine) {
  const Rotary* rotary = turning(engine);
  return rotary != nullptr && rotary->layout <= Layout::half_negative ? rotary : nullptr;
}

struct ChannelOrder {
  int before = 0;
  Layout layout = Layout::half;
  int after = 0;
  const char* words = "";
};

Variation ordered(const Engine& engine, const ChannelOrder& order) {
  Variation variation{engine, order.words};
  std::get<Rotary>(variation.engine.spec).layout = order.layout;
  variation.engine.turn.gathered_before += order.before;
  variation.engine.turn.gathered_after += order.after;
  return variation;
}

Variations all_of(const Engine& engine, std::initializer_list<ChannelOrder> orders) {
  Variations variations;
  for (const ChannelOrder& order : orders) variations.push_back(ordered(engine, order));
  return variations;
}

Variations not_rotated(const Engine& engine, const Clues&) {
  if (turning(engine) == nullptr) return {};
  Variation variation{engine};
  variation.engine.turn.turns = 0;
  return {variation};
}

Variations rotated_twice(const Engine& engine, const Clues&) {
  if (turning(engine) == nullptr || engine.turn.turns != 1) return {};
  Variation variation{engine};
  variation.engine.turn.turns = 2;
  return {variation};
}

Variations other_layout(const Engine& engine, const Clues&) {
  const Rotary* rotary = turning(engine);
  if (rotary == nullptr) return {};
  switch (rotary->layout) {
    case Layout::half:
      return all_of(engine,
                    {{0, Layout::interleaved, 0, "2i with 2i + 1 (interleaved) instead of i with i + n (half)"}});
    case Layout::interleaved:
      return all_of(engine, {{0, Layout::half, 0, "i with i + n (half) instead of 2i with 2i + 1 (interleaved)"}});
    case Layout::half_negative: {
      Variations other =
          all_of(engine, {{0, Layout::interleaved, 0, "interleaved instead of half, by the negative angle"}});
      other[0].engine.turn.negative = !engine.turn.negative;
      return other;
    }
    case Layout::half_per_axis: {
      // Pairs over the whole window instead of within the part of each axis: the same frequencies, given one by one.
      const RotarySchedule schedule = plain_schedule(*rotary);
      Variations variations;
      for (const Layout layout : {Layout::half, Layout::interleaved}) {
        Variation variation{engine, "pairs over the whole window instead of within the part of each axis"};
        variation.engine.spec = Rotary{.head_dim = schedule.head_dim,
                                       .layout = layout,
                                       .rotary_dim = schedule.rotary_dim,
                                       .first_channel = schedule.first_channel,
                                       .inv_freq = schedule.inv_freq,
                                       .axes = schedule.axes,
                                       .attention_factor = schedule.attention_factor};
        variations.push_back(variation);
      }
      return variations;
    }
    default:
      return {};
  }
}

Variations deinterleave_missing(const Engine& engine, const Clues&) {
  const Rotary* rotary = with_simple_layout(engine);
  if (rotary == nullptr || rotary->layout != Layout::interleaved_to_half) return {};
  return all_of(engine, {{0, Layout::half, 0, "rotated as half, although the channels are interleaved"}});
}

Variations deinterleave_twice(const Engine& engine, const Clues&) {
  const Rotary* rotary = with_simple_layout(engine);
  if (rotary == nullptr) return {};
  if (rotary->layout == Layout::interleaved_to_half) {
    return all_of(engine, {{2, Layout::half, 0, "de-interleaved twice"},
                           {1, Layout::interleaved, 0, "de-interleaved, then rotated as interleaved"}});
  }
  if (rotary->layout == Layout::interleaved) {
    return all_of(engine, {{1, Layout::interleaved, 0, "de-interleaved, then rotated as interleaved"},
                           {2, Layout::half, 0, "de-interleaved twice, rotated as half"},
                           {-1, Layout::interleaved, 0, "interleaved again before the rotation"}});
  }
  return all_of(engine, {{1, rotary->layout, 0, "de-interleaved, although the channels were in halves already"},
                         {-1, rotary->layout, 0, "interleaved before a rotation of halves"},
                         {2, rotary->layout, 0, "de-interleaved twice"}});
}

Variations channels_permuted(const Engine& engine, const Clues&) {
  const Rotary* rotary = with_simple_layout(engine);
  if (rotary == nullptr) return {};
  if (rotary->layout == Layout::interleaved_to_half) {
    return all_of(engine, {{0, Layout::interleaved, 0, "left interleaved instead of written as halves"}});
  }
  if (rotary->layout == Layout::interleaved) {
    return all_of(engine, {{0, Layout::interleaved, 1, "written as halves: first channels of pairs, then second ones"},
                           {0, Layout::interleaved, -1, "interleaved again after the rotation"}});
  }
  return all_of(engine, {{0, rotary->layout, -1, "written interleaved"},
                         {0, rotary->layout, 1, "de-interleaved after the rotation"}});
}

Variations sign(const Engine& engine, const Clues&) {
  if (turning(engine) == nullptr) return {};
  Variation variation{engine};
  variation.engine.turn.negative = !engine.turn.negative;
  return {variation};
}

Variations cos_sin_swapped(const Engine& engine, const Clues&) {
  if (turning(engine) == nullptr) return {};
  Variation variation{engine};
  variation.engine.turn.cos_sin_swapped = true;
  return {variation};
}

Variations window_end(const Engine& engine, const Clues& clues) {
  const Rotary* rotary = turning(engine);
  if (rotary == nullptr) return {};
  const RotarySchedule schedule = plain_schedule(*rotary);
  const std::optional<LatentHead>& latent = clues.options().latent_head;
  Variation variation{engine};
  if (latent && engine.head_start + schedule.first_channel == latent->nope && latent->nope > 0) {
    variation.engine.head_start = -schedule.first_channel;
    variation.words = "the first " + std::to_string(latent->rope) + " channels instead of the last";
    return {variation};
  }
  if (schedule.rotary_dim == schedule.head_dim) return {};
  const std::int64_t end = schedule.head_dim - schedule.rotary_dim;
  if (schedule.first_channel != 0 && schedule.first_channel != end) return {};
  const bool first = schedule.first_channel == 0;
  std::get<Rotary>(variation.engine.spec).first_channel = first ? end : 0;
  const std::string count = std::to_string(schedule.rotary_dim);
  variation.words = first ? "the last " + count + " channels instead of the first"
                          : "the first " + count + " channels instead of the last";
  return {variation};
}

Variations heads_tokens_transposed(const Engine& engine, const Clues&) {
  if (turning(engine) == nullptr) return {};
  Variations variations(2, Variation{engine});
  variations[0].engine.turn.heads = HeadOrder::by_head;
  variations[0].words = "the index of the head is used as the position";
  variations[1].engine.turn.heads = HeadOrder::flat_heads;
  variations[1].words = "memory laid out as [N, H, D] is read as [H, N, D]";
  return variations;
}

// Layers that should not be rotated are rotated like the other layers of the model.
Variations nope_rotated(const Engine& engine, const Clues& clues) {
  if (!std::holds_alternative<Rotary>(engine.spec) || engine.turn.turns != 0 || !engine.blames.empty()) return {};
  Variations variations;
  for (const OtherLayers& other : clues.options().others) {
    if (other.spec.head_dim != std::get<Rotary>(engine.spec).head_dim) continue;
    Variation variation{engine, "rotated like " + other.name};
    variation.engine.spec = other.spec;
    variation.engine.turn.turns = 1;
    variations.push_back(variation);
  }
  if (variations.empty()) {
    Variation variation{engine};
    variation.engine.turn.turns = 1;
    variations.push_back(variation);
  }
  return variations;
}

Variations wrong_layer(const Engine& engine, const Clues& clues) {
  const Rotary* rotary = turning(engine);
  if (rotary == nullptr) return {};
  Variations variations;
  for (const OtherLayers& other : clues.options().others) {
    if (other.spec.head_dim != rotary->head_dim || axes_of(other.spec) != axes_of(*rotary)) continue;
    Variation variation{engine, "those of " + other.name + ", base " + short_number(other.spec.base)};
    variation.engine.spec = other.spec;
    variations.push_back(variation);
  }
  return variations;
}

constexpr FaultChange kChannelChanges[] = {
    {"not_rotated", not_rotated},
    {"rotated_twice", rotated_twice},
    {"wrong_layer", wrong_layer},
    {"nope_rotated", nope_rotated},
    {"layout", other_layout},
    {"deinterleave_missing", deinterleave_missing},
    {"channels_permuted", channels_permuted},
    {"deinterleave_twice", deinterleave_twice},
    {"sign", sign},
    {"cos_sin_swapped", cos_sin_swapped},
    {"window_end", window_end},
    {"heads_tokens_transposed", heads_tokens_transposed},
};

}  // namespace

std::span<const FaultChange> channel_changes() { return kChannelChanges; }

}  // namespace posenc::diagnosis
